/** Band levels of a sound, and the speech in it. */
import { expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { FourierTransform } from "../../../src/audio/pcm/FourierTransform.ts"
import { bandCount, SoundBands, soundRate } from "../../../src/audio/sync/SoundBands.ts"
import { SpeechTracker, speechTrackOf } from "../../../src/audio/sync/SpeechTrack.ts"
import { hasSpeech } from "../../../src/audio/sync/SubtitleFit.ts"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { noise, randomOf, speechLike, tone } from "../signals.ts"

const rate = SampleRate.make(soundRate)

const bandsOf = (samples: Float32Array, block = samples.length) => {
  const bands = new SoundBands()
  for (let at = 0; at < samples.length; at += block) bands.push(samples.subarray(at, at + block))
  return bands.result()
}

it.prop(
  "equals a transform by its definition, term by term",
  [FastCheck.constantFrom(2, 8, 64), FastCheck.integer({ min: 1, max: 1000 })],
  ([size, seed]) => {
    const random = randomOf(seed)
    const given = Array.from({ length: size }, () => [random() - 0.5, random() - 0.5] as const)
    const re = Float32Array.from(given, ([real]) => real)
    const im = Float32Array.from(given, ([, imaginary]) => imaginary)
    new FourierTransform(size).transform(re, im)
    for (let k = 0; k < size; k++) {
      let [real, imaginary] = [0, 0]
      given.forEach(([a, b], n) => {
        const turn = (-2 * Math.PI * k * n) / size
        real += a * Math.cos(turn) - b * Math.sin(turn)
        imaginary += a * Math.sin(turn) + b * Math.cos(turn)
      })
      expect(re[k]).toBeCloseTo(real, 4)
      expect(im[k]).toBeCloseTo(imaginary, 4)
    }
  }
)

it.prop(
  "gives the same levels however the samples are divided into blocks",
  [FastCheck.integer({ min: 1, max: 5_000 })],
  ([block]) => {
    const { samples } = noise(rate, 1.5, 0.3, 4)
    expect(bandsOf(samples, block)).toEqual(bandsOf(samples))
  },
  { fastCheck: { numRuns: 20 } }
)

const longSpeech = noise(rate, 40, 0.02, 3).samples
speechLike(rate, 40, 5).samples.forEach((sample, k) => (longSpeech[k]! += sample))

it.prop(
  "finds the same speech while samples arrive, in blocks of any size, as afterwards",
  [FastCheck.integer({ min: 0, max: 40 * rate }), FastCheck.integer({ min: 500, max: 50_000 })],
  ([length, block]) => {
    const speech = speechLike(rate, 40, 5).samples
    const samples = noise(rate, 40, 0.02, 3)
      .samples.map((sample, k) => sample + speech[k]!)
      .subarray(0, length)
    const tracker = new SpeechTracker()
    for (let at = 0; at < length; at += block) tracker.push(samples.subarray(at, at + block))
    const [found, expected] = [tracker.finish(), speechTrackOf(bandsOf(samples))]
    for (const key of ["speech", "presence", "above"] as const)
      expect(Buffer.compare(found[key], expected[key])).toBe(0)
  },
  { fastCheck: { numRuns: 8 } }
)

it("measures a tone in its band, at its level, in every step", () => {
  // 1250 Hz at -20 dBFS; the fifth band is 1000 to 1500 Hz. A unit is half a decibel above -110 dBFS.
  const { bands, steps } = bandsOf(tone(rate, 1250, 2, 0.1).samples)
  expect(steps).toBe(198)
  for (let step = 0; step < steps; step++) {
    const levels = Array.from(bands.subarray(step * bandCount, (step + 1) * bandCount))
    expect(levels.indexOf(Math.max(...levels))).toBe(4)
    expect(Math.abs(levels[4]! / 2 - 110 + 20)).toBeLessThan(2)
  }
})

it("finds speech in speech, and none in silence, noise, hum or a tone", () => {
  const heard = (samples: Float32Array) => hasSpeech(speechTrackOf(bandsOf(samples)))
  const pauses = speechLike(rate, 20, 5).samples.map((sample, k) => (k % (4 * rate) < 3 * rate ? sample : 0))
  const mixed = (level: number) => noise(rate, 20, level, 2).samples.map((sample, k) => sample + pauses[k]!)
  expect({
    speech: heard(mixed(0.001)),
    speechInNoise: heard(mixed(0.02)),
    silence: heard(new Float32Array(20 * rate)),
    noise: heard(noise(rate, 20, 0.3, 1).samples),
    hum: heard(tone(rate, 50, 20, 0.3).samples),
    tone: heard(tone(rate, 1000, 20, 0.3).samples)
  }).toEqual({ speech: true, speechInNoise: true, silence: false, noise: false, hum: false, tone: false })
})
