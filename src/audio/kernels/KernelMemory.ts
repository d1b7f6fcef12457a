/** Instance of kernels.wat, and the layout of its memory. */
import { kernelCode } from "./KernelCode.ts"

interface Kernels {
  readonly memory: WebAssembly.Memory
  readonly loudest: (samples: number, count: number) => number
  readonly doubled: (line: number, out: number, count: number, weights: number, pairs: number) => void
  readonly sampled: (
    line: number,
    out: number,
    count: number,
    filter: number,
    taps: number,
    up: number,
    down: number,
    phase: number
  ) => void
  readonly loudestEach: (samples: number, count: number, out: number) => void
  readonly added: (samples: number, out: number, count: number, stride: number) => void
  readonly panned: (samples: number, out: number, count: number, left: number, right: number) => void
  readonly multiplied: (samples: number, factors: number, out: number, count: number) => void
  readonly scaled: (samples: number, out: number, count: number, factor: number) => void
  readonly decoded: (bytes: number, out: number, count: number, width: number) => void
  readonly rounded: (samples: number, out: number, count: number) => void
  readonly rounded16: (samples: number, out: number, count: number) => void
  readonly dithered: (samples: number, out: number, count: number, noise: number, keeps: number) => void
  readonly crests: (line: number, out: number, count: number, weights: number, least: number) => number
  readonly weighted: (samples: number, stride: number, count: number, filters: number) => void
  readonly limited: (
    peaks: number,
    gains: number,
    count: number,
    lacks: number,
    window: number,
    queue: number,
    mask: number,
    state: number,
    threshold: number,
    keep: number
  ) => void
  readonly periodScores: (
    low: number,
    high: number,
    power: number,
    candidates: number,
    least: number,
    most: number,
    quiet: number,
    bonus: number,
    sums: number,
    best: number
  ) => void
  readonly averaged: (samples: number, low: number, high: number, count: number, factor: number) => void
  readonly nearestPeriod: (samples: number, least: number, most: number) => number
  readonly crossfaded: (from: number, to: number, out: number, count: number) => void
}

const code = new WebAssembly.Module(Uint8Array.from(atob(kernelCode), (letter) => letter.charCodeAt(0)))

export const kernels = new WebAssembly.Instance<Kernels>(code, {}).exports

/** Samples per kernel call: few enough that input and output stay in the processor's fastest cache. */
export const atOnce = 8_192

/** Samples that a kernel may read before or after its `atOnce` samples, or write after them. */
export const around = 256

// Memory layout, in bytes.
export const weightsAt = 0
export const inAt = 4_096 + 4 * around
export const outAt = 65_536
export const stateAt = 2_048
export const filtersAt = 3_072
export const lacksAt = 147_456
export const queueAt = 196_608
export const noiseAt = 262_144
export const phasesAt = 1_048_576
/** Values, scores and sums of `PitchPeriods`. */
export const periodsAt = 2_097_152
/** From here to its end, the memory is lent out by `BufferPool`. */
export const poolStart = 2_228_224

export const { buffer } = kernels.memory
export const weightsIn = new Float32Array(buffer, weightsAt, 256)
export const filtersIn = new Float64Array(buffer, filtersAt, 32)
export const noiseIn = new Float32Array(buffer, noiseAt, (phasesAt - noiseAt) / 4)
export const phasesIn = new Float32Array(buffer, phasesAt, (periodsAt - phasesAt) / 4)
export const samplesIn = new Float32Array(buffer, inAt - 4 * around, atOnce + 2 * around)
export const samplesOut = new Float32Array(buffer, outAt, 2 * atOnce)
