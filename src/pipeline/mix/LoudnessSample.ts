/**
 * Picks a representative excerpt of a programme: lines from all over it, without the long silences. Each minute chooses
 * its lines independently, so that a changed line rarely changes the excerpt, and with it the gain.
 */
import { Placement } from "../../domain/speech/Placement.ts"
import { frames, framesAt, type Millis, millis } from "../../domain/time/Units.ts"
import type { Programme } from "./MixLines.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"

/** Maximum number of samples of an excerpt, all channels together: four minutes at 24 kHz, mono. */
const maxSamples = 6_000_000

/**
 * Longest group of neighbouring lines, from the start of the first to the start of the last, in milliseconds. It is
 * longer where lines overlap throughout, because a line without the overlapping ones would be too soft.
 */
const stretch = 2_000
const crowdedStretch = 15_000

/** Longest silence kept between two groups, in milliseconds; longer than the loudness window. */
const maxGap = 500

/** Length in milliseconds of the stretches of time that choose their groups independently of each other. */
const blockLength = 60_000

/** Steps per octave to which the share of chosen lines is rounded down, so that few changes of lines change it. */
const shareSteps = 8

/** Consecutive lines, the time in which they are audible, and the silence kept after them, in milliseconds. */
interface Group {
  readonly placements: ReadonlyArray<Placement>
  readonly start: number
  readonly end: number
  readonly gap: number
}

/**
 * Returns the programme itself if it is short, else unchanged groups of its lines, chosen evenly from start to end. Its
 * loudness equals the programme's as far as neighbouring lines are alike.
 */
export const sampleProgramme = (programme: Programme): Programme => {
  if (isOwnSample(programme)) return programme
  const { placements, rate, channels } = programme
  const most = maxSamples / channels
  const groups = groupsOf(placements)
  const sounding = groups.reduce((sum, { start, end, gap }) => sum + end - start + gap, 0)
  const exactShare = Math.min(1, (most * 1000) / rate / Math.max(1, sounding))
  const share = 2 ** (Math.floor(Math.log2(exactShare) * shareSteps) / shareSteps)
  const taken: Array<Placement> = []
  let free = 0
  let block = -1
  let running = 0
  groups.forEach(({ placements, start, end, gap }) => {
    const own = Math.floor(start / blockLength)
    if (own !== block) {
      block = own
      running = phaseOf(own)
    }
    // Takes the groups at which the running share reaches the next whole number.
    const before = running
    running += share
    if (Math.floor(running) === Math.floor(before)) return
    for (const placement of placements) taken.push(movedBy(placement, free - start))
    free += end - start + gap
  })
  return { ...programme, placements: taken, length: frames(Math.min(2 * most, framesAt(millis(free), rate))) }
}

/** Whether a programme is so short that it is its own excerpt. */
export const isOwnSample = ({ length, channels }: Programme): boolean => length <= maxSamples / channels

/** Where a block's running share begins, 0 to 1: evenly spread over any number of consecutive blocks. */
const phaseOf = (block: number): number => (block * 0.6180339887498949) % 1

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
    const gap = next === undefined ? maxGap : Math.max(0, Math.min(maxGap, next.start - end))
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
