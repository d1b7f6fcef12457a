/** Queries of the accounts' tasks and credits. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { Schema } from "effect"
import { rowCheck } from "../storage/CheckedRows.ts"
import type { RowQuery } from "../storage/DirectRows.ts"
import { type Balance, type StoredTask, storedOf, AccountTaskRow } from "./TaskRecord.ts"

/** A key's cap for the day, and the credits of its tasks of that day. `cap` is undefined if it has none. */
export interface KeyDay {
  readonly isRevoked: boolean
  readonly cap: number | undefined
  readonly spent: number
}

const storedRows = rowCheck("tasks", AccountTaskRow)
const totalRows = rowCheck("accounts", Schema.Struct({ tasks: Schema.Int }))
const dailyRows = rowCheck(
  "keys",
  Schema.Struct({
    revoked_at: Schema.NullOr(Schema.Int),
    credits_per_day: Schema.NullOr(Schema.Int),
    spent: Schema.Int
  })
)
const countRows = rowCheck("tasks", Schema.Struct({ status: Schema.String, count: Schema.Int }))
const balanceRows = rowCheck(
  "accounts",
  Schema.Struct({ granted: Schema.NullOr(Schema.Int), used: Schema.Int, reserved: Schema.Int })
)

/** Unfinished tasks of all accounts. */
export interface TaskCounts {
  readonly queued: number
  readonly processing: number
}

/** Makes the queries. */
export const taskQueries = (sql: SqlClient) => {
  const columns = sql.literal(Object.keys(AccountTaskRow.fields).join(", "))
  return {
    /** One task of an account. */
    task: (account: number, taskId: string): RowQuery<StoredTask | undefined> => ({
      statement: sql`SELECT ${columns} FROM tasks WHERE task_id = ${taskId} AND account_id = ${account}`,
      from: (rows) => storedRows(rows).map(storedOf)[0]
    }),

    /** A page of an account's tasks, newest first. `page` counts from 1. */
    page: (account: number, page: number, limit: number): RowQuery<ReadonlyArray<StoredTask>> => ({
      statement: sql`SELECT ${columns} FROM tasks WHERE account_id = ${account} ORDER BY id DESC LIMIT ${limit} OFFSET ${(page - 1) * limit}`,
      from: (rows) => storedRows(rows).map(storedOf)
    }),

    /** The number of an account's tasks. */
    total: (account: number): RowQuery<number> => ({
      statement: sql`SELECT tasks FROM accounts WHERE id = ${account}`,
      from: (rows) => totalRows(rows)[0]?.tasks ?? 0
    }),

    /** The number of queued and processing tasks of all accounts. */
    counts: {
      statement: sql`SELECT status, COUNT(*) AS count FROM tasks WHERE status IN ('queued', 'processing') GROUP BY status`,
      from: (rows) => {
        const counts = new Map(countRows(rows).map(({ status, count }) => [status, count]))
        return { queued: counts.get("queued") ?? 0, processing: counts.get("processing") ?? 0 }
      }
    } satisfies RowQuery<TaskCounts>,

    /** An account's credits. */
    balance: (account: number): RowQuery<Balance> => ({
      statement: sql`SELECT granted, used, reserved FROM accounts WHERE id = ${account}`,
      from: (rows) => {
        const [row] = balanceRows(rows)
        return {
          granted: row?.granted ?? undefined,
          used: row?.used ?? 0,
          reserved: row?.reserved ?? 0
        }
      }
    }),

    /** A key's cap and credits for the day of a time, in milliseconds since 1970. Undefined if there is no such key. */
    keyDay: (key: number | undefined, now: number): RowQuery<KeyDay | undefined> => ({
      statement: sql`SELECT revoked_at, credits_per_day, COALESCE(
        (SELECT credits FROM key_days WHERE key_id = keys.id AND day = ${dayOf(now)}), 0) AS spent
        FROM keys WHERE id = ${key ?? null}`,
      from: (rows) => {
        const [row] = dailyRows(rows)
        return (
          row && {
            isRevoked: row.revoked_at !== null,
            cap: row.credits_per_day ?? undefined,
            spent: row.spent
          }
        )
      }
    })
  }
}

const dayMillis = 86_400_000
/** The day of a time, in days since 1970 (UTC). */
const dayOf = (now: number): number => Math.floor(now / dayMillis)

/** A key's cap, the credits that its tasks of the day cost, and when the next day begins, in ms since 1970. */
export interface DailyCap {
  readonly limit: number
  readonly used: number
  readonly resetsAt: number
}

/** Returns a key's cap for the day that `now` is in; undefined if it has none. */
export const dailyOf = (held: KeyDay | undefined, now: number): DailyCap | undefined =>
  held?.cap === undefined
    ? undefined
    : { limit: held.cap, used: held.spent, resetsAt: (dayOf(now) + 1) * dayMillis }
