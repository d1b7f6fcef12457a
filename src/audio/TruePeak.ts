/** True peak: the highest level of the continuous signal that the samples stand for, by four times oversampling. */
import { Channel } from "./Channel.ts"
import { crestsOf, levelsOf, levelStretch, loudestOf } from "./Kernels.ts"
import type { Pcm } from "./Pcm.ts"
import { kaiser } from "./Window.ts"

/** The true peak of a clip, 1 at full scale; at least its highest sample. */
export const truePeakOf = (pcm: Pcm): number => {
  const meter = new TruePeakMeter(1)
  meter.push(pcm.samples)
  return meter.peak()
}

/**
 * A crest between two samples is taken to be less than this many times the higher of them. It can be more right below the Nyquist
 * frequency only, where other samples of the same sound come close to the crest themselves.
 */
export const crestFactor = 2

/** Taps of each phase of the interpolator; what it computes belongs between the two in the middle. */
export const interpolatorTaps = 24

/**
 * Looks between the samples of `line` from `first` on, `count` times, where any of them is louder than `level`; passes the rest over. `use`
 * is given runs of them: the place of the first, and for each the highest level from it to the next. The line must hold 11 samples
 * before `first` and 12 behind the last.
 */
export const crestsAbove = (
  line: Float32Array,
  first: number,
  count: number,
  level: number,
  use: (first: number, crests: Float32Array) => void
): void => {
  if (count <= 0 || loudestOf(line, first, first + count + 1) <= level) return
  const stretches = Math.ceil(count / levelStretch)
  if (count > crests.length) crests = new Float32Array(count)
  if (stretches > levels.length) levels = new Float32Array(stretches)
  levelsOf(line, first, count, levels)
  /** Whether a stretch, or the sample behind its last, is loud. */
  const isLoud = (stretch: number) =>
    levels[stretch]! > level || Math.abs(line[first + Math.min(count, (stretch + 1) * levelStretch)]!) > level
  for (let stretch = 0; stretch < stretches; stretch++) {
    if (!isLoud(stretch)) continue
    const from = stretch * levelStretch
    while (stretch + 1 < stretches && isLoud(stretch + 1)) stretch++
    const some = Math.min(count, (stretch + 1) * levelStretch) - from
    crestsOf(line, first + from, some, places, crests)
    use(first + from, crests.subarray(0, some))
  }
}

/** What is computed in, from call to call. */
let crests = new Float32Array(0)
let levels = new Float32Array(0)

/**
 * Measures a stream block by block. Stretches that cannot raise the peak found so far are passed over, which makes it cheap on
 * real programmes. Channels are interleaved; the highest of them counts.
 */
export class TruePeakMeter {
  /** For each channel the last samples, which the next intervals need. */
  private readonly lines: ReadonlyArray<Channel>
  private highest = 0

  constructor(private readonly channels: number) {
    this.lines = Array.from({ length: channels }, () => new Channel(interpolatorTaps - 1))
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
      this.highest = highestIn(line, this.highest)
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
}

/** The higher level of a sample and the next. */
export const levelAt = (line: Float32Array, at: number): number =>
  Math.max(Math.abs(line[at]!), Math.abs(line[at + 1]!))

/** The highest level in the intervals of a line that have all their neighbours, if it is above `least`; else `least`. */
const highestIn = (line: Float32Array, least: number): number => {
  const before = interpolatorTaps / 2 - 1
  let highest = least
  crestsAbove(line, before, line.length - interpolatorTaps + 1, least / crestFactor, (first, crests) => {
    // What is more than that counts as that much, whatever came before: so the order in which stretches are looked at is no matter.
    for (let i = 0; i < crests.length; i++)
      if (crests[i]! > highest) {
        const most = Math.min(crests[i]!, levelAt(line, first + i) * crestFactor)
        if (most > highest) highest = most
      }
  })
  return highest
}

/** The weights of samples left of an interval, nearest first, for a place in it: a sinc under a Kaiser window. */
const weights = (place: number): Float64Array => {
  const taps = Float64Array.from({ length: interpolatorTaps }, (_, tap) => {
    const distance = tap - (interpolatorTaps / 2 - 1) - place
    return (
      (Math.sin(Math.PI * distance) / (Math.PI * distance)) * kaiser(distance / (interpolatorTaps / 2), 6)
    )
  })
  // A constant passes unchanged.
  const sum = taps.reduce((total, tap) => total + tap, 0)
  return taps
    .map((tap) => tap / sum)
    .subarray(0, interpolatorTaps / 2)
    .reverse()
}

const halves = weights(1 / 2)
const quarters = weights(1 / 4)
const threeQuarters = weights(3 / 4)
/** A quarter and three quarters as the sum and the difference of what is symmetric in them and what is not. */
const evens = quarters.map((near, tap) => (near + threeQuarters[tap]!) / 2)
const odds = quarters.map((near, tap) => (near - threeQuarters[tap]!) / 2)
/** All of them, as the kernel takes them. The phases are mirror images of each other, so that pairs of samples share their products. */
const places = Float32Array.from([...halves, ...evens, ...odds])
