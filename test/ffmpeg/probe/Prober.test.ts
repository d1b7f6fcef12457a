import { truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { ratio } from "../../../src/domain/time/Ratio.ts"
import { Micros, framesAtMicros } from "../../../src/domain/time/Units.ts"
import { NotMedia } from "../../../src/ffmpeg/process/FfmpegErrors.ts"
import { Ffmpeg } from "../../../src/ffmpeg/Ffmpeg.ts"
import { AudioStream, MediaInfo, VideoStream } from "../../../src/ffmpeg/probe/MediaInfo.ts"
import { clicks, feedOf, folder, rate24, rate48, video } from "../media.ts"
import { withEachFfmpeg } from "../binaries.ts"

withEachFfmpeg("probe", (it) => {
  it.scoped("reads a film's length to the audio frame, and its streams", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "film.mp4")
      yield* video(path, { seconds: 7.3, rate: "24000/1001", tags: ["-metadata:s:a:0", "language=eng"] })
      const info = yield* (yield* Ffmpeg).probe(path)
      const pictures = Micros.make(Math.round((175 * 1001 * 1_000_000) / 24_000))
      expect(info).toEqual(
        MediaInfo.make({
          path,
          format: "mov,mp4,m4a,3gp,3g2,mj2",
          duration: Micros.make(7_300_000),
          streams: [
            VideoStream.make({
              index: 0,
              codec: "mpeg4",
              isDefault: true,
              attached: false,
              width: 160,
              height: 90,
              frameRate: ratio(24_000, 1001),
              duration: pictures
            }),
            AudioStream.make({
              index: 1,
              codec: "aac",
              language: "eng",
              isDefault: true,
              rate: 48_000,
              channels: 1,
              duration: Micros.make(7_300_000)
            })
          ]
        })
      )
      expect(framesAtMicros(pictures, rate48)).toBe(Math.round((175 * 1001 * 48_000) / 24_000))
    })
  )

  it.scoped("finds raw video with B frames, which does not say when each picture is shown", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const { probe } = yield* Ffmpeg
      for (const bFrames of ["0", "2"]) {
        const path = join(here, `${bFrames}.h264`)
        yield* video(path, { seconds: 1, picture: ["-c:v", "libx264", "-bf", bFrames], sound: ["-an"] })
        expect((yield* probe(path)).isUntimed ?? false).toBe(bFrames === "2")
      }
    })
  )

  for (const ending of ["mov", "mp4", "mkv"])
    it.scoped(`reads the start timecode of a film in ${ending}`, () =>
      Effect.gen(function* () {
        const path = join(yield* folder, `film.${ending}`)
        yield* video(path, { seconds: 1, rate: "30000/1001", tags: ["-timecode", "10:00:00;02"] })
        expect((yield* (yield* Ffmpeg).probe(path)).timecode).toBe("10:00:00;02")
      })
    )

  for (const [rate, exact] of [
    ["25", ratio(25)],
    ["30000/1001", ratio(30_000, 1001)],
    ["50", ratio(50)],
    ["60000/1001", ratio(60_000, 1001)]
  ] as const) {
    it.scoped(`reads a frame rate of ${rate} in each container`, () =>
      Effect.gen(function* () {
        const here = yield* folder
        const lengths = yield* Effect.forEach(["mp4", "mov", "mkv"], (ending) =>
          Effect.gen(function* () {
            const path = join(here, `film.${ending}`)
            yield* video(path, { seconds: 2, rate, sound: ["-an"] })
            const info = yield* (yield* Ffmpeg).probe(path)
            return { rate: info.picture?.frameRate, duration: info.duration }
          })
        )
        const frames = Math.ceil(2 * exact.value - 1e-9)
        const length = Math.round((frames * 1_000_000) / exact.value)
        // MKV has a time base of milliseconds.
        expect(lengths.map((found) => found.rate)).toEqual([exact, exact, exact])
        expect(lengths.slice(0, 2).map((found) => found.duration)).toEqual([length, length])
        expect(Math.abs((lengths[2]?.duration ?? 0) - length)).toBeLessThanOrEqual(1_000)
      })
    )
  }

  it.scoped("measures from the start of a file that begins late", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "late.ts")
      yield* video(path, { seconds: 3, picture: ["-c:v", "mpeg2video"], sound: ["-an"] })
      expect((yield* (yield* Ffmpeg).probe(path)).duration).toBe(3_000_000)
    })
  )

  it.scoped("reads the whole file if its end cannot be sought", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "raw")
      yield* video(path, { seconds: 8, sound: ["-an"], tags: ["-f", "m4v"] })
      const info = yield* (yield* Ffmpeg).probe(path)
      expect([info.format, info.duration]).toEqual(["m4v", 8_000_000])
    })
  )

  it.scoped("probes sound without a picture", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "voice.wav")
      const service = yield* Ffmpeg
      yield* service.encode(
        { feed: feedOf(clicks(24_007, []), rate24), sinks: [{ path, format: { format: "wav", depth: 16 } }] },
        [clicks(24_007, [])]
      )
      const info = yield* service.probe(path)
      expect(info.picture).toBeUndefined()
      expect(framesAtMicros(info.duration, rate48)).toBe(48_014)
    })
  )

  it.scoped("rejects files that are not media", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const text = join(here, "notes.mp4")
      yield* Effect.promise(() => writeFile(text, "just words"))
      const missing = yield* Effect.flip(service.probe(join(here, "none.mp4")))
      const words = yield* Effect.flip(service.probe(text))
      const directory = yield* Effect.flip(service.probe(here))
      expect(missing).toEqual(new NotMedia({ path: join(here, "none.mp4"), found: "no readable file" }))
      expect([words, directory].map((failure) => failure._tag)).toEqual(["NotMedia", "NotMedia"])
      expect(words.message).toMatch(
        /^\/.*notes\.mp4: expected a video or audio file, found text \("just words"\)$/u
      )
      for (const [content, found] of [
        ["", "an empty file"],
        ["PK\u0003\u0004", "a ZIP archive or an office document"],
        ["%PDF-1.4", "a PDF document"],
        ["\0".repeat(2000), "zero bytes only, as of a download that was broken off"],
        [
          "<!DOCTYPE html><title>Sign in</title>",
          'a web page or XML ("<!DOCTYPE html><title>Sign in</title>")'
        ]
      ] as const) {
        yield* Effect.promise(() => writeFile(text, content))
        expect(yield* Effect.flip(service.probe(text))).toEqual(new NotMedia({ path: text, found }))
      }
    })
  )

  it.scoped("says that an MP4 file is incomplete if it was cut off before its index", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const cut = join(here, "cut.mp4")
      yield* video(cut)
      // ffmpeg writes the index of an MP4 file last.
      yield* Effect.promise(() => truncate(cut, 10_000))
      const failure = yield* Effect.flip(service.probe(cut))
      expect(failure.message).toMatch(
        /cut\.mp4: .* cannot read: the file is incomplete: its index is missing \(moov atom not found\)$/u
      )
    })
  )
})
