/** Builds the ffmpeg job that muxes new sound and subtitles into a video; the picture is copied. */
import { Either } from "effect"
import type { Duck, SpokenSpan } from "../../audio/level/Ducking.ts"
import type { LanguageTag } from "../../domain/values/Ids.ts"
import { deliveryRate, framesAtMicros, Micros } from "../../domain/time/Units.ts"
import {
  type Container,
  type ContainerName,
  containers,
  containersFor,
  coverOptions,
  isTextSubtitle,
  markOptions,
  refusedPicture
} from "./Container.ts"
import { duckedChannels, duckFilters, gainsInput } from "./DuckFilter.ts"
import { ContainerRefuses } from "../process/FfmpegErrors.ts"
import type { FfmpegJob } from "../process/FfmpegJob.ts"
import { languageCode } from "../probe/LanguageCode.ts"
import { aacCoder } from "../encode/LossyCodecs.ts"
import { type AudioStream, mainSound, type MediaInfo } from "../probe/MediaInfo.ts"

/** A new audio track from any audio file. It is copied if its codec suits the container, else encoded. */
export interface DubTrack {
  readonly path: string
  readonly language?: LanguageTag
  readonly title?: string
  /** Whether players select it by default. */
  readonly isDefault: boolean
  /** The spans with speech, during which the original is ducked. */
  readonly spoken: ReadonlyArray<SpokenSpan>
}

/** A new subtitle track, from an SRT or WebVTT file. */
export interface SubtitleTrack {
  readonly path: string
  readonly language?: LanguageTag
  readonly title?: string
}

/** The video's own sound: kept as further tracks, dropped, or ducked under the voice in each new track. */
export type OriginalSound = "keep" | "drop" | Duck

/** A request to mux. The extension of `out` selects the container: mp4, m4v, mov, mkv or webm. */
export interface MuxRequest {
  readonly video: string
  readonly out: string
  readonly tracks: readonly [DubTrack, ...ReadonlyArray<DubTrack>]
  readonly original: OriginalSound
  readonly subtitles: ReadonlyArray<SubtitleTrack>
  /** Marks the video as partly synthetic. */
  readonly isMarked?: boolean
}

/** The probed files of a request. */
export interface MuxSources {
  readonly video: MediaInfo
  /** One per track, in order. */
  readonly tracks: ReadonlyArray<MediaInfo>
  /** Each track's gain file, which ducks the original; empty without ducking. */
  readonly gains: ReadonlyArray<string>
}

/** Returns how to duck the video's own sound; undefined if it has none, or it is kept or dropped. */
export const duckOf = ({ original }: MuxRequest, { sounds }: MediaInfo): Duck | undefined =>
  typeof original === "string" || sounds.length === 0 ? undefined : original

/** Builds the job that writes to `part`. Left: the container cannot hold the picture. Paths are absolute. */
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
          ...["-map", "0:V", ...coverOptions(sources.video, holder), "-c:v", "copy"],
          ...sounds.flatMap(({ map }) => ["-map", map]),
          ...sounds.flatMap((sound, place) => soundOptions(sound, place, holder)),
          ...subtitleOptions(request, holder, sources),
          ...(holder.attachments ? ["-map", "0:t?", "-c:t", "copy"] : []),
          ...(request.isMarked === true ? markOptions(holder, sources.video) : []),
          ...["-map_metadata", "0", "-map_chapters", "0", "-strict", "-2", "-f", holder.muxer, "-y"]
        ],
        ...(holder.newer === undefined ? {} : { newer: holder.newer })
      }
    ],
    encodes: sounds.filter(({ isCopied }) => !isCopied).length
  })
}

/**
 * Keeps the file's own time zero. By default, ffmpeg shifts a file so that its first packet is at zero. If that packet
 * is encoder delay before the picture, the picture would then be late against the new sound.
 */
const ownTime = ({ lead }: MediaInfo): ReadonlyArray<string> =>
  lead === undefined ? [] : ["-itsoffset", `-${lead}us`]

/**
 * Makes ffmpeg generate presentation times for AVI, which has none. MKV needs them for frames that are stored out of
 * display order.
 */
const givenTimes = ({ format }: MediaInfo): ReadonlyArray<string> =>
  format === "avi" ? ["-fflags", "+genpts"] : []

interface Sound {
  readonly map: string
  readonly filters: ReadonlyArray<string>
  readonly isCopied: boolean
  /** Returns the codec options for its position among the audio tracks. */
  readonly codec: (place: number) => ReadonlyArray<string>
  readonly language: string | undefined
  readonly title: string | undefined
  readonly isDefault: boolean
}

/** Orders the audio tracks: the default one comes first, since some players take the first track. */
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
  // An MP3 may have up to one codec frame after its end, which must not make the film longer.
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

/** Whether to encode new sound that could be copied: it would play late, or would stay uncompressed needlessly. */
const reencodes = (holder: Container, { codec }: AudioStream): boolean =>
  holder.delayed.includes(codec) || (holder.encoder === "flac" && codec.startsWith("pcm_"))

/**
 * Returns the options that copy a track. If the container does not signal encoder delay, packets before time zero are
 * dropped. They hold only that delay, and would shift the picture and the other tracks.
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
  // Some versions of ffmpeg default to 32 bits, which other versions and most players cannot decode.
  ...(holder.encoder === "flac" ? [`-bits_per_raw_sample:a:${place}`, "24"] : []),
  `-ar:a:${place}`,
  `${deliveryRate}`,
  ...(holder.bitsPerChannel === undefined ? [] : [`-b:a:${place}`, `${holder.bitsPerChannel * channels}`])
]

/**
 * Converts channels to a layout that the encoder accepts. It rejects side channels, as in most AC-3, and unnamed
 * layouts.
 */
const laidOut = ({ layouts }: Container, place: number): ReadonlyArray<string> =>
  layouts === undefined ? [] : [`-filter:a:${place}`, `aformat=channel_layouts=${layouts.join("|")}`]

const soundOptions = (sound: Sound, place: number, holder: Container): ReadonlyArray<string> => [
  ...sound.codec(place),
  ...described("a", place, sound.language, sound.title, holder),
  `-disposition:a:${place}`,
  // "+" and "-" keep the track's other dispositions, such as visual_impaired.
  sound.isDefault ? "+default" : "-default"
]

/** Returns the options for the video's own subtitles that the container can hold, then for the new ones. */
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

/** Returns the options that set a track's language and title. */
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
