/** What can go wrong between the pipeline and the service, told apart by what is to be done about it. */
import { Schema } from "effect"
import { TaskId } from "../domain/values/Ids.ts"
import { FailureReason, type FailureKind } from "../domain/task/FailureReason.ts"
import { Millis } from "../domain/time/Units.ts"

/** The service's words: one line, cut to a length that can be shown, free of the key. */
const words = Schema.String

/** The service understood the request and says no: asking again changes nothing. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  reason: Schema.Literal("key", "credits", "unknown", "too-long", "rules"),
  words,
  /** The most characters the service says it takes, on "too-long". */
  max: Schema.optional(Schema.Int)
}) {
  override get message(): string {
    return `${refusals[this.reason]}: ${this.words}`
  }
}

const refusals = {
  key: "the service refuses the key",
  credits: "the account has too few credits",
  unknown: "the service does not know this voice or task",
  "too-long": "the text is too long for this provider",
  rules: "the service refuses the request"
} as const

/** Too many requests, or not now: the request was not taken. */
export class SlowDown extends Schema.TaggedError<SlowDown>()("SlowDown", {
  words,
  /** How long the service says to wait, where it does. */
  retryAfter: Schema.optional(Millis),
  /** Whether the service says that its disk is full. */
  isFull: Schema.optional(Schema.Boolean)
}) {
  override get message(): string {
    return `the service asks to slow down: ${this.words}`
  }
}

/** No connection: the request surely did not reach the service. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  words,
  /** The system's code, such as ECONNREFUSED, where there is one. */
  code: Schema.optional(Schema.String)
}) {
  override get message(): string {
    return `the service cannot be reached: ${this.words}`
  }
}

/** An answer that cannot be used, or none: whether the request was carried out is not known. */
export class InvalidResponse extends Schema.TaggedError<InvalidResponse>()("InvalidResponse", {
  words,
  /** The system's code, such as ECONNRESET, where there is one. */
  code: Schema.optional(Schema.String)
}) {
  override get message(): string {
    return `no usable answer from the service: ${this.words}`
  }
}

/** The service took the task and gave it up. */
export class FailedAtService extends Schema.TaggedError<FailedAtService>()("FailedAtService", {
  task: TaskId,
  words,
  /** Whether another task of the same text would fail the same way. */
  lasting: Schema.Boolean
}) {
  override get message(): string {
    return `the service could not speak it: ${this.words}`
  }
}

/** The service does not know the task any more. */
export class Vanished extends Schema.TaggedError<Vanished>()("Vanished", { task: TaskId }) {
  override get message(): string {
    return `the service no longer knows task ${this.task}`
  }
}

/** The task was not done within its time. */
export class NeverSettled extends Schema.TaggedError<NeverSettled>()("NeverSettled", {
  task: TaskId,
  waited: Millis,
  /** What the last look met, where that was no word of the task. */
  trouble: Schema.optional(words)
}) {
  override get message(): string {
    const why = this.trouble === undefined ? "" : `: ${this.trouble}`
    return `task ${this.task} was not done within ${Math.round(this.waited / 1000)} s${why}`
  }
}

/** What was sent as audio is none, or must not be taken. */
export class NoAudio extends Schema.TaggedError<NoAudio>()("NoAudio", {
  reason: Schema.Literal("address", "stale", "too-large", "empty", "text"),
  words
}) {
  override get message(): string {
    return `the service's audio cannot be used: ${this.words}`
  }
}

/** Faults of a single request. */
export type CallFault = Refused | SlowDown | Unreachable | InvalidResponse

/** Any fault of this room. */
export type Fault = CallFault | FailedAtService | Vanished | NeverSettled | NoAudio

const kinds = {
  Refused: "refused",
  SlowDown: "slow-down",
  Unreachable: "broken",
  InvalidResponse: "broken",
  FailedAtService: "failed-at-service",
  Vanished: "vanished",
  NeverSettled: "never-settled"
} as const

/**
 * Where a file's address gave nothing of it: whether its sound is well was not seen, and the next asking may give it.
 */
const unseen: ReadonlySet<NoAudio["reason"]> = new Set(["address", "stale", "text"])

const kindOf = (fault: Fault): FailureKind =>
  fault._tag !== "NoAudio" ? kinds[fault._tag] : unseen.has(fault.reason) ? "broken" : "bad-audio"

/** A fault as it is kept and told. */
export const failureReasonOf = (fault: Fault): FailureReason =>
  FailureReason.make({ kind: kindOf(fault), words: fault.message.replaceAll(/\s+/gu, " ").trim() })

/** Whether a request may be tried again as it is. */
export const isTransientFault = (fault: CallFault): boolean => fault._tag !== "Refused"
