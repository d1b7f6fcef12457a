/** API keys and their accounts in the database: create, import, grant, list, revoke, authenticate. */
import { randomBytes, timingSafeEqual } from "node:crypto"
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { checkRows } from "../storage/CheckedRows.ts"
import { Secret } from "../storage/Secret.ts"

/** Prefix of new keys. */
const keyPrefix = "nativeapikey_"

/** A key as `list` shows it; the key itself is not stored. */
export interface KeyInfo {
  readonly id: number
  readonly name: string
  /** The key's first characters, to recognise it by. */
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

/** Options of a new key. It gets a new account with `credits` (default unlimited), or joins an existing `account`. */
export interface KeyOptions {
  readonly name: string
  /** Whole credits, 0 or more. With `account`, granted in addition. */
  readonly credits?: number
  /** The id of an existing account. */
  readonly account?: number
}

/** The account of a key, and the key's own id. */
export interface KeyHolder {
  readonly id: number
  readonly name: string
  readonly key: number
}

const idRows = checkRows("accounts", Schema.Struct({ id: Schema.Int }))
const grantedRows = checkRows("accounts", Schema.Struct({ granted: Schema.NullOr(Schema.Int) }))
const creditRows = checkRows("tasks", Schema.Struct({ credits: Schema.Int }))
const holderRows = checkRows(
  "keys and accounts",
  Schema.Struct({ id: Schema.Int, name: Schema.String, key: Schema.Int, digest: Schema.Uint8ArrayFromSelf })
)

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
  reserved: Schema.Int
})
type KeyRow = typeof KeyRow.Type
const keyRows = checkRows("keys and accounts", KeyRow)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const secret = yield* Secret

  const newAccount = (name: string, credits: number | undefined, now: number) =>
    Effect.map(
      idRows(
        sql`INSERT INTO accounts ${sql.insert({ name, granted: credits ?? null, created_at: now })} RETURNING id`
      ),
      (rows) => rows[0]?.id ?? 0
    )

  /** Grants an account more credits. Returns its new total; undefined if the account is unlimited. */
  const granted = (account: number, credits: number) =>
    Effect.gen(function* () {
      const [row] = yield* grantedRows(
        sql`UPDATE accounts SET granted = granted + ${credits} WHERE id = ${account} AND visible = 1 RETURNING granted`
      )
      if (row === undefined) {
        return yield* new KeyRejected({
          detail: `no account ${account}; \`keys list\` shows the accounts`
        })
      }
      if (row.granted === null && credits > 0) {
        return yield* new KeyRejected({
          detail: `account ${account} has unlimited credits and needs no more`
        })
      }
      return row.granted ?? undefined
    })

  const insert = (key: string, options: KeyOptions, imported: boolean) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const digest = secret.digest("key", key)
          const now = yield* Clock.currentTimeMillis
          const name = options.name.trim()
          if (!/^[^\p{Cc}]{1,100}$/u.test(name)) {
            return yield* new KeyRejected({
              detail: `invalid name "${name}": expected 1 to 100 characters on one line`
            })
          }
          const { credits } = options
          if (credits !== undefined && (!Number.isSafeInteger(credits) || credits < 0)) {
            return yield* new KeyRejected({
              detail: `invalid credits ${credits}: expected a whole number, 0 or more`
            })
          }
          const owner = options.account ?? (yield* newAccount(name, credits, now))
          if (options.account !== undefined) yield* granted(owner, credits ?? 0)
          const taken = yield* sql`SELECT id FROM keys WHERE digest = ${digest}`
          if (taken.length > 0) {
            return yield* new KeyRejected({ detail: "this key already exists; `keys list` shows it" })
          }
          yield* sql`INSERT INTO keys ${sql.insert({
            account_id: owner,
            name,
            hint: hintOf(key),
            selector: selectorOf(digest),
            digest,
            imported: imported ? 1 : 0,
            created_at: now
          })}`
        })
      )
      .pipe(Effect.catchTag("SqlError", Effect.die))

  /** Selects the keys of visible accounts as `KeyRow`s. More conditions can be appended. */
  const shown = sql.literal(
    `SELECT k.id, k.name, k.hint, k.account_id, k.imported, k.created_at, k.revoked_at, a.granted, a.used, a.reserved
     FROM keys k JOIN accounts a ON a.id = k.account_id WHERE a.visible = 1`
  )

  /**
   * Revokes a key, fails its queued tasks and releases their credits. A task of an older version has no key id; it
   * fails once its account has no valid key left.
   */
  const revoked = (row: KeyRow, now: number) =>
    Effect.gen(function* () {
      yield* sql`UPDATE keys SET revoked_at = ${now} WHERE id = ${row.id}`
      const failed = yield* creditRows(sql`UPDATE tasks
        SET status = 'failed', text = NULL, completed_at = ${now}, error_code = 'key_revoked',
          error_message = 'the key that created this task was revoked'
        WHERE status = 'queued' AND account_id = ${row.account_id} AND (key_id = ${row.id} OR key_id IS NULL AND
          NOT EXISTS (SELECT 1 FROM keys WHERE account_id = ${row.account_id} AND revoked_at IS NULL))
        RETURNING credits`)
      const released = failed.reduce((sum, { credits }) => sum + credits, 0)
      yield* sql`UPDATE accounts SET reserved = reserved - ${released} WHERE id = ${row.account_id}`
    })

  return {
    create: Effect.fn("KeyStore.create")(function* (options: KeyOptions) {
      const key = fresh()
      yield* insert(key, options, false)
      return Redacted.make(key)
    }),

    importKey: Effect.fn("KeyStore.importKey")(function* (
      key: Redacted.Redacted<string>,
      options: KeyOptions
    ) {
      const value = Redacted.value(key)
      // A header can carry nothing else, so no client could send such a key.
      if (!/^[\x21-\x7e]{8,512}$/u.test(value)) {
        return yield* new KeyRejected({
          detail: "invalid key: expected 8 to 512 printable ASCII characters without spaces"
        })
      }
      yield* insert(value, options, true)
    }),

    grant: Effect.fn("KeyStore.grant")(function* (account: number, credits: number) {
      return yield* Effect.catchTag(granted(account, credits), "SqlError", Effect.die)
    }),

    list: keyRows(sql`${shown} ORDER BY k.id`).pipe(
      Effect.map((rows) => rows.map(infoOf)),
      Effect.orDie
    ),

    revoke: Effect.fn("KeyStore.revoke")(function* (which: string) {
      const now = yield* Clock.currentTimeMillis
      const rows = yield* Effect.orDie(
        keyRows(
          sql`${shown} AND k.revoked_at IS NULL AND (k.name = ${which} OR CAST(k.id AS TEXT) = ${which})`
        )
      )
      const byId = rows.filter((row) => String(row.id) === which)
      const [row, ...others] = byId.length > 0 ? byId : rows
      if (row === undefined) {
        return yield* new KeyRejected({
          detail: `no valid key "${which}"; \`keys list\` shows ids and names`
        })
      }
      if (others.length > 0) {
        return yield* new KeyRejected({
          detail: `several keys are named "${which}"; choose one by id: ${rows.map((each) => each.id).join(", ")}`
        })
      }
      yield* Effect.orDie(sql.withTransaction(revoked(row, now)))
      return infoOf({ ...row, revoked_at: now })
    }),

    /** Creates a key for the embedding process. It belongs to the hidden account and replaces that account's keys. */
    embed: sql
      .withTransaction(
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          yield* sql`DELETE FROM keys WHERE account_id IN (SELECT id FROM accounts WHERE visible = 0)`
          const found = yield* idRows(sql`SELECT id FROM accounts WHERE visible = 0`)
          const [account] =
            found.length > 0
              ? found
              : yield* idRows(
                  sql`INSERT INTO accounts ${sql.insert({ name: "embedded", visible: 0, created_at: now })} RETURNING id`
                )
          const key = fresh()
          const digest = secret.digest("key", key)
          yield* sql`INSERT INTO keys ${sql.insert({ account_id: account?.id ?? 0, name: "embedded", hint: hintOf(key), selector: selectorOf(digest), digest, created_at: now })}`
          return Redacted.make(key)
        })
      )
      .pipe(Effect.orDie),

    /** Returns the account of a valid key. */
    recognise: Effect.fnUntraced(function* (key: Redacted.Redacted<string>) {
      const digest = secret.digest("key", Redacted.value(key))
      const rows = yield* Effect.orDie(
        holderRows(sql`SELECT a.id, a.name, k.id AS key, k.digest
          FROM keys k JOIN accounts a ON a.id = k.account_id
          WHERE k.selector = ${selectorOf(digest)} AND k.revoked_at IS NULL`)
      )
      const holder = rows.find((row) => timingSafeEqual(row.digest, digest))
      return holder === undefined
        ? Option.none<KeyHolder>()
        : Option.some<KeyHolder>({ id: holder.id, name: holder.name, key: holder.key })
    })
  }
})

/**
 * The keys and their accounts. Only digests are stored: HMAC-SHA-256 with the data folder's secret. A slow hash would
 * slow down every request, and keys with 256 random bits do not need one. Imported keys may be weaker. For them, the
 * secret outside the database prevents a search of a stolen copy.
 */
export class KeyStore extends Effect.Service<KeyStore>()("service/KeyStore", { effect: make }) {}

/** Generates a key with 256 random bits. */
const fresh = (): string => `${keyPrefix}${randomBytes(32).toString("base64url")}`

const infoOf = (row: KeyRow): KeyInfo => ({
  id: row.id,
  name: row.name,
  hint: row.hint,
  account: row.account_id,
  imported: row.imported === 1,
  createdAt: new Date(row.created_at),
  revokedAt: row.revoked_at === null ? undefined : new Date(row.revoked_at),
  granted: row.granted ?? undefined,
  used: row.used,
  reserved: row.reserved
})

/** The digest's first 48 bits: enough to find the row, useless for guessing the key. */
const selectorOf = (digest: Buffer): number => digest.readUIntBE(0, 6)

/** Returns enough of a key to recognise it and too little to use it: 4 characters, none of a short key. */
const hintOf = (key: string): string => {
  const secretPart = key.startsWith(keyPrefix) ? key.slice(keyPrefix.length) : key
  const shown = secretPart.length < 20 ? "" : secretPart.slice(0, 4)
  return `${key.startsWith(keyPrefix) ? keyPrefix : ""}${shown}…`
}
