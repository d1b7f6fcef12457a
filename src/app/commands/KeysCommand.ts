/** The `keys` commands of the bundled service. `keys create` prints only the key on stdout, for scripts. */
import { Effect, Option, Redacted } from "effect"
import { Buffer } from "node:buffer"
import * as Keys from "../../service/accounts/KeyManagement.ts"
import { badUsage } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"
import { textTable } from "../terminal/TextTable.ts"

interface NewKey {
  readonly data: string
  readonly name: string
  readonly credits: number | undefined
  readonly account: number | undefined
}

const optionsOf = ({ name, credits, account }: NewKey): Keys.KeyOptions => ({
  name,
  ...(credits === undefined ? {} : { credits }),
  ...(account === undefined ? {} : { account })
})

export const createKeyCommand = Effect.fn("KeysCommand.createKeyCommand")(function* (wanted: NewKey) {
  const screen = yield* Screen
  const key = yield* Keys.createKey(wanted.data, optionsOf(wanted))
  yield* screen.result(Redacted.value(key))
})

export const importKeyCommand = Effect.fn("KeysCommand.importKeyCommand")(function* (
  wanted: NewKey & { readonly key: Option.Option<string> }
) {
  const screen = yield* Screen
  const key = yield* Option.match(wanted.key, { onNone: () => fromStdin, onSome: Effect.succeed })
  yield* Keys.importKey(wanted.data, Redacted.make(key), optionsOf(wanted))
  yield* screen.say(`imported a key for ${wanted.name}`)
})

export const listKeysCommand = Effect.fn("KeysCommand.listKeysCommand")(function* (options: {
  readonly data: string
  readonly json: boolean
}) {
  const screen = yield* Screen
  const keys = yield* Keys.listKeys(options.data)
  if (options.json) return yield* screen.result(JSON.stringify(keys, null, 2))
  yield* screen.result(
    textTable(
      ["id", "name", "key", "created", "account", "credits", "used", "reserved", "state"],
      keys.map((key) => [
        key.id,
        key.name,
        key.hint,
        key.createdAt.toISOString().slice(0, 16).replace("T", " "),
        key.account,
        key.granted === undefined ? "no limit" : String(key.granted),
        key.used,
        key.reserved,
        key.revokedAt === undefined ? (key.imported ? "valid, imported" : "valid") : "revoked"
      ]),
      screen.look
    )
  )
})

export const grantCommand = Effect.fn("KeysCommand.grantCommand")(function* (options: {
  readonly data: string
  readonly account: number
  readonly credits: number
}) {
  const screen = yield* Screen
  const granted = yield* Keys.grantCredits(options.data, options.account, options.credits)
  yield* screen.say(
    granted === undefined
      ? `account ${options.account} has no credit limit`
      : `account ${options.account} may spend ${granted} credits in total`
  )
})

export const revokeKeyCommand = Effect.fn("KeysCommand.revokeKeyCommand")(function* (options: {
  readonly data: string
  readonly which: string
}) {
  const screen = yield* Screen
  const key = yield* Keys.revokeKey(options.data, options.which)
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
  catch: (cause) => badUsage(`cannot read stdin: ${String(cause)}`)
}).pipe(
  Effect.filterOrFail(
    (key) => key !== "",
    () => badUsage("no key to import; pass it as an argument or as a line on stdin")
  )
)
