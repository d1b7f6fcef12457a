/** What a fleet's machines hand each other through Redis. No key and no password is ever in it. */
import { Schema } from "effect"
import { JobId, ProviderId, UtteranceKey } from "../../domain/values/Ids.ts"
import { Undecided } from "../../domain/manifest/ServiceSettings.ts"
import { ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import { HaltReason, Metrics } from "../../domain/report/Report.ts"
import { UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"

/** Raised with a change of what machines hand each other: one of another version must not guess. */
export const edition = 2

/** What the utterances of a batch have in common: a file in the shared folder, named by its content. */
export const Terms = Schema.Struct({
  edition: Schema.Literal(edition),
  /** The service's base address. */
  service: Schema.String,
  undecided: Undecided,
  profiles: Schema.Record({ key: ProviderId, value: ProviderProfile }),
  /** How many utterances the batch has. */
  utterances: Schema.Int
})
export type Terms = typeof Terms.Type

/** What a worker may spend on an utterance, under a batch's limit. */
export const Grant = Schema.Struct({
  credits: Schema.Number,
  /** Credits for one character. */
  price: Schema.Number
})
export type Grant = typeof Grant.Type

/**
 * An utterance to be spoken: a job of its provider's queue. Its record is written anew before each step that depends on
 * it.
 */
export const SpeakPayload = Schema.Struct({
  terms: Schema.String,
  record: UtteranceRecord,
  /** It was set aside once: this is its last chance. */
  last: Schema.Boolean,
  grant: Schema.optional(Grant)
})
export type SpeakPayload = typeof SpeakPayload.Type

/** Why creates were stopped. */
const Halting = Schema.Struct({ reason: HaltReason, words: Schema.String })

/** How a worker ended with an utterance; what it came to stands in the record. */
export const SpeakEnd = Schema.Struct({
  ending: Schema.Literal("spoken", "failed", "left"),
  halt: Schema.optional(Halting)
})
export type SpeakEnd = typeof SpeakEnd.Type

/** A job to be placed and delivered, by the name of its plan in the shared folder. */
export const DeliverPayload = Schema.Struct({ plan: Schema.String })
export type DeliverPayload = typeof DeliverPayload.Type

/** How a delivery ended; paths are relative to the folder of results. */
export const DeliverEnd = Schema.Union(
  /** Clips are missing that no one will bring any more: there was nothing to deliver. */
  Schema.Struct({ status: Schema.Literal("incomplete") }),
  Schema.Struct({
    status: Schema.Literal("delivered"),
    /** What decided the files. */
    digest: Schema.String,
    files: Schema.Array(Schema.String),
    metrics: Schema.optional(Metrics),
    last: Schema.optional(Metrics),
    looks: Schema.Int
  }),
  Schema.Struct({
    status: Schema.Literal("failed", "unfinished"),
    error: Schema.String,
    metrics: Schema.optional(Metrics),
    last: Schema.optional(Metrics),
    looks: Schema.Int
  })
)
export type DeliverEnd = typeof DeliverEnd.Type

/** What a worker tells while it is at work: those of a run's events that its coordinator does not see by itself. */
export const JobNews = Schema.Union(
  Schema.TaggedStruct("Submitted", {
    provider: ProviderId,
    utterance: UtteranceKey,
    characters: Schema.Int,
    credits: Schema.optionalWith(Schema.Number, { exact: true })
  }),
  Schema.TaggedStruct("Adopted", { provider: ProviderId, utterance: UtteranceKey }),
  Schema.TaggedStruct("Retrying", {
    provider: ProviderId,
    utterance: UtteranceKey,
    why: Schema.String,
    inSeconds: Schema.Number
  }),
  Schema.TaggedStruct("LanePaced", {
    provider: ProviderId,
    inFlight: Schema.Int,
    limit: Schema.Int,
    waitingSeconds: Schema.Number
  }),
  Schema.TaggedStruct("Placing", { job: JobId }),
  Schema.TaggedStruct("Delivering", { job: JobId, fraction: Schema.Number }),
  Schema.TaggedStruct("Muxing", { file: Schema.String }),
  Schema.TaggedStruct("Warning", { message: Schema.String })
)
export type JobNews = typeof JobNews.Type

export const isJobNews = Schema.is(JobNews)
