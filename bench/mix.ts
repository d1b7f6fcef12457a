/**
 * Benchmarks the delivery of a film with the code of a real run. The floor is one bare ffmpeg that encodes a WAV of the
 * same length. Methods of other tools are measured, too. Each delivery runs in a separate process, to measure its
 * memory.
 *
 *     node bench/run.mjs mix [--hours 2] [--clips 2000] [--formats wav,flac,m4a] [--rounds 3]
 *                            [--cases kept,loud,clips,mp3,last] [--peers graph,groups,canvas,each]
 *                            [--few 100] [--depth 16] [--mp3-rate 44100]
 *
 * Cases:
 * - `kept`: from clips stored as PCM, at the loudness they add up to.
 * - `loud`: normalized to -16 LUFS.
 * - `clips`: also writes one file per cue, and a timeline.
 * - `mp3`: first decodes, analyzes and stores every clip, received as MP3 at `mp3-rate`.
 * - `last`: like `mp3`, as in a run, which makes clips while others are still being spoken. The clock starts when the
 *   last clips arrive together.
 *
 * The fastest of several rounds counts. Peers that would take hours are measured with `few` clips and extrapolated.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Effect, Either } from "effect"
import { UtteranceKey } from "../src/domain/values/Ids.ts"
import { locateConfigured } from "../src/ffmpeg/process/FfmpegBinary.ts"
import { writeOutputs } from "../src/pipeline/deliver/OutputWriter.ts"
import { makeClipIntake } from "../src/pipeline/clips/ClipIntake.ts"
import { clipMaker } from "../src/pipeline/clips/ClipWorkerClient.ts"
import { ClipFolder } from "../src/store/files/ClipFolder.ts"
import { deliverOrMeasure, stateOf } from "./shared/deliveringProcess.ts"
import { deliverableOf, type Film, type FilmClip, makeFilm, mp3Of, readFilm } from "./shared/mixFilm.ts"
import {
  bare,
  canvas,
  encodeMp3,
  ffmpegTook,
  type Format,
  inGroups,
  oneGraph,
  oneProcessEach,
  type Taken
} from "./shared/mixPeers.ts"
import { processorSeconds } from "./shared/processorTime.ts"

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "2" },
    clips: { type: "string", default: "2000" },
    formats: { type: "string", default: "wav,flac,m4a" },
    rounds: { type: "string", default: "3" },
    cases: { type: "string", default: "kept,loud,clips,mp3,last" },
    peers: { type: "string", default: "graph,groups,canvas,each" },
    few: { type: "string", default: "100" },
    depth: { type: "string", default: "16" },
    "mp3-rate": { type: "string", default: "44100" },
    /** The film's folder, for the delivering process. */
    deliver: { type: "string" },
    case: { type: "string", default: "kept" }
  }
})

const isFormat = (name: string): name is Format => name === "wav" || name === "flac" || name === "m4a"
const formats = values.formats.split(",").filter(isFormat)
/** The measurements that the delivering process prints. */
interface Delivered {
  readonly seconds: number
  /** CPU seconds: in total, and of this process itself. */
  readonly work: number
  readonly own: number
  readonly megabytes: number
  readonly loudness: number
  readonly truePeak: number
}

/** Number of last clips, which arrive together when a service is almost done. */
const lastTogether = 16

/** Reads the clocks. */
const now = () => ({ millis: performance.now(), work: processorSeconds(), own: process.cpuUsage() })

/** Makes clips of what arrives as MP3, like the speak stage; returns when the clock was started. */
const arrived = Effect.fn("bench.arrived")(function* (folder: string, { clips }: Film) {
  const kept = yield* ClipFolder
  const { decode, inSlot, makeClip } = yield* makeClipIntake(clipMaker(clips.length))
  const keyOf = ({ key }: FilmClip) => UtteranceKey.make(`f${key.slice(1)}`)
  const wanted = {
    said: ["A line of speech."],
    timed: false,
    transcript: undefined,
    usual: undefined,
    most: 600
  } as const
  const take = (some: ReadonlyArray<FilmClip>) =>
    Effect.forEach(
      some,
      (clip) => {
        const path = mp3Of(folder, clip)
        return Effect.suspend(() => {
          const bytes = readFileSync(path)
          const decoded = Effect.orDie(decode({ bytes, laid: Effect.succeed(path), most: 600 }))
          return makeClip(keyOf(clip), bytes, wanted, Effect.map(decoded, Either.right))
        }).pipe(inSlot)
      },
      { concurrency: "unbounded", discard: true }
    )
  // Replacing the files of an earlier round would take longer.
  for (const clip of clips) rmSync(kept.pathOf(keyOf(clip)), { force: true })
  const first = values.case === "mp3" ? 0 : values.case === "last" ? clips.length - lastTogether : undefined
  if (first !== undefined) yield* take(clips.slice(0, first))
  const start = now()
  if (first !== undefined) yield* take(clips.slice(first))
  return start
})

/**
 * Prepares the film for delivery; returns when the clock was started. By then, the bench has released its own data,
 * which a run does not have.
 */
const placed = Effect.fn("bench.placed")(function* (folder: string) {
  const film = yield* Effect.promise(() => readFilm(folder))
  const depth = values.depth === "24" ? 24 : 16
  const outputs = values.case === "clips" ? [...formats, "clips" as const, "otio" as const] : formats
  const made = deliverableOf(film, folder, values.case, outputs, values.case === "loud" ? -16 : "none", depth)
  return { made, start: yield* Effect.scoped(arrived(folder, film)) }
})

/** Delivers the film in this process, after decoding its clips if they are MP3. */
const delivery = Effect.fn("bench.deliver")(function* (folder: string) {
  const { made, start } = yield* placed(folder)
  const { measured } = yield* writeOutputs(made)
  const own = process.cpuUsage(start.own)
  const told: Delivered = {
    seconds: (performance.now() - start.millis) / 1000,
    work: processorSeconds() - start.work,
    own: (own.user + own.system) / 1e6,
    megabytes: process.resourceUsage().maxRSS / 1024,
    loudness: measured.integrated,
    truePeak: measured.truePeak
  }
  console.log(JSON.stringify(told))
})

interface Cost {
  readonly seconds: number
  readonly work: number
}

/** Returns the minimum of several rounds. */
const least = (rounds: ReadonlyArray<Cost>): Cost => ({
  seconds: Math.min(...rounds.map(({ seconds }) => seconds)),
  work: Math.min(...rounds.map(({ work }) => work))
})

const floorOf = (ffmpeg: string, sound: string, format: Format, folder: string): Cost => {
  const before = processorSeconds()
  const seconds = bare(ffmpeg, sound, format, folder)
  return { seconds, work: processorSeconds() - before }
}

/** Runs the delivery in a separate process. */
const delivered = (folder: string, name: string, format: Format): Delivered => {
  // Writing next to an earlier result costs memory that the floor, which overwrites its own file, does not pay for.
  rmSync(join(folder, name), { recursive: true, force: true })
  const { stdout, stderr, status } = spawnSync(process.execPath, [
    ...[
      fileURLToPath(import.meta.url),
      "--deliver",
      folder,
      "--case",
      name,
      "--formats",
      format,
      "--depth",
      values.depth
    ]
  ])
  if (status !== 0) throw new Error(stderr.toString())
  const told: Delivered = JSON.parse(stdout.toString())
  return told
}

const peers: Readonly<
  Record<string, (ffmpeg: string, film: Film, folder: string, format: Format, few: number) => Taken>
> = { graph: oneGraph, groups: inGroups, canvas, each: oneProcessEach }

const measure = Effect.fn("bench.measure")(function* (folder: string) {
  const { path: ffmpeg } = yield* locateConfigured
  const rounds = Number(values.rounds)
  const film = yield* makeFilm(folder, Number(values.hours), Number(values.clips)).pipe(
    Effect.provide(stateOf(folder))
  )
  const cases = values.cases.split(",").filter((name) => name !== "")
  if (cases.includes("mp3") || cases.includes("last"))
    encodeMp3(ffmpeg, folder, film.clips, Number(values["mp3-rate"]))
  // The floor encodes the film's own sound.
  delivered(folder, "kept", "wav")
  const sound = join(folder, "floor-source.wav")
  ffmpegTook(ffmpeg, ["-i", join(folder, "kept", "kept.wav"), "-c", "copy", sound])
  console.log(`${values.hours} h, ${film.clips.length} clips, best of ${rounds}`)
  for (const format of formats) {
    const floor = least(Array.from({ length: rounds }, () => floorOf(ffmpeg, sound, format, folder)))
    console.log(`${format}: floor ${floor.seconds.toFixed(2)} s, CPU ${floor.work.toFixed(2)} s`)
    for (const name of cases) {
      const runs = Array.from({ length: rounds }, () => delivered(folder, name, format))
      const { seconds, work } = least(runs)
      const own = Math.min(...runs.map((run) => run.own))
      const megabytes = Math.max(...runs.map((run) => run.megabytes))
      console.log(
        `  ${name.padEnd(6)} ${seconds.toFixed(2)} s, ${(seconds / floor.seconds).toFixed(2)} × floor; ` +
          `CPU ${work.toFixed(2)} s (own ${own.toFixed(2)}), ${(work / floor.work).toFixed(2)} × floor; ` +
          `peak ${megabytes.toFixed(0)} MB, ${runs[0]?.loudness.toFixed(2)} LUFS, ${runs[0]?.truePeak.toFixed(2)} dBTP`
      )
    }
    for (const name of values.peers.split(",").filter((peer) => peer !== "")) {
      const taken = peers[name]?.(
        ffmpeg,
        film,
        folder,
        format,
        Math.min(Number(values.few), film.clips.length)
      )
      if (taken !== undefined)
        console.log(
          `  ${name.padEnd(6)} ${taken.seconds.toFixed(0)} s, ${(taken.seconds / floor.seconds).toFixed(1)} × floor (${taken.note})`
        )
    }
  }
})

await deliverOrMeasure("mix", values.deliver, delivery, measure)
