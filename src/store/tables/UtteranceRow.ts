/** An utterance as the store keeps it, and how its rows are read. */
import { Effect, type ParseResult, Schema } from "effect"
import { Clip } from "../../domain/speech/Clip.ts"
import { TaskId, type UtteranceKey } from "../../domain/values/Ids.ts"
import { isTransientReason, FailureReason } from "../../domain/task/FailureReason.ts"
import { Utterance } from "../../domain/speech/Utterance.ts"
import { UtteranceState } from "../../domain/task/UtteranceState.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"

/** How an utterance stands: what a plan or a report needs to know of it. */
export interface UtteranceStatus {
  readonly state: UtteranceState
  /** Which take is the next or present one, from 1. */
  readonly take: number
  /** Why it failed, or why its last take was given up. */
  readonly setback: FailureReason | undefined
  /** What is odd about its clip, which was kept all the same. */
  readonly suspect: string | undefined
}

/** Whether it has failed for good: only who asks for it gives it another chance. */
export const hasGivenUp = ({ state, setback }: Pick<UtteranceStatus, "state" | "setback">): boolean =>
  state === "failed" && (setback === undefined || !isTransientReason(setback.kind))

/** An utterance with all that is needed to go on with it. */
export interface UtteranceRow {
  readonly utterance: Utterance
  /** Readable: where it is used first. */
  readonly label: string
  readonly state: UtteranceState
  /** From 1. */
  readonly take: number
  /** The present take's task, where one is known. */
  readonly task: TaskId | undefined
  /** When its create was announced, in milliseconds since 1970. */
  readonly announcedAt: number | undefined
  /** Takes given up for bad audio. */
  readonly rerolls: number
  /** Takes given up for faults of the service. */
  readonly losses: number
}

/** A clip that should be on disk. */
export interface StoredClip {
  readonly clip: Clip
  /** The size of its file. */
  readonly bytes: number
  readonly suspect: string | undefined
}

const Row = Schema.Struct({
  key: Schema.propertySignature(Utterance.fields.key),
  casting: Schema.parseJson(Utterance.fields.casting),
  input: Utterance.fields.input,
  text: Utterance.fields.text,
  said: Schema.parseJson(Utterance.fields.said),
  characters: Utterance.fields.characters,
  label: Schema.String,
  state: UtteranceState,
  take: Schema.Int,
  task: Schema.NullOr(TaskId),
  announcedAt: Schema.NullOr(Schema.Number),
  rerolls: Schema.Int,
  losses: Schema.Int
})

const readRow = Schema.decodeUnknown(Row)

/** The columns of a row, for `SELECT`. */
export const rowColumns =
  "key, casting, input, text, said, characters, label, state, take, task, announced_at AS announcedAt, rerolls, losses"

/** Reads a row; one that cannot be read is a fault in the program. */
export const rowOf = (row: unknown): Effect.Effect<UtteranceRow> =>
  Effect.map(
    orDie(readRow(row)),
    ({ task, announcedAt, label, state, take, rerolls, losses, ...utterance }) => ({
      utterance: Utterance.make(utterance, skipValidation),
      label,
      state,
      take,
      task: task ?? undefined,
      announcedAt: announcedAt ?? undefined,
      rerolls,
      losses
    })
  )

const readClip = Schema.decodeUnknownSync(
  Schema.Struct({
    ...Clip.fields,
    segments: Schema.parseJson(Clip.fields.segments),
    bytes: Schema.Int,
    suspect: Schema.NullOr(Schema.String)
  })
)

/** The columns of a clip, for `SELECT`. */
export const clipColumns = "key, rate, frames, checksum, bytes, cut, segments, suspect"

/** Reads the row of a key's clip; throws where it cannot be read, which is a fault in the program. */
export const clipOf = (row: unknown, key: UtteranceKey): StoredClip => {
  const { bytes, suspect, ...clip } = readClip(row)
  return { clip: Clip.make({ ...clip, key }, skipValidation), bytes, suspect: suspect ?? undefined }
}

/** Reads a setback's column. */
export const readFailureReason = Schema.decodeUnknownSync(Schema.parseJson(FailureReason))

/** A standing as its columns are. */
export interface UtteranceStatusColumns {
  readonly key: string
  readonly state: string
  readonly take: number
  readonly setback: string | null
  readonly suspect: string | null
}

const isState = Schema.is(UtteranceState)

/** Reads a standing: plain, since a finished batch of ten thousand is looked through in a moment. */
export const utteranceStatusOf = (row: UtteranceStatusColumns): UtteranceStatus => {
  if (!isState(row.state)) throw new Error(`the state of ${row.key} reads ${row.state}`)
  return {
    state: row.state,
    take: row.take,
    setback: row.setback === null ? undefined : readFailureReason(row.setback),
    suspect: row.suspect ?? undefined
  }
}

const orDie = <A>(read: Effect.Effect<A, ParseResult.ParseError>): Effect.Effect<A> => Effect.orDie(read)
