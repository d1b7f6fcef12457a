/** A part of a programme that stands for the whole: lines from all over it, with its long silences left out. */
import { Placement } from "../../domain/speech/Placement.ts"
import { frames, framesAt, type Millis, millis } from "../../domain/time/Units.ts"
import type { Programme } from "./MixPlan.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"

/** The most samples of an excerpt, all channels: four minutes at 24 kHz, mono. */
const mostSamples = 6_000_000

/**
 * How long a group of neighbouring lines is at most, from the start of its first to the start of its last, in
 * milliseconds; and how long where they are spoken over each other all the while, since a line without those that sound
 * with it is softer than in the whole.
 */
const stretch = 2_000
const crowdedStretch = 15_000

/** The most silence that is left between two groups, longer than loudness looks back. */
const mostGap = 500

/**
 * Lines that follow each other, from when until when they are heard, and the silence left behind them, in milliseconds.
 */
interface Group {
  readonly placements: ReadonlyArray<Placement>
  readonly start: number
  readonly end: number
  readonly gap: number
}

/**
 * The programme itself where it is short; else groups of its lines, each as it stands, evenly chosen from its beginning
 * to its end. Its loudness is that of the whole, as far as lines are like their neighbours.
 */
export const sampleProgramme = (programme: Programme): Programme => {
  const { placements, rate, channels, length } = programme
  const most = mostSamples / channels
  if (length <= most) return programme
  const groups = groupsOf(placements)
  const sounding = groups.reduce((sum, { start, end, gap }) => sum + end - start + gap, 0)
  const share = Math.min(1, (most * 1000) / rate / Math.max(1, sounding))
  const taken: Array<Placement> = []
  let free = 0
  groups.forEach(({ placements, start, end, gap }, at) => {
    // The groups at which another whole one is due.
    if (Math.floor((at + 1) * share) === Math.floor(at * share)) return
    for (const placement of placements) taken.push(movedBy(placement, free - start))
    free += end - start + gap
  })
  return { ...programme, placements: taken, length: frames(Math.min(2 * most, framesAt(millis(free), rate))) }
}

const groupsOf = (placements: ReadonlyArray<Placement>): ReadonlyArray<Group> => {
  const groups: Array<Group> = []
  let from = 0
  let end = 0
  placements.forEach((line, at) => {
    const next = placements[at + 1]
    const first = placements[from] ?? line
    end = Math.max(at === from ? 0 : end, line.end)
    const longest = first.start + (next !== undefined && next.start < end ? crowdedStretch : stretch)
    if (next !== undefined && next.start < longest) return
    const gap = next === undefined ? mostGap : Math.max(0, Math.min(mostGap, next.start - end))
    groups.push({ placements: placements.slice(from, at + 1), start: first.start, end, gap })
    from = at + 1
  })
  return groups
}

const movedBy = (placement: Placement, by: number): Placement => {
  const moved = (at: Millis) => millis(at + by)
  return Placement.make(
    { ...placement, start: moved(placement.start), end: moved(placement.end) },
    skipValidation
  )
}
