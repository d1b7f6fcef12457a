/** The audit log: who changed keys and accounts, and which addresses guessed keys. It never holds a key or a text. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Schema } from "effect"
import { checkRows } from "../storage/CheckedRows.ts"

/** What happened. */
export const AuditEvent = Schema.Literal(
  "key_created",
  "key_imported",
  "key_revoked",
  "credits_granted",
  "address_blocked"
)
export type AuditEvent = typeof AuditEvent.Type

/** An entry to write. */
export interface AuditNote {
  readonly event: AuditEvent
  readonly account?: number
  readonly key?: number
  /** The client's address, or the user of the command. */
  readonly by: string
  readonly detail?: string
}

/** An entry as listed. */
export interface AuditEntry extends AuditNote {
  readonly at: Date
}

/** Entries are kept for this long, in milliseconds: 400 days. */
export const auditRetention = 400 * 86_400_000

const auditRows = checkRows(
  "audit",
  Schema.Struct({
    at: Schema.Int,
    event: AuditEvent,
    account_id: Schema.NullOr(Schema.Int),
    key_id: Schema.NullOr(Schema.Int),
    actor: Schema.String,
    detail: Schema.NullOr(Schema.String)
  })
)

/** Writes an entry, in the transaction of the change if there is one. */
export const noteAudit = (sql: SqlClient, { event, account, key, by, detail }: AuditNote) =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (at) =>
      sql`INSERT INTO audit ${sql.insert({ at, event, account_id: account ?? null, key_id: key ?? null, actor: by, detail: detail ?? null })}`
  )

/** Lists the last entries, oldest first. */
export const listAudit = (sql: SqlClient, limit: number): Effect.Effect<ReadonlyArray<AuditEntry>> =>
  auditRows(
    sql`SELECT * FROM (SELECT id, at, event, account_id, key_id, actor, detail FROM audit ORDER BY id DESC LIMIT ${limit}) AS newest ORDER BY id`
  ).pipe(
    Effect.map((rows) =>
      rows.map((row) => ({
        at: new Date(row.at),
        event: row.event,
        by: row.actor,
        ...(row.account_id === null ? {} : { account: row.account_id }),
        ...(row.key_id === null ? {} : { key: row.key_id }),
        ...(row.detail === null ? {} : { detail: row.detail })
      }))
    ),
    Effect.orDie
  )
