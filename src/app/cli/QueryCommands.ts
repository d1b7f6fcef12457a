/** Command definitions for the service's read endpoints, and for voices. */
import { Args, Command, HelpDoc } from "@effect/cli"
import { Effect } from "effect"
import * as Flags from "./Flags.ts"
import * as OptionKinds from "./OptionKinds.ts"
import { lazyCommand } from "./LazyCommand.ts"

const reading = { ...Flags.service, json: Flags.json, ...Flags.loudness }

const health = Command.make(
  "health",
  reading,
  lazyCommand(async () => (await import("../commands/ServiceQueries.ts")).healthCommand)
).pipe(Command.withDescription("Show the service's health"))

const credits = Command.make(
  "credits",
  reading,
  lazyCommand(async () => (await import("../commands/ServiceQueries.ts")).creditsCommand)
).pipe(Command.withDescription("Show the account's credits"))

const providers = Command.make(
  "providers",
  reading,
  lazyCommand(async () => (await import("../commands/ServiceQueries.ts")).providersCommand)
).pipe(Command.withDescription("List providers and what each can do"))

const models = Command.make(
  "models",
  { ...reading, provider: OptionKinds.textOption("provider", "ID", "list only models of this provider") },
  lazyCommand(async () => (await import("../commands/ServiceQueries.ts")).modelsCommand)
).pipe(Command.withDescription("List models, of all providers or of one"))

const named = (described: string) =>
  Args.repeated(Args.text({ name: "voice" })).pipe(
    Args.withDescription(described),
    Args.mapEffect((names) =>
      names.length > 0
        ? Effect.succeed(names)
        : Effect.fail(HelpDoc.p("expected at least one voice; dubwright voices list shows them"))
    )
  )

const voicesAdd = Command.make(
  "add",
  {
    voices: named("a voice from `voices list`, or a voice's folder, .onnx file, .tar.bz2 or .tar.gz archive")
  },
  lazyCommand(async () => (await import("../commands/VoicesCommand.ts")).addVoicesCommand)
).pipe(Command.withDescription("Install neural voices on this machine; shows their licences"))

const voicesList = Command.make(
  "list",
  { json: Flags.json },
  lazyCommand(async () => (await import("../commands/VoicesCommand.ts")).listVoicesCommand)
).pipe(Command.withDescription("List neural voices: those installed, and those to download"))

const voicesRemove = Command.make(
  "remove",
  { voices: named("an installed voice (see `voices list`)") },
  lazyCommand(async () => (await import("../commands/VoicesCommand.ts")).removeVoicesCommand)
).pipe(Command.withDescription("Remove neural voices from this machine"))

const voicesTry = Command.make(
  "try",
  {
    voices: Args.repeated(Args.text({ name: "voice" })).pipe(
      Args.withDescription(
        "voice ids of the service; default for the bundled service: 12 voices of the language"
      )
    ),
    language: OptionKinds.textOption(
      "language",
      "TAG",
      "language of the voices and of the text; default: en"
    ),
    text: OptionKinds.textOption("text", "TEXT", "what to say; default: a sentence in the language"),
    out: OptionKinds.textOr(
      "out",
      "DIR",
      "voice-samples",
      "folder of the page and its audio; default: voice-samples"
    ),
    ...Flags.service
  },
  lazyCommand(async () => (await import("../commands/VoiceSamples.ts")).tryVoicesCommand)
).pipe(Command.withDescription("Say a sentence in several voices, and write a page with players"))

const voices = Command.make(
  "voices",
  {
    ...reading,
    provider: OptionKinds.textOption("provider", "ID", "list only voices of this provider"),
    search: OptionKinds.textOption("search", "TEXT", "list only voices that match this text"),
    limit: OptionKinds.integerOption("limit", "N", { min: 1, max: 100_000 }, "list at most N; default: all")
  },
  lazyCommand(async () => (await import("../commands/ServiceQueries.ts")).voicesCommand)
).pipe(
  Command.withDescription(
    "List voices and their ids; voices try plays samples, voices add, list and remove manage neural voices"
  )
)

const tasks = Command.make(
  "tasks",
  {
    ...reading,
    limit: OptionKinds.integerOption("limit", "N", { min: 1, max: 100_000 }, "list at most N; default: 50"),
    data: Flags.data
  },
  lazyCommand(async () => (await import("../commands/ServiceQueries.ts")).tasksCommand)
).pipe(Command.withDescription("List the account's tasks, newest first"))

const service = Command.make("service").pipe(
  Command.withDescription("Query the service: health, credits, providers, models, voices, tasks")
)

export const serviceCommands = [health, credits, providers, models, voices, tasks] as const
export const voicesCommands = [voicesAdd, voicesList, voicesRemove, voicesTry] as const
export const queryCommands = [
  Command.withSubcommands(service, serviceCommands),
  Command.withSubcommands(voices, voicesCommands)
] as const
