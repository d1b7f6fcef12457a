/** Input of a delivery, and the formats, codecs, tags and programme derived from it. */
import type { Clip } from "../../domain/speech/Clip.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { ownNameOf } from "../../domain/values/LanguageName.ts"
import type { SoundName } from "../../domain/manifest/Outputs.ts"
import type { Placement } from "../../domain/speech/Placement.ts"
import type { SubtitleEntry } from "../../domain/speech/SubtitleEntry.ts"
import type { DigitalSource } from "../../domain/values/SyntheticMark.ts"
import type { PictureStretch } from "../../domain/time/PictureStretch.ts"
import {
  deliveryRate,
  type Frames,
  frames,
  framesAt,
  framesAtMicros,
  type Millis,
  SampleRate
} from "../../domain/time/Units.ts"
import type { Chapter } from "../../ffmpeg/encode/Chapters.ts"
import { type ContainerName, containerOf, containers } from "../../ffmpeg/mux/Container.ts"
import type { AudioFormat } from "../../ffmpeg/encode/EncodeJob.ts"
import { speechBitrates } from "../../ffmpeg/encode/LossyCodecs.ts"
import type { Job } from "../load/Job.ts"
import type { Coding } from "../mix/LoudnessGoal.ts"
import { lengthAt, type Programme } from "../mix/MixLines.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import type { BackgroundTrack } from "../plan/media/JobBackground.ts"
import { framesBeforeStart, type VideoTimebase } from "../plan/media/VideoTimebase.ts"

/** Everything that determines a job's files. */
export interface OutputPlan {
  readonly job: Job
  /** The batch's output folder, absolute. */
  readonly out: string
  readonly placements: ReadonlyArray<Placement>
  readonly clips: ReadonlyMap<UtteranceKey, Clip>
  /** Length of the result in frames at 48 kHz. */
  readonly length: Frames
  /** Returns the audible cues, with the source's wording. Not kept, because only some outputs need them. */
  readonly entries: () => ReadonlyArray<SubtitleEntry>
  readonly chapters: ReadonlyArray<Chapter>
  /** Frame rate, timecode and size of the film, for editors' timelines. */
  readonly reel: VideoTimebase
  /** Where the film is lengthened. */
  readonly stretches?: ReadonlyArray<PictureStretch>
  /** Music and effects under the voices. */
  readonly background?: BackgroundTrack | undefined
}

/** Settings shared by all audio files of a job. */
export const tagsFor = ({ job, length, background }: OutputPlan) => {
  const source: DigitalSource = background === undefined ? "speech" : "composite"
  const rate = SampleRate.make(job.audio.rate ?? deliveryRate)
  return {
    rate,
    frames: frames((length * rate) / deliveryRate),
    tags: {
      title: job.id,
      ...job.tags,
      ...(job.language === undefined ? {} : { language: job.language }),
      ...(job.markSynthetic ? { source } : {})
    }
  }
}

/** Title of a job's track in a video, as players show it. */
export const trackTitle = ({ id, language }: Job): string =>
  language === undefined ? id : ownNameOf(language)

/** The time of the film's first frame since midnight, in frames at a rate. */
const startIn = (reel: VideoTimebase, rate: number): Frames =>
  frames(Math.round((framesBeforeStart(reel) * rate) / deliveryRate))

/** Returns a format with the job's depth or bit rate. */
export const formatOf = (
  { job, background, reel }: Pick<OutputPlan, "job" | "background" | "reel">,
  name: SoundName
): AudioFormat => {
  // Otherwise, a background would lose its finest detail.
  const { depth = background?.bits ?? 16, bitrate } = job.audio
  switch (name) {
    case "wav":
      return {
        format: name,
        depth,
        ...(job.delivery === undefined
          ? {}
          : { timeReference: startIn(reel, job.audio.rate ?? deliveryRate) })
      }
    case "flac":
      return { format: name, depth: depth === 16 ? 16 : 24 }
    default:
      return { format: name, ...(bitrate === undefined ? {} : { bitrate }) }
  }
}

/** The sound from which a video is made. */
export interface VideoSound {
  readonly name: SoundName
  /** Whether it is the job's own file, so that a mix is encoded once; else it is made for the video. */
  readonly isOwn: boolean
  readonly format: AudioFormat
}

/**
 * Returns the sound for a video. If its sound is just the mix, MP4 copies M4A, and WebM copies the job's Opus if that
 * has a video's rate and bit rate. Others encode a WAV file.
 */
export const videoSound = (
  plan: Pick<OutputPlan, "job" | "background" | "reel">,
  video: ContainerName
): VideoSound => {
  const { outputs, original, audio } = plan.job
  const isUsual = audio.bitrate === undefined && (audio.rate ?? deliveryRate) === deliveryRate
  const own = (name: SoundName): VideoSound => ({
    name,
    isOwn: outputs.includes(name),
    format: formatOf(plan, name)
  })
  if (original !== "duck") {
    if (video === "mp4")
      return isUsual ? own("m4a") : { name: "m4a", isOwn: false, format: { format: "m4a" } }
    if (video === "webm" && isUsual && outputs.includes("opus")) return own("opus")
  }
  return own("wav")
}

/** Lists the lossy codecs of a job's audio, in audio files and videos. */
export const codingsOf = (
  { outputs, into, audio: { bitrate } }: Pick<Job, "outputs" | "into" | "audio">,
  channels: number
): ReadonlyArray<Coding> =>
  [...outputs, containerOf(into ?? "") ?? ""].flatMap((name): ReadonlyArray<Coding> => {
    switch (name) {
      case "mp3":
      case "opus":
        return [{ coder: name, bitrate: bitrate === undefined ? speechBitrates[name] : bitrate / channels }]
      case "m4a":
        return [{ coder: "aac", bitrate: bitrate === undefined ? speechBitrates.aac : bitrate / channels }]
      case "mp4":
        return [{ coder: "aac", bitrate: (containers.mp4.bitsPerChannel ?? 0) / 1_000 }]
      case "webm":
        return [{ coder: "opus", bitrate: (containers.webm.bitsPerChannel ?? 0) / 1_000 }]
      default:
        return []
    }
  })

/** Length of the result in frames at 48 kHz: the video's, else up to `end`, or the background's end. */
export const deliveredLength = (
  { video }: Pick<JobPlan, "video">,
  end: Millis,
  background: BackgroundTrack | undefined
): Frames => {
  if (video !== undefined) return framesAtMicros(video.duration, deliveryRate)
  const under = background === undefined ? 0 : (background.frames * deliveryRate) / background.rate
  return frames(Math.max(framesAt(end, deliveryRate), Math.ceil(under)))
}

/** Builds the programme to mix, at the background's rate, else at the highest rate of its clips: at least 24 kHz. */
export const programmeOf = ({
  job,
  placements,
  clips,
  length,
  background
}: Pick<OutputPlan, "job" | "placements" | "clips" | "length" | "background">): Programme => {
  const highest = SampleRate.make(
    placements.reduce(
      (highest, { parts }) =>
        Math.max(highest, ...parts.map(({ utterance }) => clips.get(utterance)?.rate ?? 0)),
      24_000
    )
  )
  const rate = background?.rate ?? highest
  const pans = Object.values(job.speakers).some(({ pan }) => pan !== undefined && pan !== 0)
  return {
    placements,
    clips,
    rate,
    length: lengthAt(length, deliveryRate, rate),
    channels:
      background === undefined
        ? (job.audio.channels ?? (pans ? "stereo" : "mono")) === "stereo"
          ? 2
          : 1
        : background.channels === 2
          ? 2
          : 1,
    ...(background === undefined ? {} : { background }),
    panOf: (speaker) => (speaker === undefined ? 0 : (job.speakers[speaker]?.pan ?? 0))
  }
}
