/** A key's record: its options, how it is listed, and how it is found in the database. */
import { timingSafeEqual } from "node:crypto"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { type KeyScope, keyScopes } from "../../contract/Account.ts"
import { checkRows, column, flagColumn, optionalColumn, Time } from "../storage/CheckedRows.ts"
import { notLabel } from "../../contract/Task.ts"

/** Prefix of new keys. */
export const keyPrefix = "nativeapikey_"

/** The scopes and limits of a key, and its expiry. Each limit is absent if there is none. */
export interface KeyLimits {
  /** Default: every scope. */
  readonly scopes?: ReadonlyArray<KeyScope> | undefined
  readonly expiresAt?: Date | undefined
  /** Requests per second, with bursts of ten seconds' worth. */
  readonly requestsPerSecond?: number | undefined
  /** Credits that its tasks may reserve or spend in a day (UTC). */
  readonly creditsPerDay?: number | undefined
}

/** Options of a new key. It gets a new account with `credits` (default unlimited), or joins an existing `account`. */
export interface KeyOptions extends KeyLimits {
  readonly name: string
  /** Whole credits, 0 or more. With `account`, granted in addition. */
  readonly credits?: number | undefined
  /** The id of an existing account. */
  readonly account?: number | undefined
}

/** Why a key cannot be created, imported or revoked, or credits cannot be granted. */
export class KeyRejected extends Schema.TaggedError<KeyRejected>()("KeyRejected", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** Returns the fault of a new key's options. `now` is in milliseconds since 1970. */
export const optionsFault = (
  { name, credits, expiresAt, creditsPerDay, requestsPerSecond }: KeyOptions,
  now: number
): string | undefined => {
  if (!/^.{1,100}$/u.test(name.trim()) || notLabel.test(name.trim()))
    return `invalid name "${name.trim().replaceAll(new RegExp(notLabel, "gu"), "\ufffd")}": expected 1 to 100 characters on one line, none of which is invisible or changes the direction of the text`
  if (credits !== undefined && (!Number.isSafeInteger(credits) || credits < 0))
    return `invalid credits ${credits}: expected a whole number, 0 or more`
  if (creditsPerDay !== undefined && (!Number.isSafeInteger(creditsPerDay) || creditsPerDay < 0))
    return `invalid credits per day ${creditsPerDay}: expected a whole number, 0 or more`
  if (requestsPerSecond !== undefined && !(requestsPerSecond >= 0.1 && requestsPerSecond <= 100_000))
    return `invalid requests per second ${requestsPerSecond}: expected 0.1 to 100000`
  if (expiresAt !== undefined && !(expiresAt.getTime() > now))
    return "the expiry is not in the future; choose a later time"
  return undefined
}

/** A column with scopes between commas. Keys of older versions have none, and may do everything. */
const Scopes = Schema.transform(Schema.String, Schema.Array(Schema.Literal(...keyScopes)), {
  decode: (column) => keyScopes.filter((scope) => column.split(",").includes(scope)),
  encode: (scopes) => scopes.join(",")
})

/** The columns of a key's limits. */
const limits = {
  scopes: optionalColumn("scopes", Scopes),
  expiresAt: optionalColumn("expires_at", Time),
  requestsPerSecond: optionalColumn("requests_per_second", Schema.Number),
  creditsPerDay: optionalColumn("credits_per_day", Schema.Int)
}
const encodeLimits = Schema.encodeSync(Schema.Struct(limits))

/** Converts limits to columns. */
export const limitColumnsOf = ({ scopes, expiresAt, requestsPerSecond, creditsPerDay }: KeyLimits) =>
  encodeLimits({ scopes, expiresAt, requestsPerSecond, creditsPerDay })

/** A key as `list` shows it; the key itself is not stored. */
const KeyRow = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  /** The key's first characters, which identify it in lists. */
  hint: Schema.String,
  account: column("account_id", Schema.Int),
  imported: flagColumn("imported"),
  createdAt: column("created_at", Time),
  revokedAt: optionalColumn("revoked_at", Time),
  /** Total credits granted; undefined if the account is unlimited. */
  granted: optionalColumn("granted", Schema.Int),
  used: Schema.Int,
  reserved: Schema.Int,
  ...limits
})
export type KeyInfo = typeof KeyRow.Type
export const keyRows = checkRows("keys and accounts", KeyRow)

/** Selects the keys of visible accounts as `KeyRow`s. More conditions can be appended. */
export const shownKeys = `SELECT k.id, k.name, k.hint, k.account_id, k.imported, k.created_at, k.revoked_at,
  k.scopes, k.expires_at, k.requests_per_second, k.credits_per_day, a.granted, a.used, a.reserved
  FROM keys k JOIN accounts a ON a.id = k.account_id WHERE a.visible = 1`

/** The digest's first 48 bits: enough to find the row, useless for guessing the key. */
export const selectorOf = (digest: Buffer): number => digest.readUIntBE(0, 6)

/** Returns enough of a key to recognise it and too little to use it: 4 characters, none of a short key. */
export const hintOf = (key: string): string => {
  const secretPart = key.startsWith(keyPrefix) ? key.slice(keyPrefix.length) : key
  const shown = secretPart.length < 20 ? "" : secretPart.slice(0, 4)
  return `${key.startsWith(keyPrefix) ? keyPrefix : ""}${shown}…`
}

/** The account of a key, the key's own id, and its scopes and limits. */
const HolderRow = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  key: Schema.Int,
  digest: Schema.Uint8ArrayFromSelf,
  imported: flagColumn("imported"),
  scopes: limits.scopes,
  expiresAt: limits.expiresAt,
  requestsPerSecond: limits.requestsPerSecond
})
const holderRows = checkRows("keys and accounts", HolderRow)

/** Finds the holder of a valid or expired key by its digest. `now` is in milliseconds since 1970. */
export const findHolder = (sql: SqlClient, digest: Buffer, now: number) =>
  holderRows(sql`SELECT a.id, a.name, k.id AS key, k.digest, k.imported, k.scopes, k.expires_at, k.requests_per_second
    FROM keys k JOIN accounts a ON a.id = k.account_id
    WHERE k.selector = ${selectorOf(digest)} AND k.revoked_at IS NULL`).pipe(
    Effect.map((rows) =>
      Option.map(
        Option.fromNullable(rows.find((row) => timingSafeEqual(row.digest, digest))),
        ({ digest: _, expiresAt, scopes = keyScopes, ...holder }) => ({
          ...holder,
          scopes,
          expired: expiresAt !== undefined && expiresAt.getTime() <= now
        })
      )
    ),
    Effect.orDie
  )
export type KeyHolder = Option.Option.Value<Effect.Effect.Success<ReturnType<typeof findHolder>>>
