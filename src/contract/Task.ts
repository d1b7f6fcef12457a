/** Tasks on the wire. */
import { Schema } from "effect"

/**
 * A task's state. queued → processing → done or failed; a restart of the service takes processing back to queued.
 * Only a done task has addresses; only a failed one has an error, and its credits were given back.
 */
export const TaskStatus = Schema.Literal("queued", "processing", "done", "failed").annotations({
  identifier: "TaskStatus",
  description:
    "queued → processing → done or failed. A restart of the service takes processing back to queued. Only a done task has addresses; only a failed one has an error, and its credits were given back."
})
export type TaskStatus = typeof TaskStatus.Type

/**
 * The codes of failures that lie in the request itself: another task of the same text and voice would fail the same
 * way.
 */
export const lastingFailures: ReadonlySet<string> = new Set([
  "nothing_to_say",
  "unknown_voice",
  "too_long",
  "refused",
  "not_offered"
])

/** POST /v1/text-to-speech/{voice_id}: the body. */
export const CreateTask = Schema.Struct({
  /** The words to speak; for a provider with SRT input also an SRT, which is spoken on its own timeline. */
  text: Schema.String.annotations({
    description:
      "The words to speak. Where the provider has srt_input, a text that begins like an SRT is spoken on its own timeline: each entry at its start, or as soon as the one before has ended. Control characters other than tab and line break are refused."
  }),
  provider: Schema.String.annotations({
    description: "The provider's id; the voice must be one of its own."
  }),
  model_id: Schema.optional(
    Schema.String.annotations({ description: "One of the provider's models; its default where absent." })
  ),
  /** A label stored with the task and echoed when it is read. */
  voice_name: Schema.optional(
    Schema.String.pipe(
      Schema.maxLength(200, {
        description: "A label of your own, stored with the task and shown when it is read."
      })
    )
  ),
  /** Requests SRT and JSON transcripts where the provider supports them; ignored elsewhere. */
  with_transcript: Schema.optional(
    Schema.Boolean.annotations({
      description:
        "Requests SRT and JSON transcripts where the provider's transcript feature is with_transcript or export_srt; ignored elsewhere."
    })
  ),
  /** provider_native: requests an SRT alone; ignored elsewhere. */
  export_srt: Schema.optional(
    Schema.Boolean.annotations({
      description:
        "provider_native: requests an SRT of what is heard when, without the JSON; ignored elsewhere."
    })
  ),
  /** provider_native: speaking rate, 0.5 to 2, default 1. */
  speed: Schema.optional(
    Schema.Number.annotations({
      description:
        "provider_native: speaking rate, 0.5 to 2, default 1; refused elsewhere. Twice the rate takes half the time."
    })
  ),
  /** provider_native: volume, 0.1 to 2, default 1. */
  vol: Schema.optional(
    Schema.Number.annotations({
      description:
        "provider_native: volume as a factor on the samples, 0.1 to 2, default 1; refused elsewhere."
    })
  ),
  /** provider_native: pitch in semitones, -12 to 12, default 0. */
  pitch: Schema.optional(
    Schema.Number.annotations({
      description: "provider_native: pitch in semitones, -12 to 12, default 0; refused elsewhere."
    })
  )
}).annotations({ identifier: "CreateTask" })
export type CreateTask = typeof CreateTask.Type

/** The answer to a create. */
export const TaskReference = Schema.Struct({
  task_id: Schema.UUID,
  status: TaskStatus,
  /** Characters counted, in Unicode code points. */
  characters: Schema.Int.annotations({ description: "Characters counted, in Unicode code points." }),
  /** Credits reserved for it. */
  credits: Schema.Number.annotations({
    description: "Credits reserved for it: spent when it is done, given back if it fails."
  })
}).annotations({ identifier: "TaskReference" })
export type TaskReference = typeof TaskReference.Type

/**
 * The id of a task that is read: a UUID. Whoever reads takes any, since a service may still hold tasks of an older
 * kind.
 */
const ReadId = Schema.NonEmptyTrimmedString.annotations({
  jsonSchema: { type: "string", format: "uuid" }
})

/** A task as it is read. Times are ISO 8601 in UTC. */
export const Task = Schema.Struct({
  task_id: ReadId,
  status: TaskStatus,
  provider: Schema.String,
  model_id: Schema.String,
  voice_id: Schema.String,
  voice_name: Schema.optional(Schema.String.annotations({ description: "The label given at creation." })),
  characters: Schema.Int.annotations({ description: "Characters counted, in Unicode code points." }),
  credits: Schema.Number.annotations({ description: "Credits reserved for it, or spent once it is done." }),
  created_at: Schema.String.annotations({ description: "ISO 8601 in UTC." }),
  completed_at: Schema.optional(
    Schema.String.annotations({ description: "When it was done or had failed; ISO 8601 in UTC." })
  ),
  /** Seconds of audio; on a done task. */
  duration: Schema.optional(Schema.Number.annotations({ description: "Seconds of audio; on a done task." })),
  audio_url: Schema.optional(
    Schema.String.annotations({
      description:
        "On a done task: where its audio is. The address needs no key, cannot be guessed and expires; reading the task again gives a fresh one."
    })
  ),
  srt_url: Schema.optional(
    Schema.String.annotations({
      description: "Where its SRT is, if one was asked for and the provider has them."
    })
  ),
  json_url: Schema.optional(
    Schema.String.annotations({
      description:
        "Where its JSON transcript is, if one was asked for and the provider has them: see Transcript."
    })
  ),
  /** Why it failed. */
  error: Schema.optional(
    Schema.Struct({ code: Schema.String, message: Schema.String }).annotations({
      description: "Why it failed; its credits were given back."
    })
  )
}).annotations({ identifier: "Task", description: "A task. Its text is not shown again." })
export type Task = typeof Task.Type

/** GET /v1/tasks: one page of the history, newest first. */
export const TaskPage = Schema.Struct({
  tasks: Schema.Array(Task),
  /** From 1. */
  page: Schema.Int.annotations({ description: "This page's number, from 1." }),
  limit: Schema.Int.annotations({ description: "The page size." }),
  /** All tasks of the account. */
  total: Schema.Int.annotations({ description: "All tasks of the account." }),
  has_more: Schema.Boolean.annotations({ description: "Whether there is a page after this one." })
}).annotations({ identifier: "TaskPage", description: "One page of the account's tasks, newest first." })
export type TaskPage = typeof TaskPage.Type

/** DELETE /v1/task/delete: the body. */
export const DeleteTask = Schema.Struct({ task_id: Schema.UUID }).annotations({ identifier: "DeleteTask" })

/** The answer to a delete; `deleted` is false where the task was gone already. */
export const Deleted = Schema.Struct({
  task_id: Schema.UUID,
  deleted: Schema.Boolean.annotations({
    description: "Whether it was deleted just now; false where this account had deleted it before."
  })
}).annotations({ identifier: "Deleted" })

const Heard = Schema.Struct({
  text: Schema.String,
  start: Schema.Number.annotations({ description: "Seconds from the audio's start." }),
  end: Schema.Number.annotations({ description: "Seconds from the audio's start; never before start." })
})

/** The JSON transcript behind `json_url`. Times are seconds from the audio's start, with millisecond precision. */
export const Transcript = Schema.Struct({
  duration: Schema.Number.annotations({ description: "Seconds of audio." }),
  sentences: Schema.Array(Heard),
  words: Schema.Array(Heard).annotations({ description: "Empty where the engine tells no times of words." })
}).annotations({
  identifier: "Transcript",
  description:
    "What is heard when, by the engine's own events, in the text's order and as the text writes it. Times have millisecond precision."
})
export type Transcript = typeof Transcript.Type
