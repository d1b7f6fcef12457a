/** Describes in one line how a subtitle fits its film, and whether it was corrected. */
import { rateFactors } from "../../audio/sync/FrameRatePairs.ts"
import type { SyncReport } from "../../domain/report/FilmSync.ts"

/** The facts that the line reports. */
export interface SyncWording extends Omit<SyncReport, "summary"> {
  readonly mode: "check" | "auto"
  /** How many parts of the subtitle were compared with the film, and how many of them agree. */
  readonly parts: number
  readonly agreeing: number
  /** The share of cues in stretches where the film's sound does not support the result. */
  readonly doubtful: number
}

/** Returns the line: the finding, its confidence, and the action. */
export const syncSummary = (sync: SyncWording): string =>
  sync.verdict === "no-speech"
    ? "no speech was found in the film's sound, so the subtitle was not compared with it"
    : `${found(sync)} (${basis(sync)})${doneIn(sync)}`

const found = ({ verdict, offset, rate, pieces }: SyncWording): string => {
  switch (verdict) {
    case "in-sync":
      return "the subtitle fits the film's sound"
    case "no-speech":
    case "unsure":
      return "the film's sound does not show whether the subtitle fits"
    case "shifted":
      return `the subtitle is ${Math.abs(offset).toFixed(2)} s too ${offset > 0 ? "early" : "late"} for the film`
    case "rate":
      return `the subtitle's times run at another rate than the film: × ${rate.toFixed(5)}${pairOf(rate)}, then ${signed(offset)}`
    case "pieces":
      return (
        `the subtitle has ${pieces.length} parts with different shifts` +
        `${rate === 1 ? "" : ` (after × ${rate.toFixed(5)}${pairOf(rate)})`}: ` +
        pieces.map(({ from, offset }) => `${signed(offset)} from ${clock(from)}`).join(", ")
      )
  }
}

const basis = ({ parts, agreeing, doubtful, confidence }: SyncWording): string =>
  [
    `${agreeing} of ${parts} parts agree`,
    ...(doubtful > 0 ? [`the sound does not support ${Math.ceil(100 * doubtful)} % of the cues`] : []),
    `confidence ${confidence.toFixed(2)}`
  ].join(", ")

/** Up to this many pieces are corrected: the benchmark has no films with more. */
export const mostPiecesCorrected = 4

const doneIn = ({ verdict, applied, mode, pieces }: SyncWording): string => {
  if (verdict === "in-sync" || verdict === "no-speech") return ""
  if (applied) return "; its times were corrected"
  if (verdict === "unsure" || pieces.length > mostPiecesCorrected) return "; its times are unchanged"
  return mode === "check"
    ? "; its times are unchanged; set sync: auto to correct them"
    : "; its times are unchanged, because the result is not certain enough"
}

const frameRates = ["23.976", "24", "25", "29.97", "30"] as const

/** Names the frame rates of a usual factor. */
const pairOf = (rate: number): string => {
  if (!rateFactors.some((factor) => Math.abs(factor - rate) < 1e-9)) return ""
  const exact = (name: string) =>
    name.includes(".") ? Math.ceil(Number(name)) * (1000 / 1001) : Number(name)
  for (const made of frameRates)
    for (const film of frameRates)
      if (made !== film && Math.abs(exact(made) / exact(film) - rate) < 1e-9)
        return `, as if made for ${made} instead of ${film} frames per second`
  return ""
}

const signed = (seconds: number): string => `${seconds < 0 ? "−" : "+"}${Math.abs(seconds).toFixed(2)} s`

const clock = (seconds: number): string => {
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 3600)}:${`${Math.floor(whole / 60) % 60}`.padStart(2, "0")}:${`${whole % 60}`.padStart(2, "0")}`
}
