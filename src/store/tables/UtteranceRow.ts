/** The stored form of an utterance: the shapes of its rows, and their conversion. */
import { Schema } from "effect"
import { Clip, CutMethod } from "../../domain/speech/Clip.ts"
import { TaskId, type UtteranceKey } from "../../domain/values/Ids.ts"
import { FailureReason } from "../../domain/task/FailureReason.ts"
import { isTransientReason } from "../../domain/task/RetryRule.ts"
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
  /** The suspected fault of its clip, which was kept anyway. */
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
  /** The idempotency key of that create; undefined if it was announced by a version that sent none. */
  readonly createKey: string | undefined
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

/** A row of the table `utterance`. */
export const StoredRow = Schema.Struct({
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
  createKey: Schema.NullOr(Schema.String),
  rerolls: Schema.Int,
  losses: Schema.Int
})

/** Converts a row. */
export const rowOf = (row: typeof StoredRow.Type): UtteranceRow => {
  const { task, announcedAt, createKey, label, state, take, rerolls, losses, ...utterance } = row
  return {
    utterance: Utterance.make(utterance, skipValidation),
    label,
    state,
    take,
    task: task ?? undefined,
    announcedAt: announcedAt ?? undefined,
    createKey: createKey ?? undefined,
    rerolls,
    losses
  }
}

/** A row of the table `clip`. */
export const ClipRow = Schema.Struct({
  ...Clip.fields,
  segments: Schema.parseJson(Clip.fields.segments),
  bytes: Schema.Int,
  suspect: Schema.NullOr(Schema.String)
})

/** Converts the row of a key's clip. */
export const clipOf = (row: typeof ClipRow.Type, key: UtteranceKey): StoredClip => {
  const { bytes, suspect, ...clip } = row
  // The literal itself: the row has a copy.
  const cut = CutMethod.literals.find((method) => method === clip.cut) ?? clip.cut
  return { clip: Clip.make({ ...clip, key, cut }, skipValidation), bytes, suspect: suspect ?? undefined }
}

/** The columns of an utterance's status. */
export const StatusRow = Schema.Struct({
  key: Schema.String,
  state: UtteranceState,
  take: Schema.Number,
  setback: Schema.NullOr(Schema.parseJson(FailureReason)),
  suspect: Schema.NullOr(Schema.String)
})

/** Converts a status. */
export const utteranceStatusOf = ({
  state,
  take,
  setback,
  suspect
}: typeof StatusRow.Type): UtteranceStatus => ({
  state,
  take,
  setback: setback ?? undefined,
  suspect: suspect ?? undefined
})
