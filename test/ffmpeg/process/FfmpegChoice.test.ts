import { chmod, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import { toInt16 } from "../../../src/audio/pcm/Pcm.ts"
import { decodeBytes, decodeFile, decodeFiles } from "../../../src/ffmpeg/decode/Decoder.ts"
import { probeFile } from "../../../src/ffmpeg/probe/Prober.ts"
import type { Binary } from "../../../src/ffmpeg/process/FfmpegBinary.ts"
import { chooseFrom } from "../../../src/ffmpeg/process/FfmpegChoice.ts"
import type { FfmpegJob } from "../../../src/ffmpeg/process/FfmpegJob.ts"
import { bundled } from "../binaries.ts"
import { ffmpeg, folder, plainFolder, rate24 } from "../media.ts"

/** A shell script on PATH in place of ffmpeg. It lists these encoders, and records how it was called. */
const stripped = (...encoders: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const path = join(yield* plainFolder, "ffmpeg")
    const lines = encoders.map((name) => `echo " A..... ${name} words"`)
    const script = [
      'echo "$*" >> "$0.calls"',
      `case "$*" in *-encoders*) ${["true", ...lines].join("; ")}; exit 0 ;; esac`,
      'case "$*" in *-i*) echo "Invalid data found when processing input" >&2; exit 1 ;; esac'
    ]
    yield* Effect.promise(async () => {
      await writeFile(path, ["#!/bin/sh", ...script, ""].join("\n"))
      await chmod(path, 0o755)
    })
    const binary: Binary = { path, source: "PATH", version: "4.4" }
    return binary
  })

const callsOf = ({ path }: Binary) =>
  Effect.promise(() =>
    readFile(`${path}.calls`, "utf8").then(
      (text) => text.trimEnd().split("\n"),
      () => []
    )
  )

const encoding = (encoder: string): FfmpegJob => ({
  purpose: "try",
  inputs: [],
  filters: [],
  outputs: [{ target: "/out", options: ["-c:a", encoder] }],
  encodes: 1
})

const packaged = Effect.succeed(bundled)

describe("chooseFrom", () => {
  it.scoped(
    "uses the packaged ffmpeg for jobs that the one on PATH cannot run, and lists features once",
    () =>
      Effect.gen(function* () {
        const first = yield* stripped("aac", "flac")
        const { forJob } = yield* chooseFrom(first, packaged)
        const jobs = ["flac", "libmp3lame", "aac", "libopus"].map(encoding)
        expect(yield* Effect.forEach(jobs, forJob)).toEqual([first, bundled, first, bundled])
        expect(yield* callsOf(first)).toEqual(["-hide_banner -encoders"])
      })
  )

  it.scoped("uses the first one if the packaged one lacks the same features, or is not installed", () =>
    Effect.gen(function* () {
      const first = yield* stripped("aac")
      const unknown = yield* chooseFrom(first, packaged)
      expect(yield* unknown.forJob(encoding("no_such_encoder"))).toEqual(first)
      const alone = yield* chooseFrom(first, Effect.succeed(undefined))
      expect(yield* alone.forJob(encoding("libmp3lame"))).toEqual(first)
    })
  )

  it.scoped("leaves MKV to the packaged one if the one on PATH is older than 4.4", () =>
    Effect.gen(function* () {
      const first = yield* stripped("aac")
      const mkv = {
        ...encoding("aac"),
        outputs: [{ target: "/out", options: ["-c:a", "aac", "-f", "matroska"] }]
      }
      for (const [version, chosen] of [
        ["4.3.7-0+deb11u1", bundled.path],
        ["n4.1", bundled.path],
        ["N-47683-g0e8eb07980-static", bundled.path],
        ["4.4.4", first.path],
        ["5.1.9-0+deb12u1", first.path],
        ["N-112345-gabcdef", first.path]
      ] as const) {
        const { forJob } = yield* chooseFrom({ ...first, version }, packaged)
        expect([version, (yield* forJob(mkv)).path, (yield* forJob(encoding("aac"))).path]).toEqual([
          version,
          chosen,
          first.path
        ])
      }
    })
  )

  it.scoped("uses a binary that lists no features", () =>
    Effect.gen(function* () {
      const first = yield* stripped()
      const { forJob } = yield* chooseFrom(first, packaged)
      expect(yield* forJob(encoding("libmp3lame"))).toEqual(first)
    })
  )

  it.scoped("starts nothing and looks for nothing else if the user named the binary", () =>
    Effect.gen(function* () {
      const first: Binary = { ...(yield* stripped("aac")), source: "DUBWRIGHT_FFMPEG" }
      const { forJob, spare } = yield* chooseFrom(first, packaged)
      expect([yield* forJob(encoding("libmp3lame")), yield* spare]).toEqual([first, undefined])
      expect(yield* callsOf(first)).toEqual([])
    })
  )
})

it.scoped("nothing is started for the samples of a plain WAV file", () =>
  Effect.gen(function* () {
    const first = yield* stripped()
    const choice = yield* chooseFrom(first)
    const samples = Float32Array.from({ length: 100 }, (_, at) => at / 200)
    const bytes = encodeWav16({ rate: rate24, samples })
    expect(yield* decodeBytes(choice, bytes, "clip", rate24, 60)).toEqual(toInt16(samples))
    expect(yield* callsOf(first)).toEqual([])
  })
)

describe("a file that the ffmpeg on PATH cannot read", () => {
  it.scoped("is probed and decoded by the packaged one", () =>
    Effect.gen(function* () {
      const choice = yield* chooseFrom(yield* stripped("aac"), packaged)
      const only = yield* chooseFrom(bundled)
      const path = join(yield* folder, "a.flac")
      yield* ffmpeg("-f", "lavfi", "-i", "sine=d=0.5:sample_rate=24000", path)
      const bytes = yield* Effect.promise(() => readFile(path))
      for (const ffmpegs of [choice, only])
        expect([
          (yield* probeFile(ffmpegs, path)).duration,
          (yield* decodeFile(ffmpegs, { path }, rate24)).samples.length,
          (yield* decodeBytes(ffmpegs, bytes, "clip", rate24, 60)).length,
          (yield* decodeFiles(ffmpegs, [{ path }], rate24)).map(({ _tag }) => _tag)
        ]).toEqual([500_000, 12_000, 12_000, ["Right"]])
    })
  )

  it.scoped("is reported as the first reports it if the packaged one cannot read it either", () =>
    Effect.gen(function* () {
      const choice = yield* chooseFrom(yield* stripped("aac"), packaged)
      const path = join(yield* folder, "noise")
      yield* Effect.promise(() => writeFile(path, Buffer.alloc(2_000, "\u0001\u0002\u0003")))
      expect(yield* Effect.flip(decodeFile(choice, { path }, rate24))).toMatchObject({
        reason: "broken",
        found: "damaged audio or no audio (Invalid data found when processing input)"
      })
      expect((yield* Effect.flip(probeFile(choice, path))).message).toBe(
        `${path}: expected a video or audio file, found a file that ffmpeg cannot read: Invalid data found when processing input`
      )
    })
  )
})
