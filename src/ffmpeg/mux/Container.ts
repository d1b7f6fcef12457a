/** What each video container can hold as it is, and how what is new in it is encoded. */
import { extname } from "node:path"
import type { LanguageSpelling } from "../probe/LanguageCode.ts"
import { mainSound, type MediaInfo, type VideoStream } from "../probe/MediaInfo.ts"

/** The containers that a video is written to. */
export type ContainerName = "mp4" | "mov" | "mkv" | "webm"

/** What a container holds. Codecs have ffmpeg's names. */
export interface Container {
  /** ffmpeg's name of the format. */
  readonly muxer: string
  /** Codecs of a picture that is copied; undefined for any. */
  readonly pictures: ReadonlyArray<string> | undefined
  /** Codecs of a cover that is kept beside the picture. */
  readonly covers: ReadonlyArray<string>
  /** Whether it holds files, such as the fonts of its subtitles. */
  readonly attachments: boolean
  /** Codecs of sound that is copied; undefined for any. */
  readonly sounds: ReadonlyArray<string> | undefined
  /** Codecs whose encoder's delay this container does not tell to players. */
  readonly delayed: ReadonlyArray<string>
  /** The encoder of new sound, and its bits a second for one channel; undefined for a lossless one. */
  readonly encoder: string
  readonly bitsPerChannel: number | undefined
  /**
   * The channel layouts, by ffmpeg's names, that the encoder takes and every player knows; undefined where only new
   * sound is encoded.
   */
  readonly layouts: ReadonlyArray<string> | undefined
  /** The codec of its subtitles. */
  readonly subtitle: string
  /** Codecs of subtitles that are copied. */
  readonly subtitles: ReadonlyArray<string>
  /** Which of a language's codes it wants. */
  readonly languages: LanguageSpelling
  /** Whether a track's title is read from its handler's name. */
  readonly titledByHandler: boolean
}

const modernPictures = ["h264", "hevc", "av1", "vp9", "mpeg4", "mpeg2video", "mpeg1video"]
const aacLayouts = ["mono", "stereo", "3.0", "4.0", "5.0", "5.1", "7.1"]
const mp4Sounds = ["aac", "mp3", "ac3", "eac3", "alac", "opus", "mp2", "dts"]

/**
 * MKV gets FLAC: the delay that an AAC encoder adds is told to players in MP4 and MOV, but in MKV only by some versions
 * of ffmpeg, and heeded by few players, so that AAC is heard 21 ms late there. MOV is for editors: new sound in it is
 * PCM, and the film's own PCM stays as it is.
 */
export const containers: Readonly<Record<ContainerName, Container>> = {
  mp4: {
    muxer: "mp4",
    pictures: modernPictures,
    covers: ["mjpeg", "png", "bmp"],
    attachments: false,
    sounds: mp4Sounds,
    delayed: [],
    encoder: "aac",
    bitsPerChannel: 96_000,
    layouts: aacLayouts,
    subtitle: "mov_text",
    subtitles: ["mov_text"],
    languages: "terminology",
    titledByHandler: true
  },
  mov: {
    muxer: "mov",
    pictures: [
      ...modernPictures,
      "prores",
      "dnxhd",
      "mjpeg",
      "qtrle",
      "png",
      "rawvideo",
      "v210",
      "cfhd",
      "dvvideo",
      "h263",
      "hap"
    ],
    covers: [],
    attachments: false,
    sounds: [
      "aac",
      "mp3",
      "ac3",
      "eac3",
      "alac",
      ...["pcm_s16le", "pcm_s16be", "pcm_s24le", "pcm_s24be", "pcm_s32le", "pcm_s32be"],
      ...["pcm_f32le", "pcm_f32be", "pcm_f64le", "pcm_f64be", "pcm_u8", "pcm_s8", "pcm_alaw", "pcm_mulaw"]
    ],
    delayed: [],
    encoder: "pcm_s24le",
    bitsPerChannel: undefined,
    layouts: undefined,
    subtitle: "mov_text",
    subtitles: ["mov_text"],
    languages: "quicktime",
    titledByHandler: true
  },
  mkv: {
    muxer: "matroska",
    pictures: undefined,
    covers: [],
    attachments: true,
    sounds: undefined,
    delayed: ["aac", "mp3"],
    encoder: "flac",
    bitsPerChannel: undefined,
    layouts: undefined,
    subtitle: "srt",
    subtitles: ["subrip", "ass", "ssa", "webvtt", "hdmv_pgs_subtitle", "dvd_subtitle", "dvb_subtitle"],
    languages: "bibliographic",
    titledByHandler: false
  },
  webm: {
    muxer: "webm",
    pictures: ["vp8", "vp9", "av1"],
    covers: [],
    attachments: false,
    sounds: ["opus", "vorbis"],
    delayed: [],
    encoder: "libopus",
    bitsPerChannel: 80_000,
    layouts: ["mono", "stereo", "3.0", "quad", "5.0", "5.1", "6.1", "7.1"],
    subtitle: "webvtt",
    subtitles: ["webvtt"],
    languages: "bibliographic",
    titledByHandler: false
  }
}

/** The container that a file's name asks for; undefined where it is none of these. */
export const containerOf = (path: string): ContainerName | undefined => {
  const ending = extname(path).slice(1).toLowerCase()
  return ending === "mp4" || ending === "mov" || ending === "mkv" || ending === "webm"
    ? ending
    : ending === "m4v"
      ? "mp4"
      : undefined
}

/** The containers that hold a picture of this codec as it is. */
export const containersFor = (codec: string): ReadonlyArray<ContainerName> =>
  (["mp4", "mov", "mkv", "webm"] as const).filter(
    (name) => containers[name].pictures?.includes(codec) ?? true
  )

/** The codec of a film's picture that a container does not hold as it is; undefined where it holds all. */
export const refusedPicture = ({ streams }: MediaInfo, name: ContainerName): string | undefined => {
  const { pictures } = containers[name]
  const refused = streams.find(
    (stream): stream is VideoStream =>
      stream._tag === "VideoStream" && !stream.attached && !(pictures?.includes(stream.codec) ?? true)
  )
  return refused?.codec
}

/** A codec's name for people, by ffmpeg's: `AC-3`, `PCM`. */
const soundName = (codec: string): string =>
  codec.startsWith("pcm_") ? "PCM" : (namesOfSounds[codec] ?? codec.toUpperCase())

const namesOfSounds: Readonly<Record<string, string>> = {
  ac3: "AC-3",
  eac3: "E-AC-3",
  libopus: "Opus",
  opus: "Opus",
  vorbis: "Vorbis",
  truehd: "TrueHD"
}

/**
 * How a film's own sound tracks would change in a container, once for each codec: those it does not hold, or, where its
 * main sound is ducked and so encoded anew, that one where its codec changes.
 */
export const changedSounds = (
  film: MediaInfo,
  container: ContainerName,
  original: "keep" | "drop" | "duck"
): ReadonlyArray<{ readonly from: string; readonly to: string }> => {
  const { sounds, encoder } = containers[container]
  const to = soundName(encoder)
  const main = mainSound(film)
  const changed =
    original === "keep"
      ? film.sounds.filter(({ codec }) => !(sounds?.includes(codec) ?? true))
      : original === "duck" && main !== undefined
        ? [main]
        : []
  return [...new Set(changed.map(({ codec }) => soundName(codec)))]
    .filter((from) => from !== to)
    .map((from) => ({ from, to }))
}

/** Subtitles made of text, which are converted from one container's codec to another's. */
export const isTextSubtitle = (codec: string): boolean =>
  ["mov_text", "subrip", "srt", "ass", "ssa", "webvtt", "text"].includes(codec)
