/** Errors of requests to the service. There is one class for each way to handle them. */
import { Schema } from "effect"
import { TaskId } from "../domain/values/Ids.ts"
import { FailureReason, type FailureKind } from "../domain/task/FailureReason.ts"
import { Millis } from "../domain/time/Units.ts"

/** The service's own message: one line, truncated for display, with the key removed. */
const words = Schema.String

/** The service rejected the request; a retry would not help. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  reason: Schema.Literal("key", "credits", "unknown", "too-long", "rules"),
  words,
  /** The maximum number of characters that the service reports, if `reason` is "too-long". */
  max: Schema.optional(Schema.Int),
  /** The service's own code, if any. */
  code: Schema.optional(Schema.String)
}) {
  override get message(): string {
    return `${refusals[this.reason]}: ${this.words}`
  }
}

const refusals = {
  key: "the service rejected the key",
  credits: "the account has too few credits",
  unknown: "the service does not know this voice or task",
  "too-long": "the text is too long for this provider",
  rules: "the service rejected the request"
} as const

/** Rate-limited or temporarily unavailable: the request was not accepted. */
export class SlowDown extends Schema.TaggedError<SlowDown>()("SlowDown", {
  words,
  /** The wait that the service asks for, if any. */
  retryAfter: Schema.optional(Millis),
  /** Set if the service reports that its disk is full. */
  isFull: Schema.optional(Schema.Boolean)
}) {
  override get message(): string {
    return `rate-limited by the service: ${this.words}`
  }
}

/** No connection: the request certainly did not reach the service. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  words,
  /** The system's error code, such as ECONNREFUSED, if any. */
  code: Schema.optional(Schema.String)
}) {
  override get message(): string {
    return `the service is unreachable: ${this.words}`
  }
}

/** No response, or an unusable one. It is unknown whether the request was carried out. */
export class InvalidResponse extends Schema.TaggedError<InvalidResponse>()("InvalidResponse", {
  words,
  /** The system's error code, such as ECONNRESET, if any. */
  code: Schema.optional(Schema.String)
}) {
  override get message(): string {
    return `no usable response from the service: ${this.words}`
  }
}

/**
 * A create was answered with a status of success, but the answer names no task that can be read. It counts as made, and
 * is not sent again.
 */
export class UnreadableCreate extends Schema.TaggedError<UnreadableCreate>()("UnreadableCreate", {
  words,
  /** The names of fields that were looked for. */
  fields: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `the service accepted the create, but its answer names no task: ${this.words === "" ? "it is empty" : this.words}; looked for ${this.fields.join(", ")}; name its fields in service.dialect in the manifest`
  }
}

/** The service's answers about a task cannot be used: its audio has no address, or they are about another line. */
export class Unusable extends Schema.TaggedError<Unusable>()("Unusable", { words }) {
  override get message(): string {
    return this.words
  }
}

/** The service accepted the task, then reported it as failed. */
export class FailedAtService extends Schema.TaggedError<FailedAtService>()("FailedAtService", {
  task: TaskId,
  words,
  /** Whether another task with the same text would fail, too. */
  lasting: Schema.Boolean
}) {
  override get message(): string {
    return `the task failed at the service: ${this.words}`
  }
}

/** The service no longer has the task. */
export class Vanished extends Schema.TaggedError<Vanished>()("Vanished", { task: TaskId }) {
  override get message(): string {
    return `the service no longer has task ${this.task}`
  }
}

/** The task was not done before its deadline. */
export class NeverSettled extends Schema.TaggedError<NeverSettled>()("NeverSettled", {
  task: TaskId,
  waited: Millis,
  /** The error of the last poll, if that poll did not return the task's status. */
  trouble: Schema.optional(words)
}) {
  override get message(): string {
    const why = this.trouble === undefined ? "" : `: ${this.trouble}`
    return `task ${this.task} was not done within ${Math.round(this.waited / 1000)} s${why}`
  }
}

/** The file sent as audio is not audio, or must not be downloaded. */
export class NoAudio extends Schema.TaggedError<NoAudio>()("NoAudio", {
  reason: Schema.Literal("address", "stale", "too-large", "empty", "text"),
  words
}) {
  override get message(): string {
    return `unusable audio from the service: ${this.words}`
  }
}

/** Errors of a single request. */
export type CallFault = Refused | SlowDown | Unreachable | InvalidResponse

/** Every error of the gateway. */
export type Fault =
  CallFault | UnreadableCreate | FailedAtService | Vanished | NeverSettled | Unusable | NoAudio

const kinds = {
  Refused: "refused",
  SlowDown: "slow-down",
  Unreachable: "broken",
  InvalidResponse: "broken",
  FailedAtService: "failed-at-service",
  Vanished: "vanished",
  NeverSettled: "never-settled",
  UnreadableCreate: "undecidable",
  Unusable: "unreadable"
} as const

/** Reasons where no audio was received. Its quality is unknown, and the next fetch may succeed. */
const unseen: ReadonlySet<NoAudio["reason"]> = new Set(["address", "stale", "empty", "text"])

const kindOf = (fault: Fault): FailureKind =>
  fault._tag !== "NoAudio" ? kinds[fault._tag] : unseen.has(fault.reason) ? "broken" : "bad-audio"

/** Converts an error to the form that is stored and reported. */
export const failureReasonOf = (fault: Fault): FailureReason =>
  FailureReason.make({ kind: kindOf(fault), words: fault.message.replaceAll(/\s+/gu, " ").trim() })
