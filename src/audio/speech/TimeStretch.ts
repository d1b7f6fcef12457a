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
import { SelfSimilarity, shortestPeriodAt } from "./SelfSimilarity.ts"
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
  let samples = pcm.samples
  if (samples.length === target) return pcm
  const buffers = new BufferPool()
  while (samples.length - target >= shortestPeriodAt(rate)) {
    // A bridge uses two periods to remove one, so one round cannot quite double the speed.
    const next = Math.max(target, Math.ceil(samples.length / steepest))
    const shorter = shortened(samples, next, rate, buffers.take)
    if (shorter.length === samples.length) break
    samples = shorter
  }
  const result = allocate(target)
  result.set(samples.subarray(0, target))
  result.fill(0, Math.min(samples.length, target))
  buffers.freeAll()
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
  const result = allocate(target)
  const likeness = new SelfSimilarity(samples, rate, buffers.take)
  const written = writeStretched(samples, result, likeness, rate, target - samples.length)
  result.fill(0, written)
  buffers.freeAll()
  return { rate, samples: result }
}

/** Maximum speed-up per round. */
const steepest = 1.7
/** How far the result may run ahead of or behind an even pace, in seconds. */
const tolerance = 0.025

/**
 * Runs one round: removes periods until about `target` frames remain. The rest is shorter than the shortest period,
 * unless the clip is too short for a bridge.
 */
const shortened = (samples: Float32Array, target: number, rate: number, allocate: Buffer32): Float32Array => {
  const likeness = new SelfSimilarity(samples, rate, allocate)
  const result = allocate(samples.length)
  return result.subarray(0, writeStretched(samples, result, likeness, rate, target - samples.length))
}

/**
 * Writes a clip to a buffer, with repeated periods of about `change` frames in all, or without them if `change` is
 * negative; returns how many frames it has written.
 */
const writeStretched = (
  samples: Float32Array,
  result: Float32Array,
  likeness: SelfSimilarity,
  rate: number,
  change: number
): number => {
  const total = Math.abs(change)
  const pace = total / samples.length
  const slack = tolerance * rate
  let done = 0
  let read = 0
  let written = 0
  const copy = (to: number) => {
    result.set(samples.subarray(read, to), written)
    written += to - read
    read = to
  }
  while (total - done >= shortestPeriodAt(rate)) {
    const first = Math.max(read, (done - slack) / pace)
    const last = Math.max(first, (done + slack) / pace)
    const bridge = likeness.best(first, last, total - done)
    if (bridge === undefined) break
    const { at, period } = bridge
    // A bridge leads from the first period to the second, or back to the first, which then is heard again.
    const [from, to] = change < 0 ? [at, at + period] : [at + period, at]
    copy(from)
    crossfade(samples, from, period, change > 0, result, written)
    written += period
    read = to + period
    done += period
  }
  copy(samples.length)
  return written
}

const fadeOut = (samples: Float32Array, length: number): void => {
  const count = Math.min(length, samples.length)
  for (let i = 0; i < count; i++)
    samples[samples.length - 1 - i]! *= 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / count)
}
