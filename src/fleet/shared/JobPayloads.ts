/**
 * Payloads that a fleet's machines exchange through Redis and the shared folder. Payloads never contain a key or
 * password.
 */
import { Option, Schema } from "effect"
import { Dialect } from "../../domain/manifest/ServiceDialect.ts"
import { decodeForeign } from "../../settings/ForeignValue.ts"
import { JobId, LanguageTag, ProviderId, UtteranceKey } from "../../domain/values/Ids.ts"
import { Undecided } from "../../domain/manifest/ServiceSettings.ts"
import { ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import { HaltReason, Metrics } from "../../domain/report/Report.ts"
import { UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"

/** Version of the payloads; raise it with every change, so that machines of another version refuse them. */
export const edition = 10

/** The name of a text in the shared folder: its checksum. Any other name could lead out of the folder. */
const KeptName = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/u))

/**
 * A file of the output folder, relative to it. Any other path is forged: delivered files are recorded, and deleted once
 * they are outdated.
 */
const OutputFile = Schema.String.pipe(
  Schema.filter((path) => !/^[\\/]|^[A-Za-z]:|(?:^|[\\/])\.\.(?:[\\/]|$)/u.test(path))
)

/** A file that was sent to another machine through S3. */
export const SentFile = Schema.Struct({
  /** Relative: an input's to the root of the file system, a result's to the output folder. */
  path: OutputFile,
  /** The object's name, which ends with the SHA-256 of its bytes. */
  object: Schema.String.pipe(Schema.pattern(/^(?:inputs|results\/[0-9a-f]{64})\/[0-9a-f]{64}$/u)),
  bytes: Schema.Int,
  /** When it was modified, in milliseconds since 1970. */
  modified: Schema.Int
})
export type SentFile = typeof SentFile.Type

/** Settings that a batch's utterances share: a file in the shared folder, named by its checksum. */
export const Terms = Schema.Struct({
  edition: Schema.Literal(edition),
  /** The service's base address. */
  service: Schema.String,
  /** How the service differs from the interface, if it does. */
  dialect: Schema.optional(Dialect),
  undecided: Undecided,
  /** Whether workers find the times of words in clips. */
  timesWords: Schema.Boolean,
  profiles: Schema.Record({ key: ProviderId, value: ProviderProfile }),
  /** How many utterances the batch has. */
  utterances: Schema.Int
})
export type Terms = typeof Terms.Type

/** A worker's budget for an utterance, if the batch's budget is limited. */
export const Grant = Schema.Struct({
  credits: Schema.Number,
  /** Credits per character. */
  price: Schema.Number
})
export type Grant = typeof Grant.Type

/** An utterance to speak: a job in its provider's queue. What workers do with it is in the ledger. */
export const SpeakPayload = Schema.Struct({
  edition: Schema.Literal(edition),
  terms: KeptName,
  /** A random name of this dispatch. */
  dispatch: Schema.NonEmptyString,
  /** Its record when it was dispatched. */
  record: UtteranceRecord,
  /** The language of its job, if known. */
  language: Schema.optional(LanguageTag),
  /** Whether it was deferred once already: then this is its last attempt. */
  last: Schema.Boolean,
  grant: Schema.optional(Grant)
})
export type SpeakPayload = typeof SpeakPayload.Type

/** Up to edition 7, jobs have no edition of their own. */
const OtherEdition = Schema.Union(
  Schema.Struct({ edition: Schema.Int.pipe(Schema.filter((other) => other !== edition)) }),
  Schema.Struct({ edition: Schema.optional(Schema.Never), terms: KeptName, record: Schema.Unknown })
)

/** Returns whether a job's data was written by another version. */
export const isOtherEdition = Schema.is(OtherEdition)

/** Why creates were stopped. */
const Halting = Schema.Struct({ reason: HaltReason, words: Schema.String })

/** How a worker's job on an utterance ended; the record holds the result. */
export const SpeakEnd = Schema.Struct({
  ending: Schema.Literal("spoken", "failed", "left"),
  halt: Schema.optional(Halting)
})
export type SpeakEnd = typeof SpeakEnd.Type

/** A job to place and deliver, by the name of its plan in the shared folder. */
export const DeliverPayload = Schema.Struct({ plan: KeptName })
export type DeliverPayload = typeof DeliverPayload.Type

const endFields = {
  metrics: Schema.optional(Metrics),
  last: Schema.optional(Metrics),
  looks: Schema.Int,
  /** The name of the list of its files, if they were sent. */
  results: Schema.optional(KeptName)
}

/** How a delivery ended; paths are relative to the output folder. */
export const DeliverEnd = Schema.Union(
  /** Clips are permanently missing, so nothing was delivered. */
  Schema.Struct({ status: Schema.Literal("incomplete") }),
  Schema.Struct({
    status: Schema.Literal("delivered"),
    /** Fingerprint of everything that determines the files. */
    digest: Schema.String,
    files: Schema.Array(OutputFile),
    ...endFields
  }),
  Schema.Struct({ status: Schema.Literal("failed", "unfinished"), error: Schema.String, ...endFields })
)
export type DeliverEnd = typeof DeliverEnd.Type
export const readDeliverEnd = decodeForeign(DeliverEnd)

/** A worker's progress: those events of a run that the coordinator cannot observe itself. */
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
  Schema.TaggedStruct("ProviderPaced", {
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

const readNews = decodeForeign(JobNews)

/** Returns whether an entry of Redis is news of a job. */
export const isJobNews = (entry: unknown): entry is JobNews => Option.isSome(readNews(entry))
