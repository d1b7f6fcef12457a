/**
 * Benchmarks the WebAssembly kernels on trial: the CPU time of whole deliveries of a film, with the kernels and with
 * plain loops instead of all or one of them. Checks that the files are the same to the bit. Linux only.
 *
 *     node bench/run.mjs kernels [--hours 2] [--clips 2000] [--rounds 5] [--cases wav,flac,fast,mp3,loud]
 *                                [--plain all,doubledOf,…]
 *
 * Cases: a WAV file, a FLAC file, a WAV file with all lines sped up by a quarter, the same with clips received as MP3
 * at 44.1 kHz, and a WAV file at -16 LUFS.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { encodeWav16 } from "../src/audio/formats/Wav.ts"
import { UtteranceKey } from "../src/domain/values/Ids.ts"
import { locateConfigured } from "../src/ffmpeg/process/FfmpegBinary.ts"
import { analyzeClip } from "../src/pipeline/clips/ClipAnalysis.ts"
import { makeDecoder } from "../src/pipeline/clips/ReceivedAudio.ts"
import { writeOutputs } from "../src/pipeline/deliver/OutputWriter.ts"
import { fetchesAtOnce } from "../src/pipeline/clips/ClipIntake.ts"
import { ClipFolder } from "../src/store/files/ClipFolder.ts"
import { deliverOrMeasure, stateOf } from "./shared/deliveringProcess.ts"
import { deliverableOf, type Film, makeFilm, mp3Of, readFilm } from "./shared/mixFilm.ts"
import { encodeMp3 } from "./shared/mixPeers.ts"
import { processorSeconds } from "./shared/processorTime.ts"
import * as plainKernels from "../test/audio/kernels/plainKernels.ts"

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "2" },
    clips: { type: "string", default: "2000" },
    rounds: { type: "string", default: "5" },
    cases: { type: "string", default: "wav,flac,fast,mp3,loud" },
    plain: { type: "string", default: ["all", ...Object.keys(plainKernels)].join(",") },
    /** The film's folder, for the delivering process. */
    deliver: { type: "string" }
  }
})

/** Decodes, analyzes and stores the clips that arrive as MP3, like the speak stage; returns the film with them. */
const received = Effect.fn("bench.received")(function* (film: Film, folder: string) {
  const kept = yield* ClipFolder
  const decode = yield* makeDecoder
  const clips = yield* Effect.forEach(
    film.clips,
    (clip) =>
      Effect.gen(function* () {
        const path = mp3Of(folder, clip)
        const pcm = yield* Effect.orDie(
          decode({ bytes: readFileSync(path), laid: Effect.succeed(path), most: 600 })
        )
        const request = {
          said: ["A line of speech."],
          timed: false,
          transcript: undefined,
          usual: undefined,
          most: 600
        } as const
        Array.from(analyzeClip(pcm, request))
        const key = UtteranceKey.make(`f${clip.key.slice(1)}`)
        const { checksum } = yield* kept.keep(key, encodeWav16(pcm))
        return { ...clip, key, checksum, frames: pcm.samples.length, rate: pcm.rate }
      }),
    { concurrency: fetchesAtOnce }
  )
  return { ...film, clips }
}, Effect.scoped)

const delivery = Effect.fn("bench.deliver")(function* (folder: string, name: string) {
  const film = yield* Effect.promise(() => readFilm(folder))
  const heard = name === "mp3" ? yield* received(film, folder) : film
  const format = name === "flac" ? "flac" : "wav"
  const speed = name === "fast" ? 1.25 : 1
  yield* writeOutputs(deliverableOf(heard, folder, name, [format], name === "loud" ? -16 : "none", 16, speed))
})

/** Delivers in a separate process; returns its CPU seconds and a checksum of its files. */
const delivered = (folder: string, name: string, plain: string) => {
  rmSync(join(folder, name), { recursive: true, force: true })
  const before = processorSeconds()
  const { stderr, status } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), "--deliver", folder, "--cases", name],
    { env: { ...process.env, DUBWRIGHT_PLAIN_KERNELS: plain } }
  )
  if (status !== 0) throw new Error(stderr.toString())
  const work = processorSeconds() - before
  const hash = createHash("sha256")
  for (const file of readdirSync(join(folder, name)).sort())
    hash.update(readFileSync(join(folder, name, file)))
  return { work, checksum: hash.digest("hex") }
}

const median = (some: ReadonlyArray<number>): number =>
  [...some].sort((a, b) => a - b)[some.length >> 1] ?? NaN

const measure = Effect.fn("bench.measure")(function* (folder: string) {
  const { path: ffmpeg } = yield* locateConfigured
  const film = yield* makeFilm(folder, Number(values.hours), Number(values.clips)).pipe(
    Effect.provide(stateOf(folder))
  )
  const cases = values.cases.split(",")
  if (cases.includes("mp3")) encodeMp3(ffmpeg, folder, film.clips, 44_100)
  const variants = ["", ...values.plain.split(",")]
  for (const name of cases) {
    const rounds = Array.from({ length: Number(values.rounds) }, () =>
      // Every round measures all of them in turn, so a busy machine slows them alike.
      variants.map((plain) => delivered(folder, name, plain))
    )
    console.log(`${name}: CPU seconds, least and median of ${rounds.length}`)
    const worked = variants.map((_, at) => rounds.map((round) => round[at]?.work ?? NaN))
    variants.forEach((plain, at) => {
      const [work = [], own = []] = [worked[at], worked[0]]
      const [least, most] = [Math.min(...work), median(work)]
      const more = (one: number, other: number) => `${((one / other - 1) * 100).toFixed(1)} %`.padStart(8)
      const same = rounds.every((round) => round[at]?.checksum === rounds[0]?.[0]?.checksum)
      console.log(
        `  ${(plain || "kernels").padEnd(12)} ${least.toFixed(2).padStart(6)} ${more(least, Math.min(...own))}` +
          `  ${most.toFixed(2).padStart(6)} ${more(most, median(own))}${same ? "" : "  other bits"}`
      )
    })
  }
})

await deliverOrMeasure("kernels", values.deliver, (folder) => delivery(folder, values.cases), measure)
