/**
 * Benchmarks a background: delivers one film with and without it, with the same rate, depth and channels. 5.1 is
 * compared with stereo, because voices alone have no 5.1. Each delivery runs in a separate process.
 *
 *     node bench/run.mjs beds [--hours 2] [--clips 2000] [--beds mono,stereo,5.1] [--formats wav,flac,m4a]
 *                             [--loudness none] [--rounds 5] [--depth 24]
 *
 * The deliveries alternate; the smallest CPU time of all rounds counts.
 */
import { spawnSync } from "node:child_process"
import { closeSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { wavHeader } from "../src/audio/formats/WavHeader.ts"
import { type OutputName, soundNames } from "../src/domain/manifest/Outputs.ts"
import { deliveryRate } from "../src/domain/time/Units.ts"
import { wavFileInfo } from "../src/ffmpeg/decode/WavFile.ts"
import { writeOutputs } from "../src/pipeline/deliver/OutputWriter.ts"
import { deliverOrMeasure, stateOf } from "./shared/deliveringProcess.ts"
import { deliverableOf, makeFilm, readFilm } from "./shared/mixFilm.ts"
import { processorSeconds } from "./shared/processorTime.ts"

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "2" },
    clips: { type: "string", default: "2000" },
    beds: { type: "string", default: "mono,stereo,5.1" },
    formats: { type: "string", default: "wav,flac,m4a" },
    loudness: { type: "string", default: "none" },
    rounds: { type: "string", default: "5" },
    depth: { type: "string", default: "24" },
    /** The film's folder, for the delivering process. */
    deliver: { type: "string" },
    /** Whether the delivering process lays the film's background. */
    laid: { type: "boolean", default: false }
  }
})

const channelsOf = { mono: 1, stereo: 2, "5.1": 6 } as const
const isBed = (name: string): name is keyof typeof channelsOf => name in channelsOf
const isSound = (name: string): name is OutputName => soundNames.some((one) => one === name)
const depth = values.depth === "16" ? 16 : 24
const pathOf = (folder: string, bed: string) => join(folder, `${bed}.wav`)

/** Writes a background: a chord that swells and fades, and noise. A minute of it repeats. */
const writeBed = (path: string, hours: number, channels: 1 | 2 | 6) => {
  const second = Buffer.alloc(deliveryRate * channels * (depth / 8))
  const minute: Array<Buffer> = []
  let seed = 1
  for (let at = 0; at < 60; at++) {
    for (let i = 0; i < deliveryRate * channels; i++) {
      const frame = at * deliveryRate + Math.floor(i / channels)
      const swell = 0.1 + 0.09 * Math.sin((2 * Math.PI * frame) / (20 * deliveryRate))
      const tone = Math.sin((2 * Math.PI * (220 + 55 * (i % channels)) * frame) / deliveryRate)
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0
      const value = Math.round((swell * tone + 2 ** -37 * seed) * 2 ** (depth - 1))
      second.writeIntLE(value, (i * depth) / 8, depth / 8)
    }
    minute.push(Buffer.from(second))
  }
  const file = openSync(path, "w")
  const frames = hours * 3600 * deliveryRate
  const encoding = depth === 16 ? "int16" : "int24"
  writeSync(file, wavHeader({ rate: deliveryRate, channels, encoding, frames }))
  for (let at = 0; at < hours * 60; at++) for (const part of minute) writeSync(file, part)
  closeSync(file)
}

/** Delivers the film in this process; prints its CPU seconds. */
const delivery = Effect.fn("bench.deliver")(function* (folder: string) {
  const film = yield* Effect.promise(() => readFilm(folder))
  const bed = isBed(values.beds) ? values.beds : "stereo"
  const channels = channelsOf[bed]
  const level = values.loudness === "none" ? "none" : Number(values.loudness)
  const outputs = values.formats.split(",").filter(isSound)
  const id = values.laid ? "laid" : "dry"
  const made = deliverableOf(film, folder, id, outputs, level, depth)
  const path = pathOf(folder, bed)
  const { bits, float, frames, dataAt } = yield* Effect.flatten(Effect.promise(() => wavFileInfo(path)))
  const background = {
    ...{
      path,
      name: "bed.wav",
      rate: deliveryRate,
      channels,
      bits: bits === 16 ? (16 as const) : (24 as const)
    },
    ...{ float, frames, dataAt, gain: 1 }
  }
  const plan = {
    ...made,
    job: {
      ...made.job,
      // Voices alone have no 5.1.
      audio: {
        depth: depth === 16 ? (16 as const) : (24 as const),
        rate: deliveryRate,
        ...(values.laid ? {} : { channels: channels === 1 ? ("mono" as const) : ("stereo" as const) })
      }
    },
    ...(values.laid ? { background } : {})
  }
  const before = processorSeconds()
  const began = performance.now()
  const { measured } = yield* writeOutputs(plan)
  const told: Told = {
    work: processorSeconds() - before,
    seconds: (performance.now() - began) / 1000,
    loudness: measured.integrated
  }
  console.log(JSON.stringify(told))
})

/** What a delivering process prints. */
interface Told {
  readonly work: number
  readonly seconds: number
  readonly loudness: number
}

const delivered = (folder: string, bed: string, format: string, isLaid: boolean): Told => {
  rmSync(join(folder, isLaid ? "laid" : "dry"), { recursive: true, force: true })
  const { stdout, stderr, status } = spawnSync(process.execPath, [
    ...[fileURLToPath(import.meta.url), "--deliver", folder, "--beds", bed, "--formats", format],
    ...["--loudness", values.loudness, "--depth", values.depth, ...(isLaid ? ["--laid"] : [])]
  ])
  if (status !== 0) throw new Error(stderr.toString())
  const told: Told = JSON.parse(stdout.toString())
  return told
}

const measure = Effect.fn("bench.measure")(function* (folder: string) {
  const hours = Number(values.hours)
  yield* makeFilm(folder, hours, Number(values.clips)).pipe(Effect.provide(stateOf(folder)))
  const rounds = Number(values.rounds)
  console.log(
    `${hours} h, ${values.clips} clips, ${depth} bits, loudness ${values.loudness}, best of ${rounds}`
  )
  for (const bed of values.beds.split(",").filter(isBed)) {
    writeBed(pathOf(folder, bed), hours, channelsOf[bed])
    for (const format of values.formats.split(",")) {
      const pairs = Array.from({ length: rounds }, () => ({
        dry: delivered(folder, bed, format, false),
        laid: delivered(folder, bed, format, true)
      }))
      const least = (of: "dry" | "laid", what: "work" | "seconds") =>
        Math.min(...pairs.map((pair) => pair[of][what]))
      const line = (what: "work" | "seconds") =>
        `${least("dry", what).toFixed(2)} s without, ${least("laid", what).toFixed(2)} s with it, ` +
        `${(least("laid", what) / least("dry", what)).toFixed(2)} ×`
      console.log(`${bed.padEnd(6)} ${format.padEnd(4)} CPU ${line("work")}; elapsed ${line("seconds")}`)
    }
    rmSync(pathOf(folder, bed))
  }
})

await deliverOrMeasure("beds", values.deliver, delivery, measure)
