/** API keys and their accounts in the database: create, import, grant, list, revoke, authenticate. */
import { randomBytes } from "node:crypto"
import { userInfo } from "node:os"
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Redacted, Schema } from "effect"
import { checkRows } from "../storage/CheckedRows.ts"
import { Secret } from "../storage/Secret.ts"
import { inWriteTransaction } from "../storage/WriteTransaction.ts"
import { listAudit, noteAudit } from "./AuditLog.ts"
import {
  findHolder,
  limitColumnsOf,
  hintOf,
  type KeyOptions,
  keyPrefix,
  KeyRejected,
  type KeyInfo,
  keyRows,
  optionsFault,
  selectorOf,
  shownKeys
} from "./KeyRecord.ts"

const idRows = checkRows("accounts", Schema.Struct({ id: Schema.Int }))
const grantedRows = checkRows("accounts", Schema.Struct({ granted: Schema.NullOr(Schema.Int) }))
const creditRows = checkRows("tasks", Schema.Struct({ credits: Schema.Int }))
const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const secret = yield* Secret
  const inTransaction = inWriteTransaction(sql)

  /** The columns that identify a key. */
  const keyColumns = (key: string) => {
    const digest = secret.digest("key", key)
    return { hint: hintOf(key), selector: selectorOf(digest), digest }
  }

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
      if (row === undefined)
        return yield* new KeyRejected({
          detail: `no account ${account}; \`keys list\` shows the accounts`
        })
      if (row.granted === null && credits > 0)
        return yield* new KeyRejected({
          detail: `account ${account} has unlimited credits and needs no more`
        })
      return row.granted ?? undefined
    })

  const insert = (key: string, options: KeyOptions, imported: boolean) =>
    inTransaction(
      Effect.gen(function* () {
        const { digest } = keyColumns(key)
        const now = yield* Clock.currentTimeMillis
        const fault = optionsFault(options, now)
        if (fault !== undefined) return yield* new KeyRejected({ detail: fault })
        const name = options.name.trim()
        const { credits } = options
        const owner = options.account ?? (yield* newAccount(name, credits, now))
        if (options.account !== undefined) yield* granted(owner, credits ?? 0)
        const taken = yield* sql`SELECT id FROM keys WHERE digest = ${digest}`
        if (taken.length > 0)
          return yield* new KeyRejected({ detail: "this key already exists; `keys list` shows it" })
        const [made] = yield* idRows(
          sql`INSERT INTO keys ${sql.insert({
            account_id: owner,
            name,
            ...keyColumns(key),
            imported: imported ? 1 : 0,
            created_at: now,
            ...limitColumnsOf(options)
          })} RETURNING id`
        )
        yield* noteAudit(sql, {
          event: imported ? "key_imported" : "key_created",
          account: owner,
          ...(made === undefined ? {} : { key: made.id }),
          by: operator(),
          detail: name
        })
      })
    ).pipe(Effect.catchTag("SqlError", Effect.die))

  const shown = sql.literal(shownKeys)

  /**
   * Revokes a key, fails its queued tasks and releases their credits. A task of an older version has no key id; it
   * fails once its account has no valid key left.
   */
  const revoked = (row: KeyInfo, now: number) =>
    Effect.gen(function* () {
      // Locks the account: a concurrent create is either stored before the revocation, or finds the key revoked.
      yield* sql`UPDATE accounts SET reserved = reserved WHERE id = ${row.account}`
      yield* sql`UPDATE keys SET revoked_at = ${now} WHERE id = ${row.id}`
      const failed = yield* creditRows(sql`UPDATE tasks
        SET status = 'failed', text = NULL, completed_at = ${now}, error_code = 'key_revoked',
          error_message = 'the key that created this task was revoked'
        WHERE status = 'queued' AND account_id = ${row.account} AND (key_id = ${row.id} OR key_id IS NULL AND
          NOT EXISTS (SELECT 1 FROM keys WHERE account_id = ${row.account} AND revoked_at IS NULL))
        RETURNING credits`)
      const released = failed.reduce((sum, { credits }) => sum + credits, 0)
      yield* sql`UPDATE accounts SET reserved = reserved - ${released} WHERE id = ${row.account}`
      yield* noteAudit(sql, {
        event: "key_revoked",
        account: row.account,
        key: row.id,
        by: operator(),
        detail: `${failed.length} queued tasks failed`
      })
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
      if (!/^[\x21-\x7e]{8,512}$/u.test(value))
        return yield* new KeyRejected({
          detail: "invalid key: expected 8 to 512 printable ASCII characters without spaces"
        })
      yield* insert(value, options, true)
    }),

    grant: Effect.fn("KeyStore.grant")(function* (account: number, credits: number) {
      const note = noteAudit(sql, {
        event: "credits_granted",
        account,
        by: operator(),
        detail: String(credits)
      })
      return yield* inTransaction(Effect.zipLeft(granted(account, credits), note)).pipe(
        Effect.catchTag("SqlError", Effect.die)
      )
    }),

    list: Effect.orDie(keyRows(sql`${shown} ORDER BY k.id`)),

    revoke: Effect.fn("KeyStore.revoke")(function* (which: string) {
      const now = yield* Clock.currentTimeMillis
      const rows = yield* Effect.orDie(
        keyRows(
          sql`${shown} AND k.revoked_at IS NULL AND (k.name = ${which} OR CAST(k.id AS TEXT) = ${which})`
        )
      )
      const byId = rows.filter((row) => String(row.id) === which)
      const [row, ...others] = byId.length > 0 ? byId : rows
      if (row === undefined)
        return yield* new KeyRejected({
          detail: `no valid key "${which}"; \`keys list\` shows ids and names`
        })
      if (others.length > 0)
        return yield* new KeyRejected({
          detail: `several keys are named "${which}"; choose one by id: ${rows.map((each) => each.id).join(", ")}`
        })
      yield* Effect.orDie(inTransaction(revoked(row, now)))
      return { ...row, revokedAt: new Date(now) }
    }),

    /** Creates a key for the embedding process. It belongs to the hidden account and replaces that account's keys. */
    embed: inTransaction(
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* sql`DELETE FROM keys WHERE account_id IN (SELECT id FROM accounts WHERE visible = 0)`
        const found = yield* idRows(sql`SELECT id FROM accounts WHERE visible = 0`)
        const account = { name: "embedded", visible: 0, created_at: now }
        const [{ id } = { id: 0 }] =
          found.length > 0
            ? found
            : yield* idRows(sql`INSERT INTO accounts ${sql.insert(account)} RETURNING id`)
        const key = fresh()
        yield* sql`INSERT INTO keys ${sql.insert({ account_id: id, name: "embedded", created_at: now, ...keyColumns(key) })}`
        return Redacted.make(key)
      })
    ).pipe(Effect.orDie),

    /** Lists the last entries of the audit log, oldest first. */
    audit: (limit: number) => listAudit(sql, limit),

    /** Returns the account of a valid key, or of one that has expired. */
    recognise: (key: Redacted.Redacted<string>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        findHolder(sql, secret.digest("key", Redacted.value(key)), now)
      )
  }
})

/**
 * The keys and their accounts. Only digests are stored: HMAC-SHA-256 with the data folder's secret. A slow hash would
 * slow down every request, and keys with 256 random bits do not need one. Imported keys may be weaker. For them, the
 * secret outside the database prevents a search of a stolen copy.
 */
export class KeyStore extends Effect.Service<KeyStore>()("service/KeyStore", { effect: make }) {}

/** The user who runs the command. */
const operator = (): string => {
  try {
    return `user ${userInfo().username}`
  } catch {
    return "unknown user"
  }
}

/** Generates a key with 256 random bits. */
const fresh = (): string => `${keyPrefix}${randomBytes(32).toString("base64url")}`
