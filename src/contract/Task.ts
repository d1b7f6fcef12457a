/** Tasks: the bodies of creating, reading, listing and deleting them. */
import { Schema } from "effect"

/**
 * A task's state: queued → processing → done or failed. A restart of the service moves processing tasks back to queued.
 * Only a done task has URLs. Only a failed one has an error, and its credits are released.
 */
export const TaskStatus = Schema.Literal("queued", "processing", "done", "failed").annotations({
  identifier: "TaskStatus",
  description:
    "queued → processing → done or failed. A restart of the service moves processing tasks back to queued. Only a done task has URLs. Only a failed task has an error, and its credits are released."
})
export type TaskStatus = typeof TaskStatus.Type

/**
 * Failure codes that another task with the same text and voice would get, too. `insufficient_quota` is about the
 * service's own account with a provider.
 */
export const lastingFailures: ReadonlySet<string> = new Set([
  "nothing_to_say",
  "unknown_voice",
  "too_long",
  "refused",
  "not_offered",
  "insufficient_quota"
])

/**
 * Characters that no label may contain, since it is shown on one line of lists and logs: control characters, line
 * separators, lone surrogates, and format characters: these are invisible, or change the direction of the text around
 * them. Joiners are part of words in Persian and Hindi.
 */
export const notLabel = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u

/** POST /v1/text-to-speech/{voice_id}: the body. */
export const CreateTask = Schema.Struct({
  /** The text to speak. For a provider with SRT input, it may be an SRT, spoken on its own timeline. */
  text: Schema.String.annotations({
    description:
      "The text to speak. If the provider has srt_input, a text that starts like an SRT is spoken on its own timeline. Each entry is spoken at its start, or when the previous one has ended. Control characters other than tab and line break are rejected."
  }),
  provider: Schema.String.annotations({
    description: "The provider's id. The voice must belong to it."
  }),
  model_id: Schema.optional(
    Schema.String.annotations({
      description: "One of the provider's models; default: the provider's default model."
    })
  ),
  /** A label stored with the task and returned when the task is read. */
  voice_name: Schema.optional(
    Schema.String.pipe(
      Schema.maxLength(200, {
        description:
          "A label stored with the task and returned when the task is read. Control characters and those that change the direction of the text are rejected."
      })
    )
  ),
  /** Where to post the task when it has ended. */
  webhook_url: Schema.optional(
    Schema.String.pipe(
      Schema.maxLength(2_000, {
        description:
          "A URL to which the service posts the task when it is done or has failed, signed as the Standard Webhooks specification says. Private addresses are rejected unless the service's settings allow them."
      })
    )
  ),
  /** Requests SRT and JSON transcripts if the provider supports them, otherwise ignored. */
  with_transcript: Schema.optional(
    Schema.Boolean.annotations({
      description:
        "Requests SRT and JSON transcripts if the provider's transcript feature is with_transcript or export_srt; otherwise ignored."
    })
  ),
  /** Requests an SRT only, if the provider's transcript feature is export_srt; otherwise ignored. */
  export_srt: Schema.optional(
    Schema.Boolean.annotations({
      description:
        "Requests an SRT with the times of the speech, without the JSON, if the provider's transcript feature is export_srt; otherwise ignored."
    })
  ),
  /** Speaking rate; default 1. */
  speed: Schema.optional(
    Schema.Number.annotations({
      description:
        "Speaking rate, in the range of the provider's controls; default 1. Twice the rate takes half the time. Rejected for providers without this control."
    })
  ),
  /** Volume as a factor; default 1. */
  vol: Schema.optional(
    Schema.Number.annotations({
      description:
        "Volume as a factor on the samples, in the range of the provider's controls; default 1. Rejected for providers without this control."
    })
  ),
  /** Pitch shift in semitones; default 0. */
  pitch: Schema.optional(
    Schema.Number.annotations({
      description:
        "Pitch shift in semitones, in the range of the provider's controls; default 0. Rejected for providers without this control."
    })
  )
}).annotations({ identifier: "CreateTask" })
export type CreateTask = typeof CreateTask.Type

/** The response to a create. */
export const TaskReference = Schema.Struct({
  task_id: Schema.UUID,
  status: TaskStatus,
  /** Number of characters, in Unicode code points. */
  characters: Schema.Int.annotations({ description: "Number of characters, in Unicode code points." }),
  /** Credits reserved for the task. */
  credits: Schema.Number.annotations({
    description: "Credits reserved for the task: spent when it is done, released if it fails."
  })
}).annotations({ identifier: "TaskReference" })
export type TaskReference = typeof TaskReference.Type

/**
 * The id of a task that is read. The service's ids are UUIDs, but clients accept any, since a service may still have
 * older tasks.
 */
const ReadId = Schema.NonEmptyTrimmedString.annotations({
  jsonSchema: { type: "string", format: "uuid" }
})

/** A task as returned. Times are ISO 8601 in UTC. */
export const Task = Schema.Struct({
  queue_position: Schema.optional(
    Schema.Int.annotations({
      description: "A queued task's place among the provider's tasks, from 1, as accounts take turns."
    })
  ),
  queue_seconds: Schema.optional(
    Schema.Number.annotations({
      description: "Estimated seconds until a queued task is spoken, by the provider's latest tasks."
    })
  ),
  task_id: ReadId,
  status: TaskStatus,
  provider: Schema.String,
  model_id: Schema.String,
  voice_id: Schema.String,
  voice_name: Schema.optional(Schema.String.annotations({ description: "The label given at creation." })),
  characters: Schema.Int.annotations({ description: "Number of characters, in Unicode code points." }),
  credits: Schema.Number.annotations({
    description: "Credits reserved for the task, or spent if it is done."
  }),
  created_at: Schema.String.annotations({ description: "ISO 8601 in UTC." }),
  completed_at: Schema.optional(
    Schema.String.annotations({ description: "When the task was done or failed; ISO 8601 in UTC." })
  ),
  /** Seconds of audio, on a done task. */
  duration: Schema.optional(Schema.Number.annotations({ description: "Seconds of audio, on a done task." })),
  audio_url: Schema.optional(
    Schema.String.annotations({
      description:
        "URL of the audio, on a done task. It needs no key, cannot be guessed and expires; read the task again for a fresh one."
    })
  ),
  srt_url: Schema.optional(
    Schema.String.annotations({
      description: "URL of the SRT, if one was requested and the provider supports it."
    })
  ),
  json_url: Schema.optional(
    Schema.String.annotations({
      description:
        "URL of the JSON transcript, if one was requested and the provider supports it. See Transcript."
    })
  ),
  /** The engine that spoke it, on a done task. */
  engine: Schema.optional(
    Schema.String.annotations({
      description:
        "The name of the engine that spoke the task, as set by the operator. Present once the task is done."
    })
  ),
  /** Why it failed. */
  error: Schema.optional(
    Schema.Struct({ code: Schema.String, message: Schema.String }).annotations({
      description: "Why it failed. Its credits were released."
    })
  )
}).annotations({ identifier: "Task", description: "A task. Its text is not returned." })
export type Task = typeof Task.Type

/** GET /v1/tasks: one page of the history, newest first. */
export const TaskPage = Schema.Struct({
  tasks: Schema.Array(Task),
  /** From 1. */
  page: Schema.Int.annotations({ description: "This page's number, from 1." }),
  limit: Schema.Int.annotations({ description: "The page size." }),
  /** Number of tasks of the account. */
  total: Schema.Int.annotations({ description: "Number of tasks of the account." }),
  has_more: Schema.Boolean.annotations({ description: "Whether another page follows." })
}).annotations({ identifier: "TaskPage", description: "One page of the account's tasks, newest first." })
export type TaskPage = typeof TaskPage.Type

/** DELETE /v1/task/delete: the body. */
export const DeleteTask = Schema.Struct({ task_id: Schema.UUID }).annotations({ identifier: "DeleteTask" })

/** The response to a delete. `deleted` is false if the task was deleted before. */
export const Deleted = Schema.Struct({
  task_id: Schema.UUID,
  deleted: Schema.Boolean.annotations({
    description: "Whether this request deleted the task; false if this account had deleted it before."
  })
}).annotations({ identifier: "Deleted" })

const Heard = Schema.Struct({
  text: Schema.String,
  start: Schema.Number.annotations({ description: "Seconds from the start of the audio." }),
  end: Schema.Number.annotations({ description: "Seconds from the start of the audio; never before start." })
})

/** The JSON transcript behind `json_url`. Times are seconds from the start of the audio, with millisecond precision. */
export const Transcript = Schema.Struct({
  duration: Schema.Number.annotations({ description: "Seconds of audio." }),
  sentences: Schema.Array(Heard),
  words: Schema.Array(Heard).annotations({ description: "Empty if the engine reports no word times." })
}).annotations({
  identifier: "Transcript",
  description:
    "Sentences and words with their times as the engine reports them, in text order and in the text's spelling. Times have millisecond precision."
})
export type Transcript = typeof Transcript.Type
