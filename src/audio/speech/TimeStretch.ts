/**
 * Faster speech at the same pitch. Whole pitch periods are taken out, each bridged by a crossfade between two
 * stretches that look alike; everything between the bridges stays as it was recorded, sample by sample. Bridges are
 * laid where they show least: in pauses first, then in steady vowels, never across an onset, since nothing there looks
 * alike. (Overlap-add methods such as WSOLA, and Sonic at small changes, rework every sample.)
 */
import type { Frames } from "../../domain/time/Units.ts"
import { SelfSimilarity } from "./SelfSimilarity.ts"
import type { Pcm } from "../pcm/Pcm.ts"
import { newBuffer, type Buffer32, BufferPool } from "../kernels/BufferPool.ts"

/**
 * The clip sped up to exactly `target` frames, the same for the same samples; the clip itself where it is that long. A
 * target beyond the clip's length is filled with silence: speech is never slowed down. Where the periods taken do not
 * add up, the last 2.5 ms at most are faded away. The result stands in the room.
 */
export const speedUp = (pcm: Pcm, target: Frames, room: Buffer32 = newBuffer): Pcm => {
  const { rate } = pcm
  let samples = pcm.samples
  if (samples.length === target) return pcm
  const rooms = new BufferPool()
  while (samples.length > target) {
    // A bridge spends two periods to take one out, so one round cannot quite double the speed.
    const next = Math.max(target, Math.ceil(samples.length / steepest))
    const shorter = shortened(samples, next, rate, rooms.take)
    if (shorter.length === samples.length) break
    samples = shorter
  }
  const result = room(target)
  result.set(samples.subarray(0, target))
  result.fill(0, Math.min(samples.length, target))
  rooms.freeAll()
  if (samples.length > target) fadeOut(result, Math.round(rate * 0.003))
  return { rate, samples: result }
}

/** The steepest change that is made in one round. */
const steepest = 1.7
/** How far the result may run ahead of or behind an even pace, in seconds. */
const tolerance = 0.025

/**
 * One round: a copy without as many periods as it takes to come to `target` frames, or nearly so: what is left is less
 * than the shortest period, except where the clip is too short for a bridge.
 */
const shortened = (samples: Float32Array, target: number, rate: number, room: Buffer32): Float32Array => {
  const likeness = new SelfSimilarity(samples, rate, room)
  const surplus = samples.length - target
  const pace = surplus / samples.length
  const slack = tolerance * rate
  const result = room(samples.length)
  let taken = 0
  let read = 0
  let written = 0
  const copy = (to: number) => {
    result.set(samples.subarray(read, to), written)
    written += to - read
    read = to
  }
  while (surplus - taken >= likeness.shortest) {
    const first = Math.max(read, (taken - slack) / pace)
    const last = Math.max(first, (taken + slack) / pace)
    const bridge = likeness.best(first, last, surplus - taken)
    if (bridge === undefined) break
    copy(bridge.at)
    written += crossfade(samples, bridge.at, bridge.period, result, written)
    read = bridge.at + 2 * bridge.period
    taken += bridge.period
  }
  copy(samples.length)
  return result.subarray(0, written)
}

/**
 * Writes `period` frames that begin as the ones at `at` and end as the ones behind them. The gains keep the power, by
 * how alike the two are: they add up to 1 for equal ones and to equal power for ones that have nothing in common.
 */
const crossfade = (
  samples: Float32Array,
  at: number,
  period: number,
  result: Float32Array,
  into: number
): number => {
  let both = 0
  let first = 0
  let second = 0
  for (let i = at; i < at + period; i++) {
    both += samples[i]! * samples[i + period]!
    first += samples[i]! ** 2
    second += samples[i + period]! ** 2
  }
  const alike = first * second > 0 ? Math.max(0, both / Math.sqrt(first * second)) : 1
  for (let i = 0; i < period; i++) {
    const rising = 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / period)
    const falling = 1 - rising
    const gain = 1 / Math.sqrt(rising * rising + falling * falling + 2 * rising * falling * alike)
    result[into + i] = gain * (falling * samples[at + i]! + rising * samples[at + period + i]!)
  }
  return period
}

const fadeOut = (samples: Float32Array, length: number): void => {
  const count = Math.min(length, samples.length)
  for (let i = 0; i < count; i++)
    samples[samples.length - 1 - i]! *= 0.5 - 0.5 * Math.cos((Math.PI * (i + 0.5)) / count)
}
