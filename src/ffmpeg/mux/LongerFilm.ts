/**
 * Lengthens a film without re-encoding its picture: packets are copied with later times, so that a frame stays on
 * screen for longer. Its own sound pauses, and its subtitles and chapters move with the picture.
 *
 * Repeated frames, for a constant frame rate, would need an encoder that matches the film's codec, profile, bit depth
 * and colours, and cuts at closed groups of pictures. In H.264, they would bring parameter sets that MP4 may hold only
 * in its header.
 */
import { lengthenedTime, type PictureStretch, soundPauses } from "../../domain/time/PictureStretch.ts"
import { Micros, millis, millisAtMicros } from "../../domain/time/Units.ts"
import type { Container } from "./Container.ts"
import type { NewerOptions } from "../process/FfmpegJob.ts"
import { AudioStream, MediaInfo, VideoStream } from "../probe/MediaInfo.ts"

/** Returns the film as it is when it is lengthened; its streams keep their properties. */
export const longerFilm = (film: MediaInfo, stretches: ReadonlyArray<PictureStretch>): MediaInfo => {
  if (stretches.length === 0) return film
  const longer = (length: Micros): Micros => {
    const time = millisAtMicros(length)
    return Micros.make(length + (lengthenedTime(stretches, time) - time) * 1_000)
  }
  const ending = ({ duration }: { readonly duration?: Micros | undefined }) =>
    duration === undefined ? {} : { duration: longer(duration) }
  return MediaInfo.make({
    ...film,
    duration: longer(film.duration),
    streams: film.streams.map((stream) => {
      switch (stream._tag) {
        case "VideoStream":
          return VideoStream.make({ ...stream, ...ending(stream) })
        case "AudioStream":
          return AudioStream.make({ ...stream, ...ending(stream) })
        default:
          return stream
      }
    })
  })
}

/** The expression for 0 where `value` is negative, else for twice the value. */
const twicePositive = (value: string): string => `(abs(${value})+${value})`

/**
 * Returns the expression for how many seconds later something is, by its time in seconds. Times up to `early`
 * milliseconds before a stretch count as in it, because containers round them. It has no functions of two arguments,
 * because ffmpeg 4.4 reads every comma as the end of a bitstream filter.
 */
const laterBy = (stretches: ReadonlyArray<PictureStretch>, time: string, early: number): string =>
  stretches
    .map(({ from, to, added }) => {
      const after = (edge: number) => twicePositive(`(${time}-${edge / 1_000})`)
      return from === to
        ? `(1-not(${after(from - early)}))*${added / 1_000}`
        : `(${after(from)}-${after(to)})/${(to - from) / 500}*${added / 1_000}`
    })
    .join("+")

/**
 * The bitstream filter that moves when packets are shown and decoded. The order of both stays, since no time decreases.
 */
const laterTimes = (stretches: ReadonlyArray<PictureStretch>, early: number): string =>
  `setts=${["PTS", "DTS"]
    .map((time) => `${time.toLowerCase()}=${time}+(${laterBy(stretches, `${time}*TB`, early)})/TB`)
    .join(":")}`

/**
 * The time base of a track whose packets get other times. It is set because versions before 6 give the bitstream filter
 * times in the container's time base, but the name of another one.
 */
const givenTimeBase = (kind: "v" | "s", place: number, scale: number): ReadonlyArray<string> => [
  `-time_base:${kind}:${place}`,
  `1/${scale}`
]

/** Ticks per second that Matroska counts, and subtitles in MP4. */
const milliseconds = 1_000

/** Returns the options that copy the pictures, but not covers, with later times. */
export const laterPictures = (
  { picture, streams }: MediaInfo,
  stretches: ReadonlyArray<PictureStretch>,
  { muxer }: Container
): ReadonlyArray<string> => {
  if (stretches.length === 0) return []
  const { numerator, denominator } = picture?.frameRate ?? { numerator: 90_000, denominator: 3_600 }
  const pictures = streams.filter((stream) => stream._tag === "VideoStream" && !stream.attached)
  const isMatroska = muxer === "matroska" || muxer === "webm"
  const scale = isMatroska ? milliseconds : numerator * Math.ceil(10_000 / numerator)
  const times = laterTimes(stretches, (500 * denominator) / numerator)
  return [
    ...(isMatroska ? [] : ["-video_track_timescale", `${scale}`]),
    ...pictures.map((_, place) => [...givenTimeBase("v", place, scale), `-bsf:v:${place}`, times]).flat()
  ]
}

/**
 * Returns the options for one of the film's subtitle tracks. With older versions of ffmpeg, an entry ends before the
 * pause.
 */
export const laterSubtitles = (
  stretches: ReadonlyArray<PictureStretch>,
  place: number
): { readonly options: ReadonlyArray<string>; readonly newer: NewerOptions } => {
  const at = (time: string) => laterBy(stretches, time, 1)
  const times = laterTimes(stretches, 1)
  const length = `duration=DURATION+(${at("(PTS+DURATION)*TB")})/TB-(${at("PTS*TB")})/TB`
  const options =
    stretches.length === 0 ? [] : [...givenTimeBase("s", place, milliseconds), `-bsf:s:${place}`, times]
  return {
    options,
    newer: {
      from: { major: 5, minor: 1 },
      options: stretches.length === 0 ? [] : [`-bsf:s:${place}`, `${times}:${length}`]
    }
  }
}

/** Seconds over which the film's sound fades out and in at a pause. */
const fade = 0.02

/**
 * Returns the filters that let a sound at 48 kHz pause: it is faded in steps of 5 ms, moved, and the gaps are filled
 * with silence.
 */
export const pausedSound = (stretches: ReadonlyArray<PictureStretch>): ReadonlyArray<string> => {
  if (stretches.length === 0) return []
  const pauses = soundPauses(stretches)
  const gains = pauses.map(({ at }) => `clip(abs(t-${at / 1_000})/${fade}\\,0\\,1)`)
  const later = pauses.map(({ at, length }) => `gte(T\\,${(at - 1) / 1_000})*${length / 1_000}`)
  return [
    "asetnsamples=n=240:p=0",
    `volume=eval=frame:volume=${gains.join("*")}`,
    `asetpts=PTS+(${later.join("+")})/TB`,
    "aresample=async=1:min_hard_comp=0.01"
  ]
}

/** Moves the chapters of a file in ffmpeg's metadata format. */
export const laterChapters = (text: string, stretches: ReadonlyArray<PictureStretch>): string => {
  let perTick = 0
  return text
    .split("\n")
    .map((line) => {
      const base = /^TIMEBASE=(\d+)\/(\d+)$/u.exec(line)
      if (base !== null) perTick = (1_000 * Number(base[1])) / Number(base[2])
      const [, edge, ticks] = /^(START|END)=(\d+)$/u.exec(line) ?? []
      if (edge === undefined || ticks === undefined || perTick === 0) return line
      const time = Number(ticks) * perTick
      return `${edge}=${Math.round(Number(ticks) + (lengthenedTime(stretches, time) - millis(time)) / perTick)}`
    })
    .join("\n")
}
