/** Types for a script's spoken words: per cue the parts to speak, or the reason for skipping it. */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { Notice } from "../../domain/speech/Cue.ts"
import type { SpeakerName } from "../../domain/values/Ids.ts"
import type { SkipReason, Slot } from "../../domain/speech/Line.ts"
import type { Millis } from "../../domain/time/Units.ts"
import type { InlineDirectives } from "../markup/InlineDirectives.ts"
import type { LostWords } from "./LostCues.ts"

/** One speaker's part of a cue; a cue with one speaker is one part. */
export interface WordsPart {
  /** The cue's index; in a narration the block's position from 1. */
  readonly cue: number
  /** Position among the cue's parts, from 0. */
  readonly part: number
  readonly speaker?: SpeakerName
  readonly said: string
  /** When it should play; absent in a narration. */
  readonly slot?: Slot
  /** Silence before it; only in a narration. */
  readonly pause?: Millis
  /** Settings from inline directives or a cue sheet. */
  readonly overrides?: InlineDirectives
}

/** A cue with its parts, or with the reason for skipping it. */
export type CueWords =
  | { readonly cue: number; readonly line: number; readonly parts: NonEmptyReadonlyArray<WordsPart> }
  | { readonly cue: number; readonly line: number; readonly skipped: SkipReason | typeof behindFilm }
  | LostWords

/** The cue has words, but starts after the end of the film. Unlike other skipped cues, it counts as missing. */
export const behindFilm = "behind-film"

/** A script's words: one entry per cue, in script order. */
export interface Words {
  readonly cues: ReadonlyArray<CueWords>
  readonly notices: ReadonlyArray<Notice>
}
