/**
 * Benchmarks time-stretching: CPU time per line, and quality beside Rubber Band, SoundTouch and ffmpeg's atempo
 * (Debian: apt-get install rubberband-cli soundstretch). Peers that are not installed are left out. Linux only.
 *
 *     node bench/run.mjs stretch [--speeds 0.9,1.1,1.25,1.5] [--rounds 5]
 *
 * Lines of several voices of eSpeak NG and Flite are stretched at 48 kHz, like in a delivery. Every figure is better if
 * lower. `added` and `lost` are spectral distances of the result from the recording and of the recording from the
 * result. `blunted` is what onsets lose. Ours is timed line by line, without files. The others are timed as processes
 * that read and write a file with all lines.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Effect, Either } from "effect"
import { NodeContext } from "@effect/platform-node"
import { BufferPool } from "../../src/audio/kernels/BufferPool.ts"
import { decodeWav, encodeWav16 } from "../../src/audio/formats/Wav.ts"
import { fromInt16, type Pcm } from "../../src/audio/pcm/Pcm.ts"
import { resample } from "../../src/audio/pcm/Resampling.ts"
import { slowDown, speedUp } from "../../src/audio/speech/TimeStretch.ts"
import { frames, SampleRate } from "../../src/domain/time/Units.ts"
import { openEspeak } from "../../src/engines/local/EspeakThread.ts"
import { openFlite } from "../../src/engines/local/FliteThread.ts"
import { locateConfigured } from "../../src/ffmpeg/process/FfmpegBinary.ts"
import { processorSeconds } from "../shared/processorTime.ts"
import { sentences } from "../shared/mixFilm.ts"
import { stretchQuality } from "./stretchQuality.ts"

const { values } = parseArgs({
  options: {
    speeds: { type: "string", default: "0.9,1.1,1.25,1.5" },
    rounds: { type: "string", default: "5" }
  }
})
const rate = SampleRate.make(48_000)

const lines: ReadonlyArray<Pcm> = await (async () => {
  const [espeak, flite] = await Promise.all([openEspeak(), openFlite()])
  return [
    ...["en-us", "en-us+m3", "en-us+f3", "en-us+f2"].map((voice) => [espeak, voice] as const),
    ...["slt", "rms", "awb", "kal16"].map((voice) => [flite, voice] as const)
  ].flatMap(([engine, voice]) =>
    sentences.map((text) => {
      const pieces = text.split(" ").map((word) => ({ text: word, english: false }))
      const said = engine.speak({ _tag: "Sentence", voice, rate: 1, pitch: 0, pieces })
      return resample({ rate: said.rate, samples: fromInt16(said.samples) }, rate)
    })
  )
})()

const joined = (some: ReadonlyArray<Pcm>): Pcm => {
  const samples = new Float32Array(some.reduce((sum, one) => sum + one.samples.length, 0))
  let at = 0
  for (const one of some) {
    samples.set(one.samples, at)
    at += one.samples.length
  }
  return { rate, samples }
}

/** The result of a method at a speed, and its CPU time. */
interface Stretched {
  readonly pcm: Pcm
  readonly seconds: number
}

const buffers = new BufferPool()
/** Stretches line by line. The time is that of the stretching, without the copies that the measurement needs. */
const own = (speed: number): Stretched => {
  let micros = 0
  const stretched = lines.map((line) => {
    const target = frames(Math.round(line.samples.length / speed))
    const before = process.cpuUsage()
    const pcm = speed > 1 ? speedUp(line, target, buffers.take) : slowDown(line, target, buffers.take)
    const { user, system } = process.cpuUsage(before)
    micros += user + system
    const samples = pcm.samples.slice()
    buffers.freeAll()
    return { rate, samples }
  })
  return { pcm: joined(stretched), seconds: micros / 1e6 }
}

const folder = mkdtempSync(join(tmpdir(), "dubwright-stretch-"))
const [source, target] = [join(folder, "source.wav"), join(folder, "target.wav")]
const { path: ffmpeg } = await Effect.runPromise(Effect.provide(locateConfigured, NodeContext.layer))

/** Programs and their arguments at a speed. */
const peers: Readonly<Record<string, (speed: number) => ReadonlyArray<string>>> = {
  "Rubber Band R3": (speed) => ["rubberband", "-q", "-3", "-T", `${speed}`, source, target],
  "Rubber Band R2": (speed) => ["rubberband", "-q", "-2", "-T", `${speed}`, source, target],
  SoundTouch: (speed) => [
    "soundstretch",
    source,
    target,
    `-tempo=${((speed - 1) * 100).toFixed(2)}`,
    "-speech"
  ],
  atempo: (speed) => [
    ffmpeg,
    ...["-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-i", source],
    ...["-af", `atempo=${speed}`, "-bitexact", target]
  ]
}

/** Returns the round that took the least time. */
const fastest = (method: () => Stretched | undefined, rounds: number): Stretched | undefined =>
  Array.from({ length: rounds }, method)
    .filter((round) => round !== undefined)
    .sort((one, other) => one.seconds - other.seconds)[0]

/** Runs a program on a file with all lines; undefined if it is not installed. */
const ran = ([program = "", ...args]: ReadonlyArray<string>): Stretched | undefined => {
  const before = processorSeconds()
  const { error, status, stderr } = spawnSync(program, args, { encoding: "utf8" })
  if (error !== undefined) return undefined
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
  const seconds = processorSeconds() - before
  return { pcm: Either.getOrThrow(decodeWav(readFileSync(target))), seconds }
}

try {
  const recording = joined(lines)
  writeFileSync(source, encodeWav16(recording))
  const seconds = recording.samples.length / rate
  console.log(`${lines.length} lines, ${(seconds / lines.length).toFixed(2)} s each`)
  for (const speed of values.speeds.split(",").map(Number)) {
    console.log(`speed ${speed}:      ms a line   added    lost  blunted   cents  wrong pitch`)
    const methods: ReadonlyArray<readonly [string, () => Stretched | undefined]> = [
      ["dubwright", () => own(speed)],
      ...Object.entries(peers).map(([name, words]) => [name, () => ran(words(speed))] as const)
    ]
    for (const [name, method] of methods) {
      const stretched = fastest(method, name === "dubwright" ? Number(values.rounds) : 1)
      if (stretched === undefined) continue
      const { pcm, seconds } = stretched
      const { added, lost, blunted, cents, wrongPitch } = stretchQuality(recording, pcm, speed)
      const cells = [
        ((1_000 * seconds) / lines.length).toFixed(2).padStart(8),
        ...[added, lost, blunted, cents].map((value) => value.toFixed(2).padStart(8)),
        `${(100 * wrongPitch).toFixed(2)} %`.padStart(12)
      ]
      console.log(`  ${name.padEnd(14)} ${cells.join("")}`)
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
