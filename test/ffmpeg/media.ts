/** Creates test media with the bundled ffmpeg, and measures results. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { frames, SampleRate } from "../../src/domain/time/Units.ts"
import { runProcess } from "../../src/ffmpeg/process/ChildProcess.ts"
import { bundled } from "./binaries.ts"

export const rate24 = SampleRate.make(24_000)
export const rate48 = SampleRate.make(48_000)

const folderNamed = (name: string) =>
  Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), name))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )

/** A temporary folder, removed with the scope. */
export const plainFolder = folderNamed("dubwright-test-")

/** A temporary folder with a name that is hard to quote in command lines. */
export const folder = folderNamed("dub [wright]: 'ü' %d ")

/** Runs the bundled ffmpeg. If it fails, throws the end of its output. */
export const ffmpeg = (...args: ReadonlyArray<string>) =>
  runProcess(bundled.path, ["-hide_banner", "-nostdin", "-y", ...args]).pipe(
    Effect.tap(({ exitCode, stderr }) => (exitCode === 0 ? Effect.void : Effect.dieMessage(stderr)))
  )

/** A video with a moving picture and a soft hum, `seconds` long. */
export const video = (
  path: string,
  {
    seconds = 4,
    rate = "25",
    picture = ["-c:v", "mpeg4"],
    sound = ["-c:a", "aac"],
    tags = []
  }: {
    readonly seconds?: number
    readonly rate?: string
    readonly picture?: ReadonlyArray<string>
    readonly sound?: ReadonlyArray<string>
    readonly tags?: ReadonlyArray<string>
  } = {}
) =>
  ffmpeg(
    ...["-f", "lavfi", "-i", `testsrc=size=160x90:rate=${rate}`],
    ...["-f", "lavfi", "-i", "sine=220:sample_rate=48000"],
    ...["-t", `${seconds}`, "-g", "12", ...picture, ...sound, ...tags, path]
  )

/** Silence with a click of ten frames at each of these frames. */
export const clicks = (length: number, at: ReadonlyArray<number>, level = 0.5): Float32Array => {
  const samples = new Float32Array(length)
  for (const start of at) samples.fill(level, start, start + 10)
  return samples
}

/** The first frame at which a signal reaches half of its peak; -1 for silence. */
export const onset = (samples: Float32Array): number => {
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  return peak === 0 ? -1 : samples.findIndex((sample) => Math.abs(sample) >= peak / 2)
}

/** The RMS level of samples in dBFS. */
export const level = (samples: Float32Array, from: number, to: number): number => {
  const stretch = samples.subarray(from, to)
  return 10 * Math.log10(stretch.reduce((sum, sample) => sum + sample * sample, 0) / stretch.length + 1e-12)
}

/** A feed of mono floats. */
export const feedOf = (samples: Float32Array, rate: SampleRate) =>
  ({ rate, channels: 1, frames: frames(samples.length) }) as const
