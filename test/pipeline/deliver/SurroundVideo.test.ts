/** A background in 5.1 stays in 5.1, in the same order, in every video and sound file. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OutputConverter } from "../../../src/audio/formats/OutputConversion.ts"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import { wavHeader } from "../../../src/audio/formats/WavHeader.ts"
import { loudnessOf } from "../../../src/audio/speech/ClipSplitting.ts"
import { Clip, Segment } from "../../../src/domain/speech/Clip.ts"
import { ClipPart, Placement } from "../../../src/domain/speech/Placement.ts"
import { LineRef } from "../../../src/domain/speech/Utterance.ts"
import { frameRateNamed } from "../../../src/domain/time/FrameRate.ts"
import { frames, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { UtteranceKey } from "../../../src/domain/values/Ids.ts"
import { wavFileInfo } from "../../../src/ffmpeg/decode/WavFile.ts"
import { Ffmpeg } from "../../../src/ffmpeg/Ffmpeg.ts"
import { writeOutputs } from "../../../src/pipeline/deliver/OutputWriter.ts"
import { silent } from "../../../src/pipeline/Progress.ts"
import { ClipFolder } from "../../../src/store/files/ClipFolder.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { speechLike } from "../../audio/signals.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"
import { ffmpeg, plainFolder, video } from "../../ffmpeg/media.ts"
import { plainJob } from "./plainJob.ts"

const rate = SampleRate.make(48_000)
const seconds = 4
const channels = 6

/** The tone of each channel: L, R, C, LFE, Ls, Rs. */
const tones = [300, 500, 700, 60, 1_100, 1_300]

/** The line that is spoken. */
const line = { start: 1_000, end: 2_500 }

/** A tone of its own in each channel. */
const chord = Float32Array.from(
  { length: seconds * rate * channels },
  (_, i) => 0.05 * Math.sin((2 * Math.PI * (tones[i % channels] ?? 0) * Math.floor(i / channels)) / rate)
)

const backgroundIn = Effect.fnUntraced(function* (path: string) {
  const count = seconds * rate
  const data = new OutputConverter({ rate, channels }, { rate, frames: count, depth: 24 }).push(chord)
  const header = wavHeader({ rate, channels, encoding: "int24", frames: count })
  yield* Effect.promise(() => writeFile(path, Buffer.concat([header, data])))
  const { frames: length, dataAt } = yield* Effect.flatten(Effect.promise(() => wavFileInfo(path)))
  const format = { rate, channels, bits: 24, float: false } as const
  return { path, name: "me.wav", ...format, frames: length, dataAt, gain: 1 }
})

/** Stores a clip, and returns it with its placement. */
const spokenLine = Effect.gen(function* () {
  const key = UtteranceKey.make("1".padStart(64, "0"))
  const pcm = speechLike(rate, 1.5, 3)
  const { checksum } = yield* Effect.flatMap(ClipFolder, (clips) => clips.keep(key, encodeWav16(pcm)))
  const length = frames(pcm.samples.length)
  const segment = Segment.make({ from: frames(0), to: length, loudness: loudnessOf(pcm), peak: 0.5 })
  const placement = Placement.make({
    lines: [LineRef.make({ cue: 1, part: 0 })],
    parts: [ClipPart.make({ utterance: key, segment: 0 })],
    start: millis(line.start),
    end: millis(line.end),
    speed: 1,
    flags: []
  })
  const clip = Clip.make({ key, rate, frames: length, checksum, segments: [segment], cut: "whole" })
  return { placement, clips: new Map([[key, clip]]) }
})

/** The first audio track as 32-bit integers, channels interleaved. */
const samplesOf = (file: string) =>
  Effect.map(ffmpeg("-v", "error", "-i", file, "-map", "0:a:0", "-f", "s32le", "-"), ({ stdout }) => {
    const bytes = Uint8Array.from(stdout)
    return new Int32Array(bytes.buffer, 0, Math.floor(bytes.length / 4))
  })

/** The power of a tone in a channel, during the last second. */
const powerOf = (samples: Int32Array, channel: number, tone: number): number => {
  let [real, imaginary] = [0, 0]
  for (let frame = (seconds - 1) * rate; frame < seconds * rate; frame++) {
    const sample = samples[frame * channels + channel] ?? 0
    real += sample * Math.cos((2 * Math.PI * tone * frame) / rate)
    imaginary += sample * Math.sin((2 * Math.PI * tone * frame) / rate)
  }
  return real ** 2 + imaginary ** 2
}

/** The tone that is loudest in each channel. */
const tonesIn = (samples: Int32Array): ReadonlyArray<number | undefined> =>
  tones.map(
    (_, channel) => tones.toSorted((a, b) => powerOf(samples, channel, b) - powerOf(samples, channel, a))[0]
  )

it.scopedLive("5.1 keeps the order of its channels in every file, and is lossless outside speech", () =>
  Effect.gen(function* () {
    const folder = yield* plainFolder
    const film = join(folder, "film.mp4")
    yield* video(film, { seconds })
    const background = yield* backgroundIn(join(folder, "me.wav"))
    const lossless = ["wav", "flac", "mov", "mkv"] as const
    const lossy = ["m4a", "mp4"] as const
    yield* Effect.gen(function* () {
      const { placement, clips } = yield* spokenLine
      yield* writeOutputs({
        job: plainJob([...lossless, ...lossy], { video: { path: film, name: "film.mp4" } }),
        out: folder,
        placements: [placement],
        clips,
        length: frames(seconds * rate),
        entries: () => [],
        chapters: [],
        background,
        reel: { frameRate: frameRateNamed("25"), startFrame: 0, width: 160, height: 90 }
      })
    }).pipe(Effect.provide(Layer.provideMerge(ClipFolder.Default, writableState(join(folder, "state")))))

    const service = yield* Ffmpeg
    const bed = yield* samplesOf(background.path)
    expect(tonesIn(bed)).toEqual(tones)
    for (const ending of [...lossless, ...lossy]) {
      const file = join(folder, `film/film.${ending}`)
      const { sounds } = yield* service.probe(file)
      expect([ending, sounds[0]?.channels]).toEqual([ending, channels])
      const samples = yield* samplesOf(file)
      expect([ending, ...tonesIn(samples)]).toEqual([ending, ...tones])
      if (ending === "m4a" || ending === "mp4") continue
      const differs = (sample: number, i: number) => {
        const time = (Math.floor(i / channels) * 1_000) / rate
        return sample !== bed[i] && (time < line.start || time >= line.end)
      }
      expect([ending, samples.length, samples.some(differs)]).toEqual([ending, bed.length, false])
    }
  }).pipe(Effect.provide(Layer.mergeAll(bundledFfmpeg, silent).pipe(Layer.provideMerge(NodeContext.layer))))
)
