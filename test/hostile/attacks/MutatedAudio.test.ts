/**
 * Audio from a hostile service: files with flipped, cut, doubled and foreign bytes. Each ends as a clip of a bounded
 * length or as a refusal. `DUBWRIGHT_HOSTILE=20` tries 20 times as many.
 */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { encodeWav16 } from "../../../src/audio/formats/Wav.ts"
import { finishedWav } from "../../../src/audio/formats/OutputConversion.ts"
import type { Pcm } from "../../../src/audio/pcm/Pcm.ts"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { analyzeClip, receivedSamples } from "../../../src/pipeline/clips/ClipAnalysis.ts"
import { makeDecoder } from "../../../src/pipeline/clips/ReceivedAudio.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"
import { ffmpeg, plainFolder } from "../../ffmpeg/media.ts"
import { chance } from "../Chance.ts"

const times = Number(process.env["DUBWRIGHT_HOSTILE"] ?? 1)

const rate = SampleRate.make(24_000)

/** Half a second that is loud enough for speech. */
const tone: Pcm = {
  rate,
  samples: Float32Array.from({ length: 12_000 }, (_, at) => 0.4 * Math.sin(at / 8) * Math.sin(at / 900))
}

const said: readonly [string] = ["Good evening."]

/** Values that break sizes and counts: zero, one less than a power of two, the sign bit. */
const extremes = [0, 1, 0x7f, 0x80, 0xff]

/** Changes a file in one to eight places, more often near its beginning, where headers are. */
const mutate = (file: Uint8Array, random: () => number): Uint8Array => {
  let bytes = Buffer.from(file)
  const place = () => Math.floor((random() < 0.7 ? Math.min(96, bytes.length) : bytes.length) * random())
  for (let change = 1 + Math.floor(8 * random()); change > 0; change--) {
    const at = place()
    const kind = Math.floor(6 * random())
    if (kind <= 1 && at < bytes.length) bytes[at] = Math.floor(256 * random())
    else if (kind === 2 && at + 4 <= bytes.length)
      bytes.fill(extremes[Math.floor(5 * random())] ?? 0, at, at + 4)
    else if (kind === 3) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 4)])
    else if (kind === 4)
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(0, 200), bytes.subarray(at)])
    else if (random() < 0.3) bytes = bytes.subarray(0, at)
  }
  return new Uint8Array(bytes)
}

/** Whether a sound became a clip or was refused. Throws if the clip exceeds a bound. */
const outcome = (bytes: Uint8Array, pcm: Pcm): "clip" | "refused" => {
  // 8 bits at 8 kHz, resampled to 24 kHz, and the margins of the resampling.
  expect(pcm.samples.length).toBeLessThanOrEqual(bytes.length * 3 + 4_096)
  expect(pcm.samples.every(Number.isFinite)).toBe(true)
  const steps = analyzeClip(pcm, { said, timed: false, most: 60, transcript: undefined, usual: undefined })
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  if (step.value._tag === "Unusable") {
    expect(step.value.words).not.toBe("")
    return "refused"
  }
  const { frames, segments } = step.value
  expect(frames).toBe(pcm.samples.length)
  for (const { from, to } of segments) expect(0 <= from && from <= to && to <= frames).toBe(true)
  return "clip"
}

it("makes a bounded clip of a mutated WAV file, or refuses it", () => {
  const originals = [
    encodeWav16(tone),
    ...([16, 24, 32] as const).map((depth) => new Uint8Array(finishedWav(tone, depth, {})))
  ]
  const random = chance(7)
  const ways = new Set<string>()
  for (let one = 0; one < 1_500 * times; one++) {
    const bytes = mutate(originals[one % originals.length] ?? new Uint8Array(), random)
    ways.add(
      Either.match(receivedSamples(bytes, 60), {
        onLeft: (words) => {
          expect(words).not.toBe("")
          return "refused"
        },
        onRight: (pcm) => outcome(bytes, pcm)
      })
    )
  }
  expect([...ways].sort()).toEqual(["clip", "refused"])
})

it.scopedLive(
  "decodes mutated MP3, FLAC, Ogg and M4A files, or refuses them",
  () =>
    Effect.gen(function* () {
      const here = yield* plainFolder
      const wav = join(here, "tone.wav")
      yield* Effect.promise(() => writeFile(wav, encodeWav16(tone)))
      const names = ["tone.mp3", "tone.flac", "tone.ogg", "tone.m4a"]
      yield* ffmpeg("-i", wav, ...names.flatMap((name) => ["-ar", "24000", join(here, name)]))
      const originals = yield* Effect.promise(() =>
        Promise.all(names.map((name) => readFile(join(here, name))))
      )
      const decode = yield* makeDecoder
      const random = chance(11)
      const mutants = Array.from({ length: 40 * times }, (_, one) =>
        mutate(originals[one % originals.length] ?? new Uint8Array(), random)
      )
      const ends = yield* Effect.forEach(
        mutants,
        (bytes, one) => {
          const path = join(here, `mutant-${one}`)
          const laid = Effect.promise(async () => {
            await writeFile(path, bytes)
            return path
          })
          return Effect.map(Effect.either(decode({ bytes, laid, most: 60 })), (end) =>
            Either.match(end, {
              onLeft: ({ words }) => {
                expect(words).not.toBe("")
                return "refused"
              },
              onRight: ({ samples }) => {
                expect(samples.every(Number.isFinite)).toBe(true)
                return "audio"
              }
            })
          )
        },
        { concurrency: 100 }
      )
      expect([...new Set(ends)].sort()).toEqual(["audio", "refused"])
    }).pipe(Effect.provide(bundledFfmpeg)),
  60_000 * times
)
