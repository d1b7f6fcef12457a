/** The outcome of a cue, and its entry in report.json. */
import type { CueReport } from "../../domain/report/Report.ts"
import type { Line } from "../../domain/speech/Line.ts"
import type { Flag } from "../../domain/speech/Placement.ts"
import { type Millis, toSeconds } from "../../domain/time/Units.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { SourceTimes } from "../sync/RetimedScript.ts"
import { linesDigest } from "./Approvals.ts"
import type { DubbedCue } from "./FitMetrics.ts"

/** The outcome of one source cue. */
export interface CueOutcome {
  readonly index: number
  /** The cue's times in the film; for a narration, the times of its speech. */
  readonly start: Millis
  readonly end: Millis
  /** Its times in the file, if it was moved. */
  readonly source?: SourceTimes | undefined
  readonly text: string
  readonly speaker: string | undefined
  readonly said: string | undefined
  readonly skipped: CueReport["skipped"]
  readonly error: string | undefined
  readonly heard: { readonly start: Millis; readonly end: Millis; readonly speed: number } | undefined
  /** When each word of `said` begins, if known. */
  readonly wordStarts: ReadonlyArray<Millis> | undefined
  /** Its entries in the re-timed subtitle: the cue itself, or a narration's paragraph sentence by sentence. */
  readonly captions: ReadonlyArray<TimedCaption>
  readonly utterance: UtteranceKey | undefined
  /** The engine that spoke it, if the service says so. */
  readonly engine: string | undefined
  /** The words that a recogniser heard. */
  readonly words: CueReport["words"]
  /** A rewriter's replies about its lines. */
  readonly rewrites: CueReport["rewrites"]
  readonly flags: ReadonlyArray<Flag>
  readonly shortenBy: number | undefined
  /** The lines that say it. */
  readonly lines: ReadonlyArray<Line>
  /** How many of its words come after the film's end. */
  readonly cutWords: number
}

/** An entry of the re-timed subtitle. */
export interface TimedCaption {
  readonly text: string
  readonly start: Millis
  readonly end: Millis
}

/** Returns a cue's entry in the report. */
export const cueReport = (cue: CueOutcome): CueReport => {
  const digest = linesDigest(cue.lines)
  return {
    index: cue.index,
    start: toSeconds(cue.source?.start ?? cue.start),
    end: toSeconds(cue.source?.end ?? cue.end),
    ...(cue.source === undefined
      ? {}
      : { corrected: { start: toSeconds(cue.start), end: toSeconds(cue.end) } }),
    text: cue.text,
    ...(cue.speaker === undefined ? {} : { speaker: cue.speaker }),
    status: statusOf(cue),
    ...(cue.skipped === undefined ? {} : { skipped: cue.skipped }),
    ...(cue.error === undefined ? {} : { error: cue.error }),
    ...(cue.said === undefined ? {} : { said: cue.said }),
    ...(cue.heard === undefined
      ? {}
      : {
          placed: {
            start: toSeconds(cue.heard.start),
            end: toSeconds(cue.heard.end),
            speed: Math.round(cue.heard.speed * 1000) / 1000
          }
        }),
    ...(cue.wordStarts === undefined ? {} : { wordStarts: cue.wordStarts.map(toSeconds) }),
    ...(cue.utterance === undefined ? {} : { utterance: cue.utterance }),
    ...(cue.engine === undefined ? {} : { engine: cue.engine }),
    ...(cue.words === undefined ? {} : { words: cue.words }),
    flags: cue.flags,
    ...(cue.shortenBy === undefined ? {} : { shortenBy: cue.shortenBy }),
    ...(cue.rewrites === undefined ? {} : { rewrites: cue.rewrites }),
    ...(digest === undefined ? {} : { digest })
  }
}

const statusOf = (cue: CueOutcome): CueReport["status"] =>
  cue.heard !== undefined ? "spoken" : cue.skipped !== undefined ? "skipped" : "failed"

/** Returns the data of a cue that the metrics use. */
export const dubbedCue = (cue: CueOutcome): DubbedCue => ({
  status: statusOf(cue),
  start: cue.start,
  end: cue.end,
  cutWords: cue.cutWords,
  ...(cue.heard === undefined ? {} : { heard: { ...cue.heard, overrun: cue.flags.includes("overrun") } })
})
