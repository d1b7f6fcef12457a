/**
 * Backgrounds under the voices: outside speech the result is the background, sample for sample, in every layout, format
 * and number of sections.
 */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer } from "effect"
import { loudnessOf } from "../../../src/audio/speech/ClipSplitting.ts"
import { encodeWav16, readWav } from "../../../src/audio/formats/Wav.ts"
import { encodings, OutputConverter } from "../../../src/audio/formats/OutputConversion.ts"
import { wavHeader } from "../../../src/audio/formats/WavHeader.ts"
import type { ChannelCount } from "../../../src/audio/pcm/Pcm.ts"
import { sectionsOf } from "../../../src/audio/pcm/Section.ts"
import { Clip, Segment } from "../../../src/domain/speech/Clip.ts"
import { ClipPart, Placement } from "../../../src/domain/speech/Placement.ts"
import { LineRef } from "../../../src/domain/speech/Utterance.ts"
import { frames, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { UtteranceKey } from "../../../src/domain/values/Ids.ts"
import { wavFileInfo } from "../../../src/ffmpeg/decode/WavFile.ts"
import { wavFileOf } from "../../../src/ffmpeg/encode/EncodeJob.ts"
import { beginWav } from "../../../src/ffmpeg/encode/WavWriter.ts"
import { Ffmpeg } from "../../../src/ffmpeg/Ffmpeg.ts"
import { levelFor, measuredOf } from "../../../src/pipeline/mix/LoudnessNormalization.ts"
import { bedOf, feedOf, mixLinesIn, type Programme } from "../../../src/pipeline/mix/MixLines.ts"
import { renderInSections } from "../../../src/pipeline/mix/ProgrammeRenderer.ts"
import { renderSection, SectionRenderer } from "../../../src/pipeline/mix/SectionRenderer.ts"
import type { BackgroundTrack } from "../../../src/pipeline/plan/media/JobBackground.ts"
import { ClipFolder } from "../../../src/store/files/ClipFolder.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { randomOf, speechLike } from "../../audio/signals.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"
import { plainFolder } from "../../ffmpeg/media.ts"

const rate = SampleRate.make(48_000)
const seconds = 7

/** Writes a background with a tone of its own in each channel, under some noise. */
const backgroundAt = (path: string, channels: ChannelCount, bits: 16 | 24 | 32, level = 0.05) =>
  Effect.promise(async () => {
    const random = randomOf(7)
    const samples = Float32Array.from({ length: seconds * rate * channels }, (_, i) => {
      const tone = 300 + 100 * (i % channels)
      const frame = Math.floor(i / channels)
      return level * Math.sin((2 * Math.PI * tone * frame) / rate) + 0.002 * (random() - 0.5)
    })
    const to = { rate, frames: seconds * rate, depth: bits }
    const header = wavHeader({ rate, channels, encoding: encodings[bits], frames: to.frames })
    const data = new OutputConverter({ rate, channels }, to).push(samples)
    await writeFile(path, Buffer.concat([header, data]))
    const info = Effect.runSync(await wavFileInfo(path))
    const track: BackgroundTrack = {
      path,
      name: "me.wav",
      rate,
      channels,
      bits,
      float: bits === 32,
      frames: info.frames,
      dataAt: info.dataAt,
      gain: 1
    }
    return track
  })

/** Two lines, the second loud enough to be limited over a loud background. */
const spoken = [
  { start: 1_000, end: 2_500 },
  { start: 4_200, end: 5_700 }
]

const programmeWith = (background: BackgroundTrack) =>
  Effect.gen(function* () {
    const folder = yield* ClipFolder
    const key = UtteranceKey.make("1".padStart(64, "0"))
    const pcm = speechLike(rate, 1.5, 3)
    const { checksum } = yield* folder.keep(key, encodeWav16(pcm))
    const length = frames(pcm.samples.length)
    const segment = Segment.make({ from: frames(0), to: length, loudness: loudnessOf(pcm), peak: 0.5 })
    const clip = Clip.make({ key, rate, frames: length, checksum, segments: [segment], cut: "whole" })
    const programme: Programme = {
      placements: spoken.map(({ start, end }, cue) =>
        Placement.make({
          lines: [LineRef.make({ cue: cue + 1, part: 0 })],
          parts: [ClipPart.make({ utterance: key, segment: 0 })],
          start: millis(start),
          end: millis(end),
          speed: 1,
          flags: []
        })
      ),
      clips: new Map([[key, clip]]),
      rate,
      length: frames(seconds * rate),
      channels: background.channels === 2 ? 2 : 1,
      panOf: () => 0,
      background
    }
    return programme
  })

const inFolder = <A, E>(
  work: (folder: string) => Effect.Effect<A, E, ClipFolder | Ffmpeg | NodeContext.NodeContext>
) =>
  Effect.flatMap(plainFolder, (folder) =>
    work(folder).pipe(
      Effect.provide(Layer.provideMerge(ClipFolder.Default, writableState(join(folder, "state"))))
    )
  ).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(bundledFfmpeg, NodeContext.layer)))

/** Renders a programme to a WAV file in sections; returns the file. */
const rendered = Effect.fnUntraced(function* (
  programme: Programme,
  path: string,
  depth: 16 | 24 | 32,
  gain: number,
  sectionSeconds: number
) {
  const { folder } = yield* ClipFolder
  const feed = feedOf(programme)
  const file = wavFileOf(feed, { sink: { path, rate, format: { format: "wav", depth } }, part: path })
  if (file === undefined) return yield* Effect.dieMessage("a WAV file needs no ffmpeg")
  beginWav(path, file.header)
  const mastering = { rate, channels: programme.channels, stems: 0, gain, ceiling: 0.8, ...bedOf(programme) }
  for (const section of sectionsOf(programme.length, rate, sectionSeconds)) {
    const lines = mixLinesIn(programme, section, [])
    const orders = [{ request: 0, order: file.order }]
    for (const _ of renderSection(mastering, section, lines, orders, new SectionRenderer(folder)));
  }
  return yield* Effect.promise(() => readFile(path))
})

const channelsIn = (file: Uint8Array) => Effect.map(readWav(file), ({ channels }) => channels)

/** Counts the samples of a channel that differ outside speech and more than `fade` milliseconds from it. */
const differing = (one: Float32Array, other: Float32Array | undefined, fade = 0): number => {
  let count = 0
  for (let i = 0; i < one.length; i++) {
    const at = (i * 1000) / rate
    if (spoken.some(({ start, end }) => at >= start - fade && at < end + fade)) continue
    if (one[i] !== other?.[i]) count++
  }
  return count
}

const layouts = [
  { channels: 1, bits: 16, voice: [0] },
  { channels: 2, bits: 24, voice: [0, 1] },
  { channels: 6, bits: 24, voice: [2] }
] as const

describe("a background", () => {
  for (const { channels, bits, voice } of layouts)
    for (const level of [0.05, 0.7])
      it.scoped(`with ${channels} channels of ${bits} bits at ${level} is sample-exact outside speech`, () =>
        inFolder(
          Effect.fnUntraced(function* (folder) {
            const track = yield* backgroundAt(join(folder, "me.wav"), channels, bits, level)
            const programme = yield* programmeWith(track)
            const out = join(folder, "out.wav")
            const file = yield* rendered(programme, out, bits, 2, 7)
            const mix = yield* channelsIn(file)
            const bed = yield* channelsIn(yield* Effect.promise(() => readFile(track.path)))
            expect(mix.map((line, at) => differing(line, bed[at]))).toEqual(mix.map(() => 0))
            // Channels without voice only change where the limiter lowers all of them.
            const changed = mix.flatMap((line, at) =>
              line.some((sample, i) => Math.abs(sample - (bed[at]?.[i] ?? 0)) > 0.1) ? [at] : []
            )
            if (level === 0.05) expect(changed).toEqual(voice)
            expect((yield* rendered(programme, out, bits, 2, 2)).equals(file)).toBe(true)
          })
        )
      )

  it.effect.prop(
    "is sample-exact outside speech at any depth, level, voice and section",
    [
      fc.constantFrom(1 as const, 2 as const, 6 as const),
      fc.constantFrom(16 as const, 24 as const, 32 as const),
      fc.double({ min: 0.001, max: 1.2, noNaN: true }),
      fc.double({ min: 0.01, max: 8, noNaN: true }),
      fc.integer({ min: 1, max: 7 })
    ],
    ([channels, bits, level, gain, sectionSeconds]) =>
      inFolder(
        Effect.fnUntraced(function* (folder) {
          const track = yield* backgroundAt(join(folder, "me.wav"), channels, bits, level)
          const programme = yield* programmeWith(track)
          const file = yield* rendered(programme, join(folder, "out.wav"), bits, gain, sectionSeconds)
          const mix = yield* channelsIn(file)
          const bed = yield* channelsIn(yield* Effect.promise(() => readFile(track.path)))
          expect(mix.map((line, at) => differing(line, bed[at]))).toEqual(mix.map(() => 0))
        })
      ),
    { fastCheck: { numRuns: 12 } }
  )

  it.scoped("is lowered under speech and its fades only, if it is ducked", () =>
    inFolder(
      Effect.fnUntraced(function* (folder) {
        const track = yield* backgroundAt(join(folder, "me.wav"), 2, 16)
        const ducked = { ...track, duck: { amount: 12, attack: millis(300), release: millis(300) } }
        const programme = yield* programmeWith(ducked)
        const file = yield* rendered(
          { ...programme, clips: programme.clips },
          join(folder, "out.wav"),
          16,
          1e-6,
          3
        )
        const mix = yield* channelsIn(file)
        const bed = yield* channelsIn(yield* Effect.promise(() => readFile(track.path)))
        expect(mix.map((line, at) => differing(line, bed[at], 301))).toEqual([0, 0])
        const power = (line: Float32Array) =>
          line.subarray(1.2 * rate, 2.2 * rate).reduce((sum, x) => sum + x * x, 0)
        expect(10 * Math.log10(power(bed[0]) / power(mix[0]))).toBeCloseTo(12, 1)
      })
    )
  )

  for (const over of ["dialogue", "programme"] as const)
    it.scoped(`keeps its level while the voices reach the loudness of the ${over}`, () =>
      inFolder(
        Effect.fnUntraced(function* (folder) {
          const track = yield* backgroundAt(join(folder, "me.wav"), 6, 24, 0.02)
          const programme = yield* programmeWith(track)
          const target = { loudness: -24, peak: -2, ...(over === "dialogue" ? { over } : {}) }
          const { gain, again } = yield* levelFor(programme, target)
          const ffmpeg = yield* Ffmpeg
          const measured = yield* Effect.scoped(
            Effect.gen(function* () {
              const { orders, write } = yield* ffmpeg.openFiles([
                { feed: feedOf(programme), sinks: [], listen: true }
              ])
              const job = {
                programme,
                stems: [],
                gain,
                ceiling: 10 ** (-2 / 20),
                progress: () => Effect.void
              }
              const [heard] = yield* write(renderInSections(job, orders))
              return heard === undefined
                ? yield* Effect.dieMessage("not measured")
                : measuredOf(heard, programme)
            })
          )
          expect(over === "dialogue" ? measured.dialogue : measured.integrated).toBeCloseTo(-24, 0.7)
          expect(again(measured)).toBeUndefined()
        })
      )
    )
})
