/** What all subtitle formats share on the way from marked-up turns to cues. */
import { isNonEmptyReadonlyArray, type NonEmptyReadonlyArray } from "effect/Array"
import { type Cue, Turn } from "../../domain/speech/Cue.ts"
import { SpeakerName } from "../../domain/values/Ids.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import type { MarkedTurn } from "./CueMarkup.ts"

/** Cues by their start; ties in file order. */
export const inOrder = (cues: ReadonlyArray<Cue>): ReadonlyArray<Cue> =>
  [...cues].sort((a, b) => a.start - b.start)

/** A cue's turns by what the format itself says of its speakers: one speaker for all of it, or several. */
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
