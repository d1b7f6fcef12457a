/** Task records: the database row, and its views for creation, workers and the owning account. */
import { Schema } from "effect"
import { TaskStatus } from "../../contract/Task.ts"
import { checkRows } from "../storage/CheckedRows.ts"

/** An account's credits. `granted` is undefined if the account is unlimited. */
export interface Balance {
  readonly granted: number | undefined
  readonly used: number
  readonly reserved: number
}

/** A task's request and price, apart from provider, model and voice. */
export interface TaskTerms {
  readonly voiceName: string | undefined
  readonly text: string
  readonly input: "text" | "srt"
  readonly wantSrt: boolean
  readonly wantJson: boolean
  readonly speed: number
  readonly vol: number
  readonly pitch: number
  /** Unicode code points of the text as sent. */
  readonly characters: number
  /** Whole credits: characters times the model's price, rounded up. */
  readonly credits: number
  /** The expected length of the audio. */
  readonly seconds: number
}

/** The idempotency key of a create, and a digest of its request. */
export interface CreateName {
  readonly key: string
  readonly digest: Buffer
}

/** A task to insert; its credits are reserved with it, and the expected bytes of its audio, of at most `room`. */
export interface NewTask extends Omit<TaskTerms, "seconds"> {
  readonly bytes?: number
  readonly room?: number
  readonly taskId: string
  readonly account: number
  /** The id of the key that created it. */
  readonly key?: number
  /** The create's idempotency key, if it has one. */
  readonly idempotency?: CreateName
  /** Where to post the task when it has ended, and the origin of the file URLs in it. */
  readonly webhook?: { readonly url: string; readonly host: string; readonly origin: string }
  readonly provider: string
  readonly model: string
  readonly voice: string
}

/** A task that a worker has claimed. */
export interface ClaimedTask extends NewTask {
  /** How often it has been claimed, this time included. */
  readonly attempts: number
}

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

/** A task's database row. Flags are 0 or 1; times are milliseconds since the Unix epoch. */
const TaskRow = Schema.Struct({
  task_id: Schema.String,
  account_id: Schema.Int,
  status: TaskStatus,
  provider: Schema.String,
  model_id: Schema.String,
  voice_id: Schema.String,
  voice_name: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String),
  input: Schema.Literal("text", "srt"),
  want_srt: Schema.Int,
  want_json: Schema.Int,
  speed: Schema.Number,
  vol: Schema.Number,
  pitch: Schema.Number,
  characters: Schema.Int,
  credits: Schema.Int,
  attempts: Schema.Int,
  created_at: Schema.Int,
  completed_at: Schema.NullOr(Schema.Int),
  duration_ms: Schema.NullOr(Schema.Number),
  format: Schema.NullOr(Schema.String),
  has_srt: Schema.Int,
  has_json: Schema.Int,
  engine: Schema.NullOr(Schema.String),
  error_code: Schema.NullOr(Schema.String),
  error_message: Schema.NullOr(Schema.String)
})
type TaskRow = typeof TaskRow.Type

/** The columns that the owning account reads. */
export const AccountTaskRow = TaskRow.pick(
  "task_id",
  "status",
  "provider",
  "model_id",
  "voice_id",
  "voice_name",
  "characters",
  "credits",
  "created_at",
  "completed_at",
  "duration_ms",
  "format",
  "has_srt",
  "has_json",
  "engine",
  "error_code",
  "error_message"
)

/** Checks whole rows of tasks. */
export const taskRows = checkRows("tasks", TaskRow)

/** The credits that a task reserves. */
const Reserved = TaskRow.pick("account_id", "credits")
export type Reserved = typeof Reserved.Type

/** Checks the reserved credits of tasks. */
export const reservedRows = checkRows("tasks", Reserved)

/** Converts a row to a worker's task. */
export const claimedOf = (row: TaskRow): ClaimedTask => ({
  taskId: row.task_id,
  account: row.account_id,
  provider: row.provider,
  model: row.model_id,
  voice: row.voice_id,
  voiceName: row.voice_name ?? undefined,
  text: row.text ?? "",
  input: row.input,
  wantSrt: row.want_srt === 1,
  wantJson: row.want_json === 1,
  speed: row.speed,
  vol: row.vol,
  pitch: row.pitch,
  characters: row.characters,
  credits: row.credits,
  attempts: row.attempts
})

/** Converts a row to the account's view. */
export const storedOf = (row: typeof AccountTaskRow.Type) => ({
  taskId: row.task_id,
  status: row.status,
  provider: row.provider,
  model: row.model_id,
  voice: row.voice_id,
  voiceName: row.voice_name ?? undefined,
  characters: row.characters,
  credits: row.credits,
  createdAt: row.created_at,
  completedAt: row.completed_at ?? undefined,
  durationMs: row.duration_ms ?? undefined,
  format: row.format ?? undefined,
  hasSrt: row.has_srt === 1,
  hasJson: row.has_json === 1,
  /** The name of the engine that spoke it; undefined for tasks of older versions. */
  engine: row.engine ?? undefined,
  error: row.error_code === null ? undefined : { code: row.error_code, message: row.error_message ?? "" }
})

/** A task as its account reads it. */
export type StoredTask = Readonly<ReturnType<typeof storedOf>>
