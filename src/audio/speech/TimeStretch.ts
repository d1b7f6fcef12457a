/**
 * Time stretching: makes speech faster or slower at the same pitch. It removes or repeats whole pitch periods and
 * bridges each gap by a crossfade between two similar stretches. Everything between the bridges stays as recorded,
 * sample by sample. Bridges go where they are least audible: first into pauses, then into steady vowels. They never
 * cross an onset, because nothing there is similar.
 *
 * Alternatives rework every sample: overlap-add methods such as WSOLA (https://doi.org/10.1109/ICASSP.1993.319366), and
 * Sonic (https://github.com/waywardgeek/sonic) at small changes.
 */
import type { Frames } from "../../domain/time/Units.ts"
import { type Bridge, SelfSimilarity, shortestPeriodAt } from "./SelfSimilarity.ts"
import type { Pcm } from "../pcm/Pcm.ts"
import { crossfade } from "./PitchPeriods.ts"
import { newBuffer, type Buffer32, BufferPool } from "../kernels/BufferPool.ts"

/**
 * Shortens a clip to exactly `target` frames; deterministic. Returns the clip itself if it has that length. A longer
 * target is padded with silence. If the removed periods do not add up, at most the last 2.5 ms are faded out.
 * `allocate` provides the result.
 */
export const speedUp = (pcm: Pcm, target: Frames, allocate: Buffer32 = newBuffer): Pcm => {
  const { rate } = pcm
  let { samples } = pcm
  if (samples.length === target) return pcm
  const shortest = shortestPeriodAt(rate)
  const buffers = new BufferPool()
  let result: Float32Array | undefined
  while (result === undefined && samples.length - target >= shortest) {
    // A bridge uses two periods to remove one, so one round cannot quite double the speed.
    const next = Math.max(target, Math.ceil(samples.length / steepest))
    const bridges = bridgesOf(samples, rate, next - samples.length, buffers.take)
    if (bridges.length === 0) break
    const length = samples.length - lengthOf(bridges)
    if (length - target < shortest) result = allocate(length)
    const shorter = result ?? buffers.take(length)
    writeStretched(samples, bridges, -1, shorter)
    samples = shorter
  }
  if (result === undefined) {
    result = allocate(target)
    result.set(samples.subarray(0, target))
    result.fill(0, Math.min(samples.length, target))
  }
  buffers.freeAll()
  result = result.subarray(0, target)
  if (samples.length > target) fadeOut(result, Math.round(rate * 0.003))
  return { rate, samples: result }
}

/**
 * Lengthens a clip to exactly `target` frames, at most by half; deterministic. Returns the clip itself if it is not
 * shorter. What the repeated periods lack, less than 2.5 ms of most clips, is silence at the end.
 */
export const slowDown = (pcm: Pcm, target: Frames, allocate: Buffer32 = newBuffer): Pcm => {
  const { rate, samples } = pcm
  if (samples.length >= target) return pcm
  const buffers = new BufferPool()
  const bridges = bridgesOf(samples, rate, target - samples.length, buffers.take)
  buffers.freeAll()
  const result = allocate(target)
  writeStretched(samples, bridges, 1, result)
  result.fill(0, samples.length + lengthOf(bridges))
  return { rate, samples: result }
}

/** Maximum speed-up per round. */
const steepest = 1.7
/** How far the result may run ahead of or behind an even pace, in seconds. */
const tolerance = 0.025

/**
 * Returns the bridges that lengthen a clip by about `change` frames, or shorten it if `change` is negative. The rest is
 * shorter than the shortest period, unless the clip is too short for a bridge.
 */
const bridgesOf = (
  samples: Float32Array,
  rate: number,
  change: number,
  allocate: Buffer32
): ReadonlyArray<Bridge> => {
  const likeness = new SelfSimilarity(samples, rate, allocate)
  const total = Math.abs(change)
  const pace = total / samples.length
  const slack = tolerance * rate
  const bridges: Array<Bridge> = []
  let done = 0
  let read = 0
  while (total - done >= shortestPeriodAt(rate)) {
    const first = Math.max(read, (done - slack) / pace)
    const last = Math.max(first, (done + slack) / pace)
    const bridge = likeness.best(first, last, total - done)
    if (bridge === undefined) break
    bridges.push(bridge)
    // A bridge leads from the first period to the second, or back to the first, which then is heard again.
    read = bridge.at + (change < 0 ? 2 : 1) * bridge.period
    done += bridge.period
  }
  return bridges
}

/** Returns the total length of the periods that bridges remove or repeat, in frames. */
const lengthOf = (bridges: ReadonlyArray<Bridge>): number =>
  bridges.reduce((sum, { period }) => sum + period, 0)

/** Writes a clip to `result`, with the bridges' periods repeated, or removed if `direction` is -1. */
const writeStretched = (
  samples: Float32Array,
  bridges: ReadonlyArray<Bridge>,
  direction: 1 | -1,
  result: Float32Array
): void => {
  let read = 0
  let written = 0
  const copy = (to: number) => {
    result.set(samples.subarray(read, to), written)
    written += to - read
    read = to
  }
  for (const { at, period } of bridges) {
    const [from, to] = direction < 0 ? [at, at + period] : [at + period, at]
    copy(from)
    crossfade(samples, from, period, direction > 0, result, written)
    written += period
    read = to + period
  }
  copy(samples.length)
}

const fadeOut = (samples: Float32Array, length: number): void => {
  const count = Math.min(length, samples.length)
  for (let i = 0; i < count; i++)
    samples[samples.length - 1 - i]! *= 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / count)
}
