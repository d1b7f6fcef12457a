/** Task records: the views of the database row for creation, workers and the owning account. */
import { Schema, Struct } from "effect"
import { TaskStatus } from "../../contract/Task.ts"
import { checkRows, column, flagColumn, optionalColumn } from "../storage/CheckedRows.ts"

/** The columns of a task's request and price. */
const order = {
  taskId: column("task_id", Schema.String),
  account: column("account_id", Schema.Int),
  provider: Schema.String,
  model: column("model_id", Schema.String),
  voice: column("voice_id", Schema.String),
  voiceName: optionalColumn("voice_name", Schema.String),
  text: Schema.String,
  input: Schema.Literal("text", "srt"),
  wantSrt: flagColumn("want_srt"),
  wantJson: flagColumn("want_json"),
  speed: Schema.Number,
  vol: Schema.Number,
  pitch: Schema.Number,
  /** Unicode code points of the text as sent. */
  characters: Schema.Int,
  /** Whole credits: characters times the model's price, rounded up. */
  credits: Schema.Int
}
const TaskOrder = Schema.Struct(order)

/** Converts a task's request and price to columns. */
export const orderColumns = Schema.encodeSync(TaskOrder)

/** The idempotency key of a create, and a digest of its request. */
export interface CreateName {
  readonly key: string
  readonly digest: Buffer
}

/** A task to insert; its credits are reserved with it, and the expected bytes of its audio, of at most `room`. */
export type NewTask = typeof TaskOrder.Type & {
  readonly bytes?: number
  readonly room?: number
  /** The id of the key that created it. */
  readonly key?: number
  /** The create's idempotency key, if it has one. */
  readonly idempotency?: CreateName | undefined
  /** Where to post the task when it has ended, and the origin of the file URLs in it. */
  readonly webhook?: { readonly url: string; readonly host: string; readonly origin: string } | undefined
}

/** A task that a worker has claimed, and how often it has been claimed, this time included. */
const ClaimedTask = Schema.Struct({ ...order, attempts: Schema.Int })
export type ClaimedTask = typeof ClaimedTask.Type
export const claimedRows = checkRows("tasks", ClaimedTask)

/** The results of a finished task. */
export interface Outcome {
  /** The name of the engine that spoke it. */
  readonly engine: string
  readonly durationMs: number
  readonly bytes: number
  readonly format: string
  readonly hasSrt: boolean
  readonly hasJson: boolean
}

/** The credits that a task reserves. */
const Reserved = Schema.Struct({ account_id: Schema.Int, credits: Schema.Int })
export type Reserved = typeof Reserved.Type

/** Checks the reserved credits of tasks. */
export const reservedRows = checkRows("tasks", Reserved)

/** The columns that the owning account reads. Times are milliseconds since the Unix epoch. */
export const StoredRow = Schema.Struct({
  ...Struct.pick(order, "taskId", "provider", "model", "voice", "voiceName", "characters", "credits"),
  status: TaskStatus,
  createdAt: column("created_at", Schema.Int),
  completedAt: optionalColumn("completed_at", Schema.Int),
  durationMs: optionalColumn("duration_ms", Schema.Number),
  format: optionalColumn("format", Schema.String),
  hasSrt: flagColumn("has_srt"),
  hasJson: flagColumn("has_json"),
  /** The name of the engine that spoke it; undefined for tasks of older versions. */
  engine: optionalColumn("engine", Schema.String),
  errorCode: optionalColumn("error_code", Schema.String),
  errorMessage: optionalColumn("error_message", Schema.String)
})

/** Converts a row to the account's view. */
export const storedOf = ({ errorCode, errorMessage = "", ...task }: typeof StoredRow.Type) => ({
  ...task,
  error: errorCode === undefined ? undefined : { code: errorCode, message: errorMessage }
})

/** A task as its account reads it. */
export type StoredTask = Readonly<ReturnType<typeof storedOf>>
