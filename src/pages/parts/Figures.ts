/** A job's quality figures as the pages show them, each compared with the previous run. */
import { type Metrics, unheard } from "../../domain/report/Report.ts"
import { formatFactor, formatInteger } from "./TimeFormat.ts"

/** One figure with its texts. */
export interface Figure {
  readonly name: string
  /** The raw number. */
  readonly measure: number
  /** The number as text, with its unit. */
  readonly value: string
  /** Small print below the value. */
  readonly detail: string | undefined
  /** Its meaning, in a sentence; shown as a tooltip. */
  readonly meaning: string
  /** The change since the previous run; undefined if there was none. */
  readonly change: Change | undefined
  /** Whether to highlight it as a problem. */
  readonly poor: boolean
}

/** A figure's previous value, and whether it has improved since. */
export interface Change {
  readonly before: string
  readonly trend: "better" | "worse" | "same" | "other"
}

/** Returns a job's figures in display order; `last` holds the metrics of the previous run. */
export const figuresOf = (metrics: Metrics, last?: Metrics): ReadonlyArray<Figure> =>
  kinds.flatMap(({ name, of, text, better, detail, meaning, poor }) => {
    const [measure, before] = [of(metrics), last && of(last)]
    if (measure === undefined) return []
    const change = before === undefined ? undefined : changeOf(measure, before, text, better)
    const isPoor = poor?.(metrics) ?? false
    return [{ name, measure, value: text(measure), detail: detail?.(metrics), meaning, change, poor: isPoor }]
  })

interface Kind {
  readonly name: string
  /** Undefined if an earlier version did not measure it. */
  readonly of: (metrics: Metrics) => number | undefined
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
    meaning: "Share of cues spoken, out of those that have words to say.",
    poor: ({ coverage }) => coverage < 1
  },
  {
    name: "Starts early or late",
    of: ({ onsetShift }) => onsetShift.p95,
    text: seconds,
    better: "less",
    detail: ({ onsetShift }) => `median ${seconds(onsetShift.p50)}, max ${seconds(onsetShift.max)}`,
    meaning: "How early or late lines start compared with their cues (95th percentile)."
  },
  {
    name: "Ends late",
    of: ({ tailLateness }) => tailLateness.p95,
    text: seconds,
    better: "less",
    detail: ({ tailLateness }) => `max ${seconds(tailLateness.max)}`,
    meaning: "How long speech continues after its cue ends (95th percentile)."
  },
  {
    name: "Runs over",
    of: ({ overruns }) => overruns,
    text: formatInteger,
    better: "less",
    detail: ({ overlaps }) => `${formatInteger(overlaps)} overlaps`,
    meaning: "Lines that do not fit. In an overlap, two lines of one speaker play at the same time.",
    poor: ({ overruns, overlaps }) => overruns + overlaps > 0
  },
  {
    name: "Speed",
    of: ({ speed }) => speed.p95,
    text: formatFactor,
    better: "less",
    detail: ({ speed }) => `median ${formatFactor(speed.p50)}, max ${formatFactor(speed.max)}`,
    meaning: "Playback speed of lines, relative to their recording (95th percentile)."
  },
  {
    name: "Rushed (over 1.3×)",
    of: ({ speedOver13 }) => speedOver13,
    text: formatInteger,
    better: "less",
    meaning: "Cues sped up beyond what sounds natural.",
    poor: ({ speedOver13 }) => speedOver13 > 0
  },
  {
    name: "Speed change",
    of: ({ speedStep }) => speedStep.p95,
    text: formatFactor,
    better: "less",
    meaning: "Change of speed from one line of a speaker to the next (95th percentile)."
  },
  {
    name: "Cues left empty",
    of: ({ empty }) => empty?.seconds,
    text: (value) => `${formatInteger(Math.round(value))} s`,
    better: "less",
    detail: ({ empty }) => `${formatInteger(empty?.cues ?? 0)} filled to less than 60 %`,
    meaning: "How long the cues go on in silence after their speech has ended, or before it begins."
  },
  {
    name: "Loudness",
    of: ({ loudness }) => loudness.integrated,
    text: (value) => (value <= unheard.integrated ? "no sound" : decibels("LUFS")(value)),
    better: undefined,
    detail: ({ loudness }) =>
      [
        ...(loudness.integrated <= unheard.integrated ? [] : [`peak ${decibels("dBTP")(loudness.truePeak)}`]),
        `spread ${decibels("LU")(loudness.clipSpread)}`
      ]
        // Broken only between the two, never before a unit.
        .map((part) => part.replaceAll(" ", "\u00a0"))
        .join(", "),
    meaning:
      "Integrated loudness of the programme (ITU-R BS.1770) and its true peak; spread is between clips."
  },
  {
    name: "Words cut off",
    of: ({ cutWords }) => cutWords,
    text: formatInteger,
    better: "less",
    meaning: "Words missing from the result.",
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
