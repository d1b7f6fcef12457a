/** When the words of a placed line begin on the timeline, where they were found in its clip. */
import type { Clip } from "../../domain/speech/Clip.ts"
import type { Placement } from "../../domain/speech/Placement.ts"
import { type Millis, millis } from "../../domain/time/Units.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"

/** Returns the starts; undefined if they are not known, or if the placement is not one line from one segment. */
export const wordStartsOf = (
  { lines, parts, start, speed }: Placement,
  clips: ReadonlyMap<UtteranceKey, Clip>
): ReadonlyArray<Millis> | undefined => {
  const [{ utterance, segment }] = parts
  const clip = clips.get(utterance)
  const heard = clip?.segments[segment]
  if (lines.length > 1 || parts.length > 1 || clip === undefined || heard?.words === undefined)
    return undefined
  return heard.words.map((word) => millis(start + ((word - heard.from) * 1000) / clip.rate / speed))
}
