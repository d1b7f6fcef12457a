/** Computes a limiter's gains from peaks. */
import { along, readAt, writeAt, writeThrough } from "../kernels/KernelArrays.ts"
import { atOnce, buffer, kernels, lacksAt, queueAt, stateAt } from "../kernels/KernelMemory.ts"

/** State of a limiter that persists from block to block. */
export class LimiterMemory {
  readonly state = new Int32Array(6)
  /** Gain reductions (1 - gain) of the last `window` frames. */
  readonly lacks: Int32Array
  /** Gain reductions that frames within the look-ahead need. */
  readonly queue: Int32Array
  readonly mask: number

  /** `window` is the look-ahead in frames, at most 1,000. */
  constructor(readonly window: number) {
    const places = 2 ** Math.ceil(Math.log2(window + 1))
    this.lacks = new Int32Array(window)
    this.queue = new Int32Array(4 * places)
    this.mask = places - 1
  }

  /** Whether no gain reduction is active or upcoming. */
  get isResting(): boolean {
    const [, , first, last, sum] = this.state
    return first === last && sum === 0
  }
}

/**
 * Writes gains to the beginning of `gains`. `peaks` holds the levels before the first frame and after each one, 0 where
 * irrelevant. With the gain applied, no level exceeds `threshold`. Gains are held for the look-ahead and averaged over
 * it; the reduction (1 - gain) decays by the factor `keep` per frame.
 */
export const gainsOf = (
  peaks: Float32Array,
  threshold: number,
  keep: number,
  memory: LimiterMemory,
  gains: Float32Array
): void => {
  const { window, mask } = memory
  const state = new Int32Array(buffer, stateAt, memory.state.length)
  const queue = new Int32Array(buffer, queueAt, memory.queue.length)
  const lacks = new Int32Array(buffer, lacksAt, window + atOnce)
  state.set(memory.state)
  queue.set(memory.queue)
  lacks.set(memory.lacks)
  along(peaks.length - 1, (some, done) => {
    const out = writeAt(gains, done)
    const from = readAt(peaks, done, some, 0, 1)
    kernels.limited(from, out, some, lacksAt, window, queueAt, mask, stateAt, threshold, keep)
    writeThrough(out, some, gains, done)
    lacks.copyWithin(0, some, some + window)
  })
  memory.state.set(state)
  memory.queue.set(queue)
  memory.lacks.set(lacks.subarray(0, window))
}
