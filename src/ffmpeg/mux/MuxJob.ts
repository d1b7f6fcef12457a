/** The job that puts new sound and subtitles into a video whose picture is copied. */
import { Either } from "effect"
import type { Duck, SpokenSpan } from "../../audio/level/Ducking.ts"
import type { LanguageTag } from "../../domain/values/Ids.ts"
import { deliveryRate, framesAtMicros, Micros } from "../../domain/time/Units.ts"
import {
  type Container,
  type ContainerName,
  containers,
  containersFor,
  isTextSubtitle,
  refusedPicture
} from "./Container.ts"
import { duckedChannels, duckFilters, gainsInput } from "./DuckFilter.ts"
import { ContainerRefuses } from "../process/FfmpegErrors.ts"
import type { FfmpegJob } from "../process/FfmpegJob.ts"
import { languageCode } from "../probe/LanguageCode.ts"
import { aacCoder } from "../encode/LossyCodecs.ts"
import { type AudioStream, mainSound, type MediaInfo } from "../probe/MediaInfo.ts"

/** A new sound track: any audio file; one whose codec suits the container is copied, others are encoded. */
export interface DubTrack {
  readonly path: string
  readonly language?: LanguageTag
  readonly title?: string
  /** Whether players choose it unasked. */
  readonly isDefault: boolean
  /** When someone speaks in it, which is when the original is ducked. */
  readonly spoken: ReadonlyArray<SpokenSpan>
}

/** A new subtitle track, from an SRT or WebVTT file. */
export interface SubtitleTrack {
  readonly path: string
  readonly language?: LanguageTag
  readonly title?: string
}

/** What becomes of the video's own sound: further tracks, nothing, or lowered under the voice in each new track. */
export type OriginalSound = "keep" | "drop" | Duck

/** What is muxed. The container is told by the ending of `out`: mp4, m4v, mov, mkv or webm. */
export interface MuxRequest {
  readonly video: string
  readonly out: string
  readonly tracks: readonly [DubTrack, ...ReadonlyArray<DubTrack>]
  readonly original: OriginalSound
  readonly subtitles: ReadonlyArray<SubtitleTrack>
}

/** What was found in the files of a request. */
export interface MuxSources {
  readonly video: MediaInfo
  /** One for each track, in their order. */
  readonly tracks: ReadonlyArray<MediaInfo>
  /** For each track the file of gains that ducks the original under it; empty where it is not ducked. */
  readonly gains: ReadonlyArray<string>
}

/** How the video's own sound is ducked; undefined where it is not. */
export const duckOf = ({ original }: MuxRequest, { sounds }: MediaInfo): Duck | undefined =>
  typeof original === "string" || sounds.length === 0 ? undefined : original

/** The job, writing to `part`; or why the container will not have the picture. Paths are absolute. */
export const muxJob = (
  request: MuxRequest,
  container: ContainerName,
  sources: MuxSources,
  part: string
): Either.Either<FfmpegJob, ContainerRefuses> => {
  const holder = containers[container]
  const codec = refusedPicture(sources.video, container)
  if (codec !== undefined)
    return Either.left(
      new ContainerRefuses({ path: request.out, container, codec, instead: containersFor(codec) })
    )
  const sounds = soundsOf(request, holder, sources)
  return Either.right({
    purpose: `mux ${request.out}`,
    inputs: [
      { source: request.video, options: [...ownTime(sources.video), ...givenTimes(sources.video)] },
      ...request.tracks.map(({ path }) => ({ source: path, options: [] })),
      ...request.subtitles.map(({ path }) => ({ source: path, options: [] })),
      ...sources.gains.map(gainsInput)
    ],
    filters: sounds.flatMap(({ filters }) => filters),
    outputs: [
      {
        target: part,
        options: [
          ...["-map", "0:V", ...coversOf(sources.video, holder), "-c:v", "copy"],
          ...sounds.flatMap(({ map }) => ["-map", map]),
          ...sounds.flatMap((sound, place) => soundOptions(sound, place, holder)),
          ...subtitleOptions(request, holder, sources),
          ...(holder.attachments ? ["-map", "0:t?", "-c:t", "copy"] : []),
          ...["-map_metadata", "0", "-map_chapters", "0", "-strict", "-2", "-f", holder.muxer, "-y"]
        ]
      }
    ],
    encodes: sounds.filter(({ isCopied }) => !isCopied).length
  })
}

/**
 * ffmpeg has a file begin with its first packet. Where that is sound from before the picture, which only an encoder's
 * delay put there, the picture would be shown late beside the new sound: it keeps the file's own time.
 */
const ownTime = ({ lead }: MediaInfo): ReadonlyArray<string> =>
  lead === undefined ? [] : ["-itsoffset", `-${lead}us`]

/**
 * AVI does not say when a picture is shown: ffmpeg works it out, or MKV has none of a picture whose order is not that
 * in which it is stored.
 */
const givenTimes = ({ format }: MediaInfo): ReadonlyArray<string> =>
  format === "avi" ? ["-fflags", "+genpts"] : []

/** The video's covers, which are no picture of the film, as far as the container holds them. */
const coversOf = ({ streams }: MediaInfo, { covers }: Container): ReadonlyArray<string> =>
  streams.flatMap((stream) =>
    stream._tag === "VideoStream" && stream.attached && covers.includes(stream.codec)
      ? ["-map", `0:${stream.index}`]
      : []
  )

interface Sound {
  readonly map: string
  readonly filters: ReadonlyArray<string>
  readonly isCopied: boolean
  /** Arguments for its codec, given its place among the sounds. */
  readonly codec: (place: number) => ReadonlyArray<string>
  readonly language: string | undefined
  readonly title: string | undefined
  readonly isDefault: boolean
}

/** The sound tracks in their order: what players take unasked stands first, since some look no further. */
const soundsOf = (request: MuxRequest, holder: Container, sources: MuxSources): ReadonlyArray<Sound> => {
  const dubs = request.tracks.map((track, place) => dubOf(request, holder, sources, track, place))
  const originals = request.original === "keep" ? sources.video.sounds : []
  const chosen = dubs.filter(({ isDefault }) => isDefault)
  const others = dubs.filter(({ isDefault }) => !isDefault)
  const kept = originals.map((stream, place) =>
    originalOf(stream, holder, chosen.length === 0 && place === 0)
  )
  return chosen.length > 0 ? [...chosen, ...others, ...kept] : [...kept, ...others]
}

const originalOf = (stream: AudioStream, holder: Container, isDefault: boolean): Sound => {
  const isCopied = holds(holder, stream)
  return {
    map: `0:${stream.index}`,
    filters: [],
    isCopied,
    codec: (place) =>
      isCopied
        ? copied(holder, stream, place)
        : [...laidOut(holder, place), ...encoded(holder, stream.channels, place)],
    language: stream.language,
    title: stream.title ?? "Original",
    isDefault
  }
}

const dubOf = (
  request: MuxRequest,
  holder: Container,
  { video, tracks, gains }: MuxSources,
  track: DubTrack,
  place: number
): Sound => {
  const about = {
    language: track.language,
    title: track.title,
    isDefault: track.isDefault
  }
  const pad = `${place + 1}:a:0`
  const out = `dub${place}`
  const info = tracks[place]
  const sound = info?.sounds[0]
  const original = mainSound(video)
  // MP3 has up to a frame of its coder's behind its end: no film becomes longer by it.
  const length = framesAtMicros(
    Micros.make(Math.min(info?.duration ?? Infinity, video.duration)),
    deliveryRate
  )
  if (gains.length > 0 && original !== undefined) {
    const lowering = 1 + request.tracks.length + request.subtitles.length + place
    const pads = { original: `0:${original.index}`, gains: `${lowering}:a:0`, voice: pad, out }
    return {
      ...about,
      map: `[${out}]`,
      filters: duckFilters(pads, original.channels, length, place),
      isCopied: false,
      codec: (at) => encoded(holder, duckedChannels(original.channels), at)
    }
  }
  if (sound !== undefined && holds(holder, sound) && !reencodes(holder, sound)) {
    return { ...about, map: pad, filters: [], isCopied: true, codec: (at) => copied(holder, sound, at) }
  }
  return {
    ...about,
    map: `[${out}]`,
    filters: [`[${pad}]aresample=${deliveryRate},apad,atrim=end_sample=${length}[${out}]`],
    isCopied: false,
    codec: (at) => encoded(holder, sound?.channels ?? 1, at)
  }
}

const holds = (holder: Container, { codec }: AudioStream): boolean => holder.sounds?.includes(codec) ?? true

/** New sound is encoded where copying would make it late, or where it would stay uncompressed without need. */
const reencodes = (holder: Container, { codec }: AudioStream): boolean =>
  holder.delayed.includes(codec) || (holder.encoder === "flac" && codec.startsWith("pcm_"))

/**
 * A copied sound. Where the container does not tell players of the encoder's delay, the packets before the start are
 * left out, which hold nothing else; kept, they would shift the picture and all that stands beside it.
 */
const copied = (holder: Container, { codec }: AudioStream, place: number): ReadonlyArray<string> => [
  `-c:a:${place}`,
  "copy",
  ...(holder.delayed.includes(codec) ? [`-copypriorss:a:${place}`, "0"] : [])
]

const encoded = (holder: Container, channels: number, place: number): ReadonlyArray<string> => [
  `-c:a:${place}`,
  holder.encoder,
  ...(holder.encoder === "aac" ? aacCoder(`a:${place}`) : []),
  // Of 32 bit, which some versions of ffmpeg write unasked, other versions and most players hear nothing.
  ...(holder.encoder === "flac" ? [`-bits_per_raw_sample:a:${place}`, "24"] : []),
  `-ar:a:${place}`,
  `${deliveryRate}`,
  ...(holder.bitsPerChannel === undefined ? [] : [`-b:a:${place}`, `${holder.bitsPerChannel * channels}`])
]

/**
 * Channels as the encoder takes them: it refuses what stands beside the listener, as in most AC-3, and what it has no
 * name for.
 */
const laidOut = ({ layouts }: Container, place: number): ReadonlyArray<string> =>
  layouts === undefined ? [] : [`-filter:a:${place}`, `aformat=channel_layouts=${layouts.join("|")}`]

const soundOptions = (sound: Sound, place: number, holder: Container): ReadonlyArray<string> => [
  ...sound.codec(place),
  ...described("a", place, sound.language, sound.title, holder),
  `-disposition:a:${place}`,
  // Whatever else a track of the video's own is, such as one for the blind, it stays.
  sound.isDefault ? "+default" : "-default"
]

/** The video's own subtitles, in so far as the container can hold them, then the new ones. */
const subtitleOptions = (
  request: MuxRequest,
  holder: Container,
  { video }: MuxSources
): ReadonlyArray<string> => {
  const carries = (codec: string) => holder.subtitles.includes(codec)
  const kept = video.subtitles.filter(({ codec }) => carries(codec) || isTextSubtitle(codec))
  const first = request.tracks.length + 1
  return [
    ...kept.flatMap(({ index, codec, language, title }, place) => [
      "-map",
      `0:${index}`,
      `-c:s:${place}`,
      carries(codec) ? "copy" : holder.subtitle,
      ...described("s", place, language, title, holder)
    ]),
    ...request.subtitles.flatMap(({ language, title }, number) => {
      const place = kept.length + number
      return [
        "-map",
        `${first + number}:s:0`,
        `-c:s:${place}`,
        holder.subtitle,
        ...described("s", place, language, title, holder),
        `-disposition:s:${place}`,
        "0"
      ]
    })
  ]
}

/** Arguments that name a track. */
const described = (
  kind: "a" | "s",
  place: number,
  language: string | undefined,
  title: string | undefined,
  holder: Container
): ReadonlyArray<string> => [
  ...(language === undefined
    ? []
    : [`-metadata:s:${kind}:${place}`, `language=${languageCode(language, holder.languages)}`]),
  ...(title === undefined ? [] : [`-metadata:s:${kind}:${place}`, `title=${title}`]),
  ...(title === undefined || !holder.titledByHandler
    ? []
    : [`-metadata:s:${kind}:${place}`, `handler_name=${title}`])
]
