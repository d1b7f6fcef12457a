/** The stored form of an utterance, and parsers for its rows. */
import { Effect, type ParseResult, Schema } from "effect"
import { Clip } from "../../domain/speech/Clip.ts"
import { TaskId, type UtteranceKey } from "../../domain/values/Ids.ts"
import { isTransientReason, FailureReason } from "../../domain/task/FailureReason.ts"
import { Utterance } from "../../domain/speech/Utterance.ts"
import { UtteranceState } from "../../domain/task/UtteranceState.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"

/** The state of an utterance, as plans and reports need it. */
export interface UtteranceStatus {
  readonly state: UtteranceState
  /** The current or next take, from 1. */
  readonly take: number
  /** Why it failed, or why its last take was abandoned. */
  readonly setback: FailureReason | undefined
  /** What is odd about its clip, which was kept anyway. */
  readonly suspect: string | undefined
}

/** Returns whether it failed permanently: only an explicit retry sends it again. */
export const hasGivenUp = ({ state, setback }: Pick<UtteranceStatus, "state" | "setback">): boolean =>
  state === "failed" && (setback === undefined || !isTransientReason(setback.kind))

/** An utterance with everything needed to continue it. */
export interface UtteranceRow {
  readonly utterance: Utterance
  /** A readable label: the place where it is first used. */
  readonly label: string
  readonly state: UtteranceState
  /** From 1. */
  readonly take: number
  /** The current take's task, if known. */
  readonly task: TaskId | undefined
  /** When its create was announced, in milliseconds since 1970. */
  readonly announcedAt: number | undefined
  /** Takes abandoned for bad audio. */
  readonly rerolls: number
  /** Takes abandoned for service failures. */
  readonly losses: number
}

/** A clip that should be on disk. */
export interface StoredClip {
  readonly clip: Clip
  /** The size of its file in bytes. */
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

/** Column list of a row, for `SELECT`. */
export const rowColumns =
  "key, casting, input, text, said, characters, label, state, take, task, announced_at AS announcedAt, rerolls, losses"

/** Parses a row. An invalid row is an internal error. */
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

/** Column list of a clip, for `SELECT`. */
export const clipColumns = "key, rate, frames, checksum, bytes, cut, segments, suspect"

/** Parses the row of a key's clip. Throws if it is invalid, which is an internal error. */
export const clipOf = (row: unknown, key: UtteranceKey): StoredClip => {
  const { bytes, suspect, ...clip } = readClip(row)
  return { clip: Clip.make({ ...clip, key }, skipValidation), bytes, suspect: suspect ?? undefined }
}

/** Parses the `setback` column. */
export const readFailureReason = Schema.decodeUnknownSync(Schema.parseJson(FailureReason))

/** The columns of an utterance's status. */
export interface UtteranceStatusColumns {
  readonly key: string
  readonly state: string
  readonly take: number
  readonly setback: string | null
  readonly suspect: string | null
}

const isState = Schema.is(UtteranceState)

/** Parses a status, without a schema: a completed batch of ten thousand must be checked quickly. */
export const utteranceStatusOf = (row: UtteranceStatusColumns): UtteranceStatus => {
  if (!isState(row.state)) throw new Error(`${row.key}: unknown utterance state "${row.state}"`)
  return {
    state: row.state,
    take: row.take,
    setback: row.setback === null ? undefined : readFailureReason(row.setback),
    suspect: row.suspect ?? undefined
  }
}

const orDie = <A>(read: Effect.Effect<A, ParseResult.ParseError>): Effect.Effect<A> => Effect.orDie(read)
