/** The inputs of the ffmpeg jobs that mux a video. */
import { gainsInput } from "./DuckFilter.ts"
import { unchangedSound } from "./EvenSound.ts"
import type { MuxRequest, MuxSources } from "./MuxRequest.ts"
import type { JobInput } from "../process/FfmpegJob.ts"
import type { MediaInfo } from "../probe/MediaInfo.ts"

/**
 * The inputs: the video, its new sound, the subtitles from input `subtitlesFrom` on, the gain files, and the video's
 * converted sound.
 */
export const inputsOf = (
  request: MuxRequest,
  sources: MuxSources
): { readonly inputs: ReadonlyArray<JobInput>; readonly subtitlesFrom: number } => {
  const { video, tracks, subtitles } = request
  const { gains, made, even } = sources
  const plain = (path: string): JobInput => ({ source: path, options: [] })
  const sounds = made === undefined ? tracks.map(({ path }) => path) : [made.path]
  return {
    inputs: [
      { source: video, options: [...filmOptions(sources), ...unchangedSound(request, sources)] },
      ...[...sounds, ...subtitles.map(({ path }) => path)].map(plain),
      ...(made === undefined ? gains.map(gainsInput) : []),
      ...(made === undefined && even !== undefined ? [plain(even)] : [])
    ],
    subtitlesFrom: 1 + sounds.length
  }
}

/** The options of the film's input. */
export const filmOptions = ({ video }: MuxSources): ReadonlyArray<string> => [
  ...ownTime(video),
  ...givenTimes(video)
]

/**
 * Keeps the file's own time zero. By default, ffmpeg shifts a file so that its first packet is at zero. If that packet
 * is encoder delay before the picture, the picture would then be late against the new sound.
 */
const ownTime = ({ lead }: MediaInfo): ReadonlyArray<string> =>
  lead === undefined ? [] : ["-itsoffset", `-${lead}us`]

/**
 * Makes ffmpeg generate presentation times for AVI, which has none, and MPEG program streams and MPEG-1, which have
 * few. MKV needs one for each frame.
 */
const givenTimes = ({ format }: MediaInfo): ReadonlyArray<string> =>
  /^(?:avi|mpeg|mpegvideo)$/u.test(format) ? ["-fflags", "+genpts"] : []
