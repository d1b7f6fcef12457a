/** The words of a script's cues: what is spoken of each, by whom, or why nothing is. */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { Notice } from "../../domain/speech/Cue.ts"
import type { SpeakerName } from "../../domain/values/Ids.ts"
import type { SkipReason, Slot } from "../../domain/speech/Line.ts"
import type { Millis } from "../../domain/time/Units.ts"
import type { InlineDirectives } from "../markup/InlineDirectives.ts"
import type { LostWords } from "./LostCues.ts"

/** A part of a cue that one speaker says; a cue with one speaker is one part. */
export interface WordsPart {
  /** The cue's index; in a narration the block's position from 1. */
  readonly cue: number
  /** The position from 0 among the cue's parts. */
  readonly part: number
  readonly speaker?: SpeakerName
  readonly said: string
  /** When it should be heard; absent in a narration. */
  readonly slot?: Slot
  /** Silence before it, in a narration. */
  readonly pause?: Millis
  /** What the text itself wishes for this part. */
  readonly overrides?: InlineDirectives
}

/** A cue with what is said of it, or with the reason why nothing is. */
export type CueWords =
  | { readonly cue: number; readonly line: number; readonly parts: NonEmptyReadonlyArray<WordsPart> }
  | { readonly cue: number; readonly line: number; readonly skipped: SkipReason | typeof behindFilm }
  | LostWords

/** It has something to say, but the film has ended before: the one reason for which it is missed. */
export const behindFilm = "behind-film"

/** A script's words, one entry a cue in the script's order. */
export interface Words {
  readonly cues: ReadonlyArray<CueWords>
  readonly notices: ReadonlyArray<Notice>
}
