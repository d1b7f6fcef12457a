/** Commands that run the bundled service and look after its keys. */
import { Args, Command } from "@effect/cli"
import * as Flags from "./Flags.ts"
import * as OptionKinds from "./OptionKinds.ts"
import { lazyCommand } from "./LazyCommand.ts"
import { shapeOf } from "./UsageCheck.ts"

const serve = Command.make(
  "serve",
  {
    host: OptionKinds.textOr("host", "HOST", "127.0.0.1", "The address to listen on; default: 127.0.0.1."),
    port: Flags.port(8080, "The port; 0 takes a free one. Default: 8080."),
    data: Flags.data,
    config: OptionKinds.textOption(
      "config",
      "FILE",
      "The service's settings (YAML); without it, the built-in ones."
    ),
    ...Flags.loudness
  },
  lazyCommand(
    () => import("../commands/ServeCommand.ts"),
    ({ serveCommand }) => serveCommand
  )
).pipe(
  Command.withDescription(
    "The aggregation service. Prints `listening http://HOST:PORT` when it is ready; stops cleanly on SIGTERM."
  )
)

const accountName = OptionKinds.requiredText("name", "NAME", "The key's name, and that of its new account.")
const anyNumber = { min: 0, max: Number.MAX_SAFE_INTEGER }
const granted = OptionKinds.integerOption(
  "credits",
  "N",
  anyNumber,
  "Credits the account may spend, or may spend in addition; a new account without it has no limit."
)
const existing = OptionKinds.integerOption(
  "account",
  "NUMBER",
  anyNumber,
  "The account that the key opens, by its number in `keys list`; without it, a new one."
)

const keysCreate = Command.make(
  "create",
  { data: Flags.data, name: accountName, credits: granted, account: existing },
  lazyCommand(
    () => import("../commands/KeysCommand.ts"),
    ({ createKeyCommand }) => createKeyCommand
  )
).pipe(
  Command.withDescription(
    "Creates an account, or a further key to one, and prints the key, alone, this once."
  )
)

const keysImport = Command.make(
  "import",
  {
    data: Flags.data,
    name: accountName,
    credits: granted,
    account: existing,
    key: Args.text({ name: "key" }).pipe(
      Args.withDescription(
        "The key. Left out, it is read from stdin, where lists of processes do not show it."
      ),
      Args.optional
    )
  },
  lazyCommand(
    () => import("../commands/KeysCommand.ts"),
    ({ importKeyCommand }) => importKeyCommand
  )
).pipe(Command.withDescription("Takes over an older key, with or without the prefix."))

const keysList = Command.make(
  "list",
  { data: Flags.data, json: Flags.json },
  lazyCommand(
    () => import("../commands/KeysCommand.ts"),
    ({ listKeysCommand }) => listKeysCommand
  )
).pipe(Command.withDescription("Accounts with their keys' first letters, credits and use."))

const keysGrant = Command.make(
  "grant",
  {
    data: Flags.data,
    account: OptionKinds.requiredIntegerOption(
      "account",
      "NUMBER",
      anyNumber,
      "The account, by its number in `keys list`."
    ),
    credits: OptionKinds.requiredIntegerOption(
      "credits",
      "N",
      anyNumber,
      "Credits that it may spend in addition."
    )
  },
  lazyCommand(
    () => import("../commands/KeysCommand.ts"),
    ({ grantCommand }) => grantCommand
  )
).pipe(Command.withDescription("Gives an account more credits, also while the service runs."))

const keysRevoke = Command.make(
  "revoke",
  {
    data: Flags.data,
    which: Args.text({ name: "key" }).pipe(
      Args.withDescription("The key's number in `keys list`, or its name where only one valid key has it.")
    )
  },
  lazyCommand(
    () => import("../commands/KeysCommand.ts"),
    ({ revokeKeyCommand }) => revokeKeyCommand
  )
).pipe(Command.withDescription("Makes a key invalid, also while the service runs."))

const keys = Command.make("keys").pipe(
  Command.withDescription("The service's keys."),
  Command.withSubcommands([keysCreate, keysImport, keysList, keysGrant, keysRevoke])
)

const worker = Command.make(
  "worker",
  {
    ...Flags.ownFleet,
    roles: Flags.workerRoles,
    baseUrl: Flags.workerBaseUrl,
    name: OptionKinds.textOption(
      "name",
      "NAME",
      "What it is called; default: the machine's name and its process."
    ),
    concurrency: OptionKinds.integerOption(
      "concurrency",
      "N",
      { min: 1, max: 1000 },
      "Utterances of a provider at once on this worker; default: 64. The manifest's limits hold for all workers together."
    ),
    takeover: OptionKinds.integerOption(
      "takeover",
      "SECONDS",
      { min: 1, max: 3600 },
      "Silent for so long it is taken for dead, and others go on with its work; default: 20."
    ),
    ...Flags.loudness
  },
  lazyCommand(
    () => import("../commands/WorkerCommand.ts"),
    ({ workerCommand }) => workerCommand
  )
).pipe(
  Command.withDescription(
    "A worker of a fleet: speaks and delivers what `run --fleet` hands out, with this machine's own DUBWRIGHT_API_KEY; SIGTERM drains it."
  )
)

export const serverCommands = [serve, keys, worker] as const
export const serverShapes = [
  shapeOf(serve),
  shapeOf(keys, [
    shapeOf(keysCreate),
    shapeOf(keysImport),
    shapeOf(keysList),
    shapeOf(keysGrant),
    shapeOf(keysRevoke)
  ]),
  shapeOf(worker)
]
