/**
 * Compares the meter of delivery profiles with ffmpeg's ebur128 and with libebur128, which loudgain uses (Debian:
 * apt-get install loudgain). Each film has voices, music, effects and pauses, in mono, stereo or 5.1, and a loudness of
 * its own.
 *
 *     node bench/run.mjs meters [--films 30] [--seconds 20]
 *
 * Exits with code 1 if two meters differ by more than 0.1 LU or 0.1 dB, and with 2 without loudgain.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { NodeContext } from "@effect/platform-node"
import { Effect } from "effect"
import { wavHeader } from "../src/audio/formats/WavHeader.ts"
import { DeliveryMeter } from "../src/audio/level/DeliveryMeter.ts"
import { decibelsOf } from "../src/audio/pcm/Pcm.ts"
import { SampleRate } from "../src/domain/time/Units.ts"
import { locateConfigured } from "../src/ffmpeg/process/FfmpegBinary.ts"
import { randomOf, speechLike } from "../test/audio/signals.ts"

const { values } = parseArgs({
  options: {
    films: { type: "string", default: "30" },
    seconds: { type: "string", default: "20" }
  }
})
const [count, seconds] = [Number(values.films), Number(values.seconds)]
const rate = SampleRate.make(48_000)
const layouts = [1, 2, 6] as const

/** A film's samples, channels interleaved, before its level is set. */
const filmOf = (seed: number, channels: number): Float32Array => {
  const random = randomOf(seed + 1)
  const voice = speechLike(rate, seconds, seed).samples
  const samples = new Float32Array(voice.length * channels)
  const notes = Array.from({ length: channels }, () => 80 + 400 * random())
  const rumble = new Float32Array(channels)
  let [scene, voices, music] = [0, 1, 0.05]
  for (let frame = 0; frame < voice.length; frame++) {
    if (frame >= scene) {
      scene = frame + Math.round((1 + 3 * random()) * rate)
      voices = random() < 0.25 ? 0 : 0.2 + random()
      music = random() < 0.3 ? 0 : 0.15 * random()
    }
    for (let channel = 0; channel < channels; channel++) {
      rumble[channel] = 0.98 * (rumble[channel] ?? 0) + 0.02 * (2 * random() - 1)
      const spoken = channels === 6 && channel !== 2 ? 0 : (voice[frame] ?? 0) * voices
      const note = Math.sin((2 * Math.PI * (notes[channel] ?? 0) * frame) / rate)
      samples[frame * channels + channel] = spoken + music * (note + 2 * (rumble[channel] ?? 0))
    }
  }
  return samples
}

const meterOf = (samples: Float32Array, channels: number): DeliveryMeter => {
  const meter = new DeliveryMeter(rate, channels)
  for (let at = 0; at < samples.length; at += 8_192 * channels)
    meter.push(samples.subarray(at, at + 8_192 * channels))
  return meter
}

interface Reading {
  /** LUFS. */
  readonly loudness: number
  /** dBTP. */
  readonly peak: number
}

const ownReading = (samples: Float32Array, channels: number): Reading => {
  const meter = meterOf(samples, channels)
  return { loudness: meter.integrated(), peak: decibelsOf(meter.truePeak()) }
}

const outputOf = (program: string, words: ReadonlyArray<string>): string => {
  const { stdout, stderr, status, error } = spawnSync(program, words, { encoding: "utf8" })
  if (error !== undefined || status !== 0) throw new Error(`${program}: ${error?.message ?? stderr}`)
  return stdout + stderr
}

/** The loudness with three decimals from the filter's metadata, and the peak with one from its summary. */
const ffmpegReading = (program: string, file: string): Reading => {
  const metadata = `${file}.txt`
  const filter = `ebur128=peak=true:metadata=1,ametadata=print:key=lavfi.r128.I:file=${metadata}`
  const words = ["-hide_banner", "-nostats", "-i", file, "-af", filter, "-f", "null", "-"]
  const summary = outputOf(program, words)
  return {
    loudness: Number(readFileSync(metadata, "utf8").trim().split("=").at(-1)),
    peak: Number(/Peak:\s+(-?[\d.]+) dBFS/u.exec(summary)?.[1])
  }
}

const loudgainReading = (file: string): Reading => {
  const [head = "", row = ""] = outputOf("loudgain", ["-q", "-O", file]).trim().split("\n")
  const names = head.split("\t")
  const value = (name: string) => Number.parseFloat(row.split("\t")[names.indexOf(name)] ?? "")
  return { loudness: value("Loudness"), peak: decibelsOf(value("True_Peak")) }
}

const { stdout: version, error: missing } = spawnSync("loudgain", ["--version"], { encoding: "utf8" })
if (missing !== undefined) {
  process.stderr.write(`meters: ${missing.message}; install loudgain (Debian: apt-get install loudgain)\n`)
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), "dubwright-meters-"))
const { path: ffmpeg } = await Effect.runPromise(locateConfigured.pipe(Effect.provide(NodeContext.layer)))
process.stdout.write(`${version.replaceAll("\n", " ").trim()}\n`)
process.stdout.write("film  channels  LUFS     dBTP     ffmpeg LU  dB      libebur128 LU  dB\n")
const worst = { ffmpeg: [0, 0], libebur128: [0, 0] }
for (let film = 0; film < count; film++) {
  const channels = layouts[film % layouts.length] ?? 1
  const samples = filmOf(film, channels)
  // From -45 to -5 LUFS, or less where peaks would exceed full scale.
  const wanted = -45 + (40 * film) / Math.max(1, count - 1)
  const plain = ownReading(samples, channels)
  const gain = 10 ** (Math.min(wanted - plain.loudness, -0.5 - plain.peak) / 20)
  const frames = samples.length / channels
  const levelled = samples.map((sample) => sample * gain)
  const file = join(folder, `${film}.wav`)
  const header = wavHeader({ rate, channels, encoding: "float32", frames })
  writeFileSync(file, Buffer.concat([header, Buffer.from(levelled.buffer)]))
  const own = ownReading(levelled, channels)
  const theirs = { ffmpeg: ffmpegReading(ffmpeg, file), libebur128: loudgainReading(file) }
  const apart = (other: Reading) => [own.loudness - other.loudness, own.peak - other.peak] as const
  for (const name of ["ffmpeg", "libebur128"] as const)
    worst[name] = apart(theirs[name]).map((each, at) => Math.max(worst[name][at] ?? 0, Math.abs(each)))
  const columns = [own.loudness, own.peak, ...apart(theirs.ffmpeg), ...apart(theirs.libebur128)]
  process.stdout.write(
    `${`${film + 1}`.padEnd(6)}${`${channels}`.padEnd(10)}${columns.map((each) => each.toFixed(3).padEnd(9)).join(" ")}\n`
  )
  rmSync(file)
}
rmSync(folder, { recursive: true })
const far = (other: ReadonlyArray<number>) => other.some((each) => !(each <= 0.1))
for (const [name, [loudness = NaN, peak = NaN]] of Object.entries(worst))
  process.stdout.write(`largest difference from ${name}: ${loudness.toFixed(3)} LU, ${peak.toFixed(3)} dB\n`)
process.exitCode = far(worst.ffmpeg) || far(worst.libebur128) ? 1 : 0
