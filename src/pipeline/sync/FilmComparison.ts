/**
 * Compares a subtitle with the sound of its film, and corrects its times if `sync: auto` is set and the
 * result is certain. Loaded lazily: only jobs with a film need it.
 */
import { Effect, Option, Schema, Stream } from "effect"
import { evidenceOf, type TimedSpan } from "../../audio/sync/CueEvidence.ts"
import { alignToFilm, minCues } from "../../audio/sync/FilmAlignment.ts"
import { speechOnsets } from "../../audio/sync/SpeechOnsets.ts"
import { hasSpeech, judgeFit } from "../../audio/sync/SubtitleFit.ts"
import type { SyncPiece, SyncReport } from "../../domain/report/FilmSync.ts"
import type { Script } from "../../domain/speech/Cue.ts"
import { SampleRate, type Millis } from "../../domain/time/Units.ts"
import { mainSound, type MediaInfo } from "../../ffmpeg/probe/MediaInfo.ts"
import { naturalLength } from "../../script/language/SpeechRate.ts"
import type { Words } from "../../script/spoken/CueWords.ts"
import { retimed, startedAt, type RetimedScript, type SyncedScript } from "./RetimedScript.ts"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { bandCount, soundRate } from "../../audio/sync/SoundBands.ts"
import { SpeechTracker, type SpeechTrack } from "../../audio/sync/SpeechTrack.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { digestOfFilm } from "../../store/files/FilmDigest.ts"
import { replaceFile } from "../../system/AtomicFile.ts"
import { rateFactors } from "../../audio/sync/FrameRatePairs.ts"

/** The subtitle and the film to compare, and the state folder that caches the film's speech. */
export interface ComparedFilm {
  readonly set: RetimedScript
  readonly words: Words
  readonly path: string
  readonly info: MediaInfo
  readonly state: string
  readonly mode: "check" | "auto"
  /** Whether cues start where speech begins near them. */
  readonly follow: boolean
}

/** From this confidence on, `sync: auto` corrects times. */
const certain = 0.9

/** The largest share of cues in places where the sound does not support the correction. */
const maxDoubtful = 0.05

/** Compares a subtitle with its film, unless it has too few cues for a result. */
export const compareWithFilm = Effect.fn("FilmComparison.compareWithFilm")(function* ({
  set,
  words,
  path,
  info,
  state,
  mode,
  follow
}: ComparedFilm) {
  const unchecked: SyncedScript = set
  const without = (verdict: SyncReport["verdict"], summary: string): SyncedScript => ({
    ...set,
    sync: { ...nothingFound(verdict), summary }
  })
  const spans = spansOf(set.script, words)
  if (spans.length < minCues) return unchecked
  const heard = yield* Effect.either(filmSpeech(path, info, state))
  if (heard._tag === "Left")
    return without(
      "unsure",
      `the film's sound cannot be decoded, so the subtitle was not compared with it: ${heard.left.reason}`
    )
  if (Option.isNone(heard.right))
    return without("no-speech", "the film has no sound, so the subtitle was not compared with it")
  const speech = heard.right.value
  const unusable = unusableSound(speech, info, spans)
  if (unusable !== undefined) return without("unsure", unusable)
  const result = compared(set, spans, speech, mode)
  return follow ? followed(result, words, speech) : result
})

const nothingFound = (verdict: SyncReport["verdict"]): Omit<SyncReport, "summary"> => ({
  verdict,
  offset: 0,
  rate: 1,
  pieces: [],
  confidence: 0,
  applied: false
})

/** A cue with words to speak. */
interface CueSpan extends TimedSpan {
  /** As in the file, in milliseconds. */
  readonly cue: { readonly index: number; readonly start: Millis; readonly end: Millis }
}

/** The cues with words to speak. Cues are often shown for longer than their speech takes. */
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
    return [{ start: cue.start / 1000, end: end / 1000, cue }]
  })
}

/** Sound whose length in seconds differs by more than this from what is needed cannot be compared. */
const toleranceOf = (seconds: number): number => Math.max(5, seconds * 0.02)

/** Why a film's decoded sound cannot be compared; undefined if it can. */
const unusableSound = (
  { seconds }: FilmSpeech,
  { duration }: MediaInfo,
  spans: ReadonlyArray<TimedSpan>
): string | undefined => {
  const lasts = duration / 1_000_000
  const needed = Math.min(lasts, spans.at(-1)?.end ?? 0)
  if (seconds < needed - toleranceOf(needed))
    return `only the first ${seconds.toFixed(0)} s of the film's sound can be decoded, so the subtitle was not compared with it`
  // Where the channel layout changes midway, ffmpeg inserts silence as long as the film so far.
  if (seconds > lasts + toleranceOf(lasts))
    return `the film's sound has ${seconds.toFixed(0)} s, but the film has ${lasts.toFixed(0)} s, so the subtitle was not compared with it`
  return undefined
}

const compared = (
  set: RetimedScript,
  spans: ReadonlyArray<CueSpan>,
  { track }: FilmSpeech,
  mode: "check" | "auto"
): SyncedScript => {
  if (!hasSpeech(track)) {
    const found: SyncWording = { ...nothingFound("no-speech"), mode, parts: 0, agreeing: 0, doubtful: 0 }
    return { ...set, sync: reportOf(found) }
  }
  const alignment = alignToFilm(evidenceOf(track), spans)
  const fit = judgeFit(alignment, spans)
  const isOff = fit.verdict === "shifted" || fit.verdict === "rate" || fit.verdict === "pieces"
  const doubtful = alignment?.doubtful ?? 1
  const isCertain =
    fit.confidence >= certain && doubtful <= maxDoubtful && fit.pieces.length <= maxPiecesCorrected
  const applied = mode === "auto" && isOff && isCertain
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
    agreeing: alignment?.agreeing ?? 0,
    doubtful
  })
  return applied ? { ...corrected(set, sync), sync } : { ...set, sync }
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000

const reportOf = ({ mode, parts, agreeing, doubtful, ...report }: SyncWording): SyncReport => ({
  ...report,
  summary: syncSummary({ mode, parts, agreeing, doubtful, ...report })
})

/** Moves every cue by the rate and by the offset of its piece. */
const corrected = ({ script, moved }: RetimedScript, { rate, offset, pieces }: SyncReport): RetimedScript =>
  retimed(
    script,
    (start) => ({
      rate,
      offset: pieces.findLast(({ from }) => start >= from * 1000)?.offset ?? pieces[0]?.offset ?? offset
    }),
    moved
  )

/** Starts cues where speech begins near them, if the subtitle fits its film. */
const followed = (synced: SyncedScript, words: Words, { track }: FilmSpeech): SyncedScript => {
  const { sync } = synced
  if (sync === undefined || (sync.verdict !== "in-sync" && !sync.applied)) return synced
  const spans = spansOf(synced.script, words)
  const onsets = speechOnsets(
    track,
    spans.map(({ cue }) => ({ start: cue.start / 1000, end: cue.end / 1000 }))
  )
  const starts = new Map(
    spans.flatMap(({ cue }, at) => {
      const onset = onsets[at]
      return onset === undefined ? [] : [[cue.index, Math.round(onset * 1000)] as const]
    })
  )
  const summary = `${sync.summary}; ${starts.size} of ${spans.length} cues start where speech begins near them`
  return { ...startedAt(synced, starts), sync: { ...sync, summary } }
}

/** Raise this when the same sound would give another track. */
const edition = 5

/** The folder of tracks in the state folder. */
const folderName = "sound"

/** The speech of a film, as far as its sound could be decoded. */
interface FilmSpeech {
  readonly track: SpeechTrack
  /** Seconds that could be decoded. */
  readonly seconds: number
}

/** One film at a time is decoded: another job with the same film then finds its track. */
const turn = Effect.unsafeMakeSemaphore(1)

/**
 * Returns the speech of a film's main audio track; none if it has no audio track. Fails if its sound cannot be decoded.
 * A state folder that cannot be written costs only time.
 */
const filmSpeech = Effect.fn("FilmComparison.filmSpeech")(function* (
  path: string,
  info: MediaInfo,
  state: string
) {
  const sound = mainSound(info)
  if (sound === undefined) return Option.none<FilmSpeech>()
  const track = info.sounds.indexOf(sound)
  return Option.some(yield* turn.withPermits(1)(keptOrDecoded(path, track, state)))
})

const keptOrDecoded = Effect.fnUntraced(function* (path: string, track: number, state: string) {
  const digest = yield* Effect.option(Effect.tryPromise(() => digestOfFilm(path, edition, track)))
  const file = Option.map(digest, (name) => join(state, folderName, `${name}.speech`))
  const kept = yield* Option.match(file, {
    onNone: () => Effect.succeedNone,
    onSome: (name) =>
      Effect.tryPromise(() => readFile(name)).pipe(Effect.map(unpacked), Effect.orElseSucceed(Option.none))
  })
  if (Option.isSome(kept)) return kept.value
  const made = yield* decoded(path, track)
  if (Option.isSome(file))
    yield* replaceFile(
      file.value,
      (part) => Effect.tryPromise(() => writeFile(part, packed(made))),
      () => "unwritable"
    ).pipe(Effect.ignoreLogged)
  return made
})

const decoded = Effect.fnUntraced(function* (path: string, track: number) {
  const ffmpeg = yield* Ffmpeg
  const tracker = new SpeechTracker()
  let samples = 0
  yield* Stream.runForEach(ffmpeg.decodeSound({ path, track }, SampleRate.make(soundRate)), (block) =>
    Effect.sync(() => {
      samples += block.length
      tracker.push(block)
    })
  )
  return { track: tracker.finish(), seconds: samples / soundRate } satisfies FilmSpeech
})

const Header = Schema.parseJson(
  Schema.Struct({ edition: Schema.Literal(edition), seconds: Schema.Number, steps: Schema.Int })
)

/** A line of JSON, then the three tracks. */
const packed = ({ track: { speech, presence, above }, seconds }: FilmSpeech): Buffer =>
  Buffer.concat([
    Buffer.from(`${JSON.stringify({ edition, seconds, steps: speech.length })}\n`),
    speech,
    presence,
    above
  ])

const unpacked = (bytes: Buffer): Option.Option<FilmSpeech> => {
  const end = bytes.indexOf("\n")
  return Schema.decodeOption(Header)(bytes.subarray(0, Math.max(0, end)).toString("utf8")).pipe(
    Option.filter(({ steps }) => bytes.length === end + 1 + (2 + bandCount) * steps),
    Option.map(({ seconds, steps }) => ({
      seconds,
      track: {
        speech: bytes.subarray(end + 1, end + 1 + steps),
        presence: bytes.subarray(end + 1 + steps, end + 1 + 2 * steps),
        above: bytes.subarray(end + 1 + 2 * steps)
      }
    }))
  )
}

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
export const maxPiecesCorrected = 4

const doneIn = ({ verdict, applied, mode, pieces }: SyncWording): string => {
  if (verdict === "in-sync" || verdict === "no-speech") return ""
  if (applied) return "; its times were corrected"
  if (verdict === "unsure" || pieces.length > maxPiecesCorrected) return "; its times are unchanged"
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
