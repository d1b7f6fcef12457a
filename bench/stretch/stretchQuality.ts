/** Compares stretched speech with the recording it came from: spectrum, transients and pitch. */
import { FourierTransform } from "../../src/audio/pcm/FourierTransform.ts"
import type { Pcm } from "../../src/audio/pcm/Pcm.ts"

/** What stretching did to speech; 0 is best everywhere. */
export interface StretchQuality {
  /** Spectral distance of the result from the nearest moment of the recording, in dB. */
  readonly added: number
  /** Spectral distance of the recording from the nearest moment of the result, in dB. */
  readonly lost: number
  /** How much less the level rises at an onset, in dB. */
  readonly blunted: number
  /** Pitch error in cents, and the share of voiced moments that are off by more than half a semitone. */
  readonly cents: number
  readonly wrongPitch: number
}

/** Seconds from the expected moment within which a counterpart is looked for. Methods spread pauses differently. */
const near = 0.06

export const stretchQuality = (recording: Pcm, result: Pcm, speed: number): StretchQuality => {
  const [from, to] = [framesOf(recording), framesOf(result)]
  const added = mean(distances(to, from, speed))
  const lost = mean(distances(from, to, 1 / speed))
  const [pitches, sung] = [pitchesOf(recording), pitchesOf(result)]
  const errors = sung.flatMap((pitch, at) => {
    if (pitch === undefined) return []
    const others = around(pitches, at * speed).flatMap((other) => (other === undefined ? [] : [other]))
    return others.length === 0 ? [] : [Math.min(...others.map((other) => centsBetween(pitch, other)))]
  })
  const rises = risesOf(result)
  const blunted = onsetsOf(recording).map(({ at, rise }) =>
    Math.max(0, rise - Math.max(...around(rises, at / speed)))
  )
  return {
    added,
    lost,
    blunted: mean(blunted),
    cents: mean(errors),
    wrongPitch: mean(errors.map((error) => (error > 50 ? 1 : 0)))
  }
}

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/** Seconds between frames of spectra, pitches and rises alike. */
const hop = 0.0025

/** The values within `near` of frame `at`. */
const around = <A>(values: ReadonlyArray<A>, at: number): ReadonlyArray<A> =>
  values.slice(Math.max(0, Math.ceil(at - near / hop)), Math.floor(at + near / hop) + 1)

const bandCount = 24
const size = 1_024

/** Levels of mel bands in dB. */
const framesOf = ({ samples, rate }: Pcm): ReadonlyArray<Float32Array> => {
  const transform = new FourierTransform(size)
  const [re, im] = [new Float32Array(size), new Float32Array(size)]
  const edges = Array.from({ length: bandCount + 1 }, (_, band) => {
    const [low, high] = [melOf(80), melOf(8_000)]
    return Math.round((hertzOf(low + ((high - low) * band) / bandCount) * size) / rate)
  })
  const step = hop * rate
  return Array.from({ length: Math.max(0, Math.floor((samples.length - size) / step)) }, (_, frame) => {
    const at = Math.round(frame * step)
    for (let i = 0; i < size; i++)
      re[i] = (samples[at + i] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / size))
    im.fill(0)
    transform.transform(re, im)
    return Float32Array.from({ length: bandCount }, (_, band) => {
      const [first, end] = [edges[band] ?? 0, Math.max(edges[band + 1] ?? 0, (edges[band] ?? 0) + 1)]
      let power = 0
      for (let bin = first; bin < end; bin++) power += (re[bin] ?? 0) ** 2 + (im[bin] ?? 0) ** 2
      return Math.max(-40, 10 * Math.log10(1e-9 + power / (end - first)))
    })
  })
}

const melOf = (hertz: number): number => 2_595 * Math.log10(1 + hertz / 700)
const hertzOf = (mel: number): number => 700 * (10 ** (mel / 2_595) - 1)

/** For each audible frame, the least distance in dB from the frames of the other sound around its moment. */
const distances = (
  frames: ReadonlyArray<Float32Array>,
  others: ReadonlyArray<Float32Array>,
  speed: number
): ReadonlyArray<number> =>
  frames.flatMap((frame, at) => {
    if (Math.max(...frame) < -10) return []
    let least = Infinity
    for (const other of around(others, at * speed)) {
      let sum = 0
      for (let band = 0; band < bandCount; band++) sum += ((frame[band] ?? 0) - (other[band] ?? 0)) ** 2
      least = Math.min(least, sum)
    }
    return Number.isFinite(least) ? [Math.sqrt(least / bandCount)] : []
  })

/** How much the level rises within a few milliseconds, in dB, above about 1 kHz. */
const risesOf = ({ samples, rate }: Pcm): ReadonlyArray<number> => {
  const step = hop * rate
  const levels = Array.from({ length: Math.floor(samples.length / step) - 1 }, (_, block) => {
    let power = 0
    for (let i = Math.round(block * step) + 6; i < Math.round((block + 1) * step); i++)
      power += ((samples[i] ?? 0) - (samples[i - 6] ?? 0)) ** 2
    return Math.max(-60, 10 * Math.log10(1e-12 + power / step))
  })
  return levels.map(
    (level, block) =>
      Math.max(level, levels[block + 1] ?? -60) - Math.max(levels[block - 1] ?? -60, levels[block - 2] ?? -60)
  )
}

/** The onsets of a recording: where the level rises by 15 dB or more. */
const onsetsOf = (pcm: Pcm): ReadonlyArray<{ readonly at: number; readonly rise: number }> => {
  const rises = risesOf(pcm)
  return rises.flatMap((rise, at) =>
    rise >= 15 && rise === Math.max(...rises.slice(Math.max(0, at - 8), at + 9)) ? [{ at, rise }] : []
  )
}

/** Pitch of each frame in hertz; undefined where it is not voiced. */
const pitchesOf = ({ samples, rate }: Pcm): ReadonlyArray<number | undefined> => {
  const factor = Math.round(rate / 12_000)
  const low = Float32Array.from({ length: Math.floor(samples.length / factor) }, (_, i) => {
    let sum = 0
    for (let j = 0; j < factor; j++) sum += samples[i * factor + j] ?? 0
    return sum / factor
  })
  const own = rate / factor
  const [least, most] = [Math.floor(own / 400), Math.ceil(own / 65)]
  const window = Math.round(0.02 * own)
  return Array.from(
    { length: Math.max(0, Math.floor((low.length - window - most - 1) / (hop * own))) },
    (_, frame) => pitchAt(low, Math.round(frame * hop * own), window, least, most, own)
  )
}

/** The pitch by normalized correlation, refined by a parabola. */
const pitchAt = (
  low: Float32Array,
  at: number,
  window: number,
  least: number,
  most: number,
  rate: number
): number | undefined => {
  const likeness = Array.from({ length: most - least + 3 }, (_, index) => {
    const lag = least - 1 + index
    let [both, first, second] = [0, 1e-9, 1e-9]
    for (let i = at; i < at + window; i++) {
      both += (low[i] ?? 0) * (low[i + lag] ?? 0)
      first += (low[i] ?? 0) ** 2
      second += (low[i + lag] ?? 0) ** 2
    }
    return first / window < 1e-5 ? 0 : both / Math.sqrt(first * second)
  })
  const highest = Math.max(...likeness.slice(1, -1))
  if (highest < 0.8) return undefined
  // The first peak that is nearly as high as the highest: a multiple of the period is as similar.
  for (let index = 1; index + 1 < likeness.length; index++) {
    const [before, here, after] = [likeness[index - 1] ?? 0, likeness[index] ?? 0, likeness[index + 1] ?? 0]
    if (here < 0.93 * highest || here < before || here < after) continue
    const curve = before - 2 * here + after
    return rate / (least - 1 + index + (curve < 0 ? (before - after) / (2 * curve) : 0))
  }
  return undefined
}

const centsBetween = (one: number, other: number): number => Math.abs(1_200 * Math.log2(one / other))
