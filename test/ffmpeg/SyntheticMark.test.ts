/** Reads the mark of synthetic speech from each container: with ffmpeg, and with exiftool if it is installed. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Ffmpeg } from "../../src/ffmpeg/Ffmpeg.ts"
import { clicks, feedOf, ffmpeg, folder, rate48, video } from "./media.ts"
import { withEachFfmpeg } from "./binaries.ts"

const terms = "http://cv.iptc.org/newscodes/digitalsourcetype"

/** Expects programs to show the term in the file's metadata. */
const expectMark = (path: string, term: string) =>
  Effect.gen(function* () {
    const { stderr } = yield* ffmpeg("-i", path, "-t", "0", "-f", "null", "-")
    expect(stderr).toContain(`${terms}/${term}`)
    const { stdout, error } = spawnSync("exiftool", [path], { encoding: "utf8" })
    if (error === undefined) expect(stdout).toContain(`${terms}/${term}`)
  })

const films = [
  ["mp4", ["-c:v", "mpeg4"], "aac"],
  ["m4v", ["-c:v", "mpeg4"], "aac"],
  ["mov", ["-c:v", "mpeg4"], "aac"],
  ["mkv", ["-c:v", "mpeg4"], "aac"],
  ["webm", ["-c:v", "libvpx", "-b:v", "100k"], "libopus"]
] as const

withEachFfmpeg("the mark of synthetic speech", (it) => {
  for (const format of ["wav", "flac", "mp3", "m4a", "opus"] as const)
    it.scoped(`is shown in ${format}`, () =>
      Effect.gen(function* () {
        const path = join(yield* folder, `voice.${format}`)
        const samples = clicks(48_000, [1_000])
        const depth = 16 as const
        yield* (yield* Ffmpeg).encode(
          {
            feed: feedOf(samples, rate48),
            sinks: [
              {
                path,
                format: format === "wav" || format === "flac" ? { format, depth } : { format },
                tags: { source: "speech" }
              }
            ]
          },
          [samples]
        )
        yield* expectMark(path, "trainedAlgorithmicMedia")
      })
    )

  for (const [ending, picture, codec] of films)
    it.scoped(`is shown in ${ending}`, () =>
      Effect.gen(function* () {
        const here = yield* folder
        const [film, dub, out] = [
          join(here, `film.${ending}`),
          join(here, "dub.wav"),
          join(here, `out.${ending}`)
        ]
        yield* video(film, { seconds: 1, picture: [...picture], sound: ["-c:a", codec] })
        yield* ffmpeg("-f", "lavfi", "-i", "anullsrc=r=48000:cl=mono", "-t", "1", dub)
        const tracks = [{ path: dub, isDefault: true, spoken: [] }] as const
        const request = { video: film, out, tracks, subtitles: [], isMarked: true } as const
        yield* (yield* Ffmpeg).mux({ ...request, original: "keep" })
        yield* expectMark(out, "compositeSynthetic")
      })
    )
})
