/** Runs the probe job on a file. */
import { Effect } from "effect"
import type { Binary } from "../process/FfmpegBinary.ts"
import type { FfmpegChoice } from "../process/FfmpegChoice.ts"
import { NotMedia } from "../process/FfmpegErrors.ts"
import { headOf, textIn } from "../process/FileHead.ts"
import { runJob } from "../process/JobRunner.ts"
import { otherKind } from "../../script/bytes/BinaryKind.ts"
import { Micros } from "../../domain/time/Units.ts"
import { inputsDescribed, type InputDescription } from "./InputDescription.ts"
import type { FfmpegJob } from "../process/FfmpegJob.ts"
import { AudioStream, MediaInfo, VideoStream, type MediaStream } from "./MediaInfo.ts"

/** Probes a file. If the first ffmpeg cannot read a file, the spare one tries: it may know the format. */
export const probeFile = Effect.fn("Prober.probeFile")(function* (ffmpeg: FfmpegChoice, path: string) {
  const head = yield* Effect.promise(() => headOf(path))
  if (head === undefined) return yield* new NotMedia({ path, found: "no readable file" })
  if (head.length === 0) return yield* new NotMedia({ path, found: "an empty file" })
  const found = otherKind(head) ?? textIn(head)
  return yield* probeWith(ffmpeg.first, path).pipe(
    Effect.mapError((fault) =>
      fault._tag === "NotMedia" && found !== undefined ? new NotMedia({ path, found }) : fault
    ),
    Effect.catchTag("NotMedia", (refusal) =>
      Effect.flatMap(ffmpeg.spare, (spare) =>
        spare === undefined ? refusal : Effect.mapError(probeWith(spare, path), () => refusal)
      )
    )
  )
})

/** Reads a file's last packets, or the whole file if those are not enough. */
const probeWith = Effect.fnUntraced(function* (binary: Binary, path: string) {
  const byEnd = yield* Effect.either(look(binary, path, "tail"))
  if (byEnd._tag === "Right" && byEnd.right !== undefined) return byEnd.right
  if (byEnd._tag === "Left" && byEnd.left.exitCode === undefined) return yield* byEnd.left
  const byAll = yield* Effect.either(look(binary, path, "whole"))
  if (byAll._tag === "Right" && byAll.right !== undefined) return byAll.right
  if (byAll._tag === "Left" && byAll.left.exitCode === undefined) return yield* byAll.left
  return yield* new NotMedia({
    path,
    found:
      byAll._tag === "Left"
        ? `a file that ffmpeg cannot read: ${byAll.left.reason}`
        : "a file without video or audio"
  })
})

const look = (binary: Binary, path: string, extent: "tail" | "whole") =>
  runJob(binary, probeJob(path, extent)).pipe(
    Effect.map(({ stdout, stderr }) => parseProbe(path, stderr, stdout))
  )

/** How many seconds of the file's end to list. */
const tailSeconds = 5

/** Builds the job that describes a file and lists its packets: those near its end, or all. */
const probeJob = (path: string, extent: "tail" | "whole"): FfmpegJob => ({
  purpose: `read ${path}`,
  inputs: [
    { source: path, options: ["-copyts", ...(extent === "tail" ? ["-sseof", `-${tailSeconds}`] : [])] }
  ],
  filters: [],
  outputs: [{ target: "-", options: ["-map", "0:v?", "-map", "0:a?", "-c", "copy", "-f", "framecrc"] }],
  encodes: 0
})

const rawVideo = /^(?:h264|hevc|vvc)$/u
const hasUnknownTime = /^0, *-?\d+, *-9223372036854775808,/mu

/** Parses ffmpeg's output about a file; undefined if the listed packets do not give its length. */
const parseProbe = (path: string, stderr: string, stdout: string): MediaInfo | undefined => {
  const [input] = inputsDescribed(stderr)
  if (input === undefined) return undefined
  const listed = endsListed(stdout)
  const ends = new Map<number, Micros>()
  for (const [place, index] of placesIn(stderr)) {
    const end = listed.get(place)
    if (end === undefined) continue
    const length = Math.round((end - Math.max(0, input.start)) * 1_000_000)
    if (length > 0) ends.set(index, Micros.make(length))
  }
  const streams = input.streams.map((stream) => withDuration(stream, ends.get(stream.index)))
  const duration = Math.max(0, ...streams.map(durationOf))
  return duration === 0
    ? undefined
    : MediaInfo.make({
        path,
        format: input.format,
        duration: Micros.make(duration),
        ...(input.start < 0 ? { lead: Micros.make(Math.round(-input.start * 1_000_000)) } : {}),
        ...(rawVideo.test(input.format) && hasUnknownTime.test(stdout) ? { isUntimed: true } : {}),
        ...(input.timecode === undefined ? {} : { timecode: input.timecode }),
        ...(input.timeReference === undefined ? {} : { timeReference: input.timeReference }),
        ...notesOf(input),
        streams
      })
}

const notesOf = ({ comment, keywords }: InputDescription) =>
  comment === undefined && keywords === undefined
    ? {}
    : {
        notes: {
          ...(comment === undefined ? {} : { comment }),
          ...(keywords === undefined ? {} : { keywords })
        }
      }

const withDuration = (stream: MediaStream, duration: Micros | undefined): MediaStream => {
  if (duration === undefined) return stream
  if (stream._tag === "AudioStream") return AudioStream.make({ ...stream, duration })
  return stream._tag === "VideoStream" && !stream.attached
    ? VideoStream.make({ ...stream, duration })
    : stream
}

const durationOf = (stream: MediaStream): number =>
  stream._tag === "AudioStream" || stream._tag === "VideoStream" ? (stream.duration ?? 0) : 0

/** Maps each stream's number in the listing to its number in the input. */
const placesIn = (stderr: string): ReadonlyMap<number, number> =>
  new Map(
    [...stderr.matchAll(/^ +Stream #0:(\d+) -> #0:(\d+) \(copy\)/gmu)].map(([, index, place]) => [
      Number(place),
      Number(index)
    ])
  )

/** Returns the end of each listed stream's last packet, in seconds. */
const endsListed = (stdout: string): ReadonlyMap<number, number> => {
  const bases = new Map<number, number>()
  const last = new Map<number, { shown: number; until: number }>()
  for (const line of stdout.split("\n")) {
    const base = /^#tb (\d+): (\d+)\/(\d+)/u.exec(line)
    if (base !== null) bases.set(Number(base[1]), Number(base[2]) / Number(base[3]))
    const packet = /^(\d+), *(-?\d+), *(-?\d+), *(\d+),/u.exec(line)
    if (packet === null) continue
    const [, place, decoded, presented, length] = packet.map(Number)
    if (place === undefined || decoded === undefined || presented === undefined || length === undefined)
      continue
    const shown = presented < unknownTime ? decoded : presented
    if (shown < unknownTime) continue
    const before = last.get(place)
    // A packet without a duration gets the distance from the previous packet.
    const lasting = length > 0 || before === undefined ? length : Math.max(0, shown - before.shown)
    if (before === undefined || shown + lasting > before.until)
      last.set(place, { shown, until: shown + lasting })
  }
  return new Map([...last].map(([place, { until }]) => [place, until * (bases.get(place) ?? 0)]))
}

/** ffmpeg writes an unknown time as the smallest 64-bit integer; anything below this counts as unknown. */
const unknownTime = -(2 ** 62)
