/** Tasks on the wire. */
import { Schema } from "effect"

/**
 * A task's state. queued → processing → done or failed; a restart of the service takes processing back to queued.
 * Only a done task has addresses; only a failed one has an error, and its credits were given back.
 */
export const TaskStatus = Schema.Literal("queued", "processing", "done", "failed")
export type TaskStatus = typeof TaskStatus.Type

/** POST /v1/text-to-speech/{voice_id}: the body. */
export const CreateTask = Schema.Struct({
  /** The words to speak; for a provider with SRT input also an SRT, which is spoken on its own timeline. */
  text: Schema.String,
  provider: Schema.String,
  model_id: Schema.optional(Schema.String),
  /** A label stored with the task and echoed when it is read. */
  voice_name: Schema.optional(Schema.String.pipe(Schema.maxLength(200))),
  /** Asks for SRT and JSON transcripts where the provider supports it; passed over elsewhere. */
  with_transcript: Schema.optional(Schema.Boolean),
  /** provider_native: asks for an SRT of what was said; passed over elsewhere. */
  export_srt: Schema.optional(Schema.Boolean),
  /** provider_native: speaking rate, 0.5 to 2, default 1. */
  speed: Schema.optional(Schema.Number),
  /** provider_native: volume, 0.1 to 2, default 1. */
  vol: Schema.optional(Schema.Number),
  /** provider_native: pitch in semitones, -12 to 12, default 0. */
  pitch: Schema.optional(Schema.Number)
}).annotations({ identifier: "CreateTask" })
export type CreateTask = typeof CreateTask.Type

/** The answer to a create. */
export const TaskReference = Schema.Struct({
  task_id: Schema.UUID,
  status: TaskStatus,
  /** Characters counted, in Unicode code points. */
  characters: Schema.Int,
  /** Credits reserved for it. */
  credits: Schema.Number
}).annotations({ identifier: "TaskReference" })
export type TaskReference = typeof TaskReference.Type

/** A task as it is read. Times are ISO 8601 in UTC. */
export const Task = Schema.Struct({
  task_id: Schema.UUID,
  status: TaskStatus,
  provider: Schema.String,
  model_id: Schema.String,
  voice_id: Schema.String,
  voice_name: Schema.optional(Schema.String),
  characters: Schema.Int,
  credits: Schema.Number,
  created_at: Schema.String,
  completed_at: Schema.optional(Schema.String),
  /** Seconds of audio; on a done task. */
  duration: Schema.optional(Schema.Number),
  audio_url: Schema.optional(Schema.String),
  srt_url: Schema.optional(Schema.String),
  json_url: Schema.optional(Schema.String),
  /** Why it failed. */
  error: Schema.optional(Schema.Struct({ code: Schema.String, message: Schema.String }))
}).annotations({ identifier: "Task" })
export type Task = typeof Task.Type

/** GET /v1/tasks: one page of the history, newest first. */
export const TaskPage = Schema.Struct({
  tasks: Schema.Array(Task),
  /** From 1. */
  page: Schema.Int,
  limit: Schema.Int,
  /** All tasks of the account. */
  total: Schema.Int,
  has_more: Schema.Boolean
}).annotations({ identifier: "TaskPage" })
export type TaskPage = typeof TaskPage.Type

/** DELETE /v1/task/delete: the body. */
export const DeleteTask = Schema.Struct({ task_id: Schema.UUID }).annotations({ identifier: "DeleteTask" })

/** The answer to a delete; `deleted` is false where the task was gone already. */
export const Deleted = Schema.Struct({ task_id: Schema.UUID, deleted: Schema.Boolean }).annotations({
  identifier: "Deleted"
})

/** The JSON transcript behind `json_url`. Times are seconds from the audio's start, with millisecond precision. */
export const Transcript = Schema.Struct({
  duration: Schema.Number,
  sentences: Schema.Array(Schema.Struct({ text: Schema.String, start: Schema.Number, end: Schema.Number })),
  words: Schema.Array(Schema.Struct({ text: Schema.String, start: Schema.Number, end: Schema.Number }))
}).annotations({ identifier: "Transcript" })
export type Transcript = typeof Transcript.Type
