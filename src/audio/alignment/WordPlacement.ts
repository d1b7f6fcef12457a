/** Finds the words of a reference in a clip, by an alignment of both and by the clip's pauses. */
import { firstAtLeast, quietLevel, type SpeechAlignment, type SpeechFrames } from "./SpeechAlignment.ts"
import { frameLength, windowLength } from "./SpeechSpectra.ts"
import type { WarpPath } from "./TimeWarping.ts"

/** A time range in milliseconds. */
export interface TimeRange {
  readonly start: number
  readonly end: number
}

/** A word of the reference. */
export interface ReferenceWord extends TimeRange {
  /** Whether punctuation follows, at which a voice may pause. */
  readonly pauses: boolean
}

/** Shortest pause that no consonant makes, in frames: 150 ms. */
const shortestPause = 15
/** How far a pause may be from its expected place, in milliseconds: after punctuation, and elsewhere. */
const pauseReach = 700
const plainReach = 100
/** A pause this far from where the alignment expects it shows that the alignment is wrong there, in milliseconds. */
const misplaced = 60

/**
 * Returns the time of each word in the clip; in order, without overlaps. The alignment gives the times. A pause near
 * the end of a word is assigned to that end. Then the text before the pause and the text after it are aligned
 * separately.
 */
export const placeWords = (
  words: ReadonlyArray<ReferenceWord>,
  alignment: SpeechAlignment,
  clip: SpeechFrames
): ReadonlyArray<TimeRange> => {
  const first = timesOf(words, alignment.path)
  const anchors = pauseAnchors(words, first, pausesIn(clip))
  const path = anchors.some(({ off }) => off > misplaced)
    ? pathThrough(anchors, words, alignment)
    : alignment.path
  const times = path === alignment.path ? first : timesOf(words, path)
  const found = times.map(({ start, end }) => ({ start, end }))
  for (const { word, pause } of anchors) {
    found[word]!.end = pause.start
    found[word + 1]!.start = pause.end
  }
  let past = 0
  return found.map(({ start, end }, index) => {
    const from = Math.max(past, start)
    past = Math.max(from, Math.min(end, found[index + 1]?.start ?? end))
    return { start: from, end: past }
  })
}

/** Reads the words' times off a path. Where two words touch in the reference, they touch in the clip. */
const timesOf = (words: ReadonlyArray<TimeRange>, { ones, others }: WarpPath): ReadonlyArray<TimeRange> => {
  const clipTime = (time: number): number => {
    const at = firstAtLeast(ones, Math.round(time / frameLength))
    return at < ones.length
      ? others[at]! * frameLength
      : others[ones.length - 1]! * frameLength + windowLength
  }
  return words.map(({ start, end }) => ({ start: clipTime(start), end: clipTime(end) }))
}

/** A pause of the clip after a word. */
interface PauseAnchor {
  readonly word: number
  readonly pause: TimeRange
  /** Distance from the place where the alignment expects it, in milliseconds. */
  readonly off: number
}

/** Returns the pauses inside the speech of a clip. */
const pausesIn = ({ spectra: { levels }, kept }: SpeechFrames): ReadonlyArray<TimeRange> => {
  const pauses: Array<TimeRange> = []
  let from = kept[0]!
  for (let frame = from; frame <= kept[kept.length - 1]!; frame++) {
    if (levels[frame]! < quietLevel) continue
    if (frame - from >= shortestPause)
      pauses.push({ start: from * frameLength, end: (frame - 1) * frameLength + windowLength })
    from = frame + 1
  }
  return pauses
}

/** Assigns pauses to ends of words, the nearest first, without changing their order. */
const pauseAnchors = (
  words: ReadonlyArray<ReferenceWord>,
  times: ReadonlyArray<TimeRange>,
  pauses: ReadonlyArray<TimeRange>
): ReadonlyArray<PauseAnchor> => {
  const possible = pauses
    .flatMap((pause) =>
      words.slice(0, -1).flatMap(({ pauses: mayPause }, word) => {
        const expected = (times[word]!.end + times[word + 1]!.start) / 2
        const off = Math.max(0, pause.start - expected, expected - pause.end)
        return off <= (mayPause ? pauseReach : plainReach) ? [{ word, pause, off }] : []
      })
    )
    .sort((one, other) => one.off - other.off)
  const chosen: Array<PauseAnchor> = []
  for (const one of possible) {
    const fits = chosen.every(
      ({ word, pause }) =>
        (word < one.word && pause.end <= one.pause.start) || (word > one.word && pause.start >= one.pause.end)
    )
    if (fits) chosen.push(one)
  }
  return chosen.sort((one, other) => one.word - other.word)
}

/** Aligns the stretches between anchors one by one, and joins their paths. */
const pathThrough = (
  anchors: ReadonlyArray<PauseAnchor>,
  words: ReadonlyArray<TimeRange>,
  { alignWithin, path }: SpeechAlignment
): WarpPath => {
  const frameAt = (time: number) => Math.round(time / frameLength)
  const [ones, others]: [Array<number>, Array<number>] = [[], []]
  const edges = [...anchors, undefined]
  let [row, column] = [0, 0]
  for (const anchor of edges) {
    const rowEnd = anchor === undefined ? Infinity : frameAt(words[anchor.word + 1]!.start)
    const columnEnd = anchor === undefined ? Infinity : frameAt((anchor.pause.start + anchor.pause.end) / 2)
    const part = alignWithin({ from: row, to: rowEnd }, { from: column, to: columnEnd })
    if (part === undefined) return path
    ones.push(...part.ones)
    others.push(...part.others)
    ;[row, column] = [rowEnd, columnEnd]
  }
  return { cost: path.cost, ones: Int32Array.from(ones), others: Int32Array.from(others) }
}
