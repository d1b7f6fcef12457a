/** Verifies delivered audio against its report, cue by cue: onsets, missing speech and drift. */
import { FileSystem, Path } from "@effect/platform"
import { Effect, Option, Schema, Stream } from "effect"
import { detectSpeech, LevelTrack } from "../../audio/speech/OnsetDetection.ts"
import type { JobId } from "../../domain/values/Ids.ts"
import type { CueReport, JobReport } from "../../domain/report/Report.ts"
import { SampleRate } from "../../domain/time/Units.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { containers } from "../../ffmpeg/mux/Container.ts"
import type { Batch, Job } from "../load/Job.ts"
import { percentile } from "./FitMetrics.ts"
import { reportIn } from "./ReportFile.ts"

/** One cue as detected in the audio. Times are seconds on the timeline. */
export interface VerifiedCue {
  readonly index: number
  readonly expected: number
  /** The detected onset; absent if other speech masks it, or nothing is audible. */
  readonly heard: number | undefined
  /** Heard minus expected, in milliseconds. */
  readonly error: number | undefined
  readonly verdict: "on-time" | "off" | "joined" | "missing"
  /** The requested words. */
  readonly said?: string
  /** The words that a recogniser heard in the cue's clips, if the job listens. */
  readonly words?: CueReport["words"]
}

/** The result of verifying a job. */
export interface Verification {
  readonly id: JobId
  /** The file that was decoded. */
  readonly file: string
  readonly cues: ReadonlyArray<VerifiedCue>
  /** The number of cues that should be audible and are not. */
  readonly missing: number
  /** The number of cues whose onset error exceeds the tolerance. */
  readonly off: number
  /** The number of cues in which a recogniser heard wrong words. */
  readonly wrongWords: number
  /** |onset error| in milliseconds. */
  readonly onsetError: { readonly p50: number; readonly p95: number; readonly max: number }
  /**
   * The growth of the onset error in milliseconds per hour, by linear regression. It is 0 if it is not statistically
   * significant, or too small over the whole film to be measured.
   */
  readonly drift: number
  /** The file's length minus the report's, in milliseconds. */
  readonly lengthError: number
  /** If other sound covers the speech: where the onsets were measured, or why they could not be. */
  readonly note?: string
}

/** A job that cannot be verified. */
export class NothingDelivered extends Schema.TaggedError<NothingDelivered>()("NothingDelivered", {
  job: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `job ${this.job}: ${this.detail}; run the batch first`
  }
}

/** The tolerance for onsets in milliseconds: speech rises over about 20 ms, and levels are measured every 5 ms. */
const onsetTolerance = 45

/** A sample rate that is enough to detect onsets, and fast to decode. */
const listeningRate = SampleRate.make(16_000)

/**
 * Verifies every job of the batch that has an audio or video output. A job without a report or audio file fails.
 */
export const verifyBatch = Effect.fn("DeliveryVerification.verifyBatch")(function* ({ jobs, out }: Batch) {
  return yield* Effect.forEach(jobs.filter(isHeard), (job) =>
    Effect.map(Effect.either(verifyJob(out, job)), (heard) => ({ id: job.id, heard }))
  )
})

/** Whether a job has an audio or video output. */
export const isHeard = ({ outputs }: Pick<Job, "outputs">): boolean => heardIn({ outputs }).length > 0

/**
 * Returns a job's audio and video outputs, best quality first. Leftover files of former outputs are ignored: they may
 * be outdated.
 */
const heardIn = ({ outputs }: Pick<Job, "outputs">) => endings.filter((ending) => outputs.includes(ending))

/** Whether a recogniser heard wrong words in a cue. */
export const hasWrongWords = ({ words }: Pick<VerifiedCue, "words">): boolean =>
  words !== undefined && "faults" in words && words.faults.length > 0

/** Whether every cue is audible at its reported time. */
export const isVerified = ({ missing, off }: Verification): boolean => missing === 0 && off === 0

/** Verifies one job: compares its report with the best of its files. */
export const verifyJob = Effect.fn("DeliveryVerification.verifyJob")(function* (
  out: string,
  job: Pick<Job, "id" | "outputs"> & Partial<Pick<Job, "background" | "separate" | "original">>
) {
  const ffmpeg = yield* Ffmpeg
  const fs = yield* FileSystem.FileSystem
  const { extname, join } = yield* Path.Path
  const { id } = job
  const wanted = heardIn(job)
  const folder = join(out, id)
  const report = yield* reportIn(out, id)
  if (report === undefined) {
    return yield* new NothingDelivered({
      job: id,
      detail: `no readable report.json in ${folder}; run the batch first`
    })
  }
  const candidates = wanted.map((ending) => join(folder, `${id}.${ending}`))
  const found = yield* Effect.findFirst(candidates, (file) =>
    Effect.orElseSucceed(fs.exists(file), () => false)
  )
  if (Option.isNone(found)) {
    return yield* new NothingDelivered({ job: id, detail: `no audio in ${folder} (${wanted.join(", ")})` })
  }
  const listen = Effect.fnUntraced(function* (path: string) {
    const track = new LevelTrack(listeningRate)
    let samples = 0
    yield* Stream.runForEach(ffmpeg.decodeBlocks({ path }, listeningRate), (block) =>
      Effect.sync(() => {
        samples += block.length
        track.push(block)
      })
    )
    return { levels: track.track(), seconds: samples / listeningRate }
  })
  const { levels, seconds } = yield* listen(found.value)
  const verified = (heard: Float32Array) =>
    verificationOf(id, found.value, report, heard, (seconds - report.duration) * 1000)
  const ducks = job.original === "duck" && extname(found.value).slice(1) in containers
  if (job.background === undefined && job.separate === undefined && !ducks) return verified(levels)
  const covering = ducks ? "the film's sound" : "the background"
  const stems = job.outputs.includes("stems")
    ? yield* Effect.orElseSucceed(fs.readDirectory(join(folder, "stems")), () => [])
    : []
  if (stems.length === 0) {
    const note = `${covering} covers onsets and missing cues; add stems to the job's outputs to measure them`
    return { ...verified(levels), note }
  }
  let spoken = new Float32Array(0)
  for (const stem of stems) {
    const [longer, shorter] = [spoken, (yield* listen(join(folder, "stems", stem))).levels].sort(
      (a, b) => b.length - a.length
    )
    spoken = (longer ?? spoken).map((level, at) => Math.max(level, shorter?.[at] ?? -Infinity))
  }
  return { ...verified(spoken), note: `onsets were measured in the stems, because ${covering} covers them` }
})

const endings = ["wav", "flac", "m4a", "mp3", "opus", "mp4", "mov", "mkv", "webm"] as const

/** Verifies a report against a programme's levels. `lengthError` is in milliseconds. */
export const verificationOf = (
  id: JobId,
  file: string,
  report: JobReport,
  levels: Float32Array,
  lengthError: number
): Verification => {
  const placed = report.cues.flatMap((cue) =>
    cue.placed === undefined ? [] : [{ ...cue.placed, index: cue.index }]
  )
  const asked = new Map(report.cues.map((cue) => [cue.index, cue]))
  const others = coverOf(placed)
  const cues = placed.map((cue): VerifiedCue => {
    const { said, words } = asked.get(cue.index) ?? {}
    const verified = verifiedCue(cue.index, cue, levels, others(cue))
    return words === undefined ? verified : { ...verified, ...(said === undefined ? {} : { said }), words }
  })
  const errors = cues.flatMap((cue) => (cue.error === undefined ? [] : [Math.abs(cue.error)]))
  return {
    id,
    file,
    cues,
    missing: cues.filter(({ verdict }) => verdict === "missing").length,
    off: cues.filter(({ verdict }) => verdict === "off").length,
    wrongWords: cues.filter(hasWrongWords).length,
    onsetError: { p50: percentile(errors, 50), p95: percentile(errors, 95), max: percentile(errors, 100) },
    drift: driftOf(cues),
    lengthError: Math.round(lengthError * 1000) / 1000
  }
}

interface Placed {
  readonly start: number
  readonly end: number
}

/**
 * Returns a predicate: whether, according to the report, other speech still plays when a cue begins. The cue's own
 * onset then cannot be detected.
 */
const coverOf = (placed: ReadonlyArray<Placed>): ((cue: Placed) => boolean) => {
  const covered = new Set<Placed>()
  let until = 0
  for (const cue of [...placed].sort((a, b) => a.start - b.start)) {
    if (until > cue.start - 0.03) covered.add(cue)
    until = Math.max(until, cue.end)
  }
  return (cue) => covered.has(cue)
}

const verifiedCue = (index: number, placed: Placed, levels: Float32Array, covered: boolean): VerifiedCue => {
  const hearing = detectSpeech(levels, placed.start * 1000, placed.end * 1000)
  const expected = placed.start
  if (hearing.heard !== "onset" || covered) {
    const verdict = hearing.heard === "nothing" ? "missing" : "joined"
    return { index, expected, heard: undefined, error: undefined, verdict }
  }
  const error = Math.round(hearing.at) - Math.round(placed.start * 1000)
  return {
    index,
    expected,
    heard: hearing.at / 1000,
    error,
    verdict: Math.abs(error) <= onsetTolerance ? "on-time" : "off"
  }
}

/** The smallest drift over a whole film that is reported, in milliseconds: two steps of the level track. */
const minDrift = 10

/**
 * Fits the slope of the errors over time by least squares, in milliseconds per hour. Returns 0 for fewer than three
 * onsets, for a slope within three standard errors, or for a total below `minDrift`.
 */
const driftOf = (cues: ReadonlyArray<VerifiedCue>): number => {
  const points = cues.flatMap(({ expected, error }) =>
    error === undefined ? [] : [{ x: expected / 3600, y: error }]
  )
  if (points.length < 3) return 0
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0)
  const slope = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0)
  if (spread === 0) return 0
  const drift = slope / spread
  const left = points.reduce((sum, point) => sum + (point.y - y - drift * (point.x - x)) ** 2, 0)
  const standardError = Math.sqrt(left / (points.length - 2) / spread)
  const hours = Math.max(...points.map((point) => point.x)) - Math.min(...points.map((point) => point.x))
  return Math.abs(drift) <= 3 * standardError || Math.abs(drift) * hours < minDrift ? 0 : Math.round(drift)
}
