/** ffmpeg reads a WAV past 4 GiB. Runs only with DUBWRIGHT_LONG_WAV=1, on a file system with sparse files. */
import { statSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { sectionsOf } from "../../src/audio/pcm/Section.ts"
import { frames } from "../../src/domain/time/Units.ts"
import { wavFileOf } from "../../src/ffmpeg/encode/EncodeJob.ts"
import { Ffmpeg } from "../../src/ffmpeg/Ffmpeg.ts"
import { beginWav, WavPart } from "../../src/ffmpeg/encode/WavWriter.ts"
import { ffmpeg, folder, rate48 } from "./media.ts"
import { bundledFfmpeg } from "./binaries.ts"

const seconds = 12_000
const isWanted = process.env["DUBWRIGHT_LONG_WAV"] === "1"

layer(bundledFfmpeg, { excludeTestServices: true })("a WAV past 4 GiB", (it) => {
  it.scoped.skipIf(!isWanted)("has the right length, and its last sounds at the right time", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "long.wav")
      const feed = { rate: rate48, channels: 2, frames: frames(seconds * rate48) } as const
      const file = wavFileOf(feed, { sink: { path, format: { format: "wav", depth: 32 } }, part: path })
      const last = sectionsOf(feed.frames, rate48, 60).at(-1)
      if (file === undefined || last === undefined) return yield* Effect.dieMessage("nothing to write")
      beginWav(path, file.header)
      // The sections before it are sparse, and read as silence.
      const samples = Float32Array.from({ length: 2 * (last.end - last.begin) }, (_, i) => Math.sin(i * i))
      const part = new WavPart(file.order, last)
      part.take(samples)
      part.rest()
      part.close()
      expect(statSync(path).size).toBe(file.order.dataAt + seconds * rate48 * 8)
      expect(statSync(path).size).toBeGreaterThan(2 ** 32)
      expect((yield* (yield* Ffmpeg).probe(path)).duration).toBe(seconds * 1_000_000)
      const read = (from: number, length: number) =>
        Effect.map(
          ffmpeg(...["-ss", `${from}`, "-t", `${length}`, "-i", path, "-f", "f32le", "-"]),
          ({ stdout }) => Buffer.from(stdout)
        )
      const written = (from: number, length: number) => {
        const first = 2 * (from * rate48 - last.begin)
        return Buffer.from(samples.buffer, 4 * first, 8 * length * rate48)
      }
      expect((yield* read(seconds - 2, 2)).equals(written(seconds - 2, 2))).toBe(true)
      // Across the start of the section.
      const around = yield* read(last.from / rate48 - 1, 2)
      expect(around.subarray(0, 8 * rate48).every((byte) => byte === 0)).toBe(true)
      expect(around.subarray(8 * rate48).equals(written(last.from / rate48, 1))).toBe(true)
    })
  )
})
