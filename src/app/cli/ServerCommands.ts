/** Command definitions for servers: serve, keys (create, import, list, grant, revoke, audit), backup, worker. */
import { Args, Command } from "@effect/cli"
import { Schema } from "effect"
import { roles } from "../../fleet/shared/WorkerRoles.ts"
import * as Flags from "./Flags.ts"
import {
  amount,
  argument,
  command,
  integer,
  list,
  withDefault,
  requiredInteger,
  requiredText,
  text
} from "./OptionKinds.ts"

const serve = command(
  "serve",
  "Run the speech service (prints `listening http://HOST:PORT` when it is ready)",
  {
    host: withDefault(text("host", "HOST", "listen address; default: 127.0.0.1"), "127.0.0.1"),
    port: Flags.port(8080, "port to listen on, 0 for a free one; default: 8080"),
    ...Flags.storage,
    config: text("config", "FILE", "the service's settings (YAML); default: built-in settings"),
    ...Flags.loudness
  },
  async () => (await import("../commands/ServeCommand.ts")).serveCommand
)

const keyCommands = () => import("../commands/KeysCommand.ts")
const anyNumber = [0, Number.MAX_SAFE_INTEGER] as const

const newKey = {
  ...Flags.storage,
  name: requiredText("name", "NAME", "name of the key, and of its account if it is new"),
  credits: integer(
    "credits",
    "N",
    anyNumber,
    "credits to add to the account; default: no limit for a new account"
  ),
  account: integer(
    "account",
    "NUMBER",
    anyNumber,
    "add the key to this account (see `keys list`); default: a new account"
  ),
  scopes: text("scopes", "LIST", "what the key may do: read, create, or both; default: read,create"),
  expires: text(
    "expires",
    "TIME",
    "when the key expires: a date such as 2030-12-31, or days such as 90d; default: never"
  ),
  requestsPerSecond: amount(
    "requests-per-second",
    "N",
    "maximum requests per second with this key, with bursts of 10 seconds' worth; default: no limit"
  ),
  creditsPerDay: integer(
    "credits-per-day",
    "N",
    anyNumber,
    "credits that tasks of this key may cost in a day (UTC); default: no limit"
  )
}

const keysCreate = command(
  "create",
  "Create a key for a new or existing account; print only the key, which is not shown again",
  newKey,
  async () => (await keyCommands()).createKeyCommand
)

const keysImport = command(
  "import",
  "Import an existing key, with or without the `nativeapikey_` prefix",
  {
    ...newKey,
    key: Args.optional(
      argument("key", "the key; default: read from stdin, where process lists do not show it")
    )
  },
  async () => (await keyCommands()).importKeyCommand
)

const keysList = command(
  "list",
  "List keys by their first characters, with their accounts, credits and usage",
  { ...Flags.storage, json: Flags.json },
  async () => (await keyCommands()).listKeysCommand
)

const keysAudit = command(
  "audit",
  "Show who changed keys and credits, and which addresses guessed keys",
  {
    ...Flags.storage,
    json: Flags.json,
    last: integer("last", "N", [1, 100_000], "entries to show; default: 100")
  },
  async () => (await keyCommands()).auditCommand
)

const keysGrant = command(
  "grant",
  "Add credits to an account, also while the service runs",
  {
    ...Flags.storage,
    account: requiredInteger("account", "NUMBER", anyNumber, "the account (see `keys list`)"),
    credits: requiredInteger("credits", "N", anyNumber, "credits to add")
  },
  async () => (await keyCommands()).grantCommand
)

const keysRevoke = command(
  "revoke",
  "Revoke a key, also while the service runs",
  {
    ...Flags.storage,
    which: argument("key", "the key's id in `keys list`, or its name if only one valid key has it")
  },
  async () => (await keyCommands()).revokeKeyCommand
)

export const keysCommands = [keysCreate, keysImport, keysList, keysGrant, keysRevoke, keysAudit] as const
const keys = Command.make("keys").pipe(
  Command.withDescription("Manage the service's keys"),
  Command.withSubcommands(keysCommands)
)

const backup = command(
  "backup",
  "Copy the service's data folder, also while the service runs",
  { data: Flags.data, to: requiredText("to", "FOLDER", "new or empty folder for the copy") },
  async () => (await import("../commands/BackupCommand.ts")).backupCommand
)

const worker = command(
  "worker",
  "Run a fleet worker, which speaks and delivers jobs of `run --fleet`",
  {
    fleet: Flags.redisAddress("the fleet's Redis"),
    share: requiredText(
      "share",
      "WHERE",
      "what all machines share: a folder that they mount, or s3://BUCKET/PREFIX"
    ),
    roles: withDefault(
      list(
        "roles",
        "WHAT",
        Schema.Literal(...roles),
        "what this worker does: speak, deliver or speak,deliver; default: both"
      ),
      roles
    ),
    baseUrl: Flags.serviceAddress(
      "service URL for this machine; default: DUBWRIGHT_BASE_URL, then the batch's"
    ),
    name: text("name", "NAME", "the worker's name; default: host name and process id"),
    concurrency: integer(
      "concurrency",
      "N",
      [1, 1000],
      "utterances in flight per provider on this worker; default: 64"
    ),
    takeover: integer(
      "takeover",
      "SECONDS",
      [1, 3600],
      "seconds without a heartbeat before others take over its lines; default: 5"
    ),
    cache: text(
      "cache",
      "DIR",
      "with a share in S3: the folder of this machine's copies; default: in the user's cache folder"
    ),
    cacheSize: integer(
      "cache-size",
      "GB",
      [1, 100_000],
      "with a share in S3: gigabytes of copies to keep on this machine; default: 20"
    ),
    ...Flags.loudness
  },
  async () => (await import("../commands/WorkerCommand.ts")).workerCommand
)

export const serverCommands = [serve, keys, backup, worker] as const
