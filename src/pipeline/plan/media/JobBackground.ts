/** Checks a job's background before anything is paid for: its format, and its length against the film. */
import { Effect, Either } from "effect"
import type { Duck } from "../../../audio/level/Ducking.ts"
import { type ChannelCount, gainOf } from "../../../audio/pcm/Pcm.ts"
import { channelLayouts } from "../../../domain/manifest/DeliveryProfile.ts"
import type { Script } from "../../../domain/speech/Cue.ts"
import { deliveryRate, fromSeconds, type SampleRate } from "../../../domain/time/Units.ts"
import { type WavFileInfo, wavFileInfo } from "../../../ffmpeg/decode/WavFile.ts"
import type { MediaInfo } from "../../../ffmpeg/probe/MediaInfo.ts"
import { fileFault } from "../../load/InputFile.ts"
import { rejectInput } from "../../load/InputRejected.ts"
import type { Background, Job } from "../../load/Job.ts"

/** Music and effects under a job's voices, as plain data. They are a WAV file whose samples are used as they are. */
export interface BackgroundTrack {
  /** Absolute. */
  readonly path: string
  /** As the user named it. */
  readonly name: string
  readonly rate: SampleRate
  readonly channels: ChannelCount
  /** Bits per sample: floats if `float`, else integers. */
  readonly bits: 16 | 24 | 32
  readonly float: boolean
  /** Length in frames. */
  readonly frames: number
  /** Offset of the first sample in bytes. */
  readonly dataAt: number
  /** Frames since midnight at which it begins, by its header. */
  readonly timeReference?: number
  /** Where it pauses, in frames of the file; in order. Its length excludes the pauses. */
  readonly pauses?: ReadonlyArray<{ readonly at: number; readonly length: number }>
  /** Amplitude factor; 1 keeps the samples. */
  readonly gain: number
  /** How it is lowered under speech; absent if it is not. */
  readonly duck?: Duck
}

/** Reads a background's header; undefined for a job without one. Fails if its samples cannot be used as they are. */
export const readBackground = Effect.fnUntraced(function* (
  job: Job,
  background: Background | undefined = job.background,
  key = "background"
) {
  if (background === undefined) return undefined
  const { name, path } = background
  const reject = (problem: string) => rejectInput(name, `job ${job.id}: ${key}: ${problem}`)
  const strange = yield* fileFault(path)
  if (strange !== undefined) return yield* reject(strange)
  const info = yield* Effect.tryPromise({
    try: () => wavFileInfo(path),
    catch: (cause) => reject(cause instanceof Error ? cause.message : String(cause))
  })
  return yield* Either.flatMap(
    Either.mapLeft(info, ({ message, reason }) =>
      reject(reason === "not-wav" ? "not a WAV file; export it as WAV, 16 or 24 bits" : message)
    ),
    (found) => Either.mapLeft(trackOf(job, background, found), reject)
  )
})

/** Compares a background with the film, or with the last cue of a job without a film. */
export const checkBackground = Effect.fnUntraced(function* (
  job: Job,
  script: Script,
  video: MediaInfo | undefined
) {
  const track = yield* readBackground(job)
  if (track === undefined) return
  const seconds = track.frames / track.rate
  const reject = (problem: string) =>
    rejectInput(track.name, `job ${job.id}: background: ${seconds.toFixed(3)} s long, but ${problem}`)
  if (video !== undefined) {
    const fault = lengthFault(track, video, job.video?.name ?? "the video")
    return fault === undefined
      ? undefined
      : yield* rejectInput(track.name, `job ${job.id}: background: ${fault}`)
  }
  const late =
    script._tag === "Subtitle" ? script.cues.find(({ start }) => start > fromSeconds(seconds)) : undefined
  if (late !== undefined)
    return yield* reject(
      `cue ${late.index} starts at ${(late.start / 1000).toFixed(3)} s; export it at the film's full length`
    )
})

/** How a background's length differs from its film's; undefined if it fits. */
export const lengthFault = (
  { frames, rate }: Pick<WavFileInfo, "frames" | "rate">,
  { duration }: MediaInfo,
  film: string
): string | undefined => {
  const [seconds, full] = [frames / rate, duration / 1_000_000]
  return Math.abs(seconds - full) <= toleratedSeconds
    ? undefined
    : `${seconds.toFixed(3)} s long, but ${film} is ${full.toFixed(3)} s; export it at the film's full length`
}

/** Largest difference between the lengths of a background and a film. Missing time is silent. */
const toleratedSeconds = 0.5

/** Left: why the file cannot be used. */
const trackOf = (
  { audio, outputs, delivery }: Job,
  { path, name, gain, duck }: Background,
  { rate, channels, bits, float, frames, dataAt, speakers, timeReference }: WavFileInfo
): Either.Either<BackgroundTrack, string> => {
  const wanted = audio.rate ?? deliveryRate
  if (rate !== wanted)
    return Either.left(
      `${rate} Hz, but the job's files have ${wanted} Hz; export it at ${wanted} Hz, or set audio.rate to ${rate}`
    )
  if (channels !== 1 && channels !== 2 && channels !== 6)
    return Either.left(`${channels} channels; expected mono, stereo or 5.1`)
  if (channels === 6 && speakers !== 0 && !speakersOf51.includes(speakers))
    return Either.left(
      `its six channels are not L, R, C, LFE, Ls, Rs (channel mask 0x${speakers.toString(16)}); export it as 5.1`
    )
  const layout = channelLayouts[channels]
  if (audio.channels !== undefined && audio.channels !== layout)
    return Either.left(
      `${layout}, but audio.channels is ${audio.channels}; remove audio.channels, or use a ${audio.channels} file`
    )
  const accepted = delivery?.profile.channels
  if (accepted !== undefined && !accepted.includes(channels))
    return Either.left(
      `${layout}, but delivery: ${delivery?.name} requires ${accepted.map((count) => channelLayouts[count]).join(" or ")}; use such a file`
    )
  if (channels === 6 && outputs.includes("mp3"))
    return Either.left("5.1, which MP3 cannot hold; remove mp3 from outputs, or use a stereo file")
  if (bits !== 16 && bits !== 24 && bits !== 32)
    return Either.left(`samples of ${bits} bits; expected 16, 24 or 32`)
  return Either.right({
    path,
    name,
    rate,
    channels,
    bits,
    float,
    frames,
    dataAt,
    ...(timeReference === undefined ? {} : { timeReference }),
    gain: gainOf(gain),
    ...(duck === undefined ? {} : { duck })
  })
}

/** Speakers of 5.1 with back or side surrounds: https://learn.microsoft.com/windows/win32/api/mmreg */
const speakersOf51 = [0x3f, 0x60f]
