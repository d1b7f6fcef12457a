/** A part of a programme that stands for the whole: lines from all over it, with its long silences left out. */
import { Placement } from "../domain/Placement.ts"
import { frames, framesAt, type Millis, millis } from "../domain/Units.ts"
import type { Programme } from "./Mixdown.ts"
import { unchecked } from "../domain/Unchecked.ts"

/** The most samples of an excerpt, all channels: four minutes at 24 kHz, mono. */
const mostSamples = 6_000_000

/** How long a group of neighbouring lines is at most, from the start of its first to the start of its last, in milliseconds. */
const stretch = 2_000

/** Silence between two groups, longer than loudness looks back. */
const gap = 500

/** Lines that follow each other, and from when until when they are heard. */
interface Group {
  readonly placements: ReadonlyArray<Placement>
  readonly start: number
  readonly end: number
}

/**
 * The programme itself where it is short; else groups of its lines, each as it stands, evenly chosen from its beginning to its
 * end. Its loudness is that of the whole, as far as lines are like their neighbours.
 */
export const excerptOf = (programme: Programme): Programme => {
  const { placements, rate, channels, length } = programme
  const most = mostSamples / channels
  if (length <= most) return programme
  const groups = groupsOf(placements)
  const sounding = groups.reduce((sum, { start, end }) => sum + end - start + gap, 0)
  const share = Math.min(1, (most * 1000) / rate / Math.max(1, sounding))
  const taken: Array<Placement> = []
  let free = 0
  groups.forEach(({ placements, start, end }, at) => {
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
  placements.forEach((_, at) => {
    const next = placements[at + 1]
    const first = placements[from]
    if (first === undefined || (next !== undefined && next.start < first.start + stretch)) return
    const members = placements.slice(from, at + 1)
    groups.push({
      placements: members,
      start: first.start,
      end: Math.max(...members.map(({ end }) => end))
    })
    from = at + 1
  })
  return groups
}

const movedBy = (placement: Placement, by: number): Placement => {
  const moved = (at: Millis) => millis(at + by)
  return Placement.make({ ...placement, start: moved(placement.start), end: moved(placement.end) }, unchecked)
}
