/**
 * An entry of a fleet's ledger: what is known about an utterance that a worker has taken. Decides which record a worker
 * continues from.
 */
import { Either, Option, Schema } from "effect"
import { TaskId } from "../../domain/values/Ids.ts"
import { UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import { edition, type SpeakPayload } from "./JobPayloads.ts"

/** An entry as a worker writes it. */
export const LedgerEntry = Schema.Struct({
  edition: Schema.Literal(edition),
  /** The dispatch that the worker took. */
  dispatch: Schema.String,
  record: UtteranceRecord,
  /** Whether the utterance was deferred once already: then the next attempt is its last. */
  last: Schema.Boolean
})
export type LedgerEntry = typeof LedgerEntry.Type

/** The response of a create that arrived after another worker had taken the utterance over. */
export const LateAnswer = Schema.Struct({
  take: Schema.Int,
  task: TaskId,
  /** The cost that the service reported. */
  credits: Schema.optional(Schema.Number)
})
export type LateAnswer = typeof LateAnswer.Type

export const writeEntry = Schema.encodeSync(Schema.parseJson(LedgerEntry))
const readThis = Schema.decodeUnknownEither(Schema.parseJson(LedgerEntry))
const readEdition = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ edition: Schema.Int })))

/** Reads an entry. If it is unreadable, returns whether another version wrote it. */
export const readEntry = (text: string): Either.Either<LedgerEntry, "version" | "invalid"> =>
  Either.mapLeft(readThis(text), () =>
    Option.exists(readEdition(text), (other) => other.edition !== edition) ? "version" : "invalid"
  )

/** Whether nothing remains to be done for a record. */
export const isOver = ({ state }: UtteranceRecord): boolean =>
  state === "fetched" || state === "placed" || state === "failed"

/**
 * Whether a written record holds a paid task, or a create that may have been sent, that is missing from another record
 * of the utterance. Then the other record must not be continued: the utterance would be paid for again.
 */
export const isAhead = (written: UtteranceRecord | undefined, own: UtteranceRecord): boolean => {
  const known = new Set(own.tasks.map(({ task }) => task))
  return (
    written !== undefined &&
    (written.tasks.some(({ task }) => !known.has(task)) ||
      (written.state === "announced" && own.state === "planned" && written.take >= own.take))
  )
}

/** An entry that a worker has taken. */
export interface TakenEntry {
  /** The name that the worker's writes need. */
  readonly holder: string
  /** What the worker that held it before has written. */
  readonly entry: LedgerEntry | undefined
  /** Milliseconds since the last announcement, by the clock of Redis. */
  readonly announcedFor: number | undefined
  readonly late: LateAnswer | undefined
}

/**
 * Returns whether an entry, not the dispatched record, is what a job continues from. The entry is newer if a worker has
 * taken the same dispatch before. An entry of an earlier dispatch counts only if it is ahead: the run may have decided
 * on a new take since.
 */
export const isContinued = (
  { dispatch, record }: Pick<SpeakPayload, "dispatch" | "record">,
  entry: LedgerEntry
): boolean => entry.dispatch === dispatch || isAhead(entry.record, record)

/** Returns the record that a worker continues from at `now`, and whether the attempt is the last. */
export const continuedFrom = (
  payload: SpeakPayload,
  { entry, announcedFor, late }: Omit<TakenEntry, "holder">,
  now: number
): Pick<SpeakPayload, "record" | "last"> => {
  const written = entry !== undefined && isContinued(payload, entry) ? entry : undefined
  const record = written?.record ?? payload.record
  const last = written?.dispatch === payload.dispatch ? written.last : payload.last
  // A create whose response came too late is searched for, and found in the ledger.
  if (record.state === "planned" && late?.take === record.take)
    return { last, record: { ...record, state: "announced", announcedAt: now } }
  // By this machine's clock. The machine that announced it may have another time.
  return record.state === "announced" && written !== undefined && announcedFor !== undefined
    ? { last, record: { ...record, announcedAt: now - announcedFor } }
    : { last, record }
}
