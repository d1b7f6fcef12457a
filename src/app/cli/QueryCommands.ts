/** Commands that ask a service: its read endpoints. */
import { Command } from "@effect/cli"
import * as Flags from "./Flags.ts"
import * as OptionKinds from "./OptionKinds.ts"
import { lazyCommand } from "./LazyCommand.ts"
import { shapeOf } from "./UsageCheck.ts"

const reading = { ...Flags.service, json: Flags.json, ...Flags.loudness }

const health = Command.make(
  "health",
  reading,
  lazyCommand(
    () => import("../commands/ServiceQueries.ts"),
    ({ healthCommand }) => healthCommand
  )
).pipe(Command.withDescription("The service's health."))

const credits = Command.make(
  "credits",
  reading,
  lazyCommand(
    () => import("../commands/ServiceQueries.ts"),
    ({ creditsCommand }) => creditsCommand
  )
).pipe(Command.withDescription("The account's credits."))

const providers = Command.make(
  "providers",
  reading,
  lazyCommand(
    () => import("../commands/ServiceQueries.ts"),
    ({ providersCommand }) => providersCommand
  )
).pipe(Command.withDescription("The service's providers and what each can do."))

const ofProvider = OptionKinds.textOption("provider", "ID", "Only this provider's.")

const models = Command.make(
  "models",
  { ...reading, provider: ofProvider },
  lazyCommand(
    () => import("../commands/ServiceQueries.ts"),
    ({ modelsCommand }) => modelsCommand
  )
).pipe(Command.withDescription("Models, of all providers or of one."))

const voices = Command.make(
  "voices",
  {
    ...reading,
    provider: ofProvider,
    search: OptionKinds.textOption("search", "TEXT", "Only voices in which the service finds this text."),
    limit: OptionKinds.integerOption("limit", "N", { min: 1, max: 100_000 }, "At most so many; default: all.")
  },
  lazyCommand(
    () => import("../commands/ServiceQueries.ts"),
    ({ voicesCommand }) => voicesCommand
  )
).pipe(Command.withDescription("Voices, with the ids that manifests name."))

const tasks = Command.make(
  "tasks",
  {
    ...reading,
    limit: OptionKinds.integerOption("limit", "N", { min: 1, max: 100_000 }, "At most so many; default: 50."),
    data: Flags.data
  },
  lazyCommand(
    () => import("../commands/ServiceQueries.ts"),
    ({ tasksCommand }) => tasksCommand
  )
).pipe(Command.withDescription("The account's tasks, newest first."))

export const queryCommands = [health, credits, providers, models, voices, tasks] as const
export const queryShapes = [
  shapeOf(health),
  shapeOf(credits),
  shapeOf(providers),
  shapeOf(models),
  shapeOf(voices),
  shapeOf(tasks)
]
