/** When each line of a placement is heard: lines that could not be cut apart share one. */
import type { Clip } from "../../domain/speech/Clip.ts"
import type { Line } from "../../domain/speech/Line.ts"
import type { Placement } from "../../domain/speech/Placement.ts"
import { charactersOf, lineName, type UtteranceUse } from "../../domain/speech/Utterance.ts"
import { type Millis, millis } from "../../domain/time/Units.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { pieceGap } from "../place/LinePlacement.ts"

/** A line's share of a placement: all of it, or from its first word to the next line's. */
export interface LineShare {
  readonly start: Millis
  readonly end: Millis
  readonly said: string
  readonly placement: Placement
  /** When each of its words begins, if that is known. */
  readonly words: ReadonlyArray<Millis> | undefined
}

/** Returns the share of each line, by its name. Without the times of words, lines share in proportion to characters. */
export const lineShares = ({
  lines,
  placements,
  clips
}: {
  readonly lines: ReadonlyArray<Line>
  readonly placements: ReadonlyArray<Placement>
  readonly clips: ReadonlyMap<UtteranceKey, Clip>
}): ReadonlyMap<string, LineShare> => {
  const said = new Map(lines.map((line) => [lineName(line), line.said]))
  return new Map(
    placements.flatMap((placement) => {
      const names = placement.lines.map(lineName)
      const texts = names.map((name) => said.get(name) ?? "")
      const starts = wordStartsOf(placement, clips)
      const words = starts === undefined ? undefined : wordsByLine(texts, starts)
      const total = texts.reduce((sum, text) => sum + charactersOf(text), 0)
      const length = placement.end - placement.start
      let characters = 0
      const edges = texts.map((text, at) => {
        const share = characters / Math.max(1, total)
        characters += charactersOf(text)
        return at === 0 ? placement.start : (words?.[at]?.[0] ?? millis(placement.start + length * share))
      })
      return names.map((name, at): [string, LineShare] => [
        name,
        {
          start: edges[at] ?? placement.start,
          end: edges[at + 1] ?? placement.end,
          said: texts[at] ?? "",
          placement,
          words: words?.[at]
        }
      ])
    })
  )
}

/** Divides the words among the lines; undefined if there are more or fewer than the lines have. */
const wordsByLine = (
  texts: ReadonlyArray<string>,
  starts: ReadonlyArray<Millis>
): ReadonlyArray<ReadonlyArray<Millis>> | undefined => {
  let from = 0
  const words = texts.map((text) => starts.slice(from, (from += text.split(/\s+/u).length)))
  return from === starts.length ? words : undefined
}

/** Returns the keys of the utterances that say each line, by its name. */
export const keysByLine = (
  uses: ReadonlyArray<UtteranceUse>
): ReadonlyMap<string, ReadonlyArray<UtteranceKey>> => {
  const keys = new Map<string, Array<UtteranceKey>>()
  for (const { utterance, lines } of uses) {
    for (const line of lines.filter(({ replaced }) => replaced !== true)) {
      const name = lineName(line)
      const list = keys.get(name)
      if (list === undefined) keys.set(name, [utterance.key])
      else if (!list.includes(utterance.key)) list.push(utterance.key)
    }
  }
  return keys
}

/** Estimates how many words of a line come after the film's end, in proportion to time. */
export const wordsBehind = ({ said, start, end }: LineShare, filmEnd: number): number =>
  end <= filmEnd
    ? 0
    : Math.ceil((said.split(/\s+/u).length * (end - Math.max(start, filmEnd))) / Math.max(1, end - start))

/** Returns when the words of a placement begin on the timeline; undefined if those of a part are not known. */
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
