/** The kinds of files that dubwright writes with ffmpeg, and the features that a build lacks for them. */
import { Effect, Either } from "effect"
import { usualDuck } from "../domain/manifest/SoundSettings.ts"
import { Frames, Micros, SampleRate } from "../domain/time/Units.ts"
import { type AudioFormat, encodeJob } from "./encode/EncodeJob.ts"
import { type ContainerName, containers } from "./mux/Container.ts"
import { muxJob } from "./mux/MuxJob.ts"
import { AudioStream, MediaInfo, VideoStream } from "./probe/MediaInfo.ts"
import type { Binary } from "./process/FfmpegBinary.ts"
import { featuresLacking } from "./process/FfmpegChoice.ts"
import type { FfmpegJob } from "./process/FfmpegJob.ts"
import { type Feature, needsOf } from "./process/JobNeeds.ts"

/** A kind of file, and what ffmpeg needs to write it. */
export interface Ability {
  /** Its name for people: `MP3`, `MKV with ducking`. */
  readonly name: string
  readonly needs: ReadonlyArray<Feature>
}

/** A kind of file that a build cannot write, and the features that it lacks. */
export interface MissingAbility {
  readonly name: string
  readonly lacking: ReadonlyArray<Feature>
}

const audioFile = (format: AudioFormat): FfmpegJob => {
  const feed = { rate: SampleRate.make(24_000), channels: 1, frames: Frames.make(24_000) } as const
  return encodeJob(feed, [{ sink: { path: "a", format }, part: "a" }], undefined)
}

const media = (path: string, streams: MediaInfo["streams"]): MediaInfo =>
  MediaInfo.make({ path, format: "any", duration: Micros.make(1_000_000), streams })

const sound = (index: number) =>
  AudioStream.make({ index, codec: "pcm_s16le", isDefault: true, rate: 48_000, channels: 2 })

/** A film with a dub of PCM, its own sound of PCM, and new subtitles. */
const film = (container: ContainerName, original: "keep" | typeof usualDuck): FfmpegJob => {
  const [codec = "h264"] = containers[container].pictures ?? []
  const picture = VideoStream.make({ index: 0, codec, isDefault: true, attached: false })
  return Either.getOrThrow(
    muxJob(
      {
        video: "film",
        out: `dubbed.${container}`,
        tracks: [{ path: "dub", isDefault: true, spoken: [] }],
        original,
        subtitles: [{ path: "subtitles" }]
      },
      container,
      {
        video: media("film", [picture, sound(1)]),
        tracks: [media("dub", [sound(0)])],
        gains: original === "keep" ? [] : ["gains"]
      },
      "part"
    )
  )
}

/** All kinds of files that need ffmpeg. WAV does not. */
export const abilities: ReadonlyArray<Ability> = (
  [
    ["FLAC", audioFile({ format: "flac", depth: 16 })],
    ["MP3", audioFile({ format: "mp3" })],
    ["M4A", audioFile({ format: "m4a" })],
    ["Opus", audioFile({ format: "opus" })],
    ["MP4", film("mp4", "keep")],
    ["MOV", film("mov", "keep")],
    ["MKV", film("mkv", "keep")],
    ["WebM", film("webm", "keep")],
    ["video with a ducked original", film("mov", usualDuck)]
  ] as const
).map(([name, job]) => ({ name, needs: needsOf(job) }))

/** Returns the kinds of files that a binary cannot write. */
export const missingAbilities = (binary: Binary): Effect.Effect<ReadonlyArray<MissingAbility>> =>
  featuresLacking(
    binary,
    abilities.flatMap(({ needs }) => needs)
  ).pipe(
    Effect.map((missing) => {
      const isMissing = ({ kind, name }: Feature) =>
        missing.some((other) => other.kind === kind && other.name === name)
      return abilities
        .map(({ name, needs }) => ({ name, lacking: needs.filter(isMissing) }))
        .filter(({ lacking }) => lacking.length > 0)
    }),
    Effect.withSpan("FfmpegAbilities.missingAbilities")
  )
