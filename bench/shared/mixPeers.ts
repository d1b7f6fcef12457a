/** Other tools' ways to assemble a film's clips. Each returns the seconds it took for all clips. */
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { aacCoder } from "../../src/ffmpeg/encode/LossyCodecs.ts"
import { type Film, type FilmClip, mp3Of, pathOfClip, rate } from "./mixFilm.ts"

/** Elapsed seconds, and how they were determined. */
export interface Taken {
  readonly seconds: number
  readonly note: string
}

export type Format = "wav" | "flac" | "m4a"

/** The same encoding as a delivery's, so that the floor is the least time for the same result. */
export const codecs: Readonly<Record<Format, ReadonlyArray<string>>> = {
  wav: ["-c:a", "pcm_s16le"],
  flac: ["-c:a", "flac"],
  m4a: ["-c:a", "aac", ...aacCoder("a:0"), "-b:a", "96k"]
}

/** Runs ffmpeg; returns the elapsed seconds. */
export const ffmpegTook = (ffmpeg: string, args: ReadonlyArray<string>): number => {
  const began = performance.now()
  const ended = spawnSync(ffmpeg, ["-hide_banner", "-loglevel", "error", "-nostdin", "-y", ...args])
  if (ended.status !== 0) throw new Error(ended.stderr.toString())
  return (performance.now() - began) / 1000
}

/** Encodes a film's clips as a service would send them, at `sampleRate`. */
export const encodeMp3 = (
  ffmpeg: string,
  folder: string,
  clips: ReadonlyArray<FilmClip>,
  sampleRate: number
): void => {
  mkdirSync(join(folder, "received"), { recursive: true })
  for (let from = 0; from < clips.length; from += 100) {
    const some = clips.slice(from, from + 100)
    ffmpegTook(ffmpeg, [
      ...some.flatMap((clip) => ["-i", pathOfClip(folder, clip)]),
      ...some.flatMap((clip, i) => [
        "-map",
        `${i}`,
        "-ar",
        `${sampleRate}`,
        "-b:a",
        "64k",
        mp3Of(folder, clip)
      ])
    ])
  }
}

const length = (film: Film): string => `${film.hours * 3600 * 48_000}`

/** Encodes the film's sound with ffmpeg alone; returns the elapsed seconds. */
export const bare = (ffmpeg: string, sound: string, format: Format, folder: string): number => {
  const target = join(folder, `floor.${format}`)
  // Deletes the previous file first, as a delivery does, to free its memory.
  rmSync(target, { force: true })
  return ffmpegTook(ffmpeg, ["-i", sound, ...codecs[format], target])
}

/** Returns a filter graph that delays each input and sums them all. */
const graph = (clips: ReadonlyArray<FilmClip>, from: number): string =>
  [
    ...clips.map(({ at }, i) => `[${i}]adelay=${at - from}:all=1[d${i}]`),
    `${clips.map((_, i) => `[d${i}]`).join("")}amix=inputs=${clips.length}:normalize=0[out]`
  ].join(";")

/** adelay and amix in one graph: time is quadratic in the number of clips. */
export const oneGraph = (ffmpeg: string, film: Film, folder: string, format: Format, few: number): Taken => {
  const clips = film.clips.slice(0, few)
  const seconds = ffmpegTook(ffmpeg, [
    ...clips.flatMap((clip) => ["-i", pathOfClip(folder, clip)]),
    ...[
      "-filter_complex",
      `${graph(clips, 0)};[out]aresample=48000,apad,atrim=end_sample=${length(film)}[all]`
    ],
    ...["-map", "[all]", ...codecs[format], join(folder, `graph.${format}`)]
  ])
  const times = film.clips.length / clips.length
  return {
    seconds: seconds * times * times,
    note: `${seconds.toFixed(1)} s with ${clips.length} clips, extrapolated quadratically`
  }
}

/** The same in groups of 50 consecutive clips, then the groups. */
export const inGroups = (ffmpeg: string, film: Film, folder: string, format: Format): Taken => {
  const groups = Array.from({ length: Math.ceil(film.clips.length / 50) }, (_, i) =>
    film.clips.slice(i * 50, i * 50 + 50)
  )
  const began = performance.now()
  groups.forEach((clips, i) =>
    ffmpegTook(ffmpeg, [
      ...clips.flatMap((clip) => ["-i", pathOfClip(folder, clip)]),
      ...["-filter_complex", graph(clips, clips[0]?.at ?? 0), "-map", "[out]", "-c:a", "pcm_f32le"],
      join(folder, `group${i}.wav`)
    ])
  )
  const starts = groups.flatMap(([first]) => (first === undefined ? [] : [first]))
  ffmpegTook(ffmpeg, [
    ...groups.flatMap((_, i) => ["-i", join(folder, `group${i}.wav`)]),
    ...[
      "-filter_complex",
      `${graph(starts, 0)};[out]aresample=48000,apad,atrim=end_sample=${length(film)}[all]`
    ],
    ...["-map", "[all]", ...codecs[format], join(folder, `groups.${format}`)]
  ])
  return { seconds: (performance.now() - began) / 1000, note: `${groups.length} groups of 50` }
}

/** Overlays each clip on a copy of the whole canvas: what tools with immutable audio segments do. */
export const canvas = (ffmpeg: string, film: Film, folder: string, format: Format, few: number): Taken => {
  const clips = film.clips.slice(0, few)
  const began = performance.now()
  let whole = Buffer.alloc(film.hours * 3600 * rate * 2)
  for (const clip of clips) {
    const bytes = readFileSync(pathOfClip(folder, clip)).subarray(44)
    const from = clip.at * (rate / 1000) * 2
    const under = Buffer.from(whole.subarray(from, from + bytes.length))
    for (let i = 0; i + 1 < under.length; i += 2)
      under.writeInt16LE(Math.max(-32_768, Math.min(32_767, under.readInt16LE(i) + bytes.readInt16LE(i))), i)
    whole = Buffer.concat([whole.subarray(0, from), under, whole.subarray(from + under.length)])
  }
  const seconds = ((performance.now() - began) / 1000) * (film.clips.length / clips.length)
  const raw = join(folder, "canvas.raw")
  const file = openSync(raw, "w")
  writeSync(file, whole)
  closeSync(file)
  const encoded = ffmpegTook(ffmpeg, [
    ...["-f", "s16le", "-ar", `${rate}`, "-ac", "1", "-i", raw, "-ar", "48000"],
    ...[...codecs[format], join(folder, `canvas.${format}`)]
  ])
  return { seconds: seconds + encoded, note: `from ${clips.length} clips, extrapolated linearly` }
}

/** Runs one ffmpeg per clip to convert its sample rate, then one that encodes. */
export const oneProcessEach = (
  ffmpeg: string,
  film: Film,
  folder: string,
  format: Format,
  few: number
): Taken => {
  const clips = film.clips.slice(0, few)
  const raw = join(folder, "each.raw")
  const file = openSync(raw, "w")
  const began = performance.now()
  for (const clip of clips) {
    const piece = join(folder, "piece.raw")
    ffmpegTook(ffmpeg, ["-i", pathOfClip(folder, clip), "-ar", "48000", "-f", "s16le", piece])
    writeSync(file, readFileSync(piece), 0, undefined, clip.at * 48 * 2)
  }
  const seconds = ((performance.now() - began) / 1000) * (film.clips.length / clips.length)
  closeSync(file)
  const encoded = ffmpegTook(ffmpeg, [
    ...["-f", "s16le", "-ar", "48000", "-ac", "1", "-i", raw, "-af", `apad,atrim=end_sample=${length(film)}`],
    ...[...codecs[format], join(folder, `each.${format}`)]
  ])
  return { seconds: seconds + encoded, note: `from ${clips.length} clips, extrapolated linearly` }
}
