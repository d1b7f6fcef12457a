/**
 * Compares a subtitle with the sound of its film, and corrects its times if that is asked for and certain. Loaded
 * lazily: a job without a film needs none of it.
 */
import { Effect, Option } from "effect"
import { evidenceOf, type TimedSpan } from "../../audio/sync/CueEvidence.ts"
import { alignToFilm, leastCues } from "../../audio/sync/FilmAlignment.ts"
import { hasSpeech, judgeFit } from "../../audio/sync/SubtitleFit.ts"
import type { SyncPiece, SyncReport } from "../../domain/report/FilmSync.ts"
import type { Script } from "../../domain/speech/Cue.ts"
import type { Millis } from "../../domain/time/Units.ts"
import type { MediaInfo } from "../../ffmpeg/probe/MediaInfo.ts"
import { naturalLength } from "../../script/language/SpeechRate.ts"
import type { Words } from "../../script/spoken/CueWords.ts"
import { type FilmSpeech, filmSpeech } from "./FilmSpeech.ts"
import { retimed, type RetimedScript, type SyncedScript } from "./RetimedScript.ts"
import { syncSummary, type SyncWording } from "./SyncWords.ts"

/** What is compared, and the state folder in which a film's speech is kept. */
export interface ComparedFilm {
  readonly set: RetimedScript
  readonly words: Words
  readonly path: string
  readonly info: MediaInfo
  readonly state: string
  readonly mode: "check" | "auto"
}

/** From this confidence on, `sync: auto` corrects times. */
const certain = 0.9

/** Compares a subtitle with its film, unless it has too few cues to tell anything. */
export const compareWithFilm = Effect.fn("FilmComparison.compareWithFilm")(function* ({
  set,
  words,
  path,
  info,
  state,
  mode
}: ComparedFilm) {
  const unchecked: SyncedScript = set
  const without = (verdict: SyncReport["verdict"], summary: string): SyncedScript => ({
    ...set,
    sync: { ...nothingFound(verdict), summary }
  })
  const spans = spansOf(set.script, words)
  if (spans.length < leastCues) return unchecked
  const heard = yield* Effect.either(filmSpeech(path, info, state))
  if (heard._tag === "Left")
    return without(
      "unsure",
      `the film's sound cannot be decoded, so the subtitle was not compared with it: ${heard.left.reason}`
    )
  if (Option.isNone(heard.right))
    return without("no-speech", "the film has no sound, so the subtitle was not compared with it")
  const speech = heard.right.value
  const short = missingSound(speech, info, spans)
  return short === undefined ? compared(set, spans, speech, mode) : without("unsure", short)
})

const nothingFound = (verdict: SyncReport["verdict"]): Omit<SyncReport, "summary"> => ({
  verdict,
  offset: 0,
  rate: 1,
  pieces: [],
  confidence: 0,
  applied: false
})

/** A cue that somebody should speak. */
interface CueSpan extends TimedSpan {
  /** As in the file, in milliseconds. */
  readonly cue: { readonly start: Millis; readonly end: Millis }
}

/** The cues with words to speak. A cue is often shown for longer than it takes to say. */
const spansOf = (script: Script, words: Words): ReadonlyArray<CueSpan> => {
  if (script._tag === "Narration") return []
  const lengths = new Map(
    words.cues.flatMap((cue) =>
      "parts" in cue
        ? [[cue.cue, cue.parts.reduce((sum, { said }) => sum + naturalLength(said), 0)] as const]
        : []
    )
  )
  return script.cues.flatMap((cue) => {
    const length = lengths.get(cue.index)
    if (length === undefined || cue.end <= cue.start) return []
    const end = Math.min(cue.end, cue.start + length)
    return [{ start: cue.start / 1000, end: end / 1000, cue: { start: cue.start, end: cue.end } }]
  })
}

/** Sound that ends this many seconds before the film and its last cue is incomplete. */
const tolerated = 5

/** Why what was decoded of a film is not enough to judge by; undefined if it is. */
const missingSound = (
  { seconds }: FilmSpeech,
  { duration }: MediaInfo,
  spans: ReadonlyArray<TimedSpan>
): string | undefined => {
  const needed = Math.min(duration / 1_000_000, spans.at(-1)?.end ?? 0)
  return seconds >= needed - Math.max(tolerated, needed * 0.02)
    ? undefined
    : `only the first ${seconds.toFixed(0)} s of the film's sound can be decoded, so the subtitle was not compared with it`
}

const compared = (
  set: RetimedScript,
  spans: ReadonlyArray<CueSpan>,
  { track }: FilmSpeech,
  mode: "check" | "auto"
): SyncedScript => {
  if (!hasSpeech(track)) {
    const found: SyncWording = { ...nothingFound("no-speech"), mode, parts: 0, agreeing: 0 }
    return { ...set, sync: reportOf(found) }
  }
  const alignment = alignToFilm(evidenceOf(track), spans)
  const fit = judgeFit(alignment, spans)
  // Pieces are reported only: a short piece may be joined to its neighbour, and the confidence does not show it.
  const isPlain = fit.verdict === "shifted" || fit.verdict === "rate"
  const applied = mode === "auto" && isPlain && fit.confidence >= certain
  const sync = reportOf({
    verdict: fit.verdict,
    offset: rounded(fit.offset),
    rate: fit.rate,
    pieces: fit.pieces.map(({ first, until, offset }): SyncPiece => {
      const cues = spans.slice(first, until)
      return {
        from: (cues[0]?.cue.start ?? 0) / 1000,
        to: (cues.at(-1)?.cue.end ?? 0) / 1000,
        offset: rounded(offset)
      }
    }),
    confidence: Math.round(fit.confidence * 1000) / 1000,
    applied,
    mode,
    parts: alignment?.parts ?? 0,
    agreeing: alignment?.agreeing ?? 0
  })
  return applied ? { ...corrected(set, sync), sync } : { ...set, sync }
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000

const reportOf = ({ mode, parts, agreeing, ...report }: SyncWording): SyncReport => ({
  ...report,
  summary: syncSummary({ mode, parts, agreeing, ...report })
})

/** Moves every cue by the same rate and offset. */
const corrected = ({ script, moved }: RetimedScript, { rate, offset }: SyncReport): RetimedScript =>
  retimed(script, { rate, offset }, moved)
