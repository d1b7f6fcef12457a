/** Command definitions for servers: serve, keys (create, import, list, grant, revoke, audit), backup, worker. */
import { Args, Command } from "@effect/cli"
import * as Flags from "./Flags.ts"
import * as OptionKinds from "./OptionKinds.ts"
import { lazyCommand } from "./LazyCommand.ts"

const serve = Command.make(
  "serve",
  {
    host: OptionKinds.textOr("host", "HOST", "127.0.0.1", "listen address; default: 127.0.0.1"),
    port: Flags.port(8080, "port to listen on, 0 for a free one; default: 8080"),
    data: Flags.data,
    shared: Flags.replicaStorage,
    config: OptionKinds.textOption(
      "config",
      "FILE",
      "the service's settings (YAML); default: built-in settings"
    ),
    ...Flags.loudness
  },
  lazyCommand(async () => (await import("../commands/ServeCommand.ts")).serveCommand)
).pipe(
  Command.withDescription("Run the speech service (prints `listening http://HOST:PORT` when it is ready)")
)

const accountName = OptionKinds.requiredText(
  "name",
  "NAME",
  "name of the key, and of its account if it is new"
)
const anyNumber = { min: 0, max: Number.MAX_SAFE_INTEGER }
const granted = OptionKinds.integerOption(
  "credits",
  "N",
  anyNumber,
  "credits to add to the account; default: no limit for a new account"
)
const existing = OptionKinds.integerOption(
  "account",
  "NUMBER",
  anyNumber,
  "add the key to this account (see `keys list`); default: a new account"
)

const limits = {
  scopes: OptionKinds.textOption(
    "scopes",
    "LIST",
    "what the key may do: read, create, or both; default: read,create"
  ),
  expires: OptionKinds.textOption(
    "expires",
    "TIME",
    "when the key expires: a date such as 2030-12-31, or days such as 90d; default: never"
  ),
  requestsPerSecond: OptionKinds.amount(
    "requests-per-second",
    "N",
    "maximum requests per second with this key, with bursts of 10 seconds' worth; default: no limit"
  ),
  creditsPerDay: OptionKinds.integerOption(
    "credits-per-day",
    "N",
    anyNumber,
    "credits that tasks of this key may cost in a day (UTC); default: no limit"
  )
}

const keysCreate = Command.make(
  "create",
  {
    data: Flags.data,
    shared: Flags.replicaStorage,
    name: accountName,
    credits: granted,
    account: existing,
    ...limits
  },
  lazyCommand(async () => (await import("../commands/KeysCommand.ts")).createKeyCommand)
).pipe(
  Command.withDescription(
    "Create a key for a new or existing account; print only the key, which is not shown again"
  )
)

const keysImport = Command.make(
  "import",
  {
    data: Flags.data,
    shared: Flags.replicaStorage,
    name: accountName,
    credits: granted,
    account: existing,
    ...limits,
    key: Args.text({ name: "key" }).pipe(
      Args.withDescription("the key; default: read from stdin, where process lists do not show it"),
      Args.optional
    )
  },
  lazyCommand(async () => (await import("../commands/KeysCommand.ts")).importKeyCommand)
).pipe(Command.withDescription("Import an existing key, with or without the `nativeapikey_` prefix"))

const keysList = Command.make(
  "list",
  { data: Flags.data, shared: Flags.replicaStorage, json: Flags.json },
  lazyCommand(async () => (await import("../commands/KeysCommand.ts")).listKeysCommand)
).pipe(Command.withDescription("List keys by their first characters, with their accounts, credits and usage"))

const keysAudit = Command.make(
  "audit",
  {
    data: Flags.data,
    shared: Flags.replicaStorage,
    json: Flags.json,
    last: OptionKinds.integerOption("last", "N", { min: 1, max: 100_000 }, "entries to show; default: 100")
  },
  lazyCommand(async () => (await import("../commands/KeysCommand.ts")).auditCommand)
).pipe(Command.withDescription("Show who changed keys and credits, and which addresses guessed keys"))

const keysGrant = Command.make(
  "grant",
  {
    data: Flags.data,
    shared: Flags.replicaStorage,
    account: OptionKinds.requiredIntegerOption(
      "account",
      "NUMBER",
      anyNumber,
      "the account (see `keys list`)"
    ),
    credits: OptionKinds.requiredIntegerOption("credits", "N", anyNumber, "credits to add")
  },
  lazyCommand(async () => (await import("../commands/KeysCommand.ts")).grantCommand)
).pipe(Command.withDescription("Add credits to an account, also while the service runs"))

const keysRevoke = Command.make(
  "revoke",
  {
    data: Flags.data,
    shared: Flags.replicaStorage,
    which: Args.text({ name: "key" }).pipe(
      Args.withDescription("the key's id in `keys list`, or its name if only one valid key has it")
    )
  },
  lazyCommand(async () => (await import("../commands/KeysCommand.ts")).revokeKeyCommand)
).pipe(Command.withDescription("Revoke a key, also while the service runs"))

export const keysCommands = [keysCreate, keysImport, keysList, keysGrant, keysRevoke, keysAudit] as const
const keys = Command.make("keys").pipe(
  Command.withDescription("Manage the service's keys"),
  Command.withSubcommands(keysCommands)
)

const backup = Command.make(
  "backup",
  {
    data: Flags.data,
    to: OptionKinds.requiredText("to", "FOLDER", "new or empty folder for the copy")
  },
  lazyCommand(async () => (await import("../commands/BackupCommand.ts")).backupCommand)
).pipe(Command.withDescription("Copy the service's data folder, also while the service runs"))

const worker = Command.make(
  "worker",
  {
    ...Flags.ownFleet,
    roles: Flags.workerRoles,
    baseUrl: Flags.workerBaseUrl,
    name: OptionKinds.textOption("name", "NAME", "the worker's name; default: host name and process id"),
    concurrency: OptionKinds.integerOption(
      "concurrency",
      "N",
      { min: 1, max: 1000 },
      "utterances in flight per provider on this worker; default: 64"
    ),
    takeover: OptionKinds.integerOption(
      "takeover",
      "SECONDS",
      { min: 1, max: 3600 },
      "seconds without a heartbeat before others take over its lines; default: 5"
    ),
    cache: OptionKinds.textOption(
      "cache",
      "DIR",
      "with a share in S3: the folder of this machine's copies; default: in the user's cache folder"
    ),
    cacheSize: OptionKinds.integerOption(
      "cache-size",
      "GB",
      { min: 1, max: 100_000 },
      "with a share in S3: gigabytes of copies to keep on this machine; default: 20"
    ),
    ...Flags.loudness
  },
  lazyCommand(async () => (await import("../commands/WorkerCommand.ts")).workerCommand)
).pipe(Command.withDescription("Run a fleet worker, which speaks and delivers jobs of `run --fleet`"))

export const serverCommands = [serve, keys, backup, worker] as const
