/** An M4A file that is encoded in segments: it sounds like one that is encoded as a whole. */
import { readdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it as test } from "@effect/vitest"
import { Deferred, Effect, FastCheck as fc, Stream } from "effect"
import { aacFrameSamples, aacStream } from "../../../../src/audio/formats/AacFrames.ts"
import { frames, millis, SampleRate } from "../../../../src/domain/time/Units.ts"
import { aacSegments, type StoredSegments } from "../../../../src/ffmpeg/encode/aac/AacSegments.ts"
import { readSegment } from "../../../../src/ffmpeg/encode/aac/SegmentFile.ts"
import type { AudioSink } from "../../../../src/ffmpeg/encode/EncodeJob.ts"
import { writeBlocks } from "../../../../src/ffmpeg/encode/PcmBlocks.ts"
import { Ffmpeg } from "../../../../src/ffmpeg/Ffmpeg.ts"
import { DiskFull } from "../../../../src/ffmpeg/process/FfmpegErrors.ts"
import { randomOf, speechLike } from "../../../audio/signals.ts"
import { withEachFfmpeg } from "../../binaries.ts"
import { folder, level, rate48 } from "../../media.ts"

/** Short segments in a folder, none of them encoded. */
const segmentsIn = (here: string, rate: number, length: number): StoredSegments =>
  aacSegments(
    { rate, frames: length },
    { rate: 48_000, frames: Math.round((length * 48_000) / rate) },
    5
  ).map((segment, at) => ({ ...segment, path: join(here, `${at}.aac`), isKept: false }))

/** Speech with sharp clicks, on which the encoder changes its windows. */
const programme = (rate: SampleRate, channels: 1 | 2, seconds: number) => {
  const random = randomOf(5)
  const voices = Array.from({ length: channels }, (_, at) => speechLike(rate, seconds, at + 1).samples)
  const samples = new Float32Array(channels * (voices[0]?.length ?? 0))
  for (let at = 0; at < samples.length; at++)
    samples[at] = (voices[at % channels]?.[Math.floor(at / channels)] ?? 0) + (random() < 1e-4 ? 0.4 : 0)
  const feed = { rate, channels, frames: frames(samples.length / channels) }
  return { samples, feed }
}

withEachFfmpeg("an M4A file in segments", (it) => {
  for (const [rate, channels] of [
    [24_000, 1],
    [44_100, 1],
    [48_000, 2]
  ] as const)
    it.scoped(`is as long and as clean as a whole one, from ${rate} Hz and ${channels} channels`, () =>
      Effect.gen(function* () {
        const here = yield* folder
        const service = yield* Ffmpeg
        const { samples, feed } = programme(SampleRate.make(rate), channels, 31.234)
        const format = { format: "m4a" } as const
        const segments = segmentsIn(here, rate, feed.frames)
        const joins = segments.slice(1).map(({ from }) => (from - 1) * aacFrameSamples)
        const sinks: ReadonlyArray<AudioSink> = [
          { path: join(here, "source.wav"), format: { format: "wav", depth: 32 } },
          { path: join(here, "whole.m4a"), format },
          { path: join(here, "joined.m4a"), format, segments }
        ]
        const chapters = [{ start: millis(1_000), end: millis(9_000), title: "One" }]
        yield* service.encode({ feed, sinks, chapters }, [samples])
        expect(joins.length).toBe(5)
        const [source, whole, joined] = yield* Effect.forEach(sinks, ({ path }) =>
          service.decode({ path }, rate48)
        )
        expect(joined?.samples.length).toBe(whole?.samples.length)
        const noise = (heard: typeof source, from: number, to: number) =>
          level(
            source?.samples
              .subarray(from, to)
              .map((sample, at) => sample - (heard?.samples[from + at] ?? 0)) ?? new Float32Array(1),
            0,
            to - from
          )
        const end = source?.samples.length ?? 0
        expect(noise(joined, 0, end)).toBeLessThan(noise(whole, 0, end) + 1)
        expect(noise(joined, 0, end)).toBeLessThan(level(source?.samples ?? samples, 0, end) - 15)
        // Where a segment takes over, too: the next can do so within 40 frames.
        const around = (heard: typeof source) =>
          joins.reduce((sum, at) => sum + 10 ** (noise(heard, at - 4_096, at + 45_056) / 10), 0)
        expect(around(joined)).toBeLessThan(around(whole) * 1.25)
        const [one, other] = yield* Effect.forEach(["whole", "joined"], (name) =>
          service.probe(join(here, `${name}.m4a`))
        )
        expect(other?.duration).toBe(one?.duration)
        expect(yield* Effect.promise(() => readdir(here))).toEqual(
          [...segments.keys()].map((at) => `${at}.aac`).concat("joined.m4a", "source.wav", "whole.m4a")
        )
      })
    )

  it.scoped("stops the renderer when a segment cannot be encoded, names its file, and leaves none", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const { feed } = programme(rate48, 1, 1)
      const long = { ...feed, frames: frames(48_000 * 60) }
      const [first, ...others] = segmentsIn(here, rate48, long.frames)
      yield* Effect.promise(() => symlink("/dev/full", `${first?.path}.adts`))
      const sink = { path: join(here, "a.m4a"), format: { format: "m4a" } } as const
      const segments = first === undefined ? [] : [first, ...others]
      const stopped = yield* Deferred.make<void>()
      const blocks = Stream.make([new Float32Array(long.frames)]).pipe(
        Stream.ensuring(Deferred.succeed(stopped, undefined))
      )
      const failure = yield* Effect.flatMap(
        (yield* Ffmpeg).openFiles([{ feed: long, sinks: [{ ...sink, segments }] }]),
        ({ orders, write }) => write(writeBlocks(blocks, orders, long))
      ).pipe(Effect.scoped, Effect.flip)
      expect(failure).toEqual(new DiskFull({ path: `${first?.path}.adts` }))
      expect(yield* Deferred.isDone(stopped)).toBe(true)
      const left = yield* Effect.promise(() => readdir(here))
      expect(left.filter((name) => !/^\d+\.aac$/u.test(name))).toEqual([])
      expect(left).not.toContain("0.aac")
    })
  )
})

test.prop(
  "segments cover all frames once, and begin where samples of both rates coincide",
  {
    rate: fc.constantFrom(16_000, 22_050, 24_000, 44_100, 48_000, 96_000),
    out: fc.constantFrom(8_000, 44_100, 48_000, 96_000),
    seconds: fc.double({ min: 0.1, max: 2_000, noNaN: true })
  },
  ({ rate, out, seconds }) => {
    const from = { rate, frames: Math.round(seconds * rate) }
    const to = { rate: out, frames: Math.round((from.frames * out) / rate) }
    const all = aacSegments(from, to)
    expect(all.map(({ from }) => from)).toEqual([0, ...all.slice(0, -1).map(({ to }) => to)])
    expect(all[0]).toMatchObject({ begin: 0, first: 0 })
    expect(all.at(-1)).toMatchObject({ end: from.frames, to: Math.ceil(to.frames / 1_024) + 1 })
    for (const { begin, first, end, to: last } of all) {
      expect(begin * out).toBe(first * 1_024 * rate)
      // The samples of the frames in which the next segment can take over.
      expect((end * out) / rate).toBeGreaterThanOrEqual(Math.min(to.frames - 1, (last + 40) * 1_024))
    }
    expect(all.length).toBeGreaterThanOrEqual(1)
  }
)

test("bytes that are no ADTS frames, and damaged segments, are recognised", ({ expect }) => {
  expect(() => aacStream(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), 0)).toThrow("byte 0 of 8")
  expect(readSegment("/nowhere/0.aac")).toBeUndefined()
})

test.scoped("a stored segment with one changed byte is not used", () =>
  Effect.gen(function* () {
    const path = join(yield* folder, "0.aac")
    yield* Effect.promise(() => writeFile(path, new Uint8Array(100)))
    expect(readSegment(path)).toBeUndefined()
  })
)
