import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { millis } from "../../../src/domain/time/Units.ts"
import { Ffmpeg } from "../../../src/ffmpeg/Ffmpeg.ts"
import type { MuxRequest } from "../../../src/ffmpeg/mux/MuxRequest.ts"
import { ffmpeg, folder, rate48 } from "../media.ts"
import { withEachFfmpeg } from "../binaries.ts"

/** Writes 3 s of a transport stream with a tone in each channel of a layout, from `start` on. */
const tone = (path: string, layout: string, start: number) => {
  const channels = Array.from({ length: layout === "5.1" ? 6 : 2 }, () => "0.1*sin(2*PI*500*t)").join("|")
  return ffmpeg(
    ...["-f", "lavfi", "-i", "testsrc=size=160x90:rate=25"],
    ...["-f", "lavfi", "-i", `aevalsrc=${channels}:c=${layout}:s=48000`],
    ...["-t", "3", "-c:v", "mpeg2video", "-c:a", "ac3", "-output_ts_offset", `${start}`, path]
  )
}

/** Writes a film of 6 s whose sound changes its channels after 3 s. */
const changingFilm = (here: string, layouts: readonly [string, string]) =>
  Effect.gen(function* () {
    const parts = layouts.map((_, at) => join(here, `${at}.ts`))
    for (const [at, layout] of layouts.entries()) yield* tone(parts[at] ?? "", layout, 3 * at)
    const path = join(here, "film.ts")
    yield* Effect.promise(async () =>
      writeFile(path, Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))))
    )
    return path
  })

/** The level of the tone at a time, by correlation; 0.1 is that of the film. */
const levelAt = (samples: Float32Array, seconds: number): number => {
  let [a, b] = [0, 0]
  for (let i = 0; i < 4_800; i++) {
    const sample = samples[Math.round(seconds * 48_000) + i] ?? 0
    a += sample * Math.cos((2 * Math.PI * 500 * i) / 48_000)
    b += sample * Math.sin((2 * Math.PI * 500 * i) / 48_000)
  }
  return Math.hypot(a, b) / 2_400
}

const delivered = (here: string, film: string, request: Pick<MuxRequest, "original" | "stretches">) =>
  Effect.gen(function* () {
    const service = yield* Ffmpeg
    const [dub, out, sound] = ["dub.wav", "out.mkv", "sound.wav"].map((name) => join(here, name))
    if (dub === undefined || out === undefined || sound === undefined)
      return yield* Effect.dieMessage("unnamed")
    yield* ffmpeg("-f", "lavfi", "-i", "anullsrc=r=48000:cl=mono", "-t", "6", dub)
    const spoken = [{ start: millis(4_000), end: millis(5_000) }]
    const tracks = [{ path: dub, isDefault: request.original !== "keep", spoken }] as const
    yield* service.mux({ video: film, out, tracks, subtitles: [], ...request })
    const { sounds } = yield* service.probe(out)
    // The left channel of the first track.
    yield* ffmpeg("-i", out, "-map", "0:a:0", "-af", "pan=mono|c0=c0", sound)
    const { samples } = yield* service.decode({ path: sound }, rate48)
    return { samples, channels: sounds.map(({ channels }) => channels) }
  })

withEachFfmpeg("a film whose sound changes its channels midway", (it) => {
  for (const layouts of [
    ["stereo", "5.1"],
    ["5.1", "stereo"]
  ] as const) {
    it.scoped(`is ducked under speech only, from ${layouts.join(" to ")}`, () =>
      Effect.gen(function* () {
        const here = yield* folder
        const film = yield* changingFilm(here, layouts)
        const duck = { amount: 20, attack: millis(100), release: millis(100) }
        const { samples, channels } = yield* delivered(here, film, { original: duck })
        expect(channels).toEqual([layouts[0] === "5.1" ? 6 : 2])
        expect(Math.abs(samples.length / 48_000 - 6)).toBeLessThan(0.1)
        for (const time of [0.5, 2, 2.7, 3.4, 3.8, 5.3]) expect(levelAt(samples, time)).toBeGreaterThan(0.05)
        // In 5.1, only the centre is lowered.
        const isLowered = levelAt(samples, 4.5) < 0.3 * levelAt(samples, 3.6)
        expect(isLowered).toBe(layouts[0] === "stereo")
      })
    )
  }

  it.scoped("pauses where the picture waits, and stays in time behind it", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const film = yield* changingFilm(here, ["stereo", "5.1"])
      const stretches = [{ from: millis(1_000), to: millis(1_000), added: millis(1_000), cue: 1 }]
      const { samples } = yield* delivered(here, film, { original: "keep", stretches })
      expect(Math.abs(samples.length / 48_000 - 7)).toBeLessThan(0.1)
      for (const time of [0.5, 2.5, 3.5, 4.4, 6.5]) expect(levelAt(samples, time)).toBeGreaterThan(0.05)
      expect(levelAt(samples, 1.5)).toBeLessThan(0.001)
    })
  )
})
