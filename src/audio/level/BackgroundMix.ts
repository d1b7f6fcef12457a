/** Sample loops of a background under voices: decode, lower, add up, and restore what a limiter must not change. */
import type { SampleRate } from "../../domain/time/Units.ts"
import { littleEndian } from "../formats/ByteWriter.ts"
import { addedTo, decodedOf, loudestOf } from "../kernels/Kernels.ts"
import type { SpokenSpan } from "./Ducking.ts"

/** Format of a file's samples: floats of 32 bits, or integers. */
export interface FileSamples {
  readonly bits: 16 | 24 | 32
  readonly float: boolean
}

/** Decodes `count` little-endian samples; `bytes` begin at a multiple of 4. Integers up to 24 bits stay exact. */
export const decodeSamples = (
  bytes: Uint8Array<ArrayBuffer>,
  { bits, float }: FileSamples,
  into: Float32Array,
  count: number
): void => {
  if (!float) return decodedOf(bytes, bits === 16 ? 2 : bits === 24 ? 3 : 4, into, count)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  if (littleEndian) into.set(new Float32Array(bytes.buffer, bytes.byteOffset, count))
  else for (let i = 0; i < count; i++) into[i] = view.getFloat32(4 * i, true)
  for (let i = 0; i < count; i++) if (!Number.isFinite(into[i]!)) into[i] = 0
}

/** Multiplies the first `count` samples by one factor. */
export const scaleBy = (samples: Float32Array, factor: number, count: number): void => {
  for (let i = 0; i < count; i++) samples[i]! *= factor
}

/**
 * Multiplies frames by gains that are given for each millisecond from `first` on, and linear between. The samples begin
 * at frame `from`; those with gain 1 stay as they are.
 */
export const lowerBy = (
  samples: Float32Array,
  channels: number,
  rate: SampleRate,
  from: number,
  gains: ReadonlyArray<number>,
  first: number
): void => {
  const perMilli = rate / 1000
  const to = from + samples.length / channels
  for (let milli = 0; milli + 1 < gains.length; milli++) {
    const before = gains[milli]!
    const rise = gains[milli + 1]! - before
    if (before === 1 && rise === 0) continue
    const begin = Math.max(from, Math.ceil((first + milli) * perMilli))
    const end = Math.min(to, Math.ceil((first + milli + 1) * perMilli))
    for (let frame = begin; frame < end; frame++) {
      const gain = before + rise * (frame / perMilli - first - milli)
      const at = (frame - from) * channels
      for (let channel = 0; channel < channels; channel++) samples[at + channel]! *= gain
    }
  }
}

/** Silences frames from `begin` to `end`, and fades `length` frames on each side. Both may be outside the samples. */
export const fadeAround = (
  samples: Float32Array,
  channels: number,
  begin: number,
  end: number,
  length: number
): void => {
  const last = Math.min(samples.length / channels, end + length)
  for (let frame = Math.max(0, begin - length); frame < last; frame++) {
    const distance = frame < begin ? begin - frame : frame < end ? 0 : frame - end + 1
    const gain = distance / (length + 1)
    for (let at = frame * channels; at < (frame + 1) * channels; at++) samples[at]! *= gain
  }
}

/** Adds voices of one or two channels to a sum: in 5.1 to its centre. Skips stretches of silence. */
export const addVoices = (sum: Float32Array, channels: number, voice: Float32Array, voices: 1 | 2): void => {
  for (let from = 0; from < voice.length; from += stretch) {
    const to = Math.min(from + stretch, voice.length)
    if (loudestOf(voice, from, to) === 0) continue
    if (voices === channels) addedTo(voice, from, to - from, sum, from, 1)
    else if (voices === 1)
      addedTo(voice, from, to - from, sum, from * channels + (channels === 6 ? 2 : 0), channels)
    else
      for (let channel = 0; channel < voices; channel++)
        for (
          let i = from + channel, at = (from / voices) * channels + channel;
          i < to;
          i += voices, at += channels
        )
          sum[at]! += voice[i]!
  }
}

/** Samples of a stretch that is skipped if it is silent; even, so that it holds whole frames. */
const stretch = 1_024

/**
 * Returns how far a limiter applies to the background of each frame: 0 outside speech, 1 in it. It rises and falls over
 * `fade` milliseconds within the speech.
 */
export const sharesOf = (
  spoken: ReadonlyArray<SpokenSpan>,
  from: number,
  frames: number,
  rate: SampleRate,
  fade: number
): Float32Array => {
  const shares = new Float32Array(frames)
  const slope = (fade * rate) / 1000
  const edge = Math.ceil(slope)
  for (const { start, end } of spoken) {
    const first = Math.ceil((start * rate) / 1000)
    const last = Math.floor((end * rate) / 1000)
    if (first >= from + frames || last <= from) continue
    const within = (frame: number) => Math.max(0, Math.min(frames, frame - from))
    const slopes = (begin: number, behind: number) => {
      for (let at = within(begin), stop = within(behind); at < stop; at++) {
        const frame = from + at
        const share = Math.min(1, (frame - first) / slope, (last - 1 - frame) / slope)
        if (share > shares[at]!) shares[at] = share
      }
    }
    const middle = Math.min(last, first + edge)
    const falling = Math.max(middle, last - 1 - edge)
    slopes(first, middle)
    shares.fill(1, within(middle), within(falling))
    slopes(falling, last)
  }
  return shares
}

/**
 * Restores the background in limited frames where the limiter does not apply to it. With share 0, a frame becomes the
 * unlimited background. `gains` are those of the limiter, one for each share.
 */
export const restoreBackground = (
  limited: Float32Array,
  own: Float32Array,
  channels: number,
  shares: Float32Array,
  gains: Float32Array
): void => {
  for (let frame = 0, at = 0; frame < shares.length; frame++) {
    const share = shares[frame]!
    const back = (1 - share) * (1 - gains[frame]!)
    if (share > 0 && back === 0) at += channels
    else
      for (const end = at + channels; at < end; at++)
        if (share === 0) limited[at] = own[at]!
        else limited[at]! += back * own[at]!
  }
}
