/** The video containers: which codecs each can hold without re-encoding, and how new tracks are encoded. */
import { extname } from "node:path"
import { digitalSourceTag, digitalSourceUri, syntheticMark } from "../../domain/values/SyntheticMark.ts"
import type { NewerOptions } from "../process/FfmpegJob.ts"
import type { LanguageSpelling } from "../probe/LanguageCode.ts"
import { mainSound, type MediaInfo, type VideoStream } from "../probe/MediaInfo.ts"

/** The containers of video outputs. */
export type ContainerName = "mp4" | "mov" | "mkv" | "webm"

/** The capabilities of a container. Codecs have ffmpeg's names. */
export interface Container {
  /** ffmpeg's name for the format. */
  readonly muxer: string
  /** The muxer's options that only newer versions know. */
  readonly newer?: NewerOptions
  /** Video codecs that can be copied; undefined for all. */
  readonly pictures: ReadonlyArray<string> | undefined
  /** Codecs of a cover image that can be kept. */
  readonly covers: ReadonlyArray<string>
  /** Whether it can hold attached files, such as subtitle fonts. Covers are then attached files, too. */
  readonly attachments: boolean
  /** Audio codecs that can be copied; undefined for all but those of discs. */
  readonly sounds: ReadonlyArray<string> | undefined
  /** Audio codecs whose encoder delay this container does not signal to players. */
  readonly delayed: ReadonlyArray<string>
  /** The encoder of new sound, and its bits per second and channel; undefined for a lossless encoder. */
  readonly encoder: string
  readonly bitsPerChannel: number | undefined
  /**
   * The channel layouts, by ffmpeg's names, that the encoder accepts and every player knows. Undefined if layouts are
   * not converted.
   */
  readonly layouts: ReadonlyArray<string> | undefined
  /** The codec of new subtitles. */
  readonly subtitle: string
  /** Subtitle codecs that can be copied. */
  readonly subtitles: ReadonlyArray<string>
  /** The kind of language code that it uses. */
  readonly languages: LanguageSpelling
  /**
   * The tag that marks a file as synthetic: any name, or the field of words that its muxer writes. ffmpeg writes no
   * tags of other names to MP4 and MOV, and reads few tags of MOV except the comment.
   */
  readonly mark: "any" | "keywords" | "comment"
  /** Whether players read a track's title from its handler name. */
  readonly titledByHandler: boolean
}

const modernPictures = ["h264", "hevc", "av1", "vp9", "mpeg4", "mpeg2video", "mpeg1video"]
const aacLayouts = ["mono", "stereo", "3.0", "4.0", "5.0", "5.1", "7.1"]
const mp4Sounds = ["aac", "mp3", "ac3", "eac3", "alac", "opus", "mp2", "dts"]

/**
 * Makes the Matroska muxer mark only those tracks as default that the job names. Versions 4.3 and 4.4 would also mark
 * the first subtitle, and players would show it. Version 5 and later do not, and earlier ones lack the option.
 */
const givenDefaults: NewerOptions = {
  from: { major: 4, minor: 3 },
  options: ["-default_mode", "passthrough"]
}

/**
 * MKV gets FLAC. MP4 and MOV signal the delay of an AAC encoder to players. In MKV, only some versions of ffmpeg do,
 * and few players apply it, so that AAC would play 21 ms late. MOV is for editors: new sound in it is PCM, and the
 * film's own PCM is copied.
 */
export const containers: Readonly<Record<ContainerName, Container>> = {
  mp4: {
    muxer: "mp4",
    pictures: [...modernPictures, "mjpeg", "png"],
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
    mark: "keywords",
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
    mark: "comment",
    titledByHandler: true
  },
  mkv: {
    muxer: "matroska",
    newer: givenDefaults,
    pictures: undefined,
    covers: ["mjpeg", "png"],
    attachments: true,
    sounds: undefined,
    delayed: ["aac", "mp3"],
    encoder: "flac",
    bitsPerChannel: undefined,
    layouts: undefined,
    subtitle: "srt",
    subtitles: ["subrip", "ass", "ssa", "webvtt", "hdmv_pgs_subtitle", "dvd_subtitle", "dvb_subtitle"],
    languages: "bibliographic",
    mark: "any",
    titledByHandler: false
  },
  webm: {
    muxer: "webm",
    newer: givenDefaults,
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
    mark: "any",
    titledByHandler: false
  }
}

/** Returns the container for a file's extension; undefined for other extensions. */
export const containerOf = (path: string): ContainerName | undefined => {
  const ending = extname(path).slice(1).toLowerCase()
  return ending === "mp4" || ending === "mov" || ending === "mkv" || ending === "webm"
    ? ending
    : ending === "m4v"
      ? "mp4"
      : undefined
}

/** Returns the containers that can hold this video codec without re-encoding. */
export const containersFor = (codec: string): ReadonlyArray<ContainerName> =>
  (["mp4", "mov", "mkv", "webm"] as const).filter(
    (name) => containers[name].pictures?.includes(codec) ?? true
  )

/** Returns the codec of a film's video stream that a container cannot hold; undefined if it can hold all. */
export const refusedPicture = ({ streams }: MediaInfo, name: ContainerName): string | undefined => {
  const { pictures } = containers[name]
  const refused = streams.find(
    (stream): stream is VideoStream =>
      stream._tag === "VideoStream" && !stream.attached && !(pictures?.includes(stream.codec) ?? true)
  )
  return refused?.codec
}

/** Returns a codec's display name, such as `AC-3` or `PCM`. */
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

/** Whether a container can hold an audio codec. No container of ours holds the PCM of DVD and Blu-ray. */
export const holdsSound = ({ sounds }: Container, codec: string): boolean =>
  sounds?.includes(codec) ?? !["pcm_dvd", "pcm_bluray"].includes(codec)

/** Whether a film has a cover image that a container cannot hold. */
export const losesCover = (film: MediaInfo, name: ContainerName): boolean =>
  coversOf(film).length > keptCovers(film, containers[name]).length

/**
 * Returns how the codecs of a film's own audio tracks change in a container; each codec once. With `keep`, tracks that
 * the container cannot hold change. With `duck`, the main track is re-encoded and may change.
 */
export const changedSounds = (
  film: MediaInfo,
  container: ContainerName,
  original: "keep" | "drop" | "duck"
): ReadonlyArray<{ readonly from: string; readonly to: string }> => {
  const holder = containers[container]
  const to = soundName(holder.encoder)
  const main = mainSound(film)
  const changed =
    original === "keep"
      ? film.sounds.filter(({ codec }) => !holdsSound(holder, codec))
      : original === "duck" && main !== undefined
        ? [main]
        : []
  return [...new Set(changed.map(({ codec }) => soundName(codec)))]
    .filter((from) => from !== to)
    .map((from) => ({ from, to }))
}

/** Whether a subtitle codec is text, so that it can be converted for another container. */
export const isTextSubtitle = (codec: string): boolean =>
  ["mov_text", "subrip", "srt", "ass", "ssa", "webvtt", "text"].includes(codec)

/** Marks the file as synthetic speech over recordings. In a field of words, the film's own words stay in front. */
export const markOptions = ({ mark }: Container, { notes }: MediaInfo): ReadonlyArray<string> => [
  "-metadata",
  mark === "any"
    ? `${digitalSourceTag}=${digitalSourceUri("composite")}`
    : `${mark}=${[...(notes?.[mark] === undefined ? [] : [notes[mark]]), syntheticMark("composite")].join("; ")}`
]

const coversOf = ({ streams }: MediaInfo): ReadonlyArray<VideoStream> =>
  streams.filter((stream): stream is VideoStream => stream._tag === "VideoStream" && stream.attached)

/** The film's cover images that a container can hold. */
export const keptCovers = (film: MediaInfo, { covers }: Container): ReadonlyArray<VideoStream> =>
  coversOf(film).filter(({ codec }) => covers.includes(codec))

/** Keeps the film's cover images: those in `files` as attachments, which follow the film's own. */
export const coverOptions = (
  film: MediaInfo,
  holder: Container,
  files: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const own = film.streams.filter((stream) => stream._tag === "OtherStream" && stream.kind === "Attachment")
  return keptCovers(film, holder).flatMap(({ index, codec }, place) => {
    const file = files[place]
    if (file === undefined) return ["-map", `0:${index}`]
    const [type, ending] = codec === "mjpeg" ? ["jpeg", "jpg"] : [codec, codec]
    const tags = `-metadata:s:t:${own.length + place}`
    const name = `filename=cover${place === 0 ? "" : place + 1}.${ending}`
    return ["-attach", file, tags, `mimetype=image/${type}`, tags, name]
  })
}
