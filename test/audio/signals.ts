/** Deterministic, synthetic test signals for the audio tests. */
import type { SampleRate } from "../../src/domain/time/Units.ts"
import type { Pcm } from "../../src/audio/pcm/Pcm.ts"

/** Returns a random number generator from 0 to 1; the same seed gives the same numbers. */
export const randomOf = (seed: number): (() => number) => {
  let state = (seed * 2_654_435_761) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const tone = (rate: SampleRate, frequency: number, seconds: number, level: number): Pcm => ({
  rate,
  samples: Float32Array.from(
    { length: Math.round(seconds * rate) },
    (_, i) => level * Math.sin((2 * Math.PI * frequency * i) / rate)
  )
})

export const noise = (rate: SampleRate, seconds: number, level: number, seed: number): Pcm => {
  const random = randomOf(seed)
  return {
    rate,
    samples: Float32Array.from({ length: Math.round(seconds * rate) }, () => level * (2 * random() - 1))
  }
}

/** A sound like speech: a buzz with moving pitch and three formants, in syllables with weak noise between them. */
export const speechLike = (rate: SampleRate, seconds: number, seed: number): Pcm => {
  const random = randomOf(seed)
  const samples = new Float32Array(Math.round(seconds * rate))
  let at = 0
  let phase = 0
  const state = [0, 0, 0, 0, 0, 0]
  while (at < samples.length) {
    const length = Math.round((0.08 + 0.2 * random()) * rate)
    const voiced = random() < 0.75
    const level = (voiced ? 0.25 : 0.05) * (0.4 + random())
    const pitch = 90 + 80 * random()
    const formants = [300 + 500 * random(), 900 + 1_200 * random(), 2_300 + 700 * random()]
    for (let i = 0; i < length && at < samples.length; i++, at++) {
      phase += pitch / rate
      const pulse = phase >= 1 ? 1 : 0
      if (phase >= 1) phase -= 1
      const source = voiced ? pulse - pitch / rate : 0.3 * (2 * random() - 1)
      let sum = 0
      formants.forEach((formant, k) => {
        if (formant > rate * 0.45) return
        const radius = Math.exp((-Math.PI * 90) / rate)
        const y =
          source +
          2 * radius * Math.cos((2 * Math.PI * formant) / rate) * (state[2 * k] ?? 0) -
          radius * radius * (state[2 * k + 1] ?? 0)
        state[2 * k + 1] = state[2 * k] ?? 0
        state[2 * k] = y
        sum += y * (k === 0 ? 1 : 0.5)
      })
      samples[at] = Math.tanh(level * 0.4 * Math.sin((Math.PI * i) / length) * sum)
    }
    if (random() < 0.25) at += Math.round(0.3 * random() * rate)
  }
  return { rate, samples }
}

/**
 * Returns the exact true peak: interpolates by a sinc of 256 samples at sixteen points per interval near the highest
 * samples.
 */
export const exactPeakOf = (samples: Float32Array): number => {
  const half = 128
  const highest = samples.reduce((top, sample) => Math.max(top, Math.abs(sample)), 0)
  let peak = highest
  for (let i = 0; i < samples.length - 1; i++) {
    if (Math.max(Math.abs(samples[i] ?? 0), Math.abs(samples[i + 1] ?? 0)) < 0.5 * highest) continue
    for (const weights of sincs) {
      let sum = 0
      for (let tap = 0; tap < 2 * half; tap++) sum += (weights[tap] ?? 0) * (samples[i + tap - half + 1] ?? 0)
      peak = Math.max(peak, Math.abs(sum))
    }
  }
  return peak
}

const sincs = Array.from({ length: 15 }, (_, place) =>
  Float64Array.from({ length: 256 }, (_, tap) => {
    const distance = tap - 127 - (place + 1) / 16
    // Hann window.
    return (
      ((Math.sin(Math.PI * distance) / (Math.PI * distance)) * (1 + Math.cos((Math.PI * distance) / 128))) / 2
    )
  })
)
