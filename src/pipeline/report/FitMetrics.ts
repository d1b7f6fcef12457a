/** Computes report.json's `metrics`: how well a job's speech fits its cues. */
import { Array } from "effect"
import { filledBy, isFaster, type Placement } from "../../domain/speech/Placement.ts"
import type { Metrics } from "../../domain/report/Report.ts"
import type { Lufs, Millis } from "../../domain/time/Units.ts"

/** A cue with its placed speech; `heard` is absent if it was skipped or failed. */
export interface DubbedCue {
  readonly status: "spoken" | "skipped" | "failed"
  /** The source's times. */
  readonly start: Millis
  readonly end: Millis
  /** How many of its words come after the film's end. */
  readonly cutWords: number
  readonly heard?: {
    readonly start: Millis
    readonly end: Millis
    readonly speed: number
    readonly overrun: boolean
  }
}

/** One stretch of speech in the result, with its clip's loudness as mixed. */
export interface HeardLine extends Pick<Placement, "speaker" | "start" | "end" | "speed" | "flags"> {
  readonly loudness: Lufs
}

/** Measurements of the mix, in LUFS and dBTP. */
export interface ProgrammeLoudness {
  readonly integrated: number
  readonly truePeak: number
}

/** Computes the metrics of a job. `heard` holds every line, ordered by start. */
export const metricsOf = (
  cues: ReadonlyArray<DubbedCue>,
  heard: ReadonlyArray<HeardLine>,
  programme: ProgrammeLoudness
): Metrics => {
  const spoken = cues.filter(isHeardCue)
  const skipped = cues.filter((cue) => cue.status === "skipped").length
  const wordy = cues.length - skipped
  const shifts = spoken.map((cue) => Math.abs(cue.heard.start - cue.start) / 1000)
  const tails = spoken.map((cue) => Math.max(0, cue.heard.end - cue.end) / 1000)
  const speeds = spoken.map((cue) => cue.heard.speed)
  const inOrder = [...heard].sort((a, b) => a.start - b.start)
  const tracks = Object.values(Array.groupBy(inOrder, ({ speaker = "" }) => speaker))
  return {
    cues: cues.length,
    spoken: spoken.length,
    skipped,
    failed: cues.filter((cue) => cue.status === "failed").length,
    coverage: wordy === 0 ? 1 : rounded(spoken.length / wordy, 4),
    onsetShift: { p50: percentile(shifts, 50), p95: percentile(shifts, 95), max: percentile(shifts, 100) },
    tailLateness: { p95: percentile(tails, 95), max: percentile(tails, 100) },
    speed: {
      p50: percentile(speeds, 50, 1),
      p95: percentile(speeds, 95, 1),
      max: percentile(speeds, 100, 1)
    },
    speedOver13: spoken.filter(({ heard: { start, end, speed } }) => isFaster(speed, end - start, 1.3))
      .length,
    speedStep: { p95: percentile(tracks.flatMap(stepsOf), 95) },
    ...filledBy(spoken),
    overruns: spoken.filter((cue) => cue.heard.overrun).length,
    overlaps: heard.filter(({ flags }) => flags.includes("overlap")).length,
    cutWords: cues.reduce((sum, cue) => sum + cue.cutWords, 0),
    loudness: {
      integrated: rounded(programme.integrated, 2),
      truePeak: rounded(programme.truePeak, 2),
      clipSpread: rounded(spreadOf(heard.map((line) => line.loudness)), 2)
    }
  }
}

const isHeardCue = (cue: DubbedCue): cue is DubbedCue & Required<Pick<DubbedCue, "heard">> =>
  cue.heard !== undefined

/** Returns a percentile by nearest rank; `none` if there are no values. */
export const percentile = (values: ReadonlyArray<number>, percent: number, none = 0): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const rank = Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)
  return rounded(sorted[rank] ?? none, 3)
}

const rounded = (value: number, digits: number): number => {
  const scaled = Math.round(value * 10 ** digits) / 10 ** digits
  return Object.is(scaled, -0) ? 0 : scaled
}

const stepsOf = (track: ReadonlyArray<HeardLine>): ReadonlyArray<number> =>
  track.slice(1).map((line, at) => Math.abs(line.speed - (track[at]?.speed ?? line.speed)))

const spreadOf = (loudness: ReadonlyArray<number>): number =>
  loudness.length < 2 ? 0 : percentile(loudness, 95) - percentile(loudness, 5)
