/** Samples as neural models return them, prepared for joining: trimmed at both ends, as 16-bit samples. */

/** Samples below this share of the peak count as silence at the ends. */
const silence = 0.01
/** Sound kept before and after, in seconds: soft consonants and fading vowels are below the limit. */
const lead = 0.02
const tail = 0.06
/** Duration of the fades at both ends, in seconds. */
const fade = 0.005
/** A lower peak is not speech. */
const faintest = 0.001

/** Returns the samples between the silences at both ends, as 16-bit samples. Empty if all is silence. */
export const preparedSamples = (samples: Float32Array, rate: number): Int16Array => {
  let peak = 0
  for (const sample of samples) {
    const level = Math.abs(sample)
    if (level > peak && level < Infinity) peak = level
  }
  if (peak < faintest) return new Int16Array()
  const limit = peak * silence
  let first = 0
  while (first < samples.length && !(Math.abs(samples[first] ?? 0) > limit)) first++
  let last = samples.length - 1
  while (last > first && !(Math.abs(samples[last] ?? 0) > limit)) last--
  const from = Math.max(0, first - Math.round(lead * rate))
  const to = Math.min(samples.length, last + 1 + Math.round(tail * rate))
  const edge = Math.min(Math.round(fade * rate), (to - from) >> 1)
  // Louder than full scale: attenuated as a whole, so that nothing is clipped.
  const scale = 32_767 / Math.max(1, peak)
  const prepared = new Int16Array(to - from)
  for (let index = 0; index < prepared.length; index++) {
    const sample = samples[from + index] ?? 0
    const gain = Math.min(1, (index + 1) / edge, (prepared.length - index) / edge)
    prepared[index] = Number.isFinite(sample) ? Math.round(sample * scale * gain) : 0
  }
  return prepared
}
