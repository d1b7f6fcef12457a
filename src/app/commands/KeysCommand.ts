/** The `keys` commands of the bundled service. `keys create` prints only the key on stdout, for scripts. */
import { Clock, Effect, Option, Redacted } from "effect"
import { Buffer } from "node:buffer"
import { keyScopes } from "../../contract/Account.ts"
import * as Keys from "../../service/accounts/KeyManagement.ts"
import type { SharedStorageUrls } from "../../service/storage/SharedStorageUrls.ts"
import { badUsage } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"
import { textTable } from "../terminal/TextTable.ts"

interface Storage {
  readonly data: string
  readonly shared: SharedStorageUrls | undefined
}

interface NewKey extends Storage {
  readonly name: string
  readonly credits: number | undefined
  readonly account: number | undefined
  readonly scopes: string | undefined
  readonly expires: string | undefined
  readonly requestsPerSecond: number | undefined
  readonly creditsPerDay: number | undefined
}

/** Returns where the service keeps its keys. */
const placeOf = ({ data, shared }: Storage): Keys.KeysPlace => shared ?? data

const optionsOf = (wanted: NewKey) =>
  Effect.gen(function* () {
    const { name, credits, account, requestsPerSecond, creditsPerDay } = wanted
    const scopes = wanted.scopes === undefined ? undefined : yield* scopesOf(wanted.scopes)
    const expiresAt = wanted.expires === undefined ? undefined : yield* expiryOf(wanted.expires)
    return { name, credits, account, scopes, expiresAt, requestsPerSecond, creditsPerDay }
  })

const scopesOf = (list: string) => {
  const named = list.split(",").map((scope) => scope.trim())
  const scopes = keyScopes.filter((scope) => named.includes(scope))
  return scopes.length === named.length
    ? Effect.succeed(scopes)
    : Effect.fail(badUsage(`--scopes: expected read, create or read,create, found "${list}"`))
}

/** Returns when a key expires. A date means its end, in UTC. */
const expiryOf = (said: string) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const days = /^(\d{1,5})d$/u.exec(said)?.[1]
    const time =
      days !== undefined
        ? now + Number(days) * 86_400_000
        : Date.parse(/^\d{4}-\d\d-\d\d$/u.test(said) ? `${said}T23:59:59Z` : said)
    return Number.isNaN(time)
      ? Effect.fail(
          badUsage(`--expires: expected a date such as 2030-12-31 or days such as 90d, found "${said}"`)
        )
      : Effect.succeed(new Date(time))
  })

export const createKeyCommand = Effect.fn("KeysCommand.createKeyCommand")(function* (wanted: NewKey) {
  const screen = yield* Screen
  const key = yield* Keys.createKey(placeOf(wanted), yield* optionsOf(wanted))
  yield* screen.result(Redacted.value(key))
})

export const importKeyCommand = Effect.fn("KeysCommand.importKeyCommand")(function* (
  wanted: NewKey & { readonly key: Option.Option<string> }
) {
  const screen = yield* Screen
  const key = yield* Option.match(wanted.key, { onNone: () => fromStdin, onSome: Effect.succeed })
  yield* Keys.importKey(placeOf(wanted), Redacted.make(key), yield* optionsOf(wanted))
  yield* screen.say(`imported a key for ${wanted.name}`)
})

export const listKeysCommand = Effect.fn("KeysCommand.listKeysCommand")(function* (
  options: Storage & {
    readonly json: boolean
  }
) {
  const screen = yield* Screen
  const keys = yield* Keys.listKeys(placeOf(options))
  if (options.json) return yield* screen.result(JSON.stringify(keys, null, 2))
  const now = yield* Clock.currentTimeMillis
  yield* screen.result(
    textTable(
      ["id", "name", "key", "created", "account", "credits", "used", "reserved", "state", "limits"],
      keys.map((key) => [
        key.id,
        key.name,
        key.hint,
        key.createdAt.toISOString().slice(0, 16).replace("T", " "),
        key.account,
        key.granted === undefined ? "no limit" : String(key.granted),
        key.used,
        key.reserved,
        stateOf(key, now),
        limitsOf(key)
      ]),
      screen.look
    )
  )
})

const stateOf = ({ revokedAt, expiresAt, imported }: Keys.KeyInfo, now: number): string =>
  revokedAt !== undefined
    ? "revoked"
    : expiresAt !== undefined && expiresAt.getTime() <= now
      ? "expired"
      : imported
        ? "valid, imported"
        : "valid"

const limitsOf = ({ scopes, expiresAt, requestsPerSecond, creditsPerDay }: Keys.KeyInfo): string =>
  [
    ...(scopes === undefined ? [] : [`${scopes.join(" and ")} only`]),
    ...(expiresAt === undefined ? [] : [`until ${expiresAt.toISOString().slice(0, 16).replace("T", " ")}`]),
    ...(requestsPerSecond === undefined ? [] : [`${requestsPerSecond} requests/s`]),
    ...(creditsPerDay === undefined ? [] : [`${creditsPerDay} credits/day`])
  ].join(", ")

export const auditCommand = Effect.fn("KeysCommand.auditCommand")(function* (
  options: Storage & {
    readonly json: boolean
    readonly last: number | undefined
  }
) {
  const screen = yield* Screen
  const entries = yield* Keys.auditEntries(placeOf(options), options.last ?? 100)
  if (options.json) return yield* screen.result(JSON.stringify(entries, null, 2))
  yield* screen.result(
    textTable(
      ["time", "event", "account", "key", "by", "detail"],
      entries.map(({ at, event, account, key, by, detail }) => [
        at.toISOString().slice(0, 19).replace("T", " "),
        event,
        account ?? "",
        key ?? "",
        by,
        detail ?? ""
      ]),
      screen.look
    )
  )
})

export const grantCommand = Effect.fn("KeysCommand.grantCommand")(function* (
  options: Storage & {
    readonly account: number
    readonly credits: number
  }
) {
  const screen = yield* Screen
  const granted = yield* Keys.grantCredits(placeOf(options), options.account, options.credits)
  yield* screen.say(
    granted === undefined
      ? `account ${options.account} has no credit limit`
      : `account ${options.account} may spend ${granted} credits in total`
  )
})

export const revokeKeyCommand = Effect.fn("KeysCommand.revokeKeyCommand")(function* (
  options: Storage & {
    readonly which: string
  }
) {
  const screen = yield* Screen
  const key = yield* Keys.revokeKey(placeOf(options), options.which)
  yield* screen.say(`revoked key ${key.id} (${key.name}, ${key.hint})`)
})

/** Reads the first line of stdin; stops reading after 64,000 bytes, more than any key has. */
const fromStdin = Effect.tryPromise({
  try: async () => {
    const pieces: Array<Buffer> = []
    let bytes = 0
    for await (const piece of process.stdin) {
      const buffer = Buffer.from(piece)
      pieces.push(buffer)
      bytes += buffer.length
      if (bytes > 64_000 || buffer.includes(10)) break
    }
    return Buffer.concat(pieces).toString("utf8").split(/\r?\n/u)[0]?.trim() ?? ""
  },
  catch: (cause) => badUsage(`cannot read stdin: ${String(cause)}; pass the key as an argument`)
}).pipe(
  Effect.filterOrFail(
    (key) => key !== "",
    () => badUsage("no key to import; pass it as an argument or as a line on stdin")
  )
)
