/** Command definitions for the service's read endpoints, and for voices. */
import { Args, Command, HelpDoc } from "@effect/cli"
import { Effect } from "effect"
import * as Flags from "./Flags.ts"
import { argument, command, integer, withDefault, text } from "./OptionKinds.ts"

const reading = { ...Flags.service, json: Flags.json, ...Flags.loudness }
const queries = () => import("../commands/ServiceQueries.ts")
const limit = (described: string) => integer("limit", "N", [1, 100_000], described)

const health = command(
  "health",
  "Show the service's health",
  reading,
  async () => (await queries()).healthCommand
)

const credits = command(
  "credits",
  "Show the account's credits",
  reading,
  async () => (await queries()).creditsCommand
)

const providers = command(
  "providers",
  "List providers and what each can do",
  reading,
  async () => (await queries()).providersCommand
)

const models = command(
  "models",
  "List models, of all providers or of one",
  { ...reading, provider: text("provider", "ID", "list only models of this provider") },
  async () => (await queries()).modelsCommand
)

const named = (described: string) =>
  Args.mapEffect(Args.repeated(argument("voice", described)), (names) =>
    names.length > 0
      ? Effect.succeed(names)
      : Effect.fail(HelpDoc.p("expected at least one voice; dubwright voices list shows them"))
  )

const voicesAdd = command(
  "add",
  "Install neural voices on this machine; shows their licences",
  {
    voices: named("a voice from `voices list`, or a voice's folder, .onnx file, .tar.bz2 or .tar.gz archive")
  },
  async () => (await import("../commands/VoicesCommand.ts")).addVoicesCommand
)

const voicesList = command(
  "list",
  "List neural voices: those installed, and those to download",
  { json: Flags.json },
  async () => (await import("../commands/VoicesCommand.ts")).listVoicesCommand
)

const voicesRemove = command(
  "remove",
  "Remove neural voices from this machine",
  { voices: named("an installed voice (see `voices list`)") },
  async () => (await import("../commands/VoicesCommand.ts")).removeVoicesCommand
)

const voicesTry = command(
  "try",
  "Say a sentence in several voices, and write a page with players",
  {
    voices: Args.repeated(
      argument(
        "voice",
        "voice ids of the service; default for the bundled service: 12 voices of the language"
      )
    ),
    language: text("language", "TAG", "language of the voices and of the text; default: en"),
    text: text("text", "TEXT", "what to say; default: a sentence in the language"),
    out: withDefault(
      text("out", "DIR", "folder of the page and its audio; default: voice-samples"),
      "voice-samples"
    ),
    ...Flags.service
  },
  async () => (await import("../commands/VoiceSamples.ts")).tryVoicesCommand
)

const voices = command(
  "voices",
  "List voices and their ids; voices try plays samples, voices add, list and remove manage neural voices",
  {
    ...reading,
    provider: text("provider", "ID", "list only voices of this provider"),
    search: text("search", "TEXT", "list only voices that match this text"),
    limit: limit("list at most N; default: all")
  },
  async () => (await queries()).voicesCommand
)

const tasks = command(
  "tasks",
  "List the account's tasks, newest first",
  { ...reading, limit: limit("list at most N; default: 50"), data: Flags.data },
  async () => (await queries()).tasksCommand
)

const service = Command.make("service").pipe(
  Command.withDescription("Query the service: health, credits, providers, models, voices, tasks")
)

export const serviceCommands = [health, credits, providers, models, voices, tasks] as const
export const voicesCommands = [voicesAdd, voicesList, voicesRemove, voicesTry] as const
export const queryCommands = [
  Command.withSubcommands(service, serviceCommands),
  Command.withSubcommands(voices, voicesCommands)
] as const
