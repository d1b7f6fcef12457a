/** ffmpeg options for the tracks of a muxed video: its subtitles, and the names of tracks. */
import { type Container, isTextSubtitle } from "./Container.ts"
import { laterSubtitles } from "./LongerFilm.ts"
import type { MuxRequest, MuxSources } from "./MuxRequest.ts"
import { languageCode } from "../probe/LanguageCode.ts"
import type { MediaInfo } from "../probe/MediaInfo.ts"
import type { NewerOptions } from "../process/FfmpegJob.ts"

/**
 * Returns the options for the video's own subtitles that the container can hold, then for the new ones. Those are the
 * inputs from number `first` on.
 */
export const subtitleOptions = (
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
export const convertedSubtitles = (holder: Container, video: MediaInfo): ReadonlyArray<string> =>
  keptSubtitles(holder, video)
    .filter(({ codec }) => !holder.subtitles.includes(codec))
    .flatMap(({ index }, place) => ["-map", `0:${index}`, `-c:s:${place}`, holder.subtitle])

/** Returns what newer versions of ffmpeg can do for subtitles of a lengthened film: their entries last longer, too. */
export const newerSubtitles = (
  { stretches = [] }: MuxRequest,
  holder: Container,
  { video }: MuxSources
): ReadonlyArray<NewerOptions> =>
  stretches.length === 0
    ? []
    : keptSubtitles(holder, video).map((_, place) => laterSubtitles(stretches, place).newer)

/** The video's own subtitles that a container can hold, if only after conversion. */
const keptSubtitles = (holder: Container, { subtitles }: MediaInfo) =>
  subtitles.filter(({ codec }) => holder.subtitles.includes(codec) || isTextSubtitle(codec))

/** Returns the options that set a track's language and title. */
export const trackNames = (
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
