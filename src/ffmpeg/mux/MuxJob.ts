/** Builds the ffmpeg job that muxes new sound and subtitles into a video; the picture is copied. */
import { Either } from "effect"
import { deliveryRate, framesAtMicros, Micros } from "../../domain/time/Units.ts"
import {
  containers,
  containersFor,
  coverOptions,
  holdsSound,
  markOptions,
  refusedPicture,
  isTextSubtitle,
  type Container,
  type ContainerName
} from "./Container.ts"
import { duckedChannels, duckFilters } from "./DuckFilter.ts"
import { ownSound } from "./EvenSound.ts"
import { laterPictures, pausedSound, laterSubtitles } from "./LongerFilm.ts"
import { inputsOf } from "./MuxInputs.ts"
import type { DubTrack, MuxRequest, MuxSources } from "./MuxRequest.ts"
import { ContainerRefuses } from "../process/FfmpegErrors.ts"
import type { FfmpegJob } from "../process/FfmpegJob.ts"
import { aacCoder } from "../encode/LossyCodecs.ts"
import { mainSound, type AudioStream, type MediaInfo } from "../probe/MediaInfo.ts"
import { languageCode } from "../probe/LanguageCode.ts"

/** Builds the job that writes to `part`. Left: the container cannot hold the picture. Paths are absolute. */
export const muxJob = (request: MuxRequest, container: ContainerName, sources: MuxSources, part: string) => {
  const holder = containers[container]
  const codec = refusedPicture(sources.video, container)
  if (codec !== undefined)
    return Either.left(
      new ContainerRefuses({ path: request.out, container, codec, instead: containersFor(codec) })
    )
  const { chapters, made, covers = [] } = sources
  const sounds =
    made === undefined ? soundsOf(request, holder, sources) : madeSounds(request, holder, sources, made)
  const { stretches = [] } = request
  const { inputs: given, subtitlesFrom } = inputsOf(request, sources)
  return Either.right({
    purpose: `mux ${request.out}`,
    inputs: [
      ...given,
      ...(chapters === undefined ? [] : [{ source: chapters, options: ["-f", "ffmetadata"] }])
    ],
    filters: sounds.flatMap(({ filters }) => filters),
    outputs: [
      {
        target: part,
        options: [
          ...["-map", "0:V", ...coverOptions(sources.video, holder, covers), "-c:v", "copy"],
          ...laterPictures(sources.video, stretches, holder),
          ...sounds.flatMap(({ map }) => ["-map", map]),
          ...sounds.flatMap((sound, place) => soundOptions(sound, place, holder)),
          ...subtitleOptions(request, holder, sources, subtitlesFrom),
          ...(holder.attachments ? ["-map", "0:t?", "-c:t", "copy"] : []),
          ...(request.isMarked === true ? markOptions(holder, sources.video) : []),
          ...["-map_metadata", "0", "-map_chapters", chapters === undefined ? "0" : `${given.length}`],
          ...["-strict", "-2", "-f", holder.muxer, "-y"]
        ],
        newer: [
          ...(holder.newer === undefined ? [] : [holder.newer]),
          ...newerSubtitles(request, holder, sources)
        ]
      }
    ],
    encodes: sounds.filter(({ isCopied }) => !isCopied).length
  })
}

/**
 * Builds the job that writes only the sound tracks, and converted subtitles. Those of a lengthened film are made before
 * it is muxed: versions of ffmpeg before 6 count times differently if a job also encodes.
 */
export const soundsJob = (
  request: MuxRequest,
  container: ContainerName,
  sources: MuxSources,
  target: string
): FfmpegJob => {
  const holder = containers[container]
  const sounds = soundsOf(request, holder, sources)
  const options = [
    ...sounds.flatMap(({ map, codec }, place) => ["-map", map, ...codec(place)]),
    ...convertedSubtitles(holder, sources.video),
    ...["-map_metadata", "-1", "-map_chapters", "-1", "-strict", "-2", "-f", holder.muxer, "-y"]
  ]
  return {
    purpose: `encode the sound of ${request.out}`,
    inputs: inputsOf(request, sources).inputs,
    filters: sounds.flatMap(({ filters }) => filters),
    outputs: [{ target, options }],
    encodes: sounds.filter(({ isCopied }) => !isCopied).length
  }
}

/** The sound tracks as copies of those that `soundsJob` has written. */
const madeSounds = (request: MuxRequest, holder: Container, sources: MuxSources, { sounds }: MediaInfo) =>
  soundsOf(request, holder, sources).flatMap((sound, place) => {
    const stream = sounds[place]
    return stream === undefined
      ? []
      : [
          {
            ...sound,
            map: `1:${stream.index}`,
            filters: [],
            isCopied: true,
            codec: (at: number) => copied(holder, stream, at)
          }
        ]
  })

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
    originalOf(request, stream, holder, sources, chosen.length === 0 && place === 0)
  )
  return chosen.length > 0 ? [...chosen, ...others, ...kept] : [...kept, ...others]
}

const originalOf = (
  request: MuxRequest,
  stream: AudioStream,
  holder: Container,
  sources: MuxSources,
  isDefault: boolean
): Sound => {
  const about = { language: stream.language, title: stream.title ?? "Original", isDefault }
  const { index, channels } = stream
  const { stretches = [] } = request
  if (stretches.length > 0) {
    const layouts =
      holder.layouts === undefined ? [] : [`aformat=channel_layouts=${holder.layouts.join("|")}`]
    const chain = [
      `[${ownSound(stream, request, sources)}]aresample=${deliveryRate}:async=1:first_pts=0`,
      ...pausedSound(stretches),
      ...layouts,
      "apad",
      `atrim=end_sample=${framesAtMicros(sources.video.duration, deliveryRate)}[original${index}]`
    ]
    return {
      ...about,
      map: `[original${index}]`,
      filters: [chain.join(",")],
      isCopied: false,
      codec: (place) => encoded(holder, channels, place)
    }
  }
  const isCopied = holdsSound(holder, stream.codec)
  return {
    ...about,
    map: `0:${index}`,
    filters: [],
    isCopied,
    codec: (place) =>
      isCopied
        ? copied(holder, stream, place)
        : [...laidOut(holder, place), ...encoded(holder, channels, place)]
  }
}

const dubOf = (
  request: MuxRequest,
  holder: Container,
  sources: MuxSources,
  track: DubTrack,
  place: number
): Sound => {
  const { video, tracks, gains } = sources
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
    const own = ownSound(original, request, sources)
    const pads = { original: own, gains: `${lowering}:a:0`, voice: pad, out }
    return {
      ...about,
      map: `[${out}]`,
      filters: duckFilters(pads, original.channels, length, place, pausedSound(request.stretches ?? [])),
      isCopied: false,
      codec: (at) => encoded(holder, duckedChannels(original.channels), at)
    }
  }
  if (sound !== undefined && holdsSound(holder, sound.codec) && !reencodes(holder, sound))
    return { ...about, map: pad, filters: [], isCopied: true, codec: (at) => copied(holder, sound, at) }
  return {
    ...about,
    map: `[${out}]`,
    filters: [`[${pad}]aresample=${deliveryRate},apad,atrim=end_sample=${length}[${out}]`],
    isCopied: false,
    codec: (at) => encoded(holder, sound?.channels ?? 1, at)
  }
}

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
  ...trackNames("a", place, sound.language, sound.title, holder),
  `-disposition:a:${place}`,
  // "+" and "-" keep the track's other dispositions, such as visual_impaired.
  sound.isDefault ? "+default" : "-default"
]

/**
 * Returns the options for the video's own subtitles that the container can hold, then for the new ones. Those are the
 * inputs from number `first` on.
 */
const subtitleOptions = (
  request: MuxRequest,
  holder: Container,
  { video, made }: MuxSources,
  first: number
): ReadonlyArray<string> => {
  const { stretches = [] } = request
  let converted = 0
  const carries = (codec: string) => holder.subtitles.includes(codec)
  const kept = keptSubtitles(holder, video)
  return [
    ...kept.flatMap(({ index, codec, language, title }, place) => [
      "-map",
      carries(codec) || made === undefined ? `0:${index}` : `1:s:${converted++}`,
      `-c:s:${place}`,
      carries(codec) || made !== undefined ? "copy" : holder.subtitle,
      ...laterSubtitles(stretches, place).options,
      ...trackNames("s", place, language, title, holder)
    ]),
    ...request.subtitles.flatMap(({ language, title }, number) => {
      const place = kept.length + number
      return [
        "-map",
        `${first + number}:s:0`,
        `-c:s:${place}`,
        holder.subtitle,
        ...trackNames("s", place, language, title, holder),
        `-disposition:s:${place}`,
        "0"
      ]
    })
  ]
}

/** Returns the options that convert the video's own subtitles which the container cannot hold as they are. */
const convertedSubtitles = (holder: Container, video: MediaInfo): ReadonlyArray<string> =>
  keptSubtitles(holder, video)
    .filter(({ codec }) => !holder.subtitles.includes(codec))
    .flatMap(({ index }, place) => ["-map", `0:${index}`, `-c:s:${place}`, holder.subtitle])

/** Returns what newer versions of ffmpeg can do for subtitles of a lengthened film: their entries last longer, too. */
const newerSubtitles = ({ stretches = [] }: MuxRequest, holder: Container, { video }: MuxSources) =>
  stretches.length === 0
    ? []
    : keptSubtitles(holder, video).map((_, place) => laterSubtitles(stretches, place).newer)

/** The video's own subtitles that a container can hold, if only after conversion. */
const keptSubtitles = (holder: Container, { subtitles }: MediaInfo) =>
  subtitles.filter(({ codec }) => holder.subtitles.includes(codec) || isTextSubtitle(codec))

/** Returns the options that set a track's language and title. */
const trackNames = (
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
