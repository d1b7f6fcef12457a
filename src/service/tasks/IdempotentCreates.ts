/** Idempotency keys of creates: a create that is sent again returns the task of the first one. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Data, Effect, Option, Schema } from "effect"
import { idempotencyRetention } from "../../contract/SpeechApi.ts"
import { checkRows } from "../storage/CheckedRows.ts"
import { inWriteTransaction } from "../storage/WriteTransaction.ts"
import type { CreateName, NewTask } from "./TaskRecord.ts"

/** The account has used this idempotency key for another create. */
export class NameReused extends Data.TaggedError("NameReused") {}

/** Another create with this idempotency key was stored first. */
export class NameTaken extends Data.TaggedError("NameTaken") {}

/** The response to a create. */
export interface StoredReference {
  readonly taskId: string
  readonly characters: number
  readonly credits: number
}

const nameRows = checkRows(
  "idempotency",
  Schema.Struct({
    digest: Schema.Uint8ArrayFromSelf,
    task_id: Schema.String,
    characters: Schema.Int,
    credits: Schema.Int
  })
)

/**
 * Finds the create that an account made with an idempotency key. Each use restarts the retention, so that a response
 * that is lost now can still be replayed for the whole time. The clock decides nothing here: if it were wrong, the
 * create would be charged again.
 */
export const replayOf =
  (sql: SqlClient) =>
  (account: number, { key, digest }: CreateName): Effect.Effect<Option.Option<StoredReference>, NameReused> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* Effect.orDie(
        nameRows(sql`UPDATE idempotency SET used_at = ${now}
          WHERE account_id = ${account} AND key = ${key}
          RETURNING digest, task_id, characters, credits`)
      )
      if (row === undefined) return Option.none()
      if (!digest.equals(row.digest)) return yield* new NameReused()
      // The create that it repeats may not be on disk yet: a transaction waits for those before it.
      yield* Effect.orDie(inWriteTransaction(sql)(Effect.void))
      return Option.some({ taskId: row.task_id, characters: row.characters, credits: row.credits })
    })

/** Stores the idempotency key of a new task, in the transaction that inserts the task. */
export const claimName = (sql: SqlClient, task: NewTask, { key, digest }: CreateName, now: number) =>
  Effect.gen(function* () {
    const claimed = yield* sql`INSERT INTO idempotency ${sql.insert({
      account_id: task.account,
      key,
      digest,
      task_id: task.taskId,
      characters: task.characters,
      credits: task.credits,
      used_at: now
    })} ON CONFLICT (account_id, key) DO NOTHING RETURNING key`
    if (claimed.length === 0) return yield* new NameTaken()
  })

/** Deletes the idempotency keys that have not been used for the retention time. Then they are free again. */
export const expireNames = (sql: SqlClient, now: number) =>
  sql`DELETE FROM idempotency WHERE used_at < ${now - idempotencyRetention * 1000}`
