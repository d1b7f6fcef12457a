import { mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Chunk, Effect, Either, Stream } from "effect"
import { type Pcm, toInt16 } from "../../../src/audio/pcm/Pcm.ts"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import { decodeArgs } from "../../../src/ffmpeg/decode/DecodeJob.ts"
import { NotAudio } from "../../../src/ffmpeg/process/FfmpegErrors.ts"
import { Ffmpeg } from "../../../src/ffmpeg/Ffmpeg.ts"
import { clicks, feedOf, ffmpeg, folder, level, onset, rate24, rate48, video } from "../media.ts"
import { withEachFfmpeg } from "../binaries.ts"

/** Noise of this length in seconds. No codec compresses it much, so half of the file holds half of the sound. */
const noise = (path: string, seconds: number, ...options: ReadonlyArray<string>) =>
  ffmpeg("-f", "lavfi", "-i", `anoisesrc=r=24000:d=${seconds}:a=0.3:seed=1`, ...options, path)

const shortened = (from: string, to: string, share: number) =>
  Effect.promise(async () => {
    const bytes = await readFile(from)
    await writeFile(to, bytes.subarray(0, Math.round(bytes.length * share)))
  })

const written = (path: string, text: string) => Effect.promise(() => writeFile(path, text))

const refusal = (path: string) =>
  Effect.gen(function* () {
    return yield* Effect.flip((yield* Ffmpeg).decode({ path }, rate24))
  })

const summary = (result: Either.Either<Pcm, NotAudio>) =>
  Either.match(result, { onLeft: ({ reason }) => reason, onRight: ({ samples }) => samples.length })

withEachFfmpeg("decoding", (it) => {
  it.scoped("decodes every format that a service may send", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const click = clicks(48_000, [24_000])
      const wav = join(here, "click.wav")
      yield* service.encode(
        {
          feed: feedOf(click, rate24),
          sinks: [{ path: wav, rate: rate24, format: { format: "wav", depth: 16 } }]
        },
        [click]
      )
      for (const [ending, surplus] of [
        ["wav", 0],
        ["flac", 0],
        ["mp3", 0],
        // These end with a whole packet.
        ["m4a", 1024],
        ["ogg", 1024],
        ["opus", 0]
      ] as const) {
        const path = join(here, `again.${ending}`)
        yield* ffmpeg("-i", wav, path)
        const { rate, samples } = yield* service.decode({ path }, rate24)
        // Older Opus encoders are off by 3 ms.
        const shift = Math.abs(onset(samples) - 24_000)
        expect({ ending, rate, late: shift > 4 * 24 }).toEqual({ ending, rate: rate24, late: false })
        expect(samples.length).toBeGreaterThanOrEqual(48_000)
        expect(samples.length).toBeLessThanOrEqual(48_000 + surplus)
      }
    })
  )

  it.scoped("keeps a voice's level for mono or stereo, 16 bits or float", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const levels = yield* Effect.forEach(
        [
          ["mono.wav", "-ac", "1"],
          ["stereo.wav", "-af", "pan=stereo|c0=c0|c1=c0"],
          ["stereo.mp3", "-af", "pan=stereo|c0=c0|c1=c0", "-b:a", "192k"],
          ["float.wav", "-af", "pan=stereo|c0=c0|c1=c0", "-c:a", "pcm_f32le"]
        ],
        ([name = "", ...options]) =>
          Effect.gen(function* () {
            yield* ffmpeg("-f", "lavfi", "-i", "sine=r=24000:d=1", ...options, join(here, name))
            const { samples } = yield* service.decode({ path: join(here, name) }, rate24)
            return level(samples, 4_000, 20_000)
          })
      )
      const [first = Number.NaN] = levels
      for (const found of levels) expect(Math.abs(found - first)).toBeLessThan(0.5)
    })
  )

  it.scoped("resamples to the exact length at the new rate", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "a.wav")
      yield* noise(path, 1.5)
      expect((yield* (yield* Ffmpeg).decode({ path }, rate48)).samples.length).toBe(72_000)
    })
  )

  it.scoped("decodes one of several tracks of a film", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      yield* video(join(here, "film.mp4"), { seconds: 2 })
      yield* noise(join(here, "loud.wav"), 2)
      yield* ffmpeg(
        ...["-i", join(here, "film.mp4"), "-i", join(here, "loud.wav")],
        ...["-map", "0:v", "-map", "0:a", "-map", "1:a", "-c:v", "copy", join(here, "two.mkv")]
      )
      const path = join(here, "two.mkv")
      const hum = yield* service.decode({ path }, rate24)
      const loud = yield* service.decode({ path, track: 1 }, rate24)
      expect(level(loud.samples, 12_000, 36_000) - level(hum.samples, 12_000, 36_000)).toBeGreaterThan(4)
      expect(yield* refusal(join(here, "none.mkv"))).toMatchObject({ reason: "missing" })
    })
  )

  it.effect("decodes a streamed WAV with open sizes in its header", () =>
    Effect.gen(function* () {
      const service = yield* Ffmpeg
      const samples = Float32Array.from({ length: 24_001 }, (_, at) => Math.sin(at / 20) / 2)
      const closed = encodeWav16({ rate: rate24, samples })
      const open = closed.slice()
      new DataView(open.buffer).setUint32(4, 0xffff_ffff, true)
      new DataView(open.buffer).setUint32(40, 0xffff_ffff, true)
      expect(yield* service.decodeBytes(open, "streamed", rate24, 60)).toEqual(toInt16(samples))
      // Only ffmpeg converts the rate.
      expect((yield* service.decodeBytes(open, "streamed", rate48, 60)).length).toBe(48_002)
    })
  )

  it.scoped("decodes bytes, and uses the given name in errors", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      for (const [name, ...options] of [
        ["a.mp3"],
        ["a.wav"],
        ["stereo.wav", "-ac", "2"],
        ["deep.wav", "-c:a", "pcm_s24le"]
      ] as const) {
        const path = join(here, name)
        yield* noise(path, 1, ...options)
        const bytes = yield* Effect.promise(() => readFile(path))
        const { samples } = yield* service.decode({ path }, rate24)
        expect(yield* service.decodeBytes(bytes, "clip 7", rate24, 60)).toEqual(toInt16(samples))
      }
      expect(yield* Effect.flip(service.decodeBytes(new Uint8Array(0), "clip 7", rate24, 60))).toEqual(
        new NotAudio({ source: "clip 7", reason: "empty", found: "an empty file" })
      )
    })
  )

  it.scoped(
    "decodes MP3 joined from files with tags, headers and rates of their own, and text at the end",
    () =>
      Effect.gen(function* () {
        const here = yield* folder
        const service = yield* Ffmpeg
        const read = (name: string) => Effect.promise(() => readFile(join(here, name)))
        yield* noise(join(here, "a.mp3"), 1, "-b:a", "64k")
        yield* noise(join(here, "b.mp3"), 2, "-ar", "44100", "-ac", "2", "-q:a", "3")
        const [a, b] = [yield* read("a.mp3"), yield* read("b.mp3")]
        const lengths = yield* Effect.forEach(
          [
            [a, b],
            [a, b, Buffer.from('{"status": "done"}')],
            // Its first frames need bytes of earlier ones.
            [b, a.subarray(1_000)]
          ],
          (parts) =>
            Effect.map(
              service.decodeBytes(Buffer.concat(parts), "joined", rate24, 60),
              ({ length }) => length
            )
        )
        // Whole frames, with silence where the next file begins.
        for (const length of lengths) expect(Math.abs(length / 24_000 - 3)).toBeLessThan(0.15)
      })
  )

  it.scoped("stops at the longest accepted sound, however small its file is", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const names = ["a.flac", "a.mp3", "a.opus", "a.m4a", "a.wav"]
      yield* ffmpeg(
        ...["-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono:d=600"],
        ...names.flatMap((name) => [...(name === "a.wav" ? ["-c:a", "pcm_u8"] : []), join(here, name)])
      )
      const sources = names.map((name) => ({ path: join(here, name), most: 30 }))
      const many = yield* service.decodeMany(sources, rate24)
      expect(many.map(summary)).toEqual(names.map(() => "too-long"))
      for (const { path } of sources) {
        const bytes = yield* Effect.promise(() => readFile(path))
        expect(bytes.length).toBeLessThan(5_000_000)
        const { reason } = yield* Effect.flip(service.decodeBytes(bytes, path, rate24, 30)).pipe(
          Effect.flatMap((fault) =>
            fault instanceof NotAudio ? Effect.succeed(fault) : Effect.dieMessage(fault.message)
          )
        )
        expect(reason).toBe("too-long")
      }
    })
  )

  it.scoped("takes no large block of memory for received audio, whatever its header says", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const path = join(here, "slow.wav")
      // One frame of this file, at 1 Hz, is an hour of sound: ffmpeg 5 took 1 GB for it.
      yield* ffmpeg("-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono:d=10", "-c:a", "pcm_s16le", path)
      const bytes = yield* Effect.promise(() => readFile(path))
      new DataView(bytes.buffer, bytes.byteOffset).setUint32(24, 1, true)
      yield* Effect.flip(service.decodeBytes(bytes, "clip", rate24, 60))
      expect(decodeArgs([{ source: { path, most: 60 }, target: "-" }], rate24)).toContain("-max_alloc")
    })
  )

  it.scoped("opens no file that received audio names", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const local = join(here, "local.wav")
      yield* noise(local, 1)
      const scripts = [
        `ffconcat version 1.0\nfile '${local}'\n`,
        `\ufeffffconcat version 1.0\nfile ${local}\n`,
        `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${local}\n#EXT-X-ENDLIST\n`,
        `v=0\no=- 0 0 IN IP4 127.0.0.1\nm=audio 9 RTP/AVP 0\n`,
        `[playlist]\nFile1=${local}\n`,
        `<?xml version="1.0"?><MPD><Period><AdaptationSet><BaseURL>${local}</BaseURL></AdaptationSet></Period></MPD>`
      ]
      for (const script of scripts) {
        const path = join(here, "script.mp3")
        yield* written(path, script)
        const bytes = new TextEncoder().encode(script)
        const one = yield* Effect.flip(service.decodeBytes(bytes, "clip", rate24, 60))
        const [two] = yield* service.decodeMany([{ path, most: 60 }], rate24)
        expect([one, two && Either.getOrNull(Either.flip(two))]).toEqual([
          expect.objectContaining({ reason: "text" }),
          expect.objectContaining({ reason: "text" })
        ])
      }
    })
  )

  it.scoped("rejects a file that is not audio, and says what it is", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const at = (name: string) => join(here, name)
      yield* written(at("page.mp3"), "<!DOCTYPE html><html><body>Not Found</body></html>")
      yield* written(at("error.mp3"), '{"error": "expired"}')
      yield* written(at("words.wav"), "Xin lỗi, liên kết đã hết hạn. ".repeat(20))
      yield* written(at("empty.mp3"), "")
      yield* written(
        at("bytes.mp3"),
        String.fromCharCode(...Array.from({ length: 3_000 }, (_, i) => (i * 7) % 32))
      )
      yield* ffmpeg("-f", "lavfi", "-i", "color=s=16x16:d=1:r=5", at("silent.mp4"))
      yield* noise(at("short.wav"), 1, "-t", "0")
      const found = yield* Effect.forEach(
        [
          "page.mp3",
          "error.mp3",
          "words.wav",
          "empty.mp3",
          "bytes.mp3",
          "silent.mp4",
          "short.wav",
          "none.wav"
        ],
        (name) => refusal(at(name))
      )
      expect(found.map((failure) => (failure._tag === "NotAudio" ? failure.reason : failure._tag))).toEqual([
        "text",
        "text",
        "text",
        "empty",
        "broken",
        "no-audio",
        "empty",
        "missing"
      ])
      expect(found.slice(0, 3).map(({ message }) => message)).toEqual([
        `${at("page.mp3")}: expected audio, found a web page or XML ("<!DOCTYPE html><html><body>Not Found</body></html>")`,
        `${at("error.mp3")}: expected audio, found JSON ("{"error": "expired"}")`,
        `${at("words.wav")}: expected audio, found text ("Xin lỗi, liên kết đã hết hạn. Xin lỗi, liên kết đã hết hạn. ")`
      ])
    })
  )

  it.scoped("rejects a truncated file", () =>
    Effect.gen(function* () {
      const here = yield* folder
      for (const ending of ["mp3", "wav", "flac", "m4a"]) {
        yield* noise(join(here, `whole.${ending}`), 4)
        yield* shortened(join(here, `whole.${ending}`), join(here, `cut.${ending}`), 0.61)
        const failure = yield* refusal(join(here, `cut.${ending}`))
        expect(failure).toBeInstanceOf(NotAudio)
      }
      expect((yield* refusal(join(here, "cut.mp3"))).message).toMatch(
        /found 2\.\d\d of the 4\.\d\d seconds in its header: the file is truncated$/u
      )
    })
  )

  it.scoped("is not misled by error words in a title", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "corrupt.mp3")
      yield* noise(path, 1, "-metadata", "title=Truncated: invalid data, corrupt")
      expect((yield* (yield* Ffmpeg).decode({ path }, rate24)).samples.length).toBe(24_000)
    })
  )

  it.scoped("decodes many files in order, each with its own error", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const paths = Array.from({ length: 31 }, (_, place) => join(here, `${place}.mp3`))
      yield* noise(join(here, "all.wav"), 2)
      yield* ffmpeg(
        ...["-i", join(here, "all.wav")],
        ...paths.flatMap((path, place) => ["-t", `${1 + place / 100}`, path])
      )
      const whole = yield* service.decodeMany(
        paths.map((path) => ({ path })),
        rate24
      )
      const expected = paths.map((_, place) => 24_000 + place * 240)
      expect(whole.map(summary)).toEqual(expected)
      const single = yield* service.decode({ path: paths[3] ?? "" }, rate24)
      expect(whole[3]).toEqual(Either.right(single))

      yield* written(paths[2] ?? "", "<html>gone</html>")
      yield* shortened(paths[28] ?? "", paths[28] ?? "", 0.5)
      const mixed = yield* service.decodeMany(
        [...paths, join(here, "none.mp3")].map((path) => ({ path })),
        rate24
      )
      expect(mixed.map(summary)).toEqual([
        ...expected.map((length, place) => (place === 2 ? "text" : place === 28 ? "truncated" : length)),
        "missing"
      ])
      expect(yield* service.decodeMany([], rate24)).toEqual([])
    })
  )

  it.scoped("streams a long file in blocks, and fails after the last", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      yield* noise(join(here, "long.mp3"), 20)
      yield* shortened(join(here, "long.mp3"), join(here, "cut.mp3"), 0.5)
      const whole = yield* service.decode({ path: join(here, "long.mp3") }, rate24)
      const blocks = yield* Stream.runCollect(service.decodeBlocks({ path: join(here, "long.mp3") }, rate24))
      expect(Chunk.toReadonlyArray(blocks).flatMap((block) => [...block])).toEqual([...whole.samples])
      expect(blocks.length).toBeGreaterThan(2)
      const counted = { frames: 0 }
      const failure = yield* Effect.flip(
        Stream.runForEach(service.decodeBlocks({ path: join(here, "cut.mp3") }, rate24), (block) =>
          Effect.sync(() => (counted.frames += block.length))
        )
      )
      expect(failure).toMatchObject({ reason: "truncated" })
      expect(counted.frames).toBeGreaterThan(200_000)
      const first = yield* Stream.runHead(service.decodeBlocks({ path: join(here, "long.mp3") }, rate24))
      expect(first._tag).toBe("Some")
    })
  )

  it.scoped("leaves no temporary files", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      yield* noise(join(here, "a.wav"), 1)
      // Other programs keep their files in the usual temporary folder.
      const own = join(here, "temporary")
      yield* Effect.promise(() => mkdir(own))
      const usual = process.env["TMPDIR"]
      yield* Effect.acquireRelease(
        Effect.sync(() => (process.env["TMPDIR"] = own)),
        () =>
          Effect.sync(() => {
            if (usual === undefined) delete process.env["TMPDIR"]
            else process.env["TMPDIR"] = usual
          })
      )
      yield* Effect.promise(() => utimes(own, 0, 0))
      yield* service.decodeMany([{ path: join(here, "a.wav") }, { path: join(here, "none.wav") }], rate24)
      expect(yield* Effect.promise(() => readdir(own))).toEqual([])
      // The decoder has used the folder in the meantime.
      expect((yield* Effect.promise(() => stat(own))).mtimeMs).toBeGreaterThan(0)
    })
  )
})
