/** When the words of placed speech begin on the timeline, where they were found in its clips. */
import type { Clip } from "../../domain/speech/Clip.ts"
import type { Placement } from "../../domain/speech/Placement.ts"
import { type Millis, millis } from "../../domain/time/Units.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { pieceGap } from "../place/LinePlacement.ts"

/** Returns the starts of the words of all lines of a placement; undefined if those of a part are not known. */
export const wordStartsOf = (
  { parts, start, speed }: Placement,
  clips: ReadonlyMap<UtteranceKey, Clip>
): ReadonlyArray<Millis> | undefined => {
  const starts: Array<Millis> = []
  /** Milliseconds before the part, at the recording's speed. */
  let before = 0
  for (const { utterance, segment } of parts) {
    const clip = clips.get(utterance)
    const heard = clip?.segments[segment]
    if (clip === undefined || heard?.words === undefined) return undefined
    for (const word of heard.words)
      starts.push(millis(start + (before + ((word - heard.from) * 1000) / clip.rate) / speed))
    before += ((heard.to - heard.from) * 1000) / clip.rate + pieceGap
  }
  return starts
}
