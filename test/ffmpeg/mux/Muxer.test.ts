import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { LanguageTag } from "../../../src/domain/values/Ids.ts"
import { millis } from "../../../src/domain/time/Units.ts"
import { usualDuck } from "../../../src/domain/manifest/SoundSettings.ts"
import { ContainerRefuses, NotMedia, UnknownContainer } from "../../../src/ffmpeg/process/FfmpegErrors.ts"
import { isOld, versionOf } from "../../../src/ffmpeg/process/FfmpegBinary.ts"
import { Ffmpeg } from "../../../src/ffmpeg/Ffmpeg.ts"
import type { MediaInfo } from "../../../src/ffmpeg/probe/MediaInfo.ts"
import type { MuxRequest } from "../../../src/ffmpeg/mux/MuxRequest.ts"
import { clicks, feedOf, ffmpeg, folder, level, onset, rate48, video } from "../media.ts"
import { speechLike } from "../../audio/signals.ts"
import { withEachFfmpeg } from "../binaries.ts"

const vi = LanguageTag.make("vi")
const en = LanguageTag.make("en-GB")

/** Four seconds with a click after two, as WAV and as M4A. */
const dub = (here: string) =>
  Effect.gen(function* () {
    const samples = clicks(4 * 48_000, [96_000])
    yield* (yield* Ffmpeg).encode(
      {
        feed: feedOf(samples, rate48),
        sinks: [
          { path: join(here, "dub.wav"), format: { format: "wav", depth: 16 } },
          { path: join(here, "dub.m4a"), format: { format: "m4a" } }
        ]
      },
      [samples]
    )
  })

/** A hash of the picture's packets. */
const pictureHash = (path: string) =>
  Effect.map(ffmpeg("-i", path, "-map", "0:V", "-c", "copy", "-f", "hash", "-"), ({ stdout }) =>
    stdout.toString()
  )

/** When the picture's first packet is shown, in seconds of the file's own time. */
const pictureStart = (path: string) =>
  Effect.map(
    ffmpeg("-copyts", "-i", path, "-map", "0:V", "-c", "copy", "-f", "framecrc", "-"),
    ({ stdout }) => {
      const listed = stdout.toString()
      const [, one, units] = /^#tb 0: (\d+)\/(\d+)/mu.exec(listed) ?? []
      return (Number(/^0, +-?\d+, +(-?\d+),/mu.exec(listed)?.[1]) * Number(one)) / Number(units)
    }
  )

const soundsOf = (info: MediaInfo) =>
  info.sounds.map(({ codec, language, title, isDefault }) => ({ codec, language, title, isDefault }))

withEachFfmpeg("mux", (it) => {
  for (const [ending, codec, original] of [
    ["mp4", "aac", "aac"],
    ["mov", "pcm_s16le", "aac"],
    ["mkv", "flac", "aac"]
  ] as const) {
    it.scoped(`adds a track to ${ending} without touching the picture or shifting the sound`, () =>
      Effect.gen(function* () {
        const here = yield* folder
        const service = yield* Ffmpeg
        const film = join(here, "film.mp4")
        const out = join(here, "deep", `it's "dubbed" ${ending}.${ending}`)
        yield* video(film, { tags: ["-metadata:s:a:0", "language=deu"] })
        yield* dub(here)
        yield* Effect.promise(() =>
          writeFile(join(here, "dub.srt"), "1\n00:00:01,000 --> 00:00:02,000\nXin chào\n")
        )
        yield* service.mux({
          video: film,
          out,
          tracks: [
            { path: join(here, "dub.wav"), language: vi, title: "Two words", isDefault: true, spoken: [] }
          ],
          original: "keep",
          subtitles: [{ path: join(here, "dub.srt"), language: vi, title: "Phụ đề" }]
        })
        const info = yield* service.probe(out)
        expect(soundsOf(info)).toEqual([
          { codec, language: "vie", title: "Two words", isDefault: true },
          { codec: original, language: ending === "mp4" ? "deu" : "ger", title: "Original", isDefault: false }
        ])
        expect(
          info.subtitles.map(({ language, title, isDefault }) => [language, title, isDefault]),
          "no player shows it by default"
        ).toEqual([["vie", "Phụ đề", false]])
        expect(Math.abs(info.duration - 4_000_000)).toBeLessThanOrEqual(25_000)
        expect(info.picture?.duration).toBe(4_000_000)
        expect(yield* pictureHash(out)).toBe(yield* pictureHash(film))
        expect(yield* pictureStart(out)).toBe(0)
        const dubbed = yield* service.decode({ path: out }, rate48)
        expect(Math.abs(onset(dubbed.samples) - 96_000)).toBeLessThanOrEqual(2)
        expect(yield* Effect.promise(() => readdir(join(here, "deep")))).toEqual([
          `it's "dubbed" ${ending}.${ending}`
        ])
        // The original sounds as before.
        const before = yield* service.decode({ path: film }, rate48)
        const after = yield* service.decode({ path: out, track: 1 }, rate48)
        expect(level(after.samples, 9_600, 96_000)).toBeCloseTo(level(before.samples, 9_600, 96_000), 1)
      })
    )
  }

  it.scoped("puts Opus and WebVTT into WebM", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const film = join(here, "film.webm")
      const out = join(here, "out.webm")
      yield* video(film, {
        picture: ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8"],
        sound: ["-c:a", "libopus"]
      })
      yield* dub(here)
      yield* Effect.promise(() =>
        writeFile(join(here, "dub.vtt"), "WEBVTT\n\n00:01.000 --> 00:02.000\nXin chào\n")
      )
      yield* service.mux({
        video: film,
        out,
        tracks: [{ path: join(here, "dub.m4a"), language: vi, isDefault: false, spoken: [] }],
        original: "keep",
        subtitles: [{ path: join(here, "dub.vtt"), language: vi }]
      })
      const info = yield* service.probe(out)
      expect(soundsOf(info)).toEqual([
        { codec: "opus", language: undefined, title: "Original", isDefault: true },
        { codec: "opus", language: "vie", title: undefined, isDefault: false }
      ])
      expect(info.subtitles.map(({ codec }) => codec)).toEqual(["webvtt"])
      expect(yield* pictureHash(out)).toBe(yield* pictureHash(film))
      const { samples } = yield* service.decode({ path: out, track: 1 }, rate48)
      expect(Math.abs(onset(samples) - 96_000)).toBeLessThanOrEqual(48)
    })
  )

  it.scoped("muxes many languages into one file, the default one first", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const film = join(here, "film.mp4")
      const out = join(here, "out.mp4")
      yield* video(film)
      yield* dub(here)
      const path = join(here, "dub.m4a")
      const request: MuxRequest = {
        video: film,
        out,
        tracks: [
          { path, language: en, title: "English", isDefault: false, spoken: [] },
          { path, language: vi, title: "Tiếng Việt", isDefault: true, spoken: [] }
        ],
        original: "drop",
        subtitles: []
      }
      yield* service.mux(request)
      expect(soundsOf(yield* service.probe(out))).toEqual([
        { codec: "aac", language: "vie", title: "Tiếng Việt", isDefault: true },
        { codec: "aac", language: "eng", title: "English", isDefault: false }
      ])
      yield* service.mux({
        ...request,
        original: "keep",
        tracks: [{ path, language: en, title: "English", isDefault: false, spoken: [] }]
      })
      expect(soundsOf(yield* service.probe(out))).toEqual([
        { codec: "aac", language: undefined, title: "Original", isDefault: true },
        { codec: "aac", language: "eng", title: "English", isDefault: false }
      ])
    })
  )

  it.scoped("encodes the film's own sound with any channel layout", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      yield* dub(here)
      for (const [layout, codec, ending, channels] of [
        ["5.1(side)", "ac3", "webm", 6],
        ["quad", "pcm_s16le", "webm", 5],
        ["octagonal", "pcm_s16le", "mp4", 8],
        // ffmpeg 5 has no layout with twelve channels.
        ...((versionOf(service.binary)?.major ?? 0) >= 7 ? ([["7.1.4", "pcm_s16le", "mp4", 8]] as const) : [])
      ] as const) {
        const film = join(here, "film.mkv")
        yield* video(film, {
          seconds: 1,
          picture: ["-c:v", "libvpx-vp9", "-cpu-used", "8"],
          sound: ["-af", `aformat=channel_layouts=${layout}`, "-c:a", codec]
        })
        const out = join(here, `out.${ending}`)
        yield* service.mux({
          video: film,
          out,
          tracks: [{ path: join(here, "dub.wav"), isDefault: true, spoken: [] }],
          original: "keep",
          subtitles: []
        })
        expect((yield* service.probe(out)).sounds.map((sound) => sound.channels)).toEqual([1, channels])
      }
    })
  )

  it.scoped("does not lengthen a film by an MP3's trailing padding", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const samples = clicks(4 * 48_000, [96_000])
      yield* video(join(here, "film.mkv"), { sound: ["-an"] })
      yield* service.encode(
        {
          feed: feedOf(samples, rate48),
          sinks: [{ path: join(here, "dub.mp3"), format: { format: "mp3" } }]
        },
        [samples]
      )
      const out = join(here, "out.mkv")
      yield* service.mux({
        video: join(here, "film.mkv"),
        out,
        tracks: [{ path: join(here, "dub.mp3"), isDefault: true, spoken: [] }],
        original: "keep",
        subtitles: []
      })
      expect((yield* service.probe(out)).duration).toBe(4_000_000)
      expect(
        Math.abs(onset((yield* service.decode({ path: out }, rate48)).samples) - 96_000)
      ).toBeLessThanOrEqual(48)
    })
  )

  it.scoped("keeps the film's own subtitles and chapters", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const film = join(here, "film.mkv")
      yield* video(join(here, "plain.mp4"))
      yield* dub(here)
      yield* Effect.promise(() =>
        writeFile(join(here, "own.srt"), "1\n00:00:01,000 --> 00:00:02,000\nHallo\n")
      )
      yield* Effect.promise(() =>
        writeFile(
          join(here, "own.txt"),
          ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=4000\ntitle=All\n"
        )
      )
      yield* ffmpeg(
        ...["-i", join(here, "plain.mp4"), "-i", join(here, "own.srt"), "-i", join(here, "own.txt")],
        ...[
          "-map",
          "0",
          "-map",
          "1",
          "-map_metadata",
          "2",
          "-c",
          "copy",
          "-metadata:s:s:0",
          "language=ger",
          "-disposition:s:0",
          "default",
          film
        ]
      )
      for (const [ending, codec, language] of [
        ["mkv", "subrip", "ger"],
        ["mp4", "mov_text", "deu"],
        ["mov", "mov_text", "ger"]
      ] as const) {
        const out = join(here, `out.${ending}`)
        yield* service.mux({
          video: film,
          out,
          tracks: [{ path: join(here, "dub.wav"), isDefault: true, spoken: [] }],
          original: "drop",
          subtitles: [{ path: join(here, "own.srt"), language: en }]
        })
        const info = yield* service.probe(out)
        expect(
          info.subtitles.map((stream) => [stream.codec, stream.language, stream.isDefault]),
          "the film's own track remains a default"
        ).toEqual([
          [codec, language, true],
          [codec, "eng", false]
        ])
        const told = (yield* ffmpeg("-i", out, "-f", "ffmetadata", "-")).stdout.toString()
        expect(told).toContain("title=All")
      }
    })
  )

  it.scoped("keeps the film's dispositions, fonts and cover", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const at = (name: string) => join(here, name)
      yield* dub(here)
      yield* video(at("plain.mp4"))
      yield* ffmpeg(
        "-f",
        "lavfi",
        "-i",
        "color=red:size=32x32",
        "-frames:v",
        "1",
        "-f",
        "mjpeg",
        at("cover.mjpg")
      )
      yield* Effect.promise(() => writeFile(at("own.srt"), "1\n00:00:01,000 --> 00:00:02,000\nBonjour\n"))
      yield* ffmpeg(
        ...[
          "-i",
          at("plain.mp4"),
          "-i",
          at("own.srt"),
          "-map",
          "0:v",
          "-map",
          "0:a",
          "-map",
          "0:a",
          "-map",
          "1"
        ],
        ...["-c", "copy", "-attach", at("own.srt"), "-metadata:s:t", "mimetype=font/ttf"],
        ...["-metadata:s:a:1", "title=Described", "-disposition:a:1", "visual_impaired"],
        ...[
          "-metadata:s:s:0",
          "language=fre",
          "-metadata:s:s:0",
          "title=Ce qui se lit",
          "-disposition:s:0",
          "forced"
        ],
        at("film.mkv")
      )
      yield* ffmpeg(
        ...["-i", at("plain.mp4"), "-i", at("cover.mjpg"), "-map", "0", "-map", "1", "-c", "copy"],
        ...["-disposition:v:1", "attached_pic", at("covered.mp4")]
      )
      /** The kind and disposition of each stream in a result, and the subtitles' languages and titles. */
      const muxed = Effect.fnUntraced(function* (film: string, ending: string) {
        yield* service.mux({
          video: at(film),
          out: at(`out.${ending}`),
          tracks: [{ path: at("dub.wav"), isDefault: true, spoken: [] }],
          original: "keep",
          subtitles: []
        })
        const { stderr } = yield* ffmpeg(
          "-i",
          at(`out.${ending}`),
          "-map",
          "0:v",
          "-c",
          "copy",
          "-f",
          "null",
          "-"
        )
        const kinds = [
          ...stderr
            .slice(0, stderr.indexOf("Output #"))
            .matchAll(
              /Stream #.*?: ([A-Z][a-z]+): .*?((?: \((?:default|forced|visual impaired|attached pic)\))*)$/gmu
            )
        ]
        const { subtitles } = yield* service.probe(at(`out.${ending}`))
        return [
          ...kinds.map(([, kind, purpose]) => `${kind}${purpose}`),
          ...subtitles.map(({ language, title }) => `${language}: ${title}`)
        ]
      })
      const marked = isOld(service.binary) ? "Audio" : "Audio (visual impaired)"
      const described = ["Video (default)", "Audio (default)", "Audio", marked]
      expect(yield* muxed("film.mkv", "mkv")).toEqual([
        ...described,
        ...["Subtitle (forced)", "Attachment", "fre: Ce qui se lit"]
      ])
      // MOV does not store dispositions.
      expect(yield* muxed("film.mkv", "mov")).toEqual([
        ...["Video (default)", "Audio (default)", "Audio", "Audio", "Subtitle"],
        "fra: Ce qui se lit"
      ])
      const covered = ["Video (default)", "Audio (default)", "Audio", "Video (attached pic)"]
      expect(yield* muxed("covered.mp4", "mp4")).toEqual(covered)
      expect(yield* muxed("covered.mp4", "mkv")).toEqual(covered)
      const lengths = yield* Effect.forEach(["covered.mp4", "out.mp4", "out.mkv"], (name) =>
        Effect.map(service.probe(at(name)), ({ picture }) => picture?.duration)
      )
      expect(new Set(lengths).size, `a longer picture: ${lengths.join(", ")}`).toBe(1)
      // Attached to a film that has other attachments, and is itself in Matroska.
      const more = ["-attach", at("own.srt"), "-metadata:s:t:0", "mimetype=font/ttf"]
      const image = ["-attach", at("cover.mjpg"), "-metadata:s:t:1", "mimetype=image/jpeg"]
      yield* ffmpeg("-i", at("plain.mp4"), "-c", "copy", ...more, ...image, at("covered.mkv"))
      const both = yield* muxed("covered.mkv", "mkv")
      expect(both.toSorted()).toEqual([...covered, "Attachment"].toSorted())
      const { stdout } = yield* ffmpeg("-i", at("out.mkv"), "-map", "0:v:1", "-c", "copy", "-f", "mjpeg", "-")
      expect(stdout).toEqual(yield* Effect.promise(() => readFile(at("cover.mjpg"))))
    })
  )

  it.scoped("does not shift a picture whose sound starts with encoder delay", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const film = join(here, "film.mkv")
      yield* video(film, { tags: ["-metadata:s:a:0", "title=As spoken"] })
      yield* dub(here)
      for (const [original, ending] of [
        ["keep", "mp4"],
        ["keep", "mov"],
        ["keep", "mkv"],
        ["drop", "mp4"],
        [usualDuck, "mp4"]
      ] as const) {
        const out = join(here, `out.${ending}`)
        yield* service.mux({
          video: film,
          out,
          tracks: [{ path: join(here, "dub.wav"), isDefault: true, spoken: [] }],
          original,
          subtitles: []
        })
        // Before version 6, ffmpeg writes the delay as audible sound, and delays this film's picture.
        expect(yield* pictureStart(out), `${JSON.stringify(original)} ${ending}`).toBe(
          yield* pictureStart(film)
        )
        const sound = yield* service.decode({ path: out }, rate48)
        if (original !== usualDuck) expect(Math.abs(onset(sound.samples) - 96_000)).toBeLessThanOrEqual(2)
        if (original === "keep")
          expect(soundsOf(yield* service.probe(out))[1]?.title, "a track keeps its title").toBe("As spoken")
      }
    })
  )

  it.scoped("generates presentation times for an AVI, which has none", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const film = join(here, "film.avi")
      yield* video(film, { seconds: 1, picture: ["-c:v", "mpeg4", "-bf", "2"] })
      yield* dub(here)
      const tracks: MuxRequest["tracks"] = [{ path: join(here, "dub.wav"), isDefault: true, spoken: [] }]
      for (const ending of ["mkv", "mp4"]) {
        const out = join(here, `out.${ending}`)
        yield* (yield* Ffmpeg).mux({ video: film, out, tracks, original: "keep", subtitles: [] })
        const frames = (yield* ffmpeg(
          ...["-copyts", "-i", out, "-map", "0:V", "-c", "copy", "-f", "framecrc", "-"]
        )).stdout
          .toString()
          .match(/^0, .*$/gmu)
        const shown = frames?.map((line) => Number(line.split(",")[2])) ?? []
        expect([ending, new Set(shown).size, shown.length]).toEqual([ending, 25, 25])
        // Some frames are stored before others that are shown earlier.
        expect(shown).not.toEqual(shown.toSorted((a, b) => a - b))
      }
    })
  )

  it.scoped("muxes MPEG program streams, with and without B frames, into MKV and MP4", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      yield* dub(here)
      const tracks: MuxRequest["tracks"] = [{ path: join(here, "dub.wav"), isDefault: true, spoken: [] }]
      for (const [name, codec, bFrames] of [
        ["film.vob", "mpeg2video", "0"],
        ["film.mpg", "mpeg1video", "2"]
      ] as const) {
        const film = join(here, name)
        const sound = ["-c:a", "mp2"]
        yield* video(film, { seconds: 1, picture: ["-c:v", codec, "-bf", bFrames], sound })
        for (const ending of ["mkv", "mp4"]) {
          const out = join(here, `out.${ending}`)
          yield* service.mux({ video: film, out, tracks, original: "keep", subtitles: [] })
          expect([name, ending, yield* pictureHash(out)]).toEqual([name, ending, yield* pictureHash(film)])
        }
      }
    })
  )

  it.scoped("ducks the original only under speech, in a sample format that every player decodes", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const film = join(here, "film.mp4")
      const out = join(here, "out.mkv")
      yield* video(film, { seconds: 6 })
      const voice = new Float32Array(6 * 48_000)
      yield* service.encode(
        {
          feed: feedOf(voice, rate48),
          sinks: [{ path: join(here, "voice.wav"), format: { format: "wav", depth: 24 } }]
        },
        [voice]
      )
      const hum = (samples: Float32Array, at: number) => {
        // The level of the 220 Hz hum in half a second, by correlation.
        const from = Math.round(at * 48_000)
        let [a, b] = [0, 0]
        for (let i = 0; i < 24_000; i++) {
          const sample = samples[from + i] ?? 0
          a += sample * Math.cos((2 * Math.PI * 220 * i) / 48_000)
          b += sample * Math.sin((2 * Math.PI * 220 * i) / 48_000)
        }
        return 20 * Math.log10(Math.hypot(a, b))
      }
      const spoken = [{ start: millis(2_000), end: millis(4_000) }]
      for (const amount of [6, 12, 24]) {
        yield* service.mux({
          video: film,
          out,
          tracks: [{ path: join(here, "voice.wav"), language: vi, isDefault: true, spoken }],
          original: { ...usualDuck, amount, attack: millis(200), release: millis(200) },
          subtitles: []
        })
        const info = yield* service.probe(out)
        expect(info.sounds.map(({ codec, channels }) => [codec, channels])).toEqual([["flac", 2]])
        const { samples } = yield* service.decode({ path: out }, rate48)
        expect(samples.length).toBe(6 * 48_000)
        const open = hum(samples, 0.5)
        const lowered = [2, 2.75, 3.5].map((at) => open - hum(samples, at))
        for (const found of lowered) expect(Math.abs(found - amount)).toBeLessThan(0.1)
        for (const at of [0, 1.3, 4.2, 5.5]) expect(Math.abs(open - hum(samples, at))).toBeLessThan(0.1)
      }
      const { stderr } = yield* ffmpeg("-i", out, "-c", "copy", "-f", "null", "-")
      expect(stderr).toMatch(/Audio: flac, 48000 Hz, stereo, s32 \(24 bit\)/u)
    })
  )

  it.scoped("holds true peaks of a loud film and a loud voice together", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const film = join(here, "film.mkv")
      const out = join(here, "out.mkv")
      yield* ffmpeg(
        ...["-f", "lavfi", "-i", "testsrc=size=160x90:rate=25"],
        ...["-f", "lavfi", "-i", "anoisesrc=c=pink:a=0.9:r=48000:s=1,pan=stereo|c0=1.5*c0|c1=1.5*c0"],
        ...["-t", "6", "-c:v", "mpeg4", "-c:a", "pcm_f32le", film]
      )
      const voice = speechLike(rate48, 6, 3).samples.map((sample) => 0.8 * Math.tanh(12 * sample))
      yield* (yield* Ffmpeg).encode(
        {
          feed: feedOf(voice, rate48),
          sinks: [{ path: join(here, "voice.wav"), format: { format: "wav", depth: 24 } }]
        },
        [voice]
      )
      yield* (yield* Ffmpeg).mux({
        video: film,
        out,
        tracks: [{ path: join(here, "voice.wav"), isDefault: true, spoken: [] }],
        original: usualDuck,
        subtitles: []
      })
      const { stderr } = yield* ffmpeg(
        "-i",
        out,
        "-map",
        "0:a",
        "-af",
        "ebur128=peak=true",
        "-f",
        "null",
        "-"
      )
      const peak = Number(/True peak:\s+Peak:\s+(-?[\d.]+) dBFS/u.exec(stderr)?.[1])
      expect([peak <= -0.9, peak > -1.5, peak]).toEqual([true, true, peak])
    })
  )

  it.scoped("does not shift an original that starts later than the picture", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const film = join(here, "film.mkv")
      const out = join(here, "out.mkv")
      yield* ffmpeg(
        ...["-f", "lavfi", "-i", "testsrc=size=160x90:rate=25", "-itsoffset", "1.5"],
        ...[
          "-f",
          "lavfi",
          "-i",
          "aevalsrc=0.9:s=48000",
          "-t",
          "4",
          "-c:v",
          "mpeg4",
          "-c:a",
          "pcm_s16le",
          film
        ]
      )
      yield* dub(here)
      yield* (yield* Ffmpeg).mux({
        video: film,
        out,
        tracks: [{ path: join(here, "dub.wav"), isDefault: true, spoken: [] }],
        original: usualDuck,
        subtitles: []
      })
      const { samples } = yield* (yield* Ffmpeg).decode({ path: out }, rate48)
      expect(Math.abs(onset(samples) - 72_000)).toBeLessThanOrEqual(2)
    })
  )

  it.scoped("keeps ducked surround sound as surround, with the voice in the centre on time", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const film = join(here, "film.mov")
      const out = join(here, "out.mkv")
      yield* ffmpeg(
        ...[
          "-f",
          "lavfi",
          "-i",
          "testsrc=size=160x90:rate=25",
          "-f",
          "lavfi",
          "-i",
          "aevalsrc=0|0|0|0|0|0:c=5.1:s=48000"
        ],
        ...["-t", "4", "-c:v", "mpeg4", "-c:a", "pcm_s16le", film]
      )
      yield* dub(here)
      yield* service.mux({
        video: film,
        out,
        tracks: [{ path: join(here, "dub.wav"), isDefault: true, spoken: [] }],
        original: usualDuck,
        subtitles: []
      })
      expect((yield* service.probe(out)).sounds.map(({ channels }) => channels)).toEqual([6])
      yield* ffmpeg("-i", out, "-af", "pan=mono|c0=c2", join(here, "centre.wav"))
      yield* ffmpeg("-i", out, "-af", "pan=mono|c0=c0+c1+c3+c4+c5", join(here, "rest.wav"))
      const centre = yield* service.decode({ path: join(here, "centre.wav") }, rate48)
      const rest = yield* service.decode({ path: join(here, "rest.wav") }, rate48)
      expect(onset(centre.samples)).toBe(96_000)
      expect(onset(rest.samples)).toBe(-1)
    })
  )

  it.scoped("lowers only the centre of ducked surround sound", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const film = join(here, "film.mov")
      const tones = [300, 400, 500, 60, 700, 800].map((hertz) => `0.1*sin(2*PI*${hertz}*t)`).join("|")
      yield* ffmpeg(
        ...["-f", "lavfi", "-i", "testsrc=size=160x90:rate=25"],
        ...["-f", "lavfi", "-i", `aevalsrc=${tones}:c=5.1:s=48000`],
        ...["-t", "4", "-c:v", "mpeg4", "-c:a", "pcm_s24le", film]
      )
      yield* ffmpeg("-f", "lavfi", "-i", "anullsrc=r=48000:cl=mono", "-t", "4", join(here, "dub.wav"))
      const out = join(here, "out.mkv")
      yield* service.mux({
        video: film,
        out,
        tracks: [
          {
            path: join(here, "dub.wav"),
            isDefault: true,
            spoken: [{ start: millis(1_000), end: millis(3_000) }]
          }
        ],
        original: usualDuck,
        subtitles: []
      })
      // Each channel's tone, while nobody speaks and in the middle of the speech.
      for (const [channel, hertz] of [300, 400, 500, 60, 700, 800].entries()) {
        const path = join(here, `${channel}.wav`)
        yield* ffmpeg("-i", out, "-af", `pan=mono|c0=c${channel}`, "-c:a", "pcm_f32le", path)
        const { samples } = yield* service.decode({ path }, rate48)
        const level = (from: number) => {
          let sine = 0
          let cosine = 0
          for (let i = from; i < from + 24_000; i++) {
            sine += (samples[i] ?? 0) * Math.sin((2 * Math.PI * hertz * i) / 48_000)
            cosine += (samples[i] ?? 0) * Math.cos((2 * Math.PI * hertz * i) / 48_000)
          }
          return (2 * Math.hypot(sine, cosine)) / 24_000
        }
        expect(level(4_800)).toBeCloseTo(0.1, 3)
        expect(level(84_000)).toBeCloseTo(channel === 2 ? 0.1 * 10 ** (-12 / 20) : 0.1, 3)
      }
    })
  )

  it.scoped("accepts a film without sound for every setting of `original`", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const film = join(here, "silent.mp4")
      yield* video(film, { sound: ["-an"] })
      yield* dub(here)
      for (const original of ["keep", "drop", usualDuck] as const) {
        yield* service.mux({
          video: film,
          out: join(here, "out.mp4"),
          tracks: [{ path: join(here, "dub.wav"), isDefault: true, spoken: [] }],
          original,
          subtitles: []
        })
        expect(soundsOf(yield* service.probe(join(here, "out.mp4")))).toEqual([
          { codec: "aac", language: undefined, title: undefined, isDefault: true }
        ])
      }
    })
  )

  it.scoped("reports what it cannot mux, and leaves no files", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const service = yield* Ffmpeg
      const film = join(here, "film.mp4")
      yield* video(film)
      yield* dub(here)
      const request = {
        video: film,
        out: join(here, "out", "a.webm"),
        tracks: [{ path: join(here, "dub.wav"), isDefault: true, spoken: [] }],
        original: "keep",
        subtitles: []
      } as const
      const refused = yield* Effect.flip(service.mux(request))
      expect(refused).toEqual(
        new ContainerRefuses({
          path: request.out,
          container: "webm",
          codec: "mpeg4",
          instead: ["mp4", "mov", "mkv"]
        })
      )
      expect(refused.message).toContain("use mp4 or mov or mkv instead")
      expect(yield* Effect.flip(service.mux({ ...request, out: join(here, "a.avi") }))).toEqual(
        new UnknownContainer({ path: join(here, "a.avi") })
      )
      expect(yield* Effect.flip(service.mux({ ...request, video: join(here, "dub.wav") }))).toBeInstanceOf(
        NotMedia
      )
      expect(
        yield* Effect.flip(
          service.mux({ ...request, tracks: [{ path: join(here, "none.wav"), isDefault: true, spoken: [] }] })
        )
      ).toBeInstanceOf(NotMedia)
      yield* Effect.promise(() => writeFile(join(here, "bad.srt"), "no subtitles here"))
      const broken = yield* Effect.flip(
        service.mux({
          ...request,
          out: join(here, "out", "a.mp4"),
          subtitles: [{ path: join(here, "bad.srt") }]
        })
      )
      expect(broken).toMatchObject({ _tag: "FfmpegFailed", purpose: `mux ${join(here, "out", "a.mp4")}` })
      expect(yield* Effect.promise(() => readdir(join(here, "out")))).toEqual([])
    })
  )
})
