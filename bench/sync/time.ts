/**
 * Time and memory of the analysis of long films, against ffmpeg's decoding of their sound to nothing. Measures both in
 * turn, and prints the medians: wall time, and processor time, which depends less on other load.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { Effect, Layer, Stream } from "effect"
import { encodeWav16 } from "../../src/audio/formats/Wav.ts"
import type { TimedSpan } from "../../src/audio/sync/CueEvidence.ts"
import { evidenceOf } from "../../src/audio/sync/CueEvidence.ts"
import { alignToFilm } from "../../src/audio/sync/FilmAlignment.ts"
import { soundRate } from "../../src/audio/sync/SoundBands.ts"
import { SpeechTracker } from "../../src/audio/sync/SpeechTrack.ts"
import { SampleRate } from "../../src/domain/time/Units.ts"
import { Ffmpeg } from "../../src/ffmpeg/Ffmpeg.ts"
import { mixed, rate, sources, spokenOf } from "./films.ts"

const rounds = 3

/** Sound as films have it: stereo AAC, and AC-3 with six channels. */
const kinds = [
  { name: "film.m4a", encoding: ["-ac", "2", "-ar", "48000", "-c:a", "aac", "-b:a", "160k"] },
  { name: "film.mp4", encoding: ["-ac", "6", "-ar", "48000", "-c:a", "ac3", "-b:a", "384k"] }
] as const

/** Measures films of this length. */
export const measureTime = async (hours: number) => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-sync-"))
  try {
    const spoken = await spokenOf(sources[0]!)
    const repeats = Math.ceil((hours * 3600) / spoken.seconds)
    const wav = join(folder, "scene.wav")
    writeFileSync(wav, encodeWav16({ rate, samples: mixed(spoken, "music", 10, 1) }))
    const cues = Array.from({ length: repeats }, (_, k) =>
      spoken.cues.map(({ start, end }) => ({
        start: start + k * spoken.seconds,
        end: end + k * spoken.seconds
      }))
    ).flat()
    for (const { name, encoding } of kinds) {
      const film = join(folder, name)
      run(["-v", "error", "-y", "-stream_loop", `${repeats - 1}`, "-i", wav, ...encoding, film])
      await measureFilm(film, hours, cues)
      rmSync(film)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const measureFilm = async (film: string, hours: number, cues: ReadonlyArray<TimedSpan>) => {
  const plain: Array<Times> = []
  const own: Array<Times> = []
  let after = 0
  for (let round = 0; round < rounds; round++) {
    plain.push(await timed(() => run(["-v", "error", "-i", film, "-vn", "-f", "null", "-"])))
    own.push(
      await timed(async () => {
        const tracker = new SpeechTracker()
        await Effect.runPromise(listen(film, tracker))
        const decoded = performance.now()
        alignToFilm(evidenceOf(tracker.finish()), cues)
        after = (performance.now() - decoded) / 1000
      })
    )
  }
  const [null0, ours] = [medianOf(plain), medianOf(own)]
  const ratio = (key: keyof Times) => (ours[key] / null0[key]).toFixed(2)
  process.stdout.write(
    `${film.replace(/^.*\//u, "")}, ${hours} h, ${cues.length} cues: ffmpeg to null ${null0.wall.toFixed(2)} s ` +
      `(processors ${null0.cpu.toFixed(2)} s), analysis ${ours.wall.toFixed(2)} s (${ours.cpu.toFixed(2)} s), ` +
      `${after.toFixed(2)} s of it after decoding; ${ratio("wall")} × (${ratio("cpu")} ×); ` +
      `peak memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MB; load ${loadavg()[0]!.toFixed(1)}\n`
  )
}

/** Seconds. */
interface Times {
  readonly wall: number
  /** CPU time of this process and its child processes; NaN if the system does not report it. */
  readonly cpu: number
}

const medianOf = (times: ReadonlyArray<Times>): Times => {
  const middle = (key: keyof Times) =>
    times.map((one) => one[key]).sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
  return { wall: middle("wall"), cpu: middle("cpu") }
}

/** Processor time of processes that have ended: values 16 and 17 of proc(5)'s stat, in hundredths of a second. */
const childSeconds = (): number => {
  if (!existsSync("/proc/self/stat")) return Number.NaN
  const values = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /su, "")
    .split(" ")
  return (Number(values[13]) + Number(values[14])) / 100
}

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + childSeconds()
}

const listen = (path: string, tracker: SpeechTracker) =>
  Effect.flatMap(Ffmpeg, (ffmpeg) =>
    Stream.runForEach(ffmpeg.decodeSound({ path }, SampleRate.make(soundRate)), (block) =>
      Effect.sync(() => tracker.push(block))
    )
  ).pipe(Effect.provide(Layer.fresh(Ffmpeg.Default)))

const run = (args: ReadonlyArray<string>) => {
  const { status, stderr } = spawnSync("ffmpeg", args, { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
}

const timed = async (work: () => unknown): Promise<Times> => {
  const start = performance.now()
  const before = cpuSeconds()
  await work()
  return { wall: (performance.now() - start) / 1000, cpu: cpuSeconds() - before }
}
