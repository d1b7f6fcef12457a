/** The job that puts new sound and subtitles into a video whose picture is copied. */
import { Either } from "effect"
import type { LanguageTag } from "../domain/Ids.ts"
import { deliveryRate, framesAtMicros } from "../domain/Units.ts"
import { type Container, type ContainerName, containers, containersFor, isTextSubtitle } from "./Container.ts"
import { type Duck, duckedChannels, duckFilters } from "./Duck.ts"
import { ContainerRefuses } from "./Failures.ts"
import type { Job } from "./Job.ts"
import { languageCode } from "./LanguageCode.ts"
import type { AudioStream, MediaInfo } from "./MediaInfo.ts"

/** A new sound track: any audio file; one whose codec suits the container is copied, others are encoded. */
export interface DubTrack {
  readonly path: string
  readonly language?: LanguageTag
  readonly title?: string
  /** Whether players choose it unasked. */
  readonly isDefault: boolean
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
}

/** The job, writing to `part`; or why the container will not have the picture. Paths are absolute. */
export const muxJob = (
  request: MuxRequest,
  container: ContainerName,
  sources: MuxSources,
  part: string
): Either.Either<Job, ContainerRefuses> => {
  const holder = containers[container]
  for (const stream of sources.video.streams) {
    if (stream._tag !== "VideoStream" || stream.attached || (holder.pictures?.includes(stream.codec) ?? true))
      continue
    return Either.left(
      new ContainerRefuses({
        path: request.out,
        container,
        codec: stream.codec,
        instead: containersFor(stream.codec)
      })
    )
  }
  const sounds = soundsOf(request, holder, sources)
  return Either.right({
    purpose: `mux ${request.out}`,
    inputs: [
      { source: request.video, options: [] },
      ...request.tracks.map(({ path }) => ({ source: path, options: [] })),
      ...request.subtitles.map(({ path }) => ({ source: path, options: [] }))
    ],
    filters: sounds.flatMap(({ filters }) => filters),
    outputs: [
      {
        target: part,
        options: [
          ...["-map", "0:V", "-c:v", "copy"],
          ...sounds.flatMap(({ map }) => ["-map", map]),
          ...sounds.flatMap((sound, place) => soundOptions(sound, place, holder)),
          ...subtitleOptions(request, holder, sources),
          ...["-map_metadata", "0", "-map_chapters", "0", "-f", holder.muxer, "-y"]
        ]
      }
    ]
  })
}

interface Sound {
  readonly map: string
  readonly filters: ReadonlyArray<string>
  /** Undefined where it is copied. */
  readonly encodedChannels: number | undefined
  readonly language: string | undefined
  readonly title: string | undefined
  readonly isDefault: boolean
}

/** The sound tracks in their order: what players take unasked stands first, since some look no further. */
const soundsOf = (request: MuxRequest, holder: Container, sources: MuxSources): ReadonlyArray<Sound> => {
  const dubs = request.tracks.map((track, place) => dubOf(request, holder, sources, track, place))
  const originals = request.original === "keep" ? sources.video.sounds : []
  const chosen = dubs.some(({ isDefault }) => isDefault)
  const kept = originals.map((stream, place): Sound => ({
    map: `0:${stream.index}`,
    filters: [],
    encodedChannels: (holder.sounds?.includes(stream.codec) ?? true) ? undefined : stream.channels,
    language: undefined,
    title: stream.title === undefined ? "Original" : undefined,
    isDefault: !chosen && place === 0
  }))
  return chosen
    ? [...dubs.filter(({ isDefault }) => isDefault), ...dubs.filter(({ isDefault }) => !isDefault), ...kept]
    : [...kept, ...dubs]
}

const dubOf = (
  request: MuxRequest,
  holder: Container,
  { video, tracks }: MuxSources,
  track: DubTrack,
  place: number
): Sound => {
  const about = {
    language: track.language === undefined ? undefined : languageCode(track.language),
    title: track.title,
    isDefault: track.isDefault
  }
  const info = tracks[place]
  const sound = info?.sounds[0]
  const original = mainSound(video)
  if (typeof request.original === "string" || original === undefined || info === undefined) {
    const copied =
      sound !== undefined && (holder.sounds?.includes(sound.codec) ?? true) && !isLate(holder, sound.codec)
    return {
      ...about,
      map: `${place + 1}:a:0`,
      filters: [],
      encodedChannels: copied ? undefined : (sound?.channels ?? 1)
    }
  }
  const out = `dub${place}`
  const length = framesAtMicros(info.duration, deliveryRate)
  return {
    ...about,
    map: `[${out}]`,
    filters: duckFilters(
      request.original,
      { original: `0:${original.index}`, voice: `${place + 1}:a:0`, out },
      original.channels,
      length,
      place
    ),
    encodedChannels: duckedChannels(original.channels)
  }
}

const isLate = (holder: Container, codec: string): boolean => holder.late.includes(codec)

/** The sound that players take unasked. */
const mainSound = (video: MediaInfo): AudioStream | undefined =>
  video.sounds.find(({ isDefault }) => isDefault) ?? video.sounds[0]

const soundOptions = (sound: Sound, place: number, holder: Container): ReadonlyArray<string> => [
  ...(sound.encodedChannels === undefined
    ? [`-c:a:${place}`, "copy"]
    : [
        `-c:a:${place}`,
        holder.encoder,
        `-ar:a:${place}`,
        `${deliveryRate}`,
        ...(holder.bitsPerChannel === undefined
          ? []
          : [`-b:a:${place}`, `${holder.bitsPerChannel * sound.encodedChannels}`])
      ]),
  ...described("a", place, sound.language, sound.title, holder),
  `-disposition:a:${place}`,
  sound.isDefault ? "default" : "0"
]

/** The video's own subtitles, in so far as the container can hold them, then the new ones. */
const subtitleOptions = (
  request: MuxRequest,
  holder: Container,
  { video }: MuxSources
): ReadonlyArray<string> => {
  const kept = video.subtitles.filter(
    ({ codec }) => (holder.subtitles?.includes(codec) ?? true) || isTextSubtitle(codec)
  )
  const first = request.tracks.length + 1
  return [
    ...kept.flatMap(({ index, codec }, place) => [
      "-map",
      `0:${index}`,
      `-c:s:${place}`,
      (holder.subtitles?.includes(codec) ?? true) ? "copy" : holder.subtitle
    ]),
    ...request.subtitles.flatMap(({ language, title }, number) => {
      const place = kept.length + number
      return [
        "-map",
        `${first + number}:s:0`,
        `-c:s:${place}`,
        holder.subtitle,
        ...described("s", place, language === undefined ? undefined : languageCode(language), title, holder),
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
  ...(language === undefined ? [] : [`-metadata:s:${kind}:${place}`, `language=${language}`]),
  ...(title === undefined ? [] : [`-metadata:s:${kind}:${place}`, `title=${title}`]),
  ...(title === undefined || !holder.titledByHandler
    ? []
    : [`-metadata:s:${kind}:${place}`, `handler_name=${title}`])
]
