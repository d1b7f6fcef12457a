import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Stream } from "effect"
import { LanguageTag } from "../../../src/domain/values/Ids.ts"
import { frames, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { writeBlocks } from "../../../src/ffmpeg/encode/PcmBlocks.ts"
import type { AudioFormat } from "../../../src/ffmpeg/encode/EncodeJob.ts"
import { DiskFull, Unwritable } from "../../../src/ffmpeg/process/FfmpegErrors.ts"
import { Ffmpeg } from "../../../src/ffmpeg/Ffmpeg.ts"
import { clicks, feedOf, ffmpeg, folder, level, onset, rate24, rate48 } from "../media.ts"
import { withEachFfmpeg } from "../binaries.ts"

const wav16: AudioFormat = { format: "wav", depth: 16 }

/** Reads the samples of a 16-bit WAV file directly, without ffmpeg. */
const pcm16In = (path: string) =>
  Effect.promise(async () => {
    const bytes = await readFile(path)
    const at = bytes.indexOf("data") + 8
    return new Int16Array(new Uint8Array(bytes.subarray(at)).buffer)
  })

const namesIn = (path: string) => Effect.promise(async () => (await readdir(path)).sort())

const tone = (length: number): Float32Array =>
  Float32Array.from({ length }, (_, i) => 0.5 * Math.sin((i * Math.PI * 2 * 440) / 24_000))

/** A speech-like sound at 48 kHz: 0.3 s of a voice at 90 Hz after each 0.2 s of silence. */
const syllables = (length: number): Float32Array =>
  Float32Array.from({ length }, (_, at) => {
    const into = (at % 24_000) - 9_600
    if (into < 0) return 0
    const time = (into % Math.round(48_000 / 90)) / 48_000
    const ring = (frequency: number) => Math.sin(2 * Math.PI * frequency * time) * Math.exp(-200 * time)
    return 0.6 * Math.min(1, into / 960, (14_400 - into) / 960) * (ring(700) + 0.5 * ring(2_600))
  })

/** Leaves no space for a file that is being written: every write to /dev/full fails with ENOSPC. */
const full = (path: string) =>
  Effect.promise(async () => {
    await rm(`${path}.part`, { force: true })
    await symlink("/dev/full", `${path}.part`)
  })

withEachFfmpeg("encode", (it) => {
  it.scoped("writes every format with the right length and timing", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const samples = clicks(72_007, [48_000])
      const formats: ReadonlyArray<readonly [string, AudioFormat, string, number]> = [
        ["16.wav", wav16, "pcm_s16le", 0],
        ["24.wav", { format: "wav", depth: 24 }, "pcm_s24le", 0],
        ["32.wav", { format: "wav", depth: 32 }, "pcm_f32le", 0],
        ["16.flac", { format: "flac", depth: 16 }, "flac", 0],
        ["24.flac", { format: "flac", depth: 24 }, "flac", 0],
        // These formats end with a full packet.
        ["a.mp3", { format: "mp3" }, "mp3", 1152],
        ["a.m4a", { format: "m4a", bitrate: 128 }, "aac", 1024],
        ["a.opus", { format: "opus" }, "opus", 0]
      ]
      const [first, ...others] = formats.map(([name, format]) => ({ path: join(here, name), format }))
      if (first === undefined) return
      yield* service.encode({ feed: feedOf(samples, rate24), sinks: [first, ...others] }, [
        samples.subarray(0, 1_000),
        samples.subarray(1_000)
      ])
      for (const [name, , codec, surplus] of formats) {
        const info = yield* service.probe(join(here, name))
        const sound = info.sounds[0]
        expect([name, sound?.codec, sound?.rate, sound?.channels]).toEqual([name, codec, 48_000, 1])
        const pcm = yield* service.decode({ path: join(here, name) }, rate48)
        expect(pcm.samples.length).toBeGreaterThanOrEqual(144_014)
        expect(pcm.samples.length).toBeLessThanOrEqual(144_014 + surplus)
        // A frame of a film at 60 a second lasts 800 frames of audio; these are off by 2 at most.
        expect([name, Math.abs(onset(pcm.samples) - 96_000) <= 2]).toEqual([name, true])
      }
      expect((yield* pcm16In(join(here, "16.wav"))).length).toBe(144_014)
      expect(yield* namesIn(here)).toEqual(formats.map(([name]) => name).sort())
    })
  )

  for (const rate of [16_000, 22_050, 24_000, 44_100, 48_000, 96_000]) {
    it.scoped(`keeps the exact length from ${rate} Hz to 48 kHz`, () =>
      Effect.gen(function* () {
        const here = yield* folder
        const service = yield* Ffmpeg
        const lengths = [1, rate - 1, rate + 1, 3 * rate + 7]
        for (const length of lengths) {
          const path = join(here, `${length}.wav`)
          const samples = clicks(length, [])
          yield* service.encode(
            { feed: feedOf(samples, SampleRate.make(rate)), sinks: [{ path, format: wav16 }] },
            [samples]
          )
          expect([length, (yield* pcm16In(path)).length]).toEqual([
            length,
            Math.round((length * 48_000) / rate)
          ])
        }
      })
    )
  }

  it.scoped("keeps floats at the file's own rate unchanged in both channels", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "a.wav")
      const samples = Float32Array.from({ length: 9_600 }, (_, i) => Math.sin(i * i))
      yield* (yield* Ffmpeg).encode(
        {
          feed: { rate: rate48, channels: 2, frames: frames(4_800) },
          sinks: [{ path, format: { format: "wav", depth: 32 } }]
        },
        [samples]
      )
      const bytes = yield* Effect.promise(() => readFile(path))
      expect(Buffer.from(samples.buffer).equals(bytes.subarray(bytes.indexOf("data") + 8))).toBe(true)
    })
  )

  it.scoped("dithers floats to 16 bits, so that sound below one step remains audible", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "soft.wav")
      const samples = tone(48_000).map((sample) => sample / 20_000)
      yield* (yield* Ffmpeg).encode({ feed: feedOf(samples, rate48), sinks: [{ path, format: wav16 }] }, [
        samples
      ])
      const written = yield* pcm16In(path)
      const kept = written.reduce((sum, sample, i) => sum + sample * (samples[i] ?? 0), 0)
      const whole = samples.reduce((sum, sample) => sum + 32_768 * sample * sample, 0)
      expect(Math.abs(kept / whole - 1)).toBeLessThan(0.1)
    })
  )

  it.scoped("writes a clip's timeline position as Broadcast Wave", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "0001_ANNA_00-00-01-000.wav")
      const samples = clicks(4_800, [])
      yield* (yield* Ffmpeg).encode(
        {
          feed: feedOf(samples, rate48),
          sinks: [{ path, format: { format: "wav", depth: 24, timeReference: frames(172_848_000) } }]
        },
        [samples]
      )
      const bytes = yield* Effect.promise(() => readFile(path))
      const bext = bytes.indexOf("bext")
      expect(bext).toBeGreaterThan(0)
      expect(bytes.readBigUInt64LE(bext + 8 + 338)).toBe(172_848_000n)
    })
  )

  it.scoped("writes tags, languages and chapters with any characters", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const samples = clicks(96_000, [])
      const tags = {
        title: "Two words",
        artist: "=;#\\ 'quoted' \"twice\"\nnew line",
        comment: "Tiếng Việt -metadata x=y",
        language: LanguageTag.make("vi-VN")
      }
      const paths = ["a.wav", "a.mp3", "a.m4a", "a.flac", "a.opus"].map((name) => join(here, name))
      yield* service.encode(
        {
          feed: feedOf(samples, rate48),
          sinks: [
            { path: join(here, "a.wav"), format: wav16, tags },
            { path: join(here, "a.mp3"), format: { format: "mp3" }, tags },
            { path: join(here, "a.m4a"), format: { format: "m4a" }, tags },
            { path: join(here, "a.flac"), format: { format: "flac", depth: 16 }, tags },
            { path: join(here, "a.opus"), format: { format: "opus" }, tags }
          ],
          chapters: [
            { start: millis(0), end: millis(1_650), title: "=One; #1\\" },
            { start: millis(1_650), end: millis(2_000), title: "Hai = #2" }
          ]
        },
        [samples]
      )
      for (const path of paths) {
        // Ogg stores its tags with the stream.
        const from = path.endsWith("opus") ? ["-map_metadata", "0:s:0"] : []
        const told = (yield* ffmpeg("-i", path, ...from, "-f", "ffmetadata", "-")).stdout.toString()
        expect([path, told]).toEqual([path, expect.stringMatching(/^title=Two words$/imu)])
        expect(told).toContain("Tiếng Việt -metadata x\\=y")
        expect(told).toContain("\\=\\;\\#\\\\ 'quoted' \"twice\"\\\nnew line")
      }
      for (const name of ["a.m4a", "a.flac", "a.opus"]) {
        const told = (yield* ffmpeg("-i", join(here, name), "-f", "ffmetadata", "-")).stdout.toString()
        const first = name !== "a.m4a" ? "title=\\=One\\; \\#1\\\\" : "title=\\=One\\; \\#1\\\\ "
        const chapters = told.slice(told.indexOf("[CHAPTER]")).match(/^(START|title)=.*$/gmu)
        const inMillis = chapters?.map((line) => line.replace(/^START=(\d+)000000$/u, "START=$1"))
        expect([name, inMillis]).toEqual([name, ["START=0", first, "START=1650", "title=Hai \\= \\#2"]])
      }
      expect((yield* service.probe(join(here, "a.m4a"))).sounds[0]?.language).toBe("vie")
    })
  )

  it.scoped("keeps the level, and speech clean, in lossy formats", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const samples = syllables(96_000)
      const sinks = [
        { path: join(here, "96.mp3"), format: { format: "mp3" } },
        { path: join(here, "192.mp3"), format: { format: "mp3", bitrate: 192 } },
        { path: join(here, "low.mp3"), format: { format: "mp3", bitrate: 256 }, rate: rate24 },
        { path: join(here, "a.opus"), format: { format: "opus" } },
        { path: join(here, "a.m4a"), format: { format: "m4a" } }
      ] as const
      yield* service.encode({ feed: feedOf(samples, rate48), sinks }, [samples])
      for (const { path } of sinks) {
        const heard = (yield* service.decode({ path }, rate48)).samples
        const change = level(heard, 0, 96_000) - level(samples, 0, 96_000)
        expect([path, Math.abs(change) < 0.1]).toEqual([path, true])
      }
      const heard = (yield* service.decode({ path: join(here, "a.m4a") }, rate48)).samples
      const noise = samples.map((sample, at) => sample - (heard[at] ?? 0))
      for (let at = 9_600; at < 96_000; at += 24_000)
        expect(level(noise, at, at + 14_400) - level(samples, at, at + 14_400)).toBeLessThan(-35)
    })
  )

  it.scoped("accepts blocks of any size from a stream, a generator or an async generator", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const samples = tone(30_000)
      const cut = function* (size: number) {
        for (let at = 0; at < samples.length; at += size) yield samples.slice(at, at + size)
      }
      const later = async function* () {
        // One block that is reused.
        const block = new Float32Array(1_000)
        for (const part of cut(1_000)) {
          block.set(part)
          yield block
        }
      }
      const written = yield* Effect.forEach(
        [cut(1), cut(4_001), later(), Stream.fromIterable([...cut(7_777)])],
        (blocks, place) =>
          Effect.gen(function* () {
            const path = join(here, `${place}.wav`)
            yield* service.encode(
              { feed: feedOf(samples, rate24), sinks: [{ path, format: { format: "wav", depth: 32 } }] },
              blocks
            )
            return (yield* service.decode({ path }, rate48)).samples
          })
      )
      for (const found of written) expect(found).toEqual(written[0])
      expect(level(written[0] ?? new Float32Array(1), 1_000, 50_000)).toBeCloseTo(-9.03, 1)
    })
  )

  it.scoped("fails with the blocks' own error, and leaves no files", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const samples = clicks(48_000, [])
      const failing = Stream.concat(Stream.make(samples.subarray(0, 24_000)), Stream.fail("the clip is gone"))
      const failure = yield* Effect.flip(
        service.encode(
          { feed: feedOf(samples, rate24), sinks: [{ path: join(here, "a.wav"), format: wav16 }] },
          failing
        )
      )
      expect(failure).toBe("the clip is gone")
      expect(yield* namesIn(here)).toEqual([])
    })
  )

  it.scoped("treats an unexpected length as a defect", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      for (const length of [23_999, 24_001, 400_000]) {
        const exit = yield* Effect.exit(
          service.encode(
            {
              feed: feedOf(clicks(24_000, []), rate24),
              sinks: [{ path: join(here, "a.wav"), format: wav16 }]
            },
            [clicks(length, [])]
          )
        )
        expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
      }
      expect(yield* namesIn(here)).toEqual([])
    })
  )

  it.scoped("stops ffmpeg when interrupted, and leaves no files", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const half = yield* Deferred.make<void>()
      const samples = clicks(2_400_000, [])
      const stalling = Stream.concat(
        Stream.make(samples.subarray(0, 1_200_000)),
        Stream.execute(Effect.zipRight(Deferred.succeed(half, undefined), Effect.never))
      )
      const fiber = yield* Effect.fork(
        service.encode(
          { feed: feedOf(samples, rate24), sinks: [{ path: join(here, "a.wav"), format: wav16 }] },
          stalling
        )
      )
      yield* Deferred.await(half)
      yield* Fiber.interrupt(fiber)
      expect(yield* namesIn(here)).toEqual([])
    })
  )

  it.scoped("keeps an earlier result until the new one is complete", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const path = join(here, "a.wav")
      yield* Effect.promise(() => writeFile(path, "earlier"))
      const samples = clicks(24_000, [])
      const sinks = [{ path, format: wav16 }] as const
      yield* Effect.flip(service.encode({ feed: feedOf(samples, rate24), sinks }, Stream.fail("no")))
      expect(yield* Effect.promise(() => readFile(path, "utf8"))).toBe("earlier")
      yield* service.encode({ feed: feedOf(samples, rate24), sinks }, [samples])
      expect((yield* pcm16In(path)).length).toBe(48_000)
    })
  )

  it.scoped("encodes several feeds together, each into its own files, or none", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const feeds = [clicks(240_000, [24_000]), clicks(240_000, [120_000]), tone(240_000)]
      const requests = feeds.map((samples, at) => ({
        feed: feedOf(samples, rate24),
        sinks: [{ path: join(here, `${at}.wav`), format: wav16 }] as const
      }))
      // One array for all blocks, as in the mix: each must be copied before the next is requested.
      const together = function* (until: number) {
        const rooms = feeds.map(() => new Float32Array(1_000))
        for (let at = 0; at < until; at += 1_000)
          yield rooms.map((room, place) => {
            room.set(feeds[place]?.subarray(at, at + 1_000) ?? [])
            return room
          })
      }
      const blocksOf = (until: number) => Stream.fromIteratorSucceed(together(until), 1)
      const encoded = <E>(blocks: Stream.Stream<ReadonlyArray<Float32Array>, E>) =>
        Effect.flatMap(service.openFiles(requests), ({ orders, write }) =>
          write(writeBlocks(blocks, orders, feedOf(tone(240_000), rate24)))
        ).pipe(Effect.scoped)
      expect(yield* Effect.flip(encoded(Stream.concat(blocksOf(200_000), Stream.fail("no more"))))).toBe(
        "no more"
      )
      expect(yield* namesIn(here)).toEqual([])
      yield* encoded(blocksOf(240_000))
      for (const [at, expected] of feeds.entries()) {
        const { samples } = yield* service.decode({ path: join(here, `${at}.wav`) }, rate24)
        expect(samples.length).toBe(240_000)
        const worst = samples
          .subarray(2_000, -2_000)
          .reduce((most, sample, i) => Math.max(most, Math.abs(sample - (expected[i + 2_000] ?? 0))), 0)
        // Resampling to 48 kHz and back smooths the clicks, but not the tone.
        expect([at, worst < (at === 2 ? 0.002 : 0.3)]).toEqual([at, true])
      }
    })
  )

  it.scoped("reports a full disk", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "a.wav")
      const samples = tone(240_000)
      const request = { feed: feedOf(samples, rate24), sinks: [{ path, format: wav16 }] }
      const failure = yield* Effect.flatMap((yield* Ffmpeg).openFiles([request]), ({ orders, write }) =>
        Effect.zipRight(full(path), write(writeBlocks(Stream.make([samples]), orders, request.feed)))
      ).pipe(Effect.scoped, Effect.flip)
      expect(failure).toEqual(new DiskFull({ path }))
    })
  )

  it.scoped("stops an endless renderer when ffmpeg fails, names the output, and leaves no files", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const [wav, mp3] = [join(here, "a.wav"), join(here, "a.mp3")]
      const feed = { rate: rate24, channels: 1, frames: frames(1e9) } as const
      const request = {
        feed,
        sinks: [
          { path: wav, rate: rate24, format: wav16 },
          { path: mp3, rate: rate24, format: { format: "mp3" } }
        ]
      } as const
      const stopped = yield* Deferred.make<void>()
      const endless = Stream.forever(Stream.make([tone(24_000)])).pipe(
        Stream.ensuring(Deferred.succeed(stopped, undefined))
      )
      const failure = yield* Effect.flatMap((yield* Ffmpeg).openFiles([request]), ({ orders, write }) =>
        Effect.zipRight(full(mp3), write(writeBlocks(endless, orders, feed)))
      ).pipe(Effect.scoped, Effect.flip)
      expect(failure).toEqual(new DiskFull({ path: mp3 }))
      expect(yield* Deferred.isDone(stopped)).toBe(true)
      expect(yield* namesIn(here)).toEqual([])
    })
  )

  it.scoped("reports files that cannot be written", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const samples = tone(24_000)
      yield* Effect.promise(() => writeFile(join(here, "file"), ""))
      yield* Effect.promise(() => mkdir(join(here, "b.wav.part")))
      yield* Effect.promise(() => mkdir(join(here, "b.flac.part")))
      yield* Effect.promise(() => mkdir(join(here, "b.mp3.part")))
      const under = yield* Effect.flip(
        service.encode(
          { feed: feedOf(samples, rate24), sinks: [{ path: join(here, "file", "a.wav"), format: wav16 }] },
          [samples]
        )
      )
      expect(under).toBeInstanceOf(Unwritable)
      expect(under.message).toContain(join(here, "file", "a.wav"))
      const [unopened, ...taken] = yield* Effect.forEach(
        [
          { path: join(here, "b.wav"), format: wav16 },
          { path: join(here, "b.flac"), format: { format: "flac", depth: 16 } },
          { path: join(here, "b.mp3"), format: { format: "mp3" } }
        ] as const,
        (sink) => Effect.flip(service.encode({ feed: feedOf(samples, rate24), sinks: [sink] }, [samples]))
      )
      expect(unopened?._tag).toBe("Unwritable")
      expect(unopened?.message).toMatch(/b\.wav: cannot be written: EISDIR/u)
      for (const [at, name] of ["b.flac", "b.mp3"].entries()) {
        expect(taken[at]).toMatchObject({ _tag: "FfmpegFailed", purpose: `encode ${join(here, name)}` })
        expect(taken[at]?.message).toMatch(
          /could not encode .*: ffmpeg exited with code \d+: .*Is a directory/u
        )
      }
    })
  )

  it.scoped("writes the requested rate, or one that the format supports", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const samples = tone(24_000)
      const rate = SampleRate.make(96_000)
      yield* service.encode(
        {
          feed: feedOf(samples, rate24),
          sinks: [
            { path: join(here, "a.wav"), rate, frames: frames(96_000), format: { format: "wav", depth: 24 } },
            { path: join(here, "a.opus"), rate, frames: frames(96_000), format: { format: "opus" } }
          ]
        },
        [samples]
      )
      const [wav, opus] = yield* Effect.forEach(["a.wav", "a.opus"], (name) =>
        service.probe(join(here, name))
      )
      expect([wav?.sounds[0]?.rate, opus?.sounds[0]?.rate]).toEqual([96_000, 48_000])
      expect(wav?.duration).toBe(1_000_000)
      expect(Math.abs((opus?.duration ?? 0) - 1_000_000)).toBeLessThan(10_000)
    })
  )
})
