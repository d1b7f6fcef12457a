/**
 * However a programme is cut into sections, with or without threads, its files are bit-identical and its measurements
 * equal.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer } from "effect"
import { type ProgrammeMeasurement, MeterCombination } from "../../../src/audio/level/ProgrammeMeter.ts"
import { LoudnessMeter } from "../../../src/audio/level/LoudnessMeter.ts"
import { PeakMeter } from "../../../src/audio/pcm/WaveformPeaks.ts"
import { sectionsOf } from "../../../src/audio/pcm/Section.ts"
import { TruePeakMeter } from "../../../src/audio/level/TruePeak.ts"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import { Clip, Segment } from "../../../src/domain/speech/Clip.ts"
import { UtteranceKey, SpeakerName } from "../../../src/domain/values/Ids.ts"
import { ClipPart, Placement } from "../../../src/domain/speech/Placement.ts"
import { frames, Lufs, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { LineRef } from "../../../src/domain/speech/Utterance.ts"
import { wavFileOf } from "../../../src/ffmpeg/encode/EncodeJob.ts"
import { Ffmpeg } from "../../../src/ffmpeg/Ffmpeg.ts"
import { DiskFull } from "../../../src/ffmpeg/process/FfmpegErrors.ts"
import { beginWav } from "../../../src/ffmpeg/encode/WavWriter.ts"
import { ClipMissing } from "../../../src/pipeline/mix/ClipMissing.ts"
import { mixLinesIn, type Programme } from "../../../src/pipeline/mix/MixLines.ts"
import { SectionRenderer, renderSection, type Mastering } from "../../../src/pipeline/mix/SectionRenderer.ts"
import { renderInSections } from "../../../src/pipeline/mix/ProgrammeRenderer.ts"
import { checksumOf } from "../../../src/store/files/Checksum.ts"
import { ClipFolder } from "../../../src/store/files/ClipFolder.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { randomOf, speechLike } from "../../audio/signals.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"

const rate = SampleRate.make(24_000)
const folder = mkdtempSync(join(tmpdir(), "dubwright-sections-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const keyOf = (which: number) => UtteranceKey.make(`${which}`.padStart(64, "0"))
const pathOf = (key: string) => join(folder, "clips", `${key}.wav`)

/** Clips of speech, one of them loud enough to be limited. */
mkdirSync(join(folder, "clips"))
const clips = new Map(
  [1, 2, 3, 4].map((which) => {
    const clipRate = which === 2 ? SampleRate.make(16_000) : rate
    const pcm = speechLike(clipRate, 0.4 + 0.6 * which, which)
    const wav = encodeWav16(pcm)
    writeFileSync(pathOf(keyOf(which)), wav)
    const length = frames(pcm.samples.length)
    const segment = Segment.make({ from: frames(0), to: length, loudness: Lufs.make(-18 - which), peak: 0.5 })
    const clip = Clip.make({
      key: keyOf(which),
      rate: clipRate,
      frames: length,
      checksum: checksumOf(wav),
      segments: [segment],
      cut: "whole"
    })
    return [clip.key, clip] as const
  })
)

const speakers = ["ANNA", "BO"].map((name) => SpeakerName.make(name))

const placementOf = (cue: number, which: number, start: number, end: number) =>
  Placement.make({
    lines: [LineRef.make({ cue, part: 0 })],
    parts: [ClipPart.make({ utterance: keyOf(which), segment: 0 })],
    speaker: speakers[cue % 2],
    start: millis(start),
    end: millis(end),
    speed: 1,
    flags: []
  })

/** `count` lines at random positions, some of them sped up, many overlapping. */
const programmeOf = (seed: number, length: number, channels: 1 | 2, count: number): Programme => {
  const random = randomOf(seed)
  const placements = Array.from({ length: count }, (_, cue) => {
    const which = 1 + Math.floor(4 * random())
    const start = Math.floor((random() * length) / 24)
    const whole = (0.4 + 0.6 * which) * 1000
    return placementOf(cue, which, start, start + Math.ceil(whole * (random() < 0.3 ? 0.8 : 1)))
  }).sort((a, b) => a.start - b.start)
  return {
    placements,
    clips,
    rate,
    length: frames(length),
    channels,
    panOf: (who) => (who === "BO" ? 0.4 : -0.2)
  }
}

interface Output {
  readonly rate: SampleRate
  readonly depth: 16 | 24 | 32
}

/** Renders the mix and its stems in sections of `seconds`, the last first; returns the files and measurements. */
const made = (programme: Programme, output: Output, gain: number, seconds: number) => {
  const { length, channels } = programme
  const feed = { rate, channels, frames: length }
  const orders = ["whole.wav", "anna.wav", "bo.wav"].map((name, request) => {
    const path = join(folder, name)
    const { rate: rateOut, depth } = output
    const file = wavFileOf(feed, {
      sink: { path, rate: rateOut, format: { format: "wav", depth } },
      part: path
    })
    if (file === undefined) throw new Error("a WAV is written without ffmpeg")
    beginWav(path, file.header)
    return { request, order: file.order }
  })
  const mastering: Mastering = { rate, channels, stems: 2, gain, ceiling: 0.84 }
  const desk = new SectionRenderer(join(folder, "clips"))
  const heard = [...sectionsOf(length, rate, seconds)].reverse().map((section) => {
    const lines = mixLinesIn(programme, section, speakers)
    const all = [...orders, { request: 0, order: { kind: "listen", ...feed } as const }]
    const steps = renderSection(mastering, section, lines, all, desk)
    let step = steps.next()
    while (step.done !== true) step = steps.next()
    return step.value[3]
  })
  const measuring = new MeterCombination(feed)
  for (const one of heard.reverse()) if (typeof one === "object" && "steps" in one) measuring.add(one)
  return {
    measures: measuring.measures(),
    files: orders.map(({ order }) => readFileSync(order.path))
  }
}

/** The samples of a floating-point WAV file. */
const floatsOf = (file: Buffer | undefined): Float32Array =>
  new Float32Array(new Uint8Array(file?.subarray(file.indexOf("data") + 8) ?? []).buffer)

/** The measurements of a file, from meters that read it in one piece. */
const measuredWhole = (file: Buffer, channels: 1 | 2): Omit<ProgrammeMeasurement, "powers"> => {
  const samples = floatsOf(file)
  const loudness = new LoudnessMeter(rate, channels)
  const truePeak = new TruePeakMeter(channels)
  const outline = new PeakMeter(rate, channels, samples.length / channels)
  for (const meter of [loudness, truePeak, outline]) meter.push(samples)
  return { integrated: loudness.integrated(), truePeak: truePeak.peak(), peaks: outline.peaks() }
}

/** Expects equal peaks and nearly equal loudness: its filters never decay completely. */
const expectSame = (
  { powers: _powers, ...found }: ProgrammeMeasurement,
  { integrated, truePeak, peaks }: Omit<ProgrammeMeasurement, "powers">
) => {
  expect(found).toEqual({ truePeak, peaks, integrated: expect.closeTo(integrated, 9) })
}

describe("a programme rendered in sections", () => {
  it.prop(
    "is bit-identical to one rendered in one piece, and measures the same",
    [
      fc.record({
        seed: fc.integer({ min: 1, max: 100_000 }),
        length: fc.integer({ min: 1, max: 9 * rate }),
        channels: fc.constantFrom<1 | 2>(1, 2),
        count: fc.nat(14),
        seconds: fc.integer({ min: 1, max: 4 }),
        gain: fc.constantFrom(0.5, 1, 3),
        output: fc.record({
          rate: fc.constantFrom(...[24_000, 44_100, 48_000].map((one) => SampleRate.make(one))),
          depth: fc.constantFrom<16 | 24 | 32>(16, 24, 32)
        })
      })
    ],
    ([{ seed, length, channels, count, seconds, gain, output }]) => {
      const programme = programmeOf(seed, length, channels, count)
      const whole = made(programme, output, gain, 1_000)
      const cut = made(programme, output, gain, seconds)
      whole.files.forEach((file, at) => expect(file.equals(cut.files[at] ?? Buffer.alloc(0))).toBe(true))
      expectSame(cut.measures, whole.measures)
    },
    { fastCheck: { numRuns: 25 } }
  )

  it("equals the sum of its stems, however much it is limited", () => {
    for (const gain of [0.1, 1, 8]) {
      const [whole, anna, bo] = made(programmeOf(5, 9 * rate, 2, 12), { rate, depth: 32 }, gain, 2).files.map(
        floatsOf
      )
      const off = whole?.map((sample, i) => Math.abs(sample - (anna?.[i] ?? NaN) - (bo?.[i] ?? NaN)))
      // A few rounding errors of 32-bit floats.
      expect(off?.reduce((most, one) => Math.max(most, one), 0)).toBeLessThan(1e-6)
    }
  })

  it("measures the same as its file", () => {
    const programme = programmeOf(7, 9 * rate, 2, 12)
    const { measures, files } = made(programme, { rate, depth: 32 }, 2, 2)
    expectSame(measures, measuredWhole(files[0] ?? Buffer.alloc(0), 2))
  })
})

const state = Layer.provideMerge(
  ClipFolder.Default,
  writableState(join(folder, "state"), { folder: join(folder, "clips"), missing: undefined })
)
const needs = Layer.mergeAll(bundledFfmpeg, state).pipe(Layer.provideMerge(NodeContext.layer))

/** Delivers a programme of just over three minutes, which threads render, and a stem; `full` finds no space. */
const delivered = (programme: Programme, name: string, full?: string) =>
  Effect.gen(function* () {
    const ffmpeg = yield* Ffmpeg
    const feed = { rate, channels: programme.channels, frames: programme.length }
    const pathsOf = (ending: string) => join(folder, `${name}.${ending}`)
    const fractions: Array<number> = []
    const { orders, write } = yield* ffmpeg.openFiles([
      {
        feed,
        listen: true,
        sinks: [
          { path: pathsOf("wav"), format: { format: "wav", depth: 16 } },
          { path: pathsOf("flac"), format: { format: "flac", depth: 16 } },
          { path: pathsOf("opus"), format: { format: "opus" } }
        ]
      },
      { feed, sinks: [{ path: pathsOf("stem.wav"), format: { format: "wav", depth: 16 } }] }
    ])
    if (full !== undefined) {
      rmSync(`${full}.part`, { force: true })
      symlinkSync("/dev/full", `${full}.part`)
    }
    const progress = (fraction: number) => Effect.sync(() => void fractions.push(fraction))
    const wanted = { programme, stems: speakers.slice(0, 1), gain: 2, ceiling: 0.84, progress }
    yield* write(renderInSections(wanted, orders))
    return { pathsOf, fractions }
  }).pipe(Effect.scoped, Effect.provide(needs))

describe("worker threads", () => {
  const long = programmeOf(3, 200 * rate, 1, 60)

  it.live("render the same files as in one piece, for WAV and for ffmpeg", () =>
    Effect.gen(function* () {
      const { pathsOf, fractions } = yield* delivered(long, "long")
      const expected = made(long, { rate: SampleRate.make(48_000), depth: 16 }, 2, 1_000).files
      const found = ["wav", "stem.wav"].map((ending) => readFileSync(pathsOf(ending)))
      expect(found.map((file, at) => file.equals(expected[at] ?? Buffer.alloc(0)))).toEqual([true, true])
      const decoded = yield* Effect.provide(
        Effect.flatMap(Ffmpeg, (ffmpeg) => ffmpeg.decode({ path: pathsOf("flac") }, SampleRate.make(48_000))),
        needs
      )
      expect(
        Buffer.from(encodeWav16(decoded))
          .subarray(44)
          .equals(found[0]?.subarray(-400 * 48_000) ?? Buffer.alloc(0))
      ).toBe(true)
      expect(fractions).toEqual([0.3, 0.6, 0.9, 1])
    })
  )

  it.live("report a missing clip and a full disk, and leave no files behind", () =>
    Effect.gen(function* () {
      const lacking: Programme = {
        ...long,
        clips: new Map([...clips].map(([key, clip]) => [key, Clip.make({ ...clip, checksum: "another" })]))
      }
      const missing = yield* Effect.flip(delivered(lacking, "lacking"))
      expect(missing).toBeInstanceOf(ClipMissing)
      const without: Programme = { ...long, clips: new Map([...clips].slice(1)) }
      expect(yield* Effect.flip(delivered(without, "without"))).toEqual(
        new ClipMissing({ utterance: keyOf(1) })
      )
      for (const ending of ["wav", "flac"]) {
        const name = `full-${ending}`
        const path = join(folder, `${name}.${ending}`)
        expect(yield* Effect.flip(delivered(long, name, path))).toEqual(new DiskFull({ path }))
        expect(readdirSync(folder).filter((file) => file.startsWith(name))).toEqual([])
      }
    })
  )
})
