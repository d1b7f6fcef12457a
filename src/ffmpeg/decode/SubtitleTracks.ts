/** Lists the subtitle tracks of a film, and copies its text tracks into files. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { inputsDescribed } from "../probe/InputDescription.ts"
import type { SubtitleStream } from "../probe/MediaInfo.ts"
import { commandLine, runProcess } from "../process/ChildProcess.ts"
import type { Binary } from "../process/FfmpegBinary.ts"
import { FfmpegFailed, NotMedia } from "../process/FfmpegErrors.ts"
import { attempt } from "../process/FileFaults.ts"

/** The extension of a track's file, and the encoder that writes it. MP4's own text format becomes SRT. */
const writers: Readonly<Record<string, { readonly ending: string; readonly encoder: string }>> = {
  subrip: { ending: "srt", encoder: "copy" },
  ass: { ending: "ass", encoder: "copy" },
  ssa: { ending: "ass", encoder: "copy" },
  webvtt: { ending: "vtt", encoder: "copy" },
  mov_text: { ending: "srt", encoder: "subrip" },
  text: { ending: "srt", encoder: "subrip" }
}

/** The extension of the empty file that represents a track without text. */
export const unreadTrack = "none"

const quiet = ["-hide_banner", "-nostdin", "-nostats", "-y"]

/**
 * Writes one file per subtitle track into a folder, named by the track's number from 1, its language and its codec:
 * `2.vie.subrip.srt`. The language is `und` if the film has none. All tracks are read in one pass. Times count from the
 * film's start.
 */
export const extractTracks = Effect.fn("SubtitleTracks.extractTracks")(function* (
  binary: Binary,
  path: string,
  folder: string
) {
  const described = yield* runProcess(binary.path, [...quiet, "-i", path])
  const [input] = inputsDescribed(described.stderr)
  if (input === undefined) return yield* new NotMedia({ path, found: "a file that ffmpeg cannot read" })
  const tracks = input.streams.filter((stream) => stream._tag === "SubtitleStream")
  const fileOf = (track: SubtitleStream, at: number): string =>
    join(folder, [at + 1, plain(track.language ?? "und"), plain(track.codec), endingOf(track)].join("."))
  const outputs = tracks.flatMap((track, at) => {
    const writer = writerOf(track)
    return writer === undefined ? [] : ["-map", `0:s:${at}`, "-c:s", writer.encoder, fileOf(track, at)]
  })
  yield* Effect.forEach(tracks, (track, at) => {
    const file = fileOf(track, at)
    return writerOf(track) === undefined ? attempt(file, () => writeFile(file, "")) : Effect.void
  })
  if (outputs.length === 0) return
  // ffmpeg would move a film that starts before time zero, but dubwright does not.
  const args = [...quiet, ...(input.start < 0 ? ["-copyts"] : []), "-i", path, ...outputs]
  const { exitCode, stderr, startFailure } = yield* runProcess(binary.path, args)
  if (exitCode === 0) return
  return yield* new FfmpegFailed({
    purpose: `read the subtitle tracks of ${path}`,
    command: commandLine(binary.path, args),
    ...(exitCode === undefined ? {} : { exitCode }),
    stderrTail: (startFailure?.message ?? stderr).slice(-2_000)
  })
})

const writerOf = ({ codec }: SubtitleStream) => (Object.hasOwn(writers, codec) ? writers[codec] : undefined)

const endingOf = (track: SubtitleStream): string => writerOf(track)?.ending ?? unreadTrack

/** Removes what does not belong in a part of a file name. */
const plain = (text: string): string => text.replaceAll(/[^\w-]/gu, "") || "und"
