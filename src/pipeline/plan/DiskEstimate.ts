/** Estimates the disk space that a run needs: clips in the state folder, results in the output folder. */
import type { Utterance } from "../../domain/speech/Utterance.ts"
import { outputs as kinds } from "../../domain/manifest/Outputs.ts"
import { deliveryRate } from "../../domain/time/Units.ts"
import { speechBitrates } from "../../ffmpeg/encode/LossyCodecs.ts"
import { naturalLength } from "../../script/language/SpeechRate.ts"
import type { Job } from "../load/Job.ts"
import type { JobPlan } from "./BatchPlan.ts"

/** The data that determines the size of a job's results. */
export interface Footprint extends Pick<Job, "outputs" | "into" | "audio" | "original"> {
  /** The length of the result in seconds. */
  readonly seconds: number
  /** The length of all speech in it, in seconds. */
  readonly speech: number
  readonly stems: number
  readonly stereo: boolean
  /** The size of the background's file in bytes; 0 without one. */
  readonly bed: number
  /** The number of cues; each has a row in the report. */
  readonly cues: number
  /** The size of the film's file and the channels of its sound; both 0 without a film. */
  readonly film: { readonly bytes: number; readonly channels: number }
}

/** Returns the footprint of a planned job; `filmBytes` and `bedBytes` are the sizes of its film and background. */
export const footprintOf = (
  { job, lines, uses, video, words }: JobPlan,
  filmBytes: number,
  bedBytes: number
): Footprint => {
  const speech = uses.reduce((sum, { utterance }) => sum + speechSeconds(utterance), 0)
  const end = lines.reduce((last, { slot }) => Math.max(last, (slot?.end ?? 0) / 1000), 0)
  const pans = Object.values(job.speakers).some(({ pan }) => pan !== undefined && pan !== 0)
  return {
    outputs: job.outputs,
    ...(job.into === undefined ? {} : { into: job.into }),
    audio: job.audio,
    original: job.original,
    seconds: video === undefined ? Math.max(end, speech) : video.duration / 1_000_000,
    speech,
    stems: new Set(lines.map(({ speaker }) => speaker)).size,
    stereo: (job.audio.channels ?? (pans ? "stereo" : "mono")) === "stereo",
    bed: bedBytes,
    cues: words.cues.length,
    film: { bytes: filmBytes, channels: video?.sounds[0]?.channels ?? 0 }
  }
}

/** Returns the bytes of a job's results. A video that several jobs share is added in `diskNeed`. */
export const resultBytes = (footprint: Footprint): number => {
  const { outputs, speech, stems, cues } = footprint
  const pages = reportBytes + cues * cueBytes
  const inPieces = outputs.some((name) => name === "clips" || kinds[name].kind === "timeline")
  return (
    outputs.reduce((sum, name) => sum + (sizeOf[name]?.(footprint) ?? 0), pages) +
    (outputs.includes("stems") ? stems * wavBytes(footprint) : 0) +
    (inPieces ? speech * deliveryRate * 2 : 0)
  )
}

/** Temporary bytes during a delivery: the sound for a video, if it is no output. MP4 takes M4A, others WAV. */
const passingBytes = (footprint: Footprint): number => {
  const { outputs, into, original } = footprint
  const copiesM4a = outputs.includes("mp4") && original !== "duck"
  const takesWav =
    into !== undefined ||
    outputs.some((name) => videosFromWav.has(name)) ||
    (outputs.includes("mp4") && !copiesM4a)
  return (
    (takesWav && !outputs.includes("wav") ? wavBytes(footprint) : 0) +
    (copiesM4a && !outputs.includes("m4a") ? lossyTrack(footprint) : 0)
  )
}

const videosFromWav: ReadonlySet<string> = new Set(["mov", "mkv", "webm"])

/** A job's footprint, and the bytes that its existing results take. */
export interface DeliverySize {
  readonly footprint: Footprint
  readonly present: number
}

/**
 * Returns the most bytes that the results of these jobs need beyond what exists. Each file is written beside the one it
 * replaces, so both exist for a while.
 */
export const diskNeed = (jobs: ReadonlyArray<DeliverySize>): number => {
  const shared = new Map<string, number>()
  for (const { footprint } of jobs)
    if (footprint.into !== undefined)
      shared.set(footprint.into, Math.max(shared.get(footprint.into) ?? 0, footprint.film.bytes))
  const grown = jobs.reduce(
    (sum, { footprint, present }) =>
      sum +
      Math.max(0, resultBytes(footprint) - present) +
      (footprint.into === undefined ? 0 : lossyTrack(footprint)),
    0
  )
  const beside = jobs.reduce(
    (most, { footprint, present }) =>
      Math.max(most, Math.min(present, resultBytes(footprint)) + passingBytes(footprint)),
    0
  )
  return Math.ceil(grown + beside + [...shared.values()].reduce((sum, bytes) => sum + bytes, 0))
}

/**
 * Returns an upper bound, in bytes, of the clips still to be fetched: 16 bits at 48 kHz. Speech at 24 kHz needs half of
 * that.
 */
export const clipBytes = (unsent: ReadonlyArray<Utterance>): number =>
  Math.ceil(unsent.reduce((sum, utterance) => sum + clipSeconds(utterance) * deliveryRate * 2, 0))

const speechSeconds = ({ said }: Pick<Utterance, "said">): number =>
  said.reduce((sum, words) => sum + naturalLength(words) / 1000, 0)

/** Speech of an SRT has its slots, 1.25 times the words' natural length, and 0.8 s of pause per entry. */
const clipSeconds = ({ said, input }: Utterance): number =>
  input === "srt" ? speechSeconds({ said }) * 1.25 + said.length * 0.8 : speechSeconds({ said })

/** report.json, report.html with its waveform and player, and the subtitles. */
const reportBytes = 600_000
const cueBytes = 2_500

/** Over a background, the result has the background's channels: six if a frame takes 12 bytes or more. */
const channelsOf = ({ stereo, bed, seconds, audio: { rate = deliveryRate } }: Footprint): number =>
  bed >= 11.9 * seconds * rate ? 6 : stereo || bed > 0 ? 2 : 1

const wavBytes = (footprint: Footprint): number => {
  const { rate = deliveryRate, depth = 16 } = footprint.audio
  return Math.max(footprint.bed, footprint.seconds * rate * channelsOf(footprint) * (depth / 8))
}

/** FLAC compresses speech to between a half and two thirds. */
const flacShare = 0.65

const lossy = (footprint: Footprint, perChannel: number): number =>
  (footprint.seconds * (footprint.audio.bitrate ?? perChannel * channelsOf(footprint)) * 1000) / 8

/** Channels of a video's new track: mixed over a ducked original, it is 5.1 or stereo as the film's sound is. */
const trackChannels = (footprint: Footprint): number =>
  footprint.original === "duck" ? (footprint.film.channels >= 6 ? 6 : 2) : channelsOf(footprint)

const lossyTrack = (footprint: Footprint): number =>
  (footprint.seconds * trackChannels(footprint) * speechBitrates.aac * 1000) / 8

const filmAnd =
  (track: (footprint: Footprint) => number) =>
  (footprint: Footprint): number =>
    footprint.film.bytes + track(footprint)

const sizeOf: Readonly<Record<string, (footprint: Footprint) => number>> = {
  wav: wavBytes,
  flac: (footprint) => wavBytes(footprint) * flacShare,
  m4a: (footprint) => lossy(footprint, speechBitrates.aac),
  mp3: (footprint) => lossy(footprint, speechBitrates.mp3),
  opus: (footprint) => lossy(footprint, speechBitrates.opus),
  mp4: filmAnd(lossyTrack),
  mov: filmAnd(lossyTrack),
  webm: filmAnd(lossyTrack),
  mkv: filmAnd((footprint) => footprint.seconds * deliveryRate * 2 * trackChannels(footprint) * flacShare)
}
