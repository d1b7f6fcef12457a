/**
 * True peak: the highest level of the continuous signal that the samples stand for, by four times oversampling and,
 * between the places that this gives, by parabolas: at 24 kHz the places alone miss crests by up to half a decibel.
 */
import { ChannelHistory } from "../pcm/ChannelHistory.ts"
import { crestsOf, loudestOf } from "../kernels/Kernels.ts"
import type { Pcm } from "../pcm/Pcm.ts"
import { newBuffer, type Buffer32 } from "../kernels/BufferPool.ts"
import { kaiser } from "../pcm/KaiserWindow.ts"

/** The true peak of a clip, 1 at full scale; at least its highest sample. */
export const truePeakOf = (pcm: Pcm): number => {
  const meter = new TruePeakMeter(1)
  meter.push(pcm.samples)
  return meter.peak()
}

/** Samples that the level between two is computed from; it belongs between the two in the middle. */
export const interpolatorTaps = 48

/**
 * The middle ones, which a second and shorter filter takes; the higher result of both counts. They differ just below
 * the Nyquist frequency alone, as meters do: in noise that reaches up to there, one filter misses crests that meters
 * see by up to 0.5 dB.
 */
const firstTaps = 24

/**
 * Looks between `count` samples of `line` from `first` on and the next, each: writes the highest level there, where it
 * passes `ceiling`, to the beginning of `into`, and else 0. Returns the highest of them, 0 where there is none: then
 * nothing may have been written. The line must hold 23 samples before `first` and 24 behind the last.
 */
export const crestsAbove = (
  line: Float32Array,
  first: number,
  count: number,
  ceiling: number,
  into: Float32Array
): number => {
  // A crest counts for at most twice the loudest of the 16 samples around it: of two samples alone it can be more than
  // twice the louder.
  if (count <= 0 || loudestOf(line, first - 7, first + count + 8) <= ceiling / 2) return 0
  return crestsOf(line, first, count, places, ceiling, into)
}

/**
 * Measures a stream block by block. Stretches that cannot raise the peak found so far are passed over, which makes it
 * cheap on real programmes. Channels are interleaved; the highest of them counts.
 */
export class TruePeakMeter {
  /** For each channel the last samples, which the next intervals need. */
  private readonly lines: ReadonlyArray<ChannelHistory>
  private readonly crests: Float32Array
  private highest = 0

  constructor(
    private readonly channels: number,
    room: Buffer32 = newBuffer
  ) {
    this.lines = Array.from({ length: channels }, () => new ChannelHistory(interpolatorTaps - 1, room))
    this.crests = room(atOnce)
  }

  /** Takes samples that are only what comes before those that are measured. */
  precede(block: Float32Array): void {
    this.lines.forEach((past, channel) => {
      const line = past.take(block, channel, this.channels, 1)
      past.release(line.length - interpolatorTaps + 1)
    })
  }

  /** Takes the next samples: whole frames, channels interleaved. */
  push(block: Float32Array): void {
    this.lines.forEach((past, channel) => {
      const line = past.take(block, channel, this.channels, 1)
      this.look(line)
      past.release(line.length - interpolatorTaps + 1)
    })
  }

  /** The true peak of what was taken, but for the last samples, which nothing follows yet. */
  get soFar(): number {
    return this.highest
  }

  /** The true peak of what was taken, as if silence followed. Nothing may be pushed afterwards. */
  peak(): number {
    this.push(new Float32Array(interpolatorTaps * this.channels))
    return this.highest
  }

  /** Looks into the intervals of a line that have all their neighbours. What cannot be the highest is passed over. */
  private look(line: Float32Array): void {
    const before = interpolatorTaps / 2 - 1
    const count = line.length - interpolatorTaps + 1
    for (let done = 0; done < count; done += atOnce) {
      const some = Math.min(atOnce, count - done)
      this.highest = Math.max(this.highest, crestsAbove(line, before + done, some, this.highest, this.crests))
    }
  }
}

/** Intervals that are looked into at once. */
const atOnce = 8_192

/** The weights of samples left of an interval, nearest first, for a place in it: a sinc under a Kaiser window. */
const weights = (count: number, place: number): Float64Array => {
  const taps = Float64Array.from({ length: count }, (_, tap) => {
    const distance = tap - (count / 2 - 1) - place
    return (Math.sin(Math.PI * distance) / (Math.PI * distance)) * kaiser(distance / (count / 2), 6)
  })
  // A constant passes unchanged.
  const sum = taps.reduce((total, tap) => total + tap, 0)
  return taps
    .map((tap) => tap / sum)
    .subarray(0, count / 2)
    .reverse()
}

/**
 * The weights of so many samples as the kernel takes them: for half the way, and for a quarter and three quarters as
 * the sum and the difference of what is symmetric in them and what is not. The phases are mirror images of each other,
 * so that pairs of samples share their products.
 */
const placesOf = (count: number): ReadonlyArray<number> => {
  const halves = weights(count, 1 / 2)
  const quarters = weights(count, 1 / 4)
  const threeQuarters = weights(count, 3 / 4)
  return [...quarters].flatMap((near, tap) => [
    halves[tap]!,
    (near + threeQuarters[tap]!) / 2,
    (near - threeQuarters[tap]!) / 2
  ])
}

const places = Float32Array.from([...placesOf(firstTaps), ...placesOf(interpolatorTaps)])
