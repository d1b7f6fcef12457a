import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { describe, expect } from "vitest"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import type { Pcm } from "../../../src/audio/pcm/Pcm.ts"
import { type Bounds, edgeFade, fadeOf, speechIn } from "../../../src/audio/speech/SpeechTrim.ts"
import { noise, randomOf, speechLike, tone } from "../signals.ts"

const rate = SampleRate.make(24_000)

const speechBounds = (pcm: Pcm): Bounds | undefined => speechIn(pcm)?.bounds

/**
 * Speech that begins and ends with a vowel, with `lead` and `tail` seconds of background at amplitude `floor` around
 * it.
 */
const spoken = (lead: number, tail: number, floor: number, seed: number, hum = 0): Pcm => {
  const vowel = tone(rate, 150, 0.08, 0.3).samples
  const speech = speechLike(rate, 1.2, seed).samples
  const total = Math.round((lead + tail) * rate) + speech.length + 2 * vowel.length
  const random = randomOf(seed + 100)
  const samples = Float32Array.from(
    { length: total },
    (_, i) => floor * (2 * random() - 1) + hum * Math.sin((2 * Math.PI * 50 * i) / rate)
  )
  let at = Math.round(lead * rate)
  for (const piece of [vowel, speech, vowel]) {
    piece.forEach((sample, i) => (samples[at + i] = (samples[at + i] ?? 0) + sample))
    at += piece.length
  }
  return { rate, samples }
}

describe("speechIn", () => {
  it.prop(
    "finds the speech within 20 ms, whatever the background",
    [
      fc.integer({ min: 0, max: 900 }),
      fc.integer({ min: 0, max: 900 }),
      fc.constantFrom(0, 1e-5, 1e-4, 1e-3, 4e-3),
      fc.integer({ min: 1, max: 50 })
    ],
    ([lead, tail, floor, seed]) => {
      const pcm = spoken(lead / 1000, tail / 1000, floor, seed)
      const bounds = speechBounds(pcm) ?? { from: -1, to: -1 }
      const begin = (lead * rate) / 1000
      const end = pcm.samples.length - (tail * rate) / 1000
      expect(Math.abs(bounds.from - begin)).toBeLessThanOrEqual(0.02 * rate)
      expect(bounds.to - end).toBeGreaterThanOrEqual(-0.005 * rate)
      expect(bounds.to - end).toBeLessThanOrEqual(0.03 * rate)
    }
  )

  it("is not misled by a DC offset", () => {
    const pcm = spoken(0.5, 0.5, 1e-4, 4)
    const shifted = { rate, samples: pcm.samples.map((sample) => sample + 0.1) }
    expect(speechBounds(shifted)).toEqual(speechBounds(pcm))
  })

  it("ignores a click in the silence before", () => {
    const pcm = spoken(0.6, 0.3, 0, 5)
    pcm.samples.fill(0.5, 2_400, 2_410)
    expect(Math.abs((speechBounds(pcm)?.from ?? 0) - 0.6 * rate)).toBeLessThanOrEqual(0.02 * rate)
  })

  it("keeps a soft consonant before a vowel, and the burst of a stop after one", () => {
    const soft = noise(rate, 0.08, 0.008, 6).samples
    const vowel = tone(rate, 150, 0.4, 0.3).samples
    const burst = noise(rate, 0.012, 0.2, 7).samples
    const samples = new Float32Array(2 * rate)
    samples.set(soft, 0.5 * rate - soft.length)
    samples.set(vowel, 0.5 * rate)
    samples.set(burst, 0.97 * rate)
    const bounds = speechBounds({ rate, samples }) ?? { from: 0, to: 0 }
    expect(bounds.from).toBeLessThanOrEqual(0.425 * rate)
    expect(bounds.from).toBeGreaterThanOrEqual(0.4 * rate)
    expect(bounds.to).toBeGreaterThanOrEqual(0.982 * rate)
  })

  it("finds none in silence, in an empty clip, or in a faint hiss", () => {
    expect(speechBounds({ rate, samples: new Float32Array(rate) })).toBeUndefined()
    expect(speechBounds({ rate, samples: new Float32Array(0) })).toBeUndefined()
    expect(speechBounds(noise(rate, 1, 2e-4, 8))).toBeUndefined()
  })
})

describe("edges", () => {
  it("rise from and fall to almost zero, and leave the middle unchanged", () => {
    const samples = new Float32Array(1_000).fill(0.5)
    const result = fadeOf(samples, 72)
    expect(Math.abs(result[0] ?? 1)).toBeLessThan(0.001)
    expect(Math.abs(result[999] ?? 1)).toBeLessThan(0.001)
    expect(result.subarray(72, 928)).toEqual(samples.subarray(72, 928))
    for (let i = 1; i < 1_000; i++)
      expect(Math.abs((result[i] ?? 0) - (result[i - 1] ?? 0))).toBeLessThan(0.02)
  })

  it("meet in the middle of a clip shorter than both", () => {
    expect(fadeOf(new Float32Array(0), 72)).toEqual(new Float32Array(0))
    expect(Math.max(...fadeOf(new Float32Array(10).fill(1), 72))).toBeLessThanOrEqual(1)
  })

  it("of a trimmed clip do not click: no step at them exceeds those nearby", () => {
    const pcm = spoken(0.4, 0.4, 1e-3, 9)
    const { from, to } = speechBounds(pcm) ?? { from: 0, to: 0 }
    const cut = fadeOf(pcm.samples.subarray(from, to), (rate * edgeFade) / 1000)
    const steps = cut.map((sample, i) => Math.abs(sample - (cut[i - 1] ?? 0)))
    const own = Math.max(...steps.subarray(240, 2_400))
    expect(steps[0]).toBeLessThan(0.001)
    expect(Math.abs(cut.at(-1) ?? 1)).toBeLessThan(0.001)
    expect(Math.max(...steps.subarray(0, 240))).toBeLessThanOrEqual(own)
  })
})
