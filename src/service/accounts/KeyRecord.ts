/** A key's record: its options, how it is listed, and how it is found in the database. */
import { timingSafeEqual } from "node:crypto"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { type KeyScope, keyScopes } from "../../contract/Account.ts"
import { checkRows } from "../storage/CheckedRows.ts"
import { notLabel } from "../../contract/Task.ts"

/** Prefix of new keys. */
export const keyPrefix = "nativeapikey_"

/** The scopes and limits of a key, and its expiry. Each limit is absent if there is none. */
export interface KeyLimits {
  /** Default: every scope. */
  readonly scopes?: ReadonlyArray<KeyScope>
  readonly expiresAt?: Date
  /** Requests per second, with bursts of ten seconds' worth. */
  readonly requestsPerSecond?: number
  /** Credits that its tasks may reserve or spend in a day (UTC). */
  readonly creditsPerDay?: number
}

/** Options of a new key. It gets a new account with `credits` (default unlimited), or joins an existing `account`. */
export interface KeyOptions extends KeyLimits {
  readonly name: string
  /** Whole credits, 0 or more. With `account`, granted in addition. */
  readonly credits?: number
  /** The id of an existing account. */
  readonly account?: number
}

/** A key as `list` shows it; the key itself is not stored. */
export interface KeyInfo extends KeyLimits {
  readonly id: number
  readonly name: string
  /** The key's first characters, which identify it in lists. */
  readonly hint: string
  readonly account: number
  readonly imported: boolean
  readonly createdAt: Date
  readonly revokedAt: Date | undefined
  /** Total credits granted; undefined if the account is unlimited. */
  readonly granted: number | undefined
  readonly used: number
  readonly reserved: number
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
    return `invalid name "${name.trim().replaceAll(new RegExp(notLabel, "gu"), "\ufffd")}": expected 1 to 100 characters on one line, none of which changes the direction of the text`
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

/** The columns of a key's limits. */
const limitColumns = {
  scopes: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Schema.Int),
  requests_per_second: Schema.NullOr(Schema.Number),
  credits_per_day: Schema.NullOr(Schema.Int)
}
type LimitColumns = Schema.Struct.Type<typeof limitColumns>

/** Converts limits to columns. */
export const limitColumnsOf = ({
  scopes,
  expiresAt,
  requestsPerSecond,
  creditsPerDay
}: KeyLimits): LimitColumns => ({
  scopes: scopes === undefined ? null : scopes.join(","),
  expires_at: expiresAt?.getTime() ?? null,
  requests_per_second: requestsPerSecond ?? null,
  credits_per_day: creditsPerDay ?? null
})

/** Returns the scopes in a column; keys of older versions have all. */
export const scopesIn = (column: string | null): ReadonlyArray<KeyScope> =>
  column === null ? keyScopes : keyScopes.filter((scope) => column.split(",").includes(scope))

const KeyRow = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  hint: Schema.String,
  account_id: Schema.Int,
  imported: Schema.Int,
  created_at: Schema.Int,
  revoked_at: Schema.NullOr(Schema.Int),
  granted: Schema.NullOr(Schema.Int),
  used: Schema.Int,
  reserved: Schema.Int,
  ...limitColumns
})
export type KeyRow = typeof KeyRow.Type
export const keyRows = checkRows("keys and accounts", KeyRow)

/** Selects the keys of visible accounts as `KeyRow`s. More conditions can be appended. */
export const shownKeys = `SELECT k.id, k.name, k.hint, k.account_id, k.imported, k.created_at, k.revoked_at,
  k.scopes, k.expires_at, k.requests_per_second, k.credits_per_day, a.granted, a.used, a.reserved
  FROM keys k JOIN accounts a ON a.id = k.account_id WHERE a.visible = 1`

/** Converts a row. */
export const infoOf = (row: KeyRow): KeyInfo => ({
  id: row.id,
  name: row.name,
  hint: row.hint,
  account: row.account_id,
  imported: row.imported === 1,
  createdAt: new Date(row.created_at),
  revokedAt: row.revoked_at === null ? undefined : new Date(row.revoked_at),
  granted: row.granted ?? undefined,
  used: row.used,
  reserved: row.reserved,
  ...(row.scopes === null ? {} : { scopes: scopesIn(row.scopes) }),
  ...(row.expires_at === null ? {} : { expiresAt: new Date(row.expires_at) }),
  ...(row.requests_per_second === null ? {} : { requestsPerSecond: row.requests_per_second }),
  ...(row.credits_per_day === null ? {} : { creditsPerDay: row.credits_per_day })
})

/** The digest's first 48 bits: enough to find the row, useless for guessing the key. */
export const selectorOf = (digest: Buffer): number => digest.readUIntBE(0, 6)

/** Returns enough of a key to recognise it and too little to use it: 4 characters, none of a short key. */
export const hintOf = (key: string): string => {
  const secretPart = key.startsWith(keyPrefix) ? key.slice(keyPrefix.length) : key
  const shown = secretPart.length < 20 ? "" : secretPart.slice(0, 4)
  return `${key.startsWith(keyPrefix) ? keyPrefix : ""}${shown}…`
}

/** The account of a key, the key's own id, and its scopes and limits. */
export interface KeyHolder {
  readonly id: number
  readonly name: string
  readonly key: number
  readonly scopes: ReadonlyArray<KeyScope>
  readonly requestsPerSecond: number | undefined
  readonly imported: boolean
  readonly expired: boolean
}

/** Columns that identify a key's holder. */
const holderRows = checkRows(
  "keys and accounts",
  Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    key: Schema.Int,
    digest: Schema.Uint8ArrayFromSelf,
    imported: Schema.Int,
    scopes: limitColumns.scopes,
    expires_at: limitColumns.expires_at,
    requests_per_second: limitColumns.requests_per_second
  })
)

/** Finds the holder of a valid or expired key by its digest. `now` is in milliseconds since 1970. */
export const findHolder = (sql: SqlClient, digest: Buffer, now: number) =>
  holderRows(sql`SELECT a.id, a.name, k.id AS key, k.digest, k.imported, k.scopes, k.expires_at, k.requests_per_second
    FROM keys k JOIN accounts a ON a.id = k.account_id
    WHERE k.selector = ${selectorOf(digest)} AND k.revoked_at IS NULL`).pipe(
    Effect.map((rows) =>
      Option.map(
        Option.fromNullable(rows.find((row) => timingSafeEqual(row.digest, digest))),
        (row): KeyHolder => ({
          id: row.id,
          name: row.name,
          key: row.key,
          scopes: scopesIn(row.scopes),
          requestsPerSecond: row.requests_per_second ?? undefined,
          imported: row.imported === 1,
          expired: row.expires_at !== null && row.expires_at <= now
        })
      )
    ),
    Effect.orDie
  )
