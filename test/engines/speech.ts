/** Helpers of the engine tests: requests, and measurements on speech. */
import { createHash } from "node:crypto"
import type { PcmSpeech, Speech, SpeechRequest } from "../../src/engines/Engine.ts"

export const request = (voice: string, text: string, more: Partial<SpeechRequest> = {}): SpeechRequest => ({
  voice,
  text,
  rate: 1,
  volume: 1,
  pitch: 0,
  ...more
})

/** Asserts that the speech is PCM and returns it. */
export const pcm = (speech: Speech): PcmSpeech => {
  if (speech._tag !== "Pcm") throw new Error("expected PCM")
  return speech
}

export const digest = ({ samples }: PcmSpeech): string =>
  createHash("sha256")
    .update(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength))
    .digest("hex")

export const lengthOf = ({ samples, rate }: PcmSpeech): number => (samples.length * 1000) / rate

export const peakOf = ({ samples }: PcmSpeech): number =>
  samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)

/** The level of the samples between two times in ms, relative to full scale. */
export const levelOf = ({ samples, rate }: PcmSpeech, from: number, to: number): number => {
  const part = samples.subarray(Math.round((from * rate) / 1000), Math.round((to * rate) / 1000))
  return Math.sqrt(part.reduce((sum, sample) => sum + (sample / 32_768) ** 2, 0) / Math.max(1, part.length))
}

/** The voice's median pitch in hertz, by autocorrelation. */
export const voicePitch = ({ samples, rate }: PcmSpeech): number => {
  const window = Math.round(rate * 0.04)
  const pitches: Array<number> = []
  for (let at = 0; at + 2 * window < samples.length; at += window) {
    const frame = samples.subarray(at, at + 2 * window)
    const product = (lag: number) => {
      let sum = 0
      for (let index = 0; index < window; index++) sum += (frame[index] ?? 0) * (frame[index + lag] ?? 0)
      return sum
    }
    const energy = product(0)
    if (energy / window < 250_000) continue
    let best = { lag: 0, value: 0 }
    for (let lag = Math.round(rate / 400); lag < Math.round(rate / 60); lag++) {
      const value = product(lag)
      if (value > best.value) best = { lag, value }
    }
    if (best.value > 0.5 * energy) pitches.push(rate / best.lag)
  }
  return pitches.sort((one, other) => one - other)[pitches.length >> 1] ?? 0
}
