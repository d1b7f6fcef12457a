/** A film whose picture is held or slowed: no packet changes, and all tracks stay in step with it. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { lengthenedTime, type PictureStretch } from "../../../src/domain/time/PictureStretch.ts"
import { millis } from "../../../src/domain/time/Units.ts"
import { Ffmpeg } from "../../../src/ffmpeg/Ffmpeg.ts"
import { clicks, feedOf, ffmpeg, folder, level, onset, rate48 } from "../media.ts"
import { withEachFfmpeg } from "../binaries.ts"

const seconds = 8
const flashes = [1_000, 3_000, 5_000, 7_000]

const stretch = (cue: number, from: number, to: number, added: number): PictureStretch => ({
  cue,
  from: millis(from),
  to: millis(to),
  added: millis(added)
})

/** Two holds, one of them in the middle of a group of pictures, and a slower stretch. */
const stretches = [
  stretch(1, 1_480, 1_480, 1_200),
  stretch(2, 3_000, 4_000, 240),
  stretch(3, 6_120, 6_120, 80)
]

/** A film in H.264 with reordered frames: dark, with a white frame and a beep of 40 ms at each flash. */
const flashing = (here: string, path: string) =>
  Effect.gen(function* () {
    const shown = (of: string) =>
      flashes.map((at) => `between(${of},${at / 1_000 - 0.001},${at / 1_000 + 0.039})`)
    yield* Effect.promise(() =>
      writeFile(
        join(here, "own.srt"),
        "1\n00:00:01,000 --> 00:00:02,000\nHeld\n\n2\n00:00:07,000 --> 00:00:07,500\nLast\n"
      )
    )
    yield* Effect.promise(() =>
      writeFile(
        join(here, "own.txt"),
        ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=5000\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=5000\nEND=8000\ntitle=Two\n"
      )
    )
    yield* ffmpeg(
      ...["-f", "lavfi", "-i", `color=black:size=160x90:rate=25:duration=${seconds}`],
      ...["-f", "lavfi", "-i", `aevalsrc='0.5*sin(880*PI*t)*(${shown("t").join("+")})':s=48000:d=${seconds}`],
      ...["-i", join(here, "own.srt"), "-f", "ffmetadata", "-i", join(here, "own.txt"), "-map_metadata", "3"],
      ...["-map", "0:v", "-map", "1:a", "-map", "1:a", "-map", "2:s"],
      ...["-vf", `drawbox=color=white:t=fill:enable='${shown("t").join("+")}'`],
      ...["-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-g", "50", "-pix_fmt", "yuv420p"],
      ...["-c:a", "aac", "-c:s", path.endsWith("mkv") ? "srt" : "mov_text", path]
    )
  })

/** The hash of each of the picture's packets, in order. */
const packets = (path: string) =>
  Effect.map(
    ffmpeg("-i", path, "-map", "0:V", "-c", "copy", "-f", "framehash", "-hash", "md5", "-"),
    ({ stdout }) => [...stdout.toString().matchAll(/, ([0-9a-f]{32})$/gmu)].map(([, hash]) => hash)
  )

/** When frames turn white, in seconds of the file's own time. */
const flashesIn = (path: string) =>
  Effect.map(
    ffmpeg(
      "-copyts",
      "-i",
      path,
      "-map",
      "0:V",
      "-vf",
      "signalstats,metadata=print:file=-",
      "-fps_mode",
      "passthrough",
      "-f",
      "null",
      "-"
    ),
    ({ stdout }) =>
      [...stdout.toString().matchAll(/pts_time:([\d.]+)[\s\S]*?YAVG=([\d.]+)/gu)]
        .filter(([, , luma]) => Number(luma) > 128)
        .map(([, time]) => Number(time))
  )

withEachFfmpeg("a longer film", (it) => {
  for (const [from, to] of [
    ["mkv", "mp4"],
    ["mp4", "mkv"]
  ] as const)
    it.scoped(`from ${from} to ${to} keeps every packet and stays in step`, () =>
      Effect.gen(function* () {
        const here = yield* folder
        const service = yield* Ffmpeg
        const [film, out] = [join(here, `film.${from}`), join(here, `longer.${to}`)]
        yield* flashing(here, film)
        const expected = flashes.map((at) => lengthenedTime(stretches, at))
        const length = lengthenedTime(stretches, seconds * 1_000)
        const samples = clicks(
          48 * length,
          expected.map((at) => 48 * at)
        )
        const dub = join(here, "dub.wav")
        yield* service.encode(
          { feed: feedOf(samples, rate48), sinks: [{ path: dub, format: { format: "wav", depth: 16 } }] },
          [samples]
        )
        yield* service.mux({
          video: film,
          out,
          tracks: [{ path: dub, isDefault: true, spoken: [] }],
          original: "keep",
          subtitles: [],
          stretches
        })
        expect(yield* packets(out)).toEqual(yield* packets(film))
        const shown = yield* flashesIn(out)
        expect(shown).toHaveLength(flashes.length)
        const heard = yield* service.decode({ path: out }, rate48)
        const original = yield* service.decode({ path: out, track: 2 }, rate48)
        expected.forEach((at, place) => {
          const window = { from: 48 * (at - 200), to: 48 * (at + 200) }
          const click = onset(heard.samples.subarray(window.from, window.to)) / 48_000
          const beep = onset(original.samples.subarray(window.from, window.to)) / 48_000
          const start = window.from / 48_000
          // A frame lasts 40 ms; the film's own sound is AAC, whose onset is soft.
          expect(Math.abs(start + click - (shown[place] ?? 0))).toBeLessThanOrEqual(0.04)
          if (at !== expected[1])
            expect(Math.abs(start + beep - (shown[place] ?? 0))).toBeLessThanOrEqual(0.06)
        })
        // The film's own sound is silent while the picture waits.
        expect(level(original.samples, 48 * 1_520, 48 * 2_640)).toBeLessThan(-80)
        const info = yield* service.probe(out)
        expect(info.sounds).toHaveLength(3)
        expect(info.subtitles).toHaveLength(1)
        expect(Math.abs(info.duration / 1_000 - length)).toBeLessThanOrEqual(30)
        expect(Math.abs((info.picture?.duration ?? 0) / 1_000 - length)).toBeLessThanOrEqual(30)
        const { stdout } = yield* ffmpeg("-i", out, "-f", "ffmetadata", "-")
        const starts = [...stdout.toString().matchAll(/TIMEBASE=1\/(\d+)\nSTART=(\d+)/gu)]
        const chapters = starts.map(([, base, start]) => (1_000 * Number(start)) / Number(base))
        expect(chapters).toHaveLength(2)
        expect(Math.abs((chapters[1] ?? 0) - lengthenedTime(stretches, 5_000))).toBeLessThanOrEqual(30)
        const text = yield* ffmpeg("-i", out, "-map", "0:s", "-f", "srt", "-")
        const times = [...text.stdout.toString().matchAll(/00:00:(\d\d),(\d\d\d) --> /gu)]
        expect(
          times
            .map(([, second, milli]) => Math.abs(Number(second) * 1_000 + Number(milli)))
            .map((time, at) => Math.abs(time - (expected[at === 0 ? 0 : 3] ?? 0)) <= 30)
        ).toEqual([true, true])
      })
    )
})
