/** Power spectra of speech, every 10 ms, at any sample rate. */
import { FourierTransform } from "../pcm/FourierTransform.ts"

/** Time between two frames, in milliseconds. */
export const frameLength = 10
/** Length of a frame's window, in milliseconds. */
export const windowLength = 25

/** Mono samples of any scale. */
export interface Sound {
  readonly rate: number
  readonly samples: Float32Array | Int16Array
}

/** `power[frame * bins + bin]`, and the level of each frame in decibels relative to the loudest one. */
export interface SpeechSpectra {
  readonly frames: number
  readonly bins: number
  /** Hertz between two bins. */
  readonly step: number
  readonly power: Float32Array
  readonly levels: Float32Array
}

/** Computes the spectra; at least one frame. */
export const speechSpectra = ({ rate, samples }: Sound): SpeechSpectra => {
  const length = Math.round((rate * windowLength) / 1000)
  const size = 2 ** Math.ceil(Math.log2(length))
  const bins = size / 2 + 1
  const hop = (rate * frameLength) / 1000
  const frames = Math.max(1, Math.floor((samples.length - length) / hop) + 1)
  const shape = Float32Array.from(
    { length },
    (_, k) => 0.54 - 0.46 * Math.cos((2 * Math.PI * (k + 0.5)) / length)
  )
  const fourier = transformOf(size)
  const [re, im] = [new Float32Array(size), new Float32Array(size)]
  const power = new Float32Array(frames * bins)
  const levels = new Float32Array(frames)
  const load = (into: Float32Array, frame: number): void => {
    const from = Math.round(frame * hop)
    const count = Math.max(0, Math.min(length, samples.length - from))
    let energy = 0
    for (let k = 0; k < count; k++) {
      const sample = samples[from + k]!
      energy += sample * sample
      into[k] = sample * shape[k]!
    }
    into.fill(0, count)
    if (frame < frames) levels[frame] = energy
  }
  // One transform for two frames: one as the real and one as the imaginary part.
  for (let frame = 0; frame < frames; frame += 2) {
    load(re, frame)
    load(im, frame + 1)
    fourier.transform(re, im)
    const [one, other] = [frame * bins, (frame + 1) * bins]
    for (let k = 0; k < bins; k++) {
      const back = k === 0 ? 0 : size - k
      const [a, b] = [re[k]! + re[back]!, im[k]! - im[back]!]
      power[one + k] = a * a + b * b
      if (frame + 1 === frames) continue
      const [c, d] = [im[k]! + im[back]!, re[back]! - re[k]!]
      power[other + k] = c * c + d * d
    }
  }
  const loudest = levels.reduce((most, level) => Math.max(most, level), 1e-12)
  for (let frame = 0; frame < frames; frame++)
    levels[frame] = Math.max(silent, 10 * Math.log10(levels[frame]! / loudest))
  return { frames, bins, step: rate / size, power, levels }
}

/** Kept, because V8 discards compiled code when the last object of a class that it uses is collected. */
const transforms = new Map<number, FourierTransform>()

const transformOf = (size: number): FourierTransform => {
  const present = transforms.get(size) ?? new FourierTransform(size)
  transforms.set(size, present)
  return present
}

/** The level of digital silence. */
const silent = -120
