/** Shared by all subtitle parsers: sorts cues, and turns marked-up turns into a cue's text and speakers. */
import { isNonEmptyReadonlyArray, type NonEmptyReadonlyArray } from "effect/Array"
import { type Cue, Turn } from "../../domain/speech/Cue.ts"
import { SpeakerName } from "../../domain/values/Ids.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import type { MarkedTurn } from "./CueMarkup.ts"

/** Sorts cues by start; ties stay in file order. */
export const inOrder = (cues: ReadonlyArray<Cue>): ReadonlyArray<Cue> =>
  [...cues].sort((a, b) => a.start - b.start)

/** Returns a cue's text with the speakers that the format names: one speaker for the whole cue, or several turns. */
export const cueVoices = (
  turns: ReadonlyArray<MarkedTurn>
): { text: string; speaker?: SpeakerName; turns?: NonEmptyReadonlyArray<Turn> } => {
  const text = turns.map((turn) => turn.text).join("\n")
  const named = turns.map((turn) =>
    turn.speaker === undefined
      ? Turn.make({ text: turn.text }, skipValidation)
      : Turn.make({ text: turn.text, speaker: SpeakerName.make(turn.speaker) }, skipValidation)
  )
  if (named.length > 1 && isNonEmptyReadonlyArray(named)) return { text, turns: named }
  const speaker = named[0]?.speaker
  return speaker === undefined ? { text } : { text, speaker }
}
