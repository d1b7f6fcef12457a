/** The audit log: who changed keys and accounts, and which addresses guessed keys. It never holds a key or a text. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Schema } from "effect"
import { checkRows, column, optionalColumn, Time } from "../storage/CheckedRows.ts"

/** An entry. */
const AuditEntry = Schema.Struct({
  at: Time,
  event: Schema.Literal("key_created", "key_imported", "key_revoked", "credits_granted", "address_blocked"),
  account: optionalColumn("account_id", Schema.Int),
  key: optionalColumn("key_id", Schema.Int),
  /** The client's address, or the user of the command. */
  by: column("actor", Schema.String),
  detail: optionalColumn("detail", Schema.String)
})
type AuditEntry = typeof AuditEntry.Type
const auditRows = checkRows("audit", AuditEntry)
const encodeEntry = Schema.encodeSync(AuditEntry)

/** Entries are kept for this long, in milliseconds: 400 days. */
export const auditRetention = 400 * 86_400_000

/** Writes an entry, in the transaction of the change if there is one. */
export const noteAudit = (
  sql: SqlClient,
  note: Pick<AuditEntry, "event" | "by"> & Partial<Omit<AuditEntry, "at">>
) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const { account, key, detail, ...rest } = note
    const columns = encodeEntry({ at: new Date(now), account, key, detail, ...rest })
    return sql`INSERT INTO audit ${sql.insert(columns)}`
  })

/** Lists the last entries, oldest first. */
export const listAudit = (sql: SqlClient, limit: number) =>
  Effect.orDie(
    auditRows(
      sql`SELECT * FROM (SELECT id, at, event, account_id, key_id, actor, detail FROM audit ORDER BY id DESC LIMIT ${limit}) AS newest ORDER BY id`
    )
  )
