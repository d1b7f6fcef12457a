/** Delivered files: their content, length, loudness and tracks, measured on the files themselves. */
import { createHash } from "node:crypto"
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Array, Effect, Layer } from "effect"
import { loudnessOf } from "../../../src/audio/speech/ClipSplitting.ts"
import { decibelsOf } from "../../../src/audio/pcm/Pcm.ts"
import { TruePeakMeter } from "../../../src/audio/level/TruePeak.ts"
import { encodeWav16, readWav, type Wav } from "../../../src/audio/formats/Wav.ts"
import { Clip, Segment } from "../../../src/domain/speech/Clip.ts"
import { frameRateNamed } from "../../../src/domain/time/FrameRate.ts"
import { LanguageTag, SpeakerName, UtteranceKey } from "../../../src/domain/values/Ids.ts"
import type { OutputName } from "../../../src/domain/manifest/Outputs.ts"
import { ClipPart, Placement } from "../../../src/domain/speech/Placement.ts"
import { SubtitleEntry } from "../../../src/domain/speech/SubtitleEntry.ts"
import { frames, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { LineRef } from "../../../src/domain/speech/Utterance.ts"
import { Ffmpeg } from "../../../src/ffmpeg/Ffmpeg.ts"
import { writeOutputs } from "../../../src/pipeline/deliver/OutputWriter.ts"
import { clipFileName } from "../../../src/pipeline/deliver/ClipFiles.ts"
import type { Job } from "../../../src/pipeline/load/Job.ts"
import { Progress, type ProgressEvent, silent } from "../../../src/pipeline/Progress.ts"
import { ClipFolder } from "../../../src/store/files/ClipFolder.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { textsAt } from "../../exports/timelines/readers.ts"
import { ffmpeg, plainFolder, video } from "../../ffmpeg/media.ts"
import { ffmpegs } from "../../ffmpeg/binaries.ts"
import { plainJob } from "./plainJob.ts"

const rate = SampleRate.make(24_000)

const jobOf = (outputs: ReadonlyArray<OutputName>, more: Partial<Job> = {}): Job =>
  plainJob(outputs, { language: LanguageTag.make("vi"), ...more })

/** A speech-like clip: a gliding tone with some noise, under a slow swell. */
const voice = (milliseconds: number, pitch: number): Float32Array =>
  Float32Array.from({ length: (milliseconds * rate) / 1000 }, (_, i) => {
    const t = i / rate
    const swell = 0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * t)
    const breath = 0.01 * Math.sin(12.9898 * i * i)
    return 0.2 * swell * (Math.sin(2 * Math.PI * (pitch * t + 20 * t * t)) + breath)
  })

/** The same, softer by the factor `softer`, with regular peaks of full height. */
const below =
  (softer: number) =>
  (milliseconds: number, pitch: number): Float32Array =>
    voice(milliseconds, pitch).map((sample, i) => (i % 1500 === 300 ? 0.9 : sample / softer))

interface Spoken {
  readonly cue: number
  readonly speaker: string
  readonly start: number
  readonly length: number
  readonly speed?: number
}

/** Four lines, one after the other. */
const fourLines = [1, 2, 3, 4].map((cue): Spoken => ({
  cue,
  speaker: "ANNA",
  start: cue * 900,
  length: 800
}))

/** Stores a clip for each line and delivers the job, into `into` or a new folder. */
const delivered = (
  lines: ReadonlyArray<Spoken>,
  job: Job,
  milliseconds: number,
  sound = voice,
  into?: string
) =>
  Effect.gen(function* () {
    const folder = into ?? (yield* plainFolder)
    const kept = Effect.fnUntraced(function* ({ cue, length }: Spoken) {
      const clips = yield* ClipFolder
      const key = UtteranceKey.make(`${cue}`.padStart(64, "0"))
      const pcm = { rate, samples: sound(length, 100 + 40 * cue) }
      const { checksum } = yield* clips.keep(key, encodeWav16(pcm))
      const segments: Array.NonEmptyArray<Segment> = [
        Segment.make({
          from: frames(0),
          to: frames(pcm.samples.length),
          loudness: loudnessOf(pcm),
          peak: 0.2
        })
      ]
      return Clip.make({ key, rate, frames: frames(pcm.samples.length), checksum, segments, cut: "whole" })
    })
    return yield* Effect.gen(function* () {
      const clips = yield* Effect.forEach(lines, kept)
      const placements = lines.map(({ cue, speaker, start, length, speed = 1 }) =>
        Placement.make({
          lines: [LineRef.make({ cue, part: 0 })],
          parts: [ClipPart.make({ utterance: UtteranceKey.make(`${cue}`.padStart(64, "0")), segment: 0 })],
          speaker: SpeakerName.make(speaker),
          start: millis(start),
          end: millis(start + Math.ceil(length / speed)),
          speed,
          flags: []
        })
      )
      const made = yield* writeOutputs({
        job,
        out: folder,
        placements,
        clips: new Map(clips.map((clip) => [clip.key, clip])),
        length: frames(milliseconds * 48),
        entries: () =>
          placements.map(({ start, end, lines: [{ cue }] }) =>
            SubtitleEntry.make({ index: cue, start, end, text: `Line ${cue}` })
          ),
        chapters: [],
        reel: { frameRate: frameRateNamed("25"), startFrame: 90_000, width: 1920, height: 1080 }
      })
      return { ...made, folder: join(folder, job.id) }
    }).pipe(Effect.provide(Layer.provideMerge(ClipFolder.Default, writableState(join(folder, "state")))))
  })

const wavAt = (path: string): Effect.Effect<Wav> =>
  Effect.flatMap(
    Effect.promise(() => readFile(path)),
    (bytes) => Effect.orDie(readWav(bytes))
  )

const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex")

/** The root mean square between two times in milliseconds, in dBFS. */
const levelOf = (samples: Float32Array, from: number, to: number): number => {
  let sum = 0
  for (let i = from * 48; i < to * 48; i++) sum += (samples[i] ?? 0) ** 2
  return 10 * Math.log10(sum / ((to - from) * 48) + 1e-12)
}

describe.each(ffmpegs)("a delivery, with $name", ({ service }) => {
  const needs = Layer.mergeAll(service, silent).pipe(Layer.provideMerge(NodeContext.layer))

  it.scopedLive(
    "has exactly the requested length, with speech where it was placed and silence elsewhere",
    () =>
      Effect.gen(function* () {
        const lines: ReadonlyArray<Spoken> = [
          { cue: 1, speaker: "ANNA", start: 500, length: 1000 },
          { cue: 2, speaker: "BO", start: 2500, length: 1300, speed: 1.3 }
        ]
        const { folder, files, measured } = yield* delivered(lines, jobOf(["wav", "srt"]), 5001)
        expect(files).toEqual([join(folder, "film.wav"), join(folder, "film.srt")])
        const wav = yield* wavAt(join(folder, "film.wav"))
        expect([wav.rate, wav.channels.length, wav.channels[0].length]).toEqual([48_000, 1, 5001 * 48])
        const [samples] = wav.channels
        const heard = [
          [0, 495],
          [510, 1490],
          [1505, 2495],
          [2510, 3490],
          [3510, 5001]
        ].map(([from = 0, to = 0]) => levelOf(samples, from, to) > -60)
        expect(heard).toEqual([false, true, false, true, false])
        expect(Math.abs(loudnessOf({ rate: wav.rate, samples }) - -16)).toBeLessThan(0.5)
        const truePeak = new TruePeakMeter(1)
        truePeak.push(samples)
        expect(decibelsOf(truePeak.peak())).toBeLessThan(-1.4)
        expect(Math.abs(measured.integrated - -16)).toBeLessThan(0.5)
        expect(yield* Effect.promise(() => readFile(join(folder, "film.srt"), "utf8"))).toBe(
          "1\n00:00:00,500 --> 00:00:01,500\nLine 1\n\n2\n00:00:02,500 --> 00:00:03,500\nLine 2\n"
        )
      }).pipe(Effect.provide(needs))
  )

  it.scopedLive("reaches its target loudness with limited peaks in every format", () =>
    Effect.gen(function* () {
      const { files } = yield* delivered(
        fourLines,
        jobOf(["wav", "flac", "mp3", "m4a", "opus"], { loudness: -9 }),
        5000
      )
      for (const path of files) {
        const { samples } = yield* (yield* Ffmpeg).decode({ path }, SampleRate.make(48_000))
        const truePeak = new TruePeakMeter(1)
        truePeak.push(samples)
        expect([path, decibelsOf(truePeak.peak()) < -1.5]).toEqual([path, true])
        const short = loudnessOf({ rate: SampleRate.make(48_000), samples }) - -9
        expect([path, Math.abs(short) < 0.5]).toEqual([path, true])
      }
    }).pipe(Effect.provide(needs))
  )

  it.scopedLive("reaches its target loudness despite many peaks, and warns if it cannot", () =>
    Effect.gen(function* () {
      const told: Array<ProgressEvent> = []
      const listening = Layer.succeed(Progress, {
        emit: (event) => Effect.sync(() => void told.push(event))
      })
      const loudnessBelow = (softer: number, loudness: number) =>
        Effect.map(
          delivered(fourLines, jobOf(["wav"], { loudness }), 5000, below(softer)).pipe(
            Effect.provide(listening)
          ),
          ({ measured }) => measured.integrated
        )
      for (const [softer, loudness] of [
        [2, -10],
        [3, -14]
      ] as const) {
        const came = yield* loudnessBelow(softer, loudness)
        expect([softer, Math.abs(came - loudness) < 0.3]).toEqual([softer, true])
      }
      const warnings = () => told.flatMap((event) => (event._tag === "Warning" ? [event.message] : []))
      expect(warnings()).toEqual([])
      const came = yield* loudnessBelow(100, -10)
      expect(came).toBeLessThan(-10.5)
      expect(warnings()).toEqual([
        `film: reaches ${came.toFixed(1)} LUFS instead of -10, because peaks are limited to -1.5 dBTP; set a lower loudness to keep the peaks`
      ])
    }).pipe(Effect.provide(needs))
  )

  it.scopedLive("mixes nothing if no audio is requested", () =>
    Effect.gen(function* () {
      const line: Spoken = { cue: 1, speaker: "ANNA", start: 500, length: 1000 }
      const { folder, files, measured } = yield* delivered([line], jobOf(["srt", "vtt"]), 5001)
      expect({ files, measured }).toEqual({
        files: [join(folder, "film.srt"), join(folder, "film.vtt")],
        measured: { integrated: -70, truePeak: -120 }
      })
    }).pipe(Effect.provide(needs))
  )

  it.scopedLive("has no step at a joint larger than those of the speech around it", () =>
    Effect.gen(function* () {
      const lines: ReadonlyArray<Spoken> = [
        { cue: 1, speaker: "ANNA", start: 100, length: 700 },
        { cue: 2, speaker: "ANNA", start: 800, length: 900 }
      ]
      const { folder } = yield* delivered(lines, jobOf(["wav"]), 2000)
      const [samples] = (yield* wavAt(join(folder, "film.wav"))).channels
      const steps = samples.slice(1).map((sample, i) => Math.abs(sample - (samples[i] ?? 0)))
      const largest = (from: number, to: number) => Math.max(...steps.slice(from * 48, to * 48))
      const inside = largest(200, 700)
      for (const joint of [100, 800, 1700]) expect(largest(joint - 3, joint + 3)).toBeLessThanOrEqual(inside)
    }).pipe(Effect.provide(needs))
  )

  it.scopedLive(
    "writes stems that add up to the mix, and clips that carry their timecode and fill whole video frames",
    () =>
      Effect.gen(function* () {
        const lines: ReadonlyArray<Spoken> = [
          { cue: 1, speaker: "ANNA", start: 1000, length: 800 },
          // From video frame 30 up to 51: 25 ms longer than the speech.
          { cue: 2, speaker: "BO", start: 1210, length: 815 }
        ]
        // Loud enough to be limited everywhere.
        const { folder, files } = yield* delivered(
          lines,
          jobOf(["wav", "stems", "clips"], { loudness: -10 }),
          3000
        )
        expect(files).toEqual(
          [
            "film.wav",
            "stems/ANNA.wav",
            "stems/BO.wav",
            "clips/0001_ANNA_00-00-01-000.wav",
            "clips/0002_BO_00-00-01-210.wav"
          ].map((file) => join(folder, file))
        )
        const [whole, anna, bo] = yield* Effect.forEach(files.slice(0, 3), (file) =>
          Effect.map(wavAt(file), (wav) => wav.channels[0])
        )
        expect([anna?.length, bo?.length]).toEqual([whole?.length, whole?.length])
        // Each file is dithered separately: two and a half 16-bit steps each way.
        const off = whole?.reduce(
          (most, sample, i) => Math.max(most, Math.abs(sample - (anna?.[i] ?? 0) - (bo?.[i] ?? 0))),
          0
        )
        expect(off).toBeLessThan(7.5 / 32_768)
        const clip = yield* wavAt(files[4] ?? "")
        expect([clip.rate, clip.timeReference, clip.channels[0].length]).toEqual([
          48_000,
          // It starts on the video frame, 10 ms before the speech.
          3600 * 48_000 + 1200 * 48,
          840 * 48
        ])
        expect(Math.max(...clip.channels[0].subarray(0, 10 * 48).map(Math.abs))).toBe(0)
        expect(clip.channels[0].subarray(826 * 48).every((sample) => sample === 0)).toBe(true)
      }).pipe(Effect.provide(needs))
  )

  it.scopedLive("writes stems that add up to the mix even if they take several passes", () =>
    Effect.gen(function* () {
      const lines = Array.makeBy(15, (cue): Spoken => ({
        cue: cue + 1,
        speaker: `S${cue}`,
        start: 300 + 100 * cue,
        length: 700
      }))
      const { files } = yield* delivered(lines, jobOf(["wav", "stems"], { loudness: -8 }), 3000)
      const [whole, ...stems] = yield* Effect.forEach(files, (file) =>
        Effect.map(wavAt(file), (wav) => wav.channels[0])
      )
      expect(stems.length).toBe(15)
      const off = whole?.reduce(
        (most, sample, i) =>
          Math.max(most, Math.abs(stems.reduce((sum, stem) => sum + (stem[i] ?? 0), -sample))),
        0
      )
      // Each file is dithered separately: one and a half 16-bit steps each.
      expect(off).toBeLessThan((16 * 1.5) / 32_768)
    }).pipe(Effect.provide(needs))
  )

  it.scopedLive(
    "adds sound and subtitle tracks in the job's language to a video, which keeps its length",
    () =>
      Effect.gen(function* () {
        const film = join(yield* plainFolder, "film.mp4")
        yield* video(film, { seconds: 3 })
        const lines: ReadonlyArray<Spoken> = [{ cue: 1, speaker: "ANNA", start: 1000, length: 800 }]
        const { folder, files } = yield* delivered(
          lines,
          jobOf(["mp4"], { video: { path: film, name: "film.mp4" } }),
          3000
        )
        expect(files).toEqual([join(folder, "film.mp4")])
        const service = yield* Ffmpeg
        const info = yield* service.probe(join(folder, "film.mp4"))
        expect(info.sounds.map(({ language, title, isDefault }) => [language, title, isDefault])).toEqual([
          ["vie", "Tiếng Việt", true],
          [undefined, "Original", false]
        ])
        expect(info.subtitles.map(({ language, title }) => [language, title])).toEqual([
          ["vie", "Tiếng Việt"]
        ])
        expect(info.picture?.duration).toBe(3_000_000)
        const left = yield* Effect.promise(() => stat(join(folder, ".film.sound.wav")).catch(() => undefined))
        expect(left).toBe(undefined)
      }).pipe(Effect.provide(needs))
  )

  it.scopedLive("leaves no temporary sound behind if the video cannot be written", () =>
    Effect.gen(function* () {
      const here = yield* plainFolder
      const film = join(here, "film.mp4")
      yield* video(film, { seconds: 3 })
      yield* Effect.promise(() => mkdir(join(here, "film", "film.mkv", "mine"), { recursive: true }))
      const job = jobOf(["mkv"], { video: { path: film, name: "film.mp4" } })
      const end = yield* Effect.exit(delivered(fourLines.slice(0, 2), job, 3000, voice, here))
      expect(end._tag).toBe("Failure")
      expect(yield* Effect.promise(() => readdir(join(here, "film")))).toEqual(["film.mkv"])
    }).pipe(Effect.provide(needs))
  )

  it.scopedLive("encodes a mix once for its file and the video", () =>
    Effect.gen(function* () {
      const here = yield* plainFolder
      const lines: ReadonlyArray<Spoken> = [{ cue: 1, speaker: "ANNA", start: 1000, length: 800 }]
      const webm = {
        seconds: 3,
        picture: ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8"],
        sound: ["-c:a", "libopus"]
      }
      for (const [sound, container, like] of [
        ["m4a", "mp4", { seconds: 3 }],
        ["opus", "webm", webm]
      ] as const) {
        const film = join(here, `film.${container}`)
        yield* video(film, like)
        const job = jobOf([sound, container], { video: { path: film, name: `film.${container}` } })
        const { folder, files } = yield* delivered(lines, job, 3000)
        expect(files).toEqual([join(folder, `film.${sound}`), join(folder, `film.${container}`)])
        const packets = (file: string) =>
          Effect.map(ffmpeg("-i", file, "-map", "0:a:0", "-c", "copy", "-f", "md5", "-"), ({ stdout }) =>
            stdout.toString()
          )
        const [alone = "", within = ""] = yield* Effect.forEach(files, packets)
        expect(within).toBe(alone)
        // Its onset is the same, too.
        const service = yield* Ffmpeg
        const [own, muxed] = yield* Effect.forEach(files, (path) =>
          service.decode({ path }, SampleRate.make(48_000))
        )
        const onset = (samples?: Float32Array) => samples?.findIndex((sample) => Math.abs(sample) > 0.05)
        expect(onset(muxed?.samples)).toBe(onset(own?.samples))
        // A bit rate set for the file does not apply to the video.
        const other = yield* delivered(lines, { ...job, audio: { bitrate: 32 } }, 3000)
        const [small = "", usual = ""] = yield* Effect.forEach(other.files, packets)
        expect(usual).not.toBe(small)
      }
    }).pipe(Effect.provide(needs))
  )

  it.scopedLive("gives every speaker portable file names, and a track in every timeline", () =>
    Effect.gen(function* () {
      const speakers = ["10", "Con", "con", "__proto__", `${"a".repeat(59)}𠀀𠀀`, "2"]
      const lines = speakers.map((speaker, at): Spoken => ({
        cue: at + 1,
        speaker,
        start: at * 500,
        length: 400
      }))
      const { files, folder } = yield* delivered(
        lines,
        jobOf(["stems", "otio", "fcpxml", "xml", "edl", "csv"]),
        3000
      )
      const named = (name: string) =>
        files.map((file) => relative(folder, file)).filter((file) => file.startsWith(name))
      const cut = "a".repeat(59)
      expect(named("stems")).toEqual(
        ["10", "_Con", "_con_2", "proto", cut, "2"].map((name) => `stems/${name}.wav`)
      )
      expect(named("clips")).toEqual(
        ["10", "Con", "con", "proto", cut, "2"].map(
          (name, at) =>
            `clips/000${at + 1}_${name}_00-00-0${Math.floor(at / 2)}-${at % 2 === 0 ? 0 : 5}00.wav`
        )
      )
      const otio: { tracks: { children: ReadonlyArray<{ name: string }> } } = JSON.parse(
        yield* Effect.promise(() => readFile(join(folder, "film.otio"), "utf8"))
      )
      expect(otio.tracks.children.map(({ name }) => name)).toEqual(speakers)
    }).pipe(Effect.provide(needs))
  )

  it.scopedLive("writes a sped-up clip sample for sample as in the mix", () =>
    Effect.gen(function* () {
      const line = { cue: 1, speaker: "ANNA", start: 500, length: 1300, speed: 1.3 }
      const { files } = yield* delivered([line], jobOf(["wav", "clips"]), 2000)
      const [whole, clip] = yield* Effect.forEach(files, (file) =>
        Effect.map(wavAt(file), (wav) => wav.channels[0])
      )
      const off = clip?.reduce(
        // It starts on the video frame that contains 500 ms.
        (most, sample, i) => Math.max(most, Math.abs(sample - (whole?.[480 * 48 + i] ?? 0))),
        0
      )
      // Each file is dithered separately.
      expect(off).toBeLessThan(5 / 32_768)
    }).pipe(Effect.provide(needs))
  )

  it.scopedLive("writes clips with the job's bit depth, and metadata with cue, speaker and text", () =>
    Effect.gen(function* () {
      const lines: ReadonlyArray<Spoken> = [
        { cue: 1, speaker: "ANNA", start: 500, length: 600 },
        { cue: 12, speaker: "Bà & Hai", start: 1_510, length: 403 }
      ]
      for (const depth of [16, 24, 32] as const) {
        const { files } = yield* delivered(lines, jobOf(["clips", "xml"], { audio: { depth } }), 3000)
        const [timeline = "", , path = ""] = files
        const file = yield* Effect.promise(() => readFile(path))
        const format = file.indexOf("fmt ") + 8
        expect([file.readUInt16LE(format), file.readUInt16LE(format + 14)]).toEqual([
          { 16: 1, 24: 0xfffe, 32: 3 }[depth],
          depth
        ])
        const bext = file.indexOf("bext") + 8
        const field = (from: number, to: number) =>
          file.toString("latin1", bext + from, bext + to).replaceAll("\0", "")
        expect([field(0, 256), field(330, 338)]).toEqual(["12 Ba & Hai: Line 12", ""])
        expect(field(320, 330)).toMatch(/^\d{4}-\d\d-\d\d$/u)
        const term = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"
        const history = `A=PCM,F=48000,W=${depth},M=mono,T=${term}`
        const bextEnd = bext + file.readUInt32LE(bext - 4)
        expect(file.toString("latin1", bext + 602, bextEnd).replace("\0", "")).toBe(`${history}\r\n`)
        expect(file.toString("latin1", file.indexOf("IKEY") + 8)).toMatch(`synthetic speech, ${term}\0`)
        const at = file.indexOf("iXML")
        const xml = file.toString("utf8", at + 8, at + 8 + file.readUInt32LE(at + 4))
        const told = (name: string) => textsAt(xml, `//${name}`)
        expect(["PROJECT", "SCENE", "TAKE", "NOTE", "TRACK/NAME", "AUDIO_BIT_DEPTH"].flatMap(told)).toEqual([
          "film",
          "12",
          "1",
          "Line 12",
          "Bà & Hai",
          `${depth}`
        ])
        expect(told("BWF_DESCRIPTION")).toEqual(["12 Bà & Hai: Line 12"])
        expect(told("BWF_CODING_HISTORY")).toEqual([history])
        expect(["TIMECODE_RATE", "TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO"].flatMap(told)).toEqual([
          "25/1",
          `${(3600 + 1.48) * 48_000}`
        ])
        expect(textsAt(yield* Effect.promise(() => readFile(timeline, "utf8")), "//file//depth")).toEqual([
          `${depth}`,
          `${depth}`
        ])
      }
    }).pipe(Effect.provide(needs))
  )

  it.scopedLive("keeps clip files when another line changes, unless the loudness changes", () =>
    Effect.gen(function* () {
      const folder = yield* plainFolder
      const job = jobOf(["wav", "clips"])
      const louder = [...fourLines.slice(0, 3), { cue: 4, speaker: "ANNA", start: 3600, length: 400 }]
      const made = Effect.fnUntraced(function* (lines: ReadonlyArray<Spoken>) {
        const { files } = yield* delivered(lines, job, 5000, voice, folder)
        return yield* Effect.forEach(files, (file) =>
          Effect.promise(async () => {
            const { ino, mtimeMs } = await stat(file)
            return { file, ino, mtimeMs, hash: hashOf(await readFile(file)) }
          })
        )
      })
      // Clips of an earlier day.
      for (const { file } of (yield* made(fourLines)).slice(1))
        yield* Effect.promise(async () => {
          const bytes = await readFile(file)
          await writeFile(
            file,
            bytes.fill("2020-01-02", bytes.indexOf("bext") + 328, bytes.indexOf("bext") + 338)
          )
        })
      const before = yield* made(fourLines)
      const after = yield* made(louder)
      expect(after[0]?.hash, "the mix has changed").not.toBe(before[0]?.hash)
      expect(after.slice(1, 4)).toEqual(before.slice(1, 4))
      expect(after[4]?.ino).not.toBe(before[4]?.ino)
      // A new target loudness rewrites the clips.
      const { files } = yield* delivered(louder, { ...job, loudness: -20 }, 5000, voice, folder)
      const bytes = yield* Effect.promise(() => readFile(files[1] ?? ""))
      expect(hashOf(bytes)).not.toBe(after[1]?.hash)
    }).pipe(Effect.provide(needs))
  )

  it("names a clip by cue, speaker and time", () => {
    const placement = Placement.make({
      lines: [LineRef.make({ cue: 7, part: 1 })],
      parts: [ClipPart.make({ utterance: UtteranceKey.make("0".repeat(64)), segment: 0 })],
      speaker: SpeakerName.make("Bà Hai / 2"),
      start: millis(3_661_042),
      end: millis(3_662_000),
      speed: 1,
      flags: []
    })
    expect(clipFileName(placement)).toBe("0007.2_Bà-Hai-2_01-01-01-042")
  })
})
