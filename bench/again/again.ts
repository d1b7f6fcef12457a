/**
 * Benchmarks a second delivery of a film after one line was changed: at the start, the middle and the end of the film,
 * in turn. The floor is `cp` of a file as large as the finished WAV file, timed in every round. Each delivery runs in a
 * separate process, and its clock starts when the film is placed.
 *
 *     node bench/run.mjs again [--hours 2] [--clips 2000] [--rounds 3] [--seconds 25] [--loudness -16] [--speakers 3]
 *         [--formats …]
 *
 * Formats: wav, flac, both (WAV and FLAC), stems (and WAV), m4a (and WAV), mp4 (and WAV).
 *
 * The fastest of several rounds counts; each round changes lines anew. A format gets no further round after so many
 * seconds, so that all take less than eight minutes. After each format, the benchmark compares the files with those of
 * a delivery from scratch, and prints its rows. CPU seconds are comparable on a busy machine, too. An edit copies the
 * WAV file, so `cp` is its floor where files cannot share blocks.
 */
import { spawnSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import type { OutputName } from "../../src/domain/manifest/Outputs.ts"
import { locateConfigured } from "../../src/ffmpeg/process/FfmpegBinary.ts"
import { writeOutputs } from "../../src/pipeline/deliver/OutputWriter.ts"
import { deliverOrMeasure, stateOf } from "../shared/deliveringProcess.ts"
import { deliverableOf, makeFilm, readFilm } from "../shared/mixFilm.ts"
import { ffmpegTook } from "../shared/mixPeers.ts"
import { processorSeconds } from "../shared/processorTime.ts"

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "2" },
    clips: { type: "string", default: "2000" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "25" },
    loudness: { type: "string", default: "-16" },
    speakers: { type: "string", default: "3" },
    formats: { type: "string", default: "wav,flac,both,stems,m4a,mp4" },
    /** For the delivering process: the film's folder, the output folder and the changed lines so far. */
    deliver: { type: "string" },
    out: { type: "string", default: "" },
    changed: { type: "string", default: "" }
  }
})

/** The outputs that each format delivers. */
const outputs: Readonly<Record<string, ReadonlyArray<OutputName>>> = {
  wav: ["wav"],
  flac: ["flac"],
  both: ["wav", "flac"],
  stems: ["wav", "stems"],
  m4a: ["wav", "m4a"],
  mp4: ["wav", "mp4"]
}

/** Delivers the film in this process, with each changed line spoken as the one after it. */
const delivery = Effect.fn("bench.deliver")(function* (folder: string) {
  const film = yield* Effect.promise(() => readFilm(folder))
  const clips = [...film.clips]
  for (const line of values.changed.split(",").filter((number) => number !== "")) {
    const [at, by] = line.split("+").map(Number)
    const old = film.clips[at ?? 0]
    const other = film.clips[((at ?? 0) + (by ?? 0)) % film.clips.length]
    if (old !== undefined && other !== undefined) clips[at ?? 0] = { ...other, at: old.at }
  }
  const loudness = values.loudness === "none" ? "none" : Number(values.loudness)
  const made = deliverableOf(
    { ...film, clips },
    values.out,
    "film",
    outputs[values.formats] ?? [],
    loudness,
    16,
    1,
    Number(values.speakers)
  )
  const video =
    values.formats === "mp4" ? { video: { path: join(folder, "film.mp4"), name: "film.mp4" } } : {}
  const [start, before] = [performance.now(), processorSeconds()]
  yield* writeOutputs({ ...made, job: { ...made.job, ...video } })
  console.log((performance.now() - start) / 1000, processorSeconds() - before)
})

/** Seconds by the clock, and of the processor. */
interface Took {
  readonly seconds: number
  readonly cpu: number
}

/** Delivers in a separate process. */
const delivered = (folder: string, out: string, format: string, changed: ReadonlyArray<string>): Took => {
  // Otherwise, this step would also be timed for what earlier steps have yet to write to disk.
  spawnSync("sync")
  const { stdout, stderr, status } = spawnSync(process.execPath, [
    fileURLToPath(import.meta.url),
    ...["--deliver", folder, "--out", out, "--formats", format],
    ...[`--loudness=${values.loudness}`, "--speakers", values.speakers, "--changed", changed.join(",")]
  ])
  if (status !== 0) throw new Error(stderr.toString())
  const [seconds = NaN, cpu = NaN] = stdout.toString().split(" ").map(Number)
  return { seconds, cpu }
}

/** Copies a file with `cp`. */
const copied = (file: string): Took => {
  const copy = `${file}.copy`
  spawnSync("sync")
  const [start, before] = [performance.now(), processorSeconds()]
  spawnSync("cp", [file, copy])
  const took = { seconds: (performance.now() - start) / 1000, cpu: processorSeconds() - before }
  rmSync(copy)
  return took
}

/** Writes a file as large as the film's WAV file: mono at 48 kHz, 16 bits. */
const writeBase = (file: string, hours: number): void => {
  const minute = randomBytes(60 * 48_000 * 2)
  rmSync(file, { force: true })
  for (let at = 0; at < 60 * hours; at++) appendFileSync(file, minute)
}

/** The fastest of several steps by name. */
class Fastest {
  private readonly steps = new Map<string, Took & { readonly count: number }>()

  add(name: string, { seconds, cpu }: Took): void {
    const before = this.steps.get(name) ?? { seconds, cpu, count: 0 }
    this.steps.set(name, {
      seconds: Math.min(seconds, before.seconds),
      cpu: Math.min(cpu, before.cpu),
      count: before.count + 1
    })
  }

  get(name: string): Took | undefined {
    return this.steps.get(name)
  }

  /** Prints the steps as rows of a table, relative to `floor`. */
  print(format: string, floor: Took | undefined): void {
    for (const [name, { seconds, cpu, count }] of this.steps) {
      const [byClock, byCpu] = [seconds / (floor?.seconds ?? NaN), cpu / (floor?.cpu ?? NaN)]
      console.log(
        `| ${format} | ${name} | ${count} | ${seconds.toFixed(2)} s | ${byClock.toFixed(2)} | ` +
          `${cpu.toFixed(2)} s | ${byCpu.toFixed(2)} |`
      )
    }
  }
}

/** The checksums of all files below a folder. */
const checksums = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort()
    .map(
      (name) =>
        `${name} ${createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex")}`
    )
    .join("\n")

const measure = Effect.fn("bench.again")(function* (folder: string) {
  const { path: ffmpeg } = yield* locateConfigured
  const rounds = Number(values.rounds)
  const film = yield* makeFilm(folder, Number(values.hours), Number(values.clips)).pipe(
    Effect.provide(stateOf(folder))
  )
  const formats = values.formats.split(",")
  if (formats.includes("mp4")) {
    const picture = `color=black:size=320x180:rate=5:duration=${Number(values.hours) * 3_600}`
    ffmpegTook(ffmpeg, ["-f", "lavfi", "-i", picture, "-preset", "ultrafast", join(folder, "film.mp4")])
  }
  const places = { start: 3, middle: Math.floor(film.clips.length / 2), end: film.clips.length - 4 }
  const base = join(folder, "base")
  writeBase(base, Number(values.hours))
  console.log("| format | edit | times | fastest | × cp | CPU | × cp |\n|---|---|---|---|---|---|---|")
  const copies = new Fastest()
  for (let round = 0; round < rounds; round++) copies.add("cp", copied(base))
  copies.print("", copies.get("cp"))
  const results: Array<string> = []
  for (const format of formats) {
    const out = join(folder, `out-${format}`)
    const changed: Array<string> = []
    const fastest = new Fastest()
    const each: Array<string> = []
    fastest.add("first delivery", delivered(folder, out, format, changed))
    const edit = (name: string, line: string) => {
      changed.push(line)
      const now = delivered(folder, out, format, changed)
      each.push(`${name} ${now.seconds.toFixed(2)}`)
      fastest.add(name, now)
    }
    const end = performance.now() + 1000 * Number(values.seconds)
    for (let round = 0; round < rounds && (round === 0 || performance.now() < end); round++) {
      copies.add("cp", copied(base))
      for (const [name, line] of Object.entries(places)) {
        // Changes another line each time, near the previous one.
        edit(name, `${line + (name === "end" ? -round : round)}+${1 + 7 * (round + 1)}`)
      }
    }
    const scratch = join(folder, "scratch")
    const again = delivered(folder, scratch, format, changed)
    const isEqual = checksums(out) === checksums(scratch)
    fastest.add(`from scratch: ${isEqual ? "bit-equal" : "DIFFERENT"}`, again)
    rmSync(scratch, { recursive: true })
    rmSync(out, { recursive: true })
    fastest.print(format, copies.get("cp"))
    results.push(`${format}: ${each.join(", ")}`)
  }
  copies.print("", copies.get("cp"))
  console.log(["", ...results].join("\n"))
})

await deliverOrMeasure("again", values.deliver, delivery, measure)
