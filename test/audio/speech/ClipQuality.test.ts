import { describe, expect, it } from "vitest"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { detectDefects } from "../../../src/audio/speech/ClipQuality.ts"
import type { Pcm } from "../../../src/audio/pcm/Pcm.ts"
import { fadeOf } from "../../../src/audio/speech/SpeechTrim.ts"
import { noise, speechLike, tone } from "../signals.ts"

const rate = SampleRate.make(24_000)
const facts = { characters: 60, learned: { mean: 60, deviation: 10 } }

/** Three and a half seconds of speech that ends in a vowel's decay, over a little background noise. */
const good = (seed: number): Pcm => {
  const speech = speechLike(rate, 3.2, seed).samples
  const vowel = fadeOf(tone(rate, 150, 0.3, 0.3).samples, 2_400)
  const samples = noise(rate, 3.6, 1e-3, seed).samples
  for (const [place, piece] of [
    [1_200, speech],
    [1_200 + speech.length, vowel]
  ] as const)
    piece.forEach((sample, i) => (samples[place + i] = (samples[place + i] ?? 0) + sample))
  return { rate, samples }
}

const changed = (pcm: Pcm, change: (samples: Float32Array) => Float32Array): Pcm => ({
  rate: pcm.rate,
  samples: change(Float32Array.from(pcm.samples))
})

const kinds = (pcm: Pcm, more: Partial<Parameters<typeof detectDefects>[1]> = {}) =>
  detectDefects(pcm, { ...facts, ...more }).map(({ kind }) => kind)

describe("judgeClip", () => {
  it("accepts good clips", () => {
    for (let seed = 1; seed <= 30; seed++)
      expect(detectDefects(good(seed), { ...facts, pauses: false })).toEqual([])
  })

  it("detects silence, and hiss without speech", () => {
    expect(kinds(changed(good(1), (samples) => new Float32Array(samples.length)))).toEqual(["silent"])
    expect(kinds({ rate, samples: new Float32Array(0) })).toEqual(["silent"])
    expect(kinds(noise(rate, 3, 3e-4, 2))).toEqual(["silent"])
  })

  it("detects a hole in a word, unless the text suggests a pause", () => {
    const steady = { rate, samples: fadeOf(noise(rate, 3.6, 0.2, 3).samples, 2_400) }
    const holed = changed(steady, (samples) => samples.fill(0, 1.5 * rate, 1.8 * rate))
    expect(kinds(holed, { pauses: false })).toEqual(["holed"])
    expect(kinds(holed, { pauses: true })).toEqual([])
    expect(kinds(holed)).toEqual([])
  })

  it("detects an implausibly long pause, whatever the text", () => {
    const pcm = changed(good(4), (samples) => {
      const longer = new Float32Array(samples.length + 3 * rate)
      longer.set(samples.subarray(0, 1.5 * rate))
      longer.set(samples.subarray(1.5 * rate), 4.5 * rate)
      return longer
    })
    expect(kinds(pcm)).toContain("holed")
  })

  it("detects clipping, at full scale or lowered afterwards", () => {
    for (const level of [1, 0.4])
      expect(
        kinds(
          changed(good(5), (samples) =>
            samples.map((sample) => level * Math.max(-1, Math.min(1, 8 * sample)))
          )
        )
      ).toContain("clipped")
  })

  it("detects speech that stops at full level", () => {
    for (let seed = 1; seed <= 10; seed++) {
      const inVowel = changed(good(seed), (samples) =>
        Float32Array.of(...samples, ...tone(rate, 150, 0.2, 0.9).samples)
      )
      expect(kinds(inVowel)).toEqual(["cut-off"])
      expect(kinds(changed(inVowel, (samples) => fadeOf(samples, 1_200)))).toEqual([])
    }
  })

  it("accepts a steady sound, which has no end to miss", () => {
    expect(kinds(tone(rate, 150, 3.6, 0.3))).toEqual([])
    expect(kinds({ rate, samples: noise(rate, 3.6, 0.2, 3).samples })).toEqual([])
  })

  it("detects an implausible duration", () => {
    expect(kinds(good(6), { characters: 600 })).toEqual(["too-short"])
    expect(kinds(good(7), { characters: 10 })).toEqual(["too-long"])
    expect(kinds(good(8), { characters: 600, learned: { mean: 10, deviation: 1 } })).toEqual(["too-short"])
  })

  it("accepts any plausible duration without a learned pace", () => {
    const pcm = good(9)
    for (const characters of [8, 20, 60, 150]) expect(detectDefects(pcm, { characters })).toEqual([])
  })
})
