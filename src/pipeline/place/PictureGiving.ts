/**
 * Decides where a film's picture gives way: for lines that do not fit at `fit.maxSpeed` with the time that they may
 * borrow. Lines are placed again on the lengthened film, until all fit or the limits are reached.
 */
import type { PictureLimits, Placement } from "../../domain/speech/Placement.ts"
import type { Line, Slot } from "../../domain/speech/Line.ts"
import type { TimelineFilm } from "../../domain/speech/Timeline.ts"
import { lineName } from "../../domain/speech/Utterance.ts"
import { pictureHolding } from "../../domain/time/FrameRate.ts"
import { lengthenedTime, type PictureStretch } from "../../domain/time/PictureStretch.ts"
import { type Millis, millis } from "../../domain/time/Units.ts"
import { flagged, type Placeable, placeLines } from "./LinePlacement.ts"

/** A job whose picture may give way. */
export interface HoldableJob extends Placeable {
  readonly picture?: PictureLimits | undefined
  /** The film's frames; absent without a film. */
  readonly film?: Pick<TimelineFilm, "frameRate" | "pictures"> | undefined
}

/** A job whose picture gives way. */
interface HeldJob extends Placeable {
  readonly picture: PictureLimits
  readonly film: Pick<TimelineFilm, "frameRate" | "pictures">
}

/** Placements, with the stretches of the film that are longer than they were. */
export interface HeldPlacements {
  /** On the lengthened film; ordered by start. */
  readonly placements: ReadonlyArray<Placement>
  /** In the film's own time, ordered by start. */
  readonly stretches: ReadonlyArray<PictureStretch>
}

/** Maximum number of rounds; few scripts need more than five, and 20,000 random ones all fitted. */
const maxRounds = 100

/** How much more a line gets in each round that it still does not fit: neighbours may use a part of what it gets. */
const growth = 0.25

/** Places a job's lines, and lengthens the picture for those that do not fit otherwise. */
export const placeWithPicture = (job: HoldableJob): HeldPlacements => {
  const { picture, film, horizon } = job
  let stretches: ReadonlyArray<PictureStretch> = []
  let placements = placeLines(job)
  if (picture === undefined || film === undefined) return { placements, stretches }
  const slots = new Map(job.lines.map((line) => [lineName(line), line.slot]))
  for (let round = 0; round < maxRounds; round++) {
    const more = lengthened({ ...job, picture, film }, placements, stretches, slots, 1 + growth * round)
    if (more === undefined) break
    stretches = more
    placements = placeLines({
      ...job,
      lines: job.lines.map((line) => moved(line, more)),
      ...(horizon === undefined ? {} : { horizon: lengthenedTime(more, horizon) })
    })
  }
  const held = new Set(stretches.map(({ cue }) => cue))
  return {
    placements: placements.map((placement) =>
      held.has(placement.lines[0].cue) ? flagged(placement, "held") : placement
    ),
    stretches
  }
}

const moved = (line: Line, stretches: ReadonlyArray<PictureStretch>): Line =>
  line.slot === undefined
    ? line
    : {
        ...line,
        slot: {
          start: lengthenedTime(stretches, line.slot.start),
          end: lengthenedTime(stretches, line.slot.end)
        }
      }

/** Adds time for lines that do not fit yet; undefined if there are none, or all have reached the limits. */
const lengthened = (
  job: HeldJob,
  placements: ReadonlyArray<Placement>,
  before: ReadonlyArray<PictureStretch>,
  slots: ReadonlyMap<string, Slot | undefined>,
  more: number
): ReadonlyArray<PictureStretch> | undefined => {
  let stretches = before
  const added: Array<{ readonly at: Millis; readonly length: number }> = []
  /** By speaker: the end of the line before, and how much earlier the next one can start by what was added for it. */
  const chains = new Map<string, { end: number; relief: number }>()
  for (const placement of placements) {
    const slot = slotOf(placement, slots)
    if (slot === undefined) continue
    const name = placement.speaker ?? ""
    const chain = chains.get(name)
    const follows = chain !== undefined && placement.start <= chain.end + 1
    const relief = follows ? chain.relief : 0
    const within = added.reduce(
      (sum, { at, length }) => sum + (at > slot.start && at <= slot.end ? length : 0),
      0
    )
    const wanted = more * excessOf(placement, lengthenedTime(before, slot.end), job) - relief - within
    const [{ cue }] = placement.lines
    const stretch = wanted > 0 ? stretchFor(cue, slot, wanted, stretches, job) : undefined
    const own = stretches.find((one) => one.cue === cue && one.to === stretch?.to)
    const gained = (stretch?.added ?? 0) - (own?.added ?? 0)
    if (stretch !== undefined && gained > 0) {
      stretches = [...stretches.filter((one) => one !== own), stretch]
      added.push({ at: stretch.to, length: gained })
    }
    chains.set(name, { end: placement.end, relief: relief + gained })
  }
  return added.length === 0 ? undefined : [...stretches].sort((a, b) => a.from - b.from || a.to - b.to)
}

/** The slot of a placement's lines in the film's own time; undefined for a narration's. */
const slotOf = ({ lines }: Placement, slots: ReadonlyMap<string, Slot | undefined>): Slot | undefined => {
  const own = lines.flatMap((line) => slots.get(lineName(line)) ?? [])
  return own[0] === undefined
    ? undefined
    : { start: own[0].start, end: millis(Math.max(...own.map(({ end }) => end))) }
}

/** How many milliseconds a placement lacks to fit at the usual speed; `end` is the end of its slot. */
const excessOf = ({ start, end: heard, speed, flags }: Placement, end: Millis, { limits }: HeldJob): number =>
  (flags.includes("fast") ? (heard - start) * (speed / limits.maxSpeed - 1) : 0) +
  (flags.includes("overrun") || flags.includes("cut") ? Math.max(0, heard - end - limits.late) : 0)

/** The stretch of a cue with more time, as far as its limits allow, in whole frames; undefined if it has no place. */
const stretchFor = (
  cue: number,
  slot: Slot,
  wanted: number,
  stretches: ReadonlyArray<PictureStretch>,
  { picture, film: { frameRate, pictures } }: HeldJob
): PictureStretch | undefined => {
  const perFrame = (1_000 * frameRate.rate.denominator) / frameRate.rate.numerator
  const onFrame = (time: number) => millis(pictureHolding(millis(time), frameRate) * perFrame)
  // The last frame must come after the stretch: it is the one that says how long the picture lasts.
  const to = millis(Math.min(onFrame(slot.end), (pictures - 1) * perFrame))
  const own = stretches.find((one) => one.cue === cue && one.to === to)
  const others = stretches.filter((one) => one !== own)
  const from = picture.mode === "hold" ? to : (own?.from ?? firstFree(others, onFrame(slot.start), to))
  if (to <= slot.start) return undefined
  if (picture.mode === "slow" && (from >= to || others.some((other) => other.from < to && other.to > from)))
    return undefined
  const most =
    picture.mode === "hold"
      ? picture.maxHold
      : Math.min(picture.maxHold, (to - from) * (1 / picture.minPictureSpeed - 1))
  const frames = Math.min(
    Math.ceil(((own?.added ?? 0) + wanted) / perFrame - 1e-6),
    Math.floor(most / perFrame + 1e-6)
  )
  return frames <= 0
    ? undefined
    : { cue, from: millis(from), to: millis(to), added: millis(frames * perFrame) }
}

/** The end of the last stretch before `to`, but not before `from`. */
const firstFree = (stretches: ReadonlyArray<PictureStretch>, from: Millis, to: Millis): Millis =>
  millis(Math.max(from, ...stretches.flatMap((other) => (other.to < to ? other.to : []))))
