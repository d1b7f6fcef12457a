/** A job's figures as its pages show them, each beside what it was in the run before. */
import { type Metrics, unheard } from "../../domain/report/Report.ts"
import { formatFactor, formatInteger } from "./TimeFormat.ts"

/** One figure with its words. */
export interface Figure {
  readonly name: string
  /** The bare figure. */
  readonly measure: number
  /** The figure with its unit. */
  readonly value: string
  /** What goes with it in small print. */
  readonly detail: string | undefined
  /** What it means, in a sentence. */
  readonly meaning: string
  /** How it changed since the last run; undefined where there was none to compare with. */
  readonly change: Change | undefined
  /** Whether it asks for somebody's attention. */
  readonly poor: boolean
}

/** How a figure moved: its value before, and whether that was for the better. */
export interface Change {
  readonly before: string
  readonly trend: "better" | "worse" | "same" | "other"
}

/** The figures of a job in the order in which they are read; `last` is the run before. */
export const figuresOf = (metrics: Metrics, last?: Metrics): ReadonlyArray<Figure> =>
  kinds.map(({ name, of, text, better, detail, meaning, poor }) => ({
    name,
    measure: of(metrics),
    value: text(of(metrics)),
    detail: detail?.(metrics),
    meaning,
    change: last === undefined ? undefined : changeOf(of(metrics), of(last), text, better),
    poor: poor?.(metrics) ?? false
  }))

interface Kind {
  readonly name: string
  readonly of: (metrics: Metrics) => number
  readonly text: (value: number) => string
  readonly better: "more" | "less" | undefined
  readonly detail?: (metrics: Metrics) => string
  readonly meaning: string
  readonly poor?: (metrics: Metrics) => boolean
}

const percent = (value: number): string => `${Math.floor(value * 1000) / 10} %`.replace(".0 ", " ")
const seconds = (value: number): string => `${value.toFixed(2)} s`
const decibels = (unit: string) => (value: number) => `${value.toFixed(1).replace("-", "−")} ${unit}`

const kinds: ReadonlyArray<Kind> = [
  {
    name: "Lines spoken",
    of: ({ coverage }) => coverage,
    text: percent,
    better: "more",
    detail: ({ spoken, failed, skipped }) =>
      `${formatInteger(spoken)} of ${formatInteger(spoken + failed)} spoken, ${formatInteger(skipped)} skipped`,
    meaning: "Cues spoken, of those that have something to say.",
    poor: ({ coverage }) => coverage < 1
  },
  {
    name: "Starts off by",
    of: ({ onsetShift }) => onsetShift.p95,
    text: seconds,
    better: "less",
    detail: ({ onsetShift }) => `median ${seconds(onsetShift.p50)}, max ${seconds(onsetShift.max)}`,
    meaning: "How far from its cue's start a line is heard, early or late: 95 of 100 lines stay within it."
  },
  {
    name: "Ends late by",
    of: ({ tailLateness }) => tailLateness.p95,
    text: seconds,
    better: "less",
    detail: ({ tailLateness }) => `max ${seconds(tailLateness.max)}`,
    meaning: "How long speech goes on after its cue's end: 95 of 100 lines stay within it."
  },
  {
    name: "Runs over",
    of: ({ overruns }) => overruns,
    text: formatInteger,
    better: "less",
    detail: ({ overlaps }) => `${formatInteger(overlaps)} overlaps`,
    meaning: "Lines that could not be made to fit; overlaps are one speaker heard twice at once.",
    poor: ({ overruns, overlaps }) => overruns + overlaps > 0
  },
  {
    name: "Speed",
    of: ({ speed }) => speed.p95,
    text: formatFactor,
    better: "less",
    detail: ({ speed }) => `median ${formatFactor(speed.p50)}, max ${formatFactor(speed.max)}`,
    meaning: "How many times faster than recorded lines are played: 95 of 100 stay within it."
  },
  {
    name: "Rushed, over 1.3×",
    of: ({ speedOver13 }) => speedOver13,
    text: formatInteger,
    better: "less",
    meaning: "Cues sped up more than listeners take for natural.",
    poor: ({ speedOver13 }) => speedOver13 > 0
  },
  {
    name: "Change of speed",
    of: ({ speedStep }) => speedStep.p95,
    text: formatFactor,
    better: "less",
    meaning: "The change of speed from one line of a speaker to the next: 95 of 100 stay within it."
  },
  {
    name: "In step with the cues",
    of: ({ isochrony }) => isochrony,
    text: percent,
    better: "more",
    meaning: "How much of the cues' time and the speech's time is common to both."
  },
  {
    name: "Loudness",
    of: ({ loudness }) => loudness.integrated,
    text: (value) => (value <= unheard.integrated ? "no sound" : decibels("LUFS")(value)),
    better: undefined,
    detail: ({ loudness }) =>
      `${loudness.integrated <= unheard.integrated ? "" : `peak ${decibels("dBTP")(loudness.truePeak)}, `}spread ${decibels("LU")(loudness.clipSpread)}`,
    meaning: "Of the whole programme, by ITU-R BS.1770, with its true peak; the spread is between its clips."
  },
  {
    name: "Words cut off",
    of: ({ cutWords }) => cutWords,
    text: formatInteger,
    better: "less",
    meaning: "Words lost on the way.",
    poor: ({ cutWords }) => cutWords > 0
  }
]

const changeOf = (
  now: number,
  before: number,
  text: (value: number) => string,
  better: "more" | "less" | undefined
): Change => {
  const was = text(before)
  if (was === text(now)) return { before: was, trend: "same" }
  if (better === undefined) return { before: was, trend: "other" }
  return { before: was, trend: now > before === (better === "more") ? "better" : "worse" }
}
