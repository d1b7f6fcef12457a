/**
 * FLAC encoder for the frames of a stream with a fixed block size (RFC 9639). Each frame depends on its own samples
 * only, so that parts of a stream can be encoded on their own, with the same bits as in an encoding of the whole.
 */
import { startKernels } from "../kernels/KernelMemory.ts"
import type { ChannelCount } from "../pcm/Pcm.ts"
import { flacBlockOf, frameHeader, mostSamples } from "./FlacFrameHeader.ts"
import {
  parameterOf,
  partitionsOf,
  predictorOf,
  riceBits,
  smallestPartitions,
  mostOrder,
  weightBits
} from "./FlacPrediction.ts"

/** The samples of a stream. */
export interface FlacFormat {
  readonly rate: number
  readonly channels: ChannelCount
  readonly depth: 16 | 24
}

// Layout of the kernels' memory, in bytes.
const tablesAt = 0
const correlationAt = 2_048
const weightsAt = 2_304
const bitsAt = 2_432
const sumsAt = 4_096
/** Zeros before a line, and values after it. */
const around = 64
const lineBytes = 8 * mostSamples + 2 * around
const linesAt = 65_536 + around
const lineAt = (line: number): number => linesAt + line * lineBytes
/** The middle and the side of two channels. */
const [mid, side] = [6, 7]
const windowAt = lineAt(8)
const valuesAt = lineAt(9)
/** The samples of a frame as bytes: at most 3 for each of 6 channels. */
const samplesAt = lineAt(10)
/** From here to its end, the memory is for frames. */
const framesAt = lineAt(13)

/** Returns the CRC-16 of each byte, then of each with 1, 2 and 3 zero bytes after it. */
const crc16Tables = (): Uint16Array => {
  const tables = new Uint16Array(1_024)
  for (let byte = 0; byte < 256; byte++) {
    let sum = byte << 8
    for (let bit = 0; bit < 8; bit++) sum = (sum << 1) ^ (sum & 0x8000 ? 0x1_8005 : 0)
    tables[byte] = sum
  }
  for (let at = 256; at < 1_024; at++) {
    const sum = tables[at - 256]!
    tables[at] = (sum << 8) ^ tables[sum >> 8]!
  }
  return tables
}

/** The kernels with their arrays, for all streams of a thread. */
const start = () => {
  const kernels = startKernels()
  const { buffer } = kernels.memory
  new Uint16Array(buffer, tablesAt, 1_024).set(crc16Tables())
  return {
    ...kernels,
    lines: Array.from({ length: 8 }, (_, line) => new Float64Array(buffer, lineAt(line), mostSamples)),
    window: new Float64Array(buffer, windowAt, mostSamples),
    correlation: new Float64Array(buffer, correlationAt, mostOrder + 1),
    weights: new Float64Array(buffer, weightsAt, mostOrder),
    bits: new Int32Array(buffer, bitsAt, 2),
    sums: new Float64Array(buffer, sumsAt, 64),
    values: new Uint32Array(buffer, valuesAt, mostSamples),
    bytes: new Uint8Array(buffer)
  }
}

let started: ReturnType<typeof start> | undefined
/** The number of samples for which the window is set. */
let windowed = 0

const kernelsFor = (count: number) => {
  started ??= start()
  if (windowed !== count) {
    windowed = count
    // Welch's window.
    const half = (count - 1) / 2
    for (let i = 0; i < count; i++) started.window[i] = 1 - ((i - half) / (half + 1)) ** 2
  }
  return started
}

/** Sizes of a stream's frames in bytes: of all together, of the smallest and of the largest. */
export interface FrameSizes {
  readonly bytes: number
  readonly least: number
  readonly most: number
}

/** Encodes consecutive samples of a stream. */
export class FlacFrames {
  /** Bytes of the samples of a frame but the last. */
  private readonly frameBytes: number
  /** The samples of the next frame. */
  private readonly pending: Uint8Array
  private held = 0
  private bytes = 0
  private least = Infinity
  private most = 0

  /** `number` is that of the first frame. */
  constructor(
    private readonly format: FlacFormat,
    private number: number
  ) {
    this.frameBytes = (flacBlockOf(format.rate) * format.channels * format.depth) / 8
    this.pending = new Uint8Array(this.frameBytes)
  }

  /** Takes little-endian samples, channels interleaved; returns the frames that they complete. */
  push(bytes: Uint8Array): Uint8Array {
    let end = framesAt
    let at = 0
    while (at < bytes.length) {
      const some = bytes.subarray(at, at + this.frameBytes - this.held)
      at += some.length
      if (some.length === this.frameBytes) end = this.encode(some, end)
      else {
        this.pending.set(some, this.held)
        this.held += some.length
        if (this.held === this.frameBytes) end = this.encodeHeld(end)
      }
    }
    return this.taken(end)
  }

  /** Returns the last frame, which is shorter than the others; empty if there is none. */
  finish(): Uint8Array {
    return this.taken(this.held === 0 ? framesAt : this.encodeHeld(framesAt))
  }

  get sizes(): FrameSizes {
    return { bytes: this.bytes, least: this.bytes === 0 ? 0 : this.least, most: this.most }
  }

  /** A copy of the frames up to an address. */
  private taken(end: number): Uint8Array {
    return end === framesAt ? new Uint8Array(0) : started!.bytes.slice(framesAt, end)
  }

  /** Encodes the pending samples. */
  private encodeHeld(at: number): number {
    const samples = this.pending.subarray(0, this.held)
    this.held = 0
    return this.encode(samples, at)
  }

  /** Encodes the samples of a frame to an address. Returns the address after the frame. */
  private encode(samples: Uint8Array, at: number): number {
    const { channels, depth, rate } = this.format
    const size = depth / 8
    const count = samples.length / (channels * size)
    const kernels = kernelsFor(count)
    kernels.bytes.set(samples, samplesAt)
    for (let channel = 0; channel < channels; channel++)
      kernels.flacRead(samplesAt + channel * size, lineAt(channel), count, channels * size, 32 - depth)
    const { assignment, lines } = channels === 2 ? stereoOf(count) : { assignment: channels - 1, lines: [] }
    kernels.flacBegin(at)
    for (const byte of frameHeader(this.number++, count, rate, depth, assignment)) kernels.flacPut(byte, 8)
    if (channels === 2) for (const line of lines) encodeLine(line, count, line === side ? depth + 1 : depth)
    else for (let line = 0; line < channels; line++) encodeLine(line, count, depth)
    const end = kernels.flacEnd()
    const sum = kernels.flacChecksum(at, end, tablesAt)
    kernels.bytes[end] = sum >> 8
    kernels.bytes[end + 1] = sum
    const bytes = end + 2 - at
    this.bytes += bytes
    this.least = Math.min(this.least, bytes)
    this.most = Math.max(this.most, bytes)
    return end + 2
  }
}

/** Chooses how two channels are coded, by an estimate of their sizes. */
const stereoOf = (count: number): { readonly assignment: number; readonly lines: ReadonlyArray<number> } => {
  const { flacSides, flacRoughness } = kernelsFor(count)
  flacSides(lineAt(0), lineAt(1), lineAt(mid), lineAt(side), count)
  const [left = 0, right = 0, middle = 0, sides = 0] = [0, 1, mid, side].map((line) => {
    const sum = 2 * flacRoughness(lineAt(line), count)
    return riceBits(sum, count, parameterOf(sum, count))
  })
  const ways = [
    { assignment: 1, lines: [0, 1], bits: left + right },
    { assignment: 8, lines: [0, side], bits: left + sides },
    { assignment: 9, lines: [side, 1], bits: right + sides },
    { assignment: 10, lines: [mid, side], bits: middle + sides }
  ]
  return ways.reduce((best, way) => (way.bits < best.bits ? way : best))
}

/** Kinds of subframes (RFC 9639, table 19). */
const kinds = { constant: 0, verbatim: 1, fixed: 8, predicted: 31 } as const

/** Adds the subframe of a line of `count` samples of `depth` bits to the stream of bits. */
const encodeLine = (line: number, count: number, depth: number): void => {
  const kernels = kernelsFor(count)
  const { flacPut, bits } = kernels
  const samples = kernels.lines[line]!
  kernels.flacBits(lineAt(line), count, bitsAt)
  const isConstant = bits[1] === 0
  const wasted = isConstant ? 0 : 31 - Math.clz32(bits[0]! & -bits[0]!)
  const width = depth - wasted
  const begin = (kind: number) => {
    flacPut(kind, 7)
    if (wasted === 0) flacPut(0, 1)
    else flacPut((1 << wasted) | 1, wasted + 1)
  }
  if (isConstant) {
    begin(kinds.constant)
    return flacPut(samples[0]!, width)
  }
  if (wasted > 0) for (let i = 0; i < count; i++) samples[i]! /= 1 << wasted
  const { predictor, partitions } = codingOf(line, count)
  const { order, weights, shift } = predictor
  const { parameters } = partitions
  if (count <= mostOrder || partitions.bits + order * (width + weightBits) >= count * width) {
    begin(kinds.verbatim)
    for (let i = 0; i < count; i++) flacPut(samples[i]!, width)
    return
  }
  begin(order === 0 ? kinds.fixed : kinds.predicted + order)
  for (let i = 0; i < order; i++) flacPut(samples[i]!, width)
  if (order > 0) {
    flacPut(weightBits - 1, 4)
    flacPut(shift, 5)
    for (const weight of weights) flacPut(weight, weightBits)
  }
  // Parameters of 4 bits, or of 5.
  const isWide = parameters.some((parameter) => parameter > 14)
  flacPut(isWide ? 1 : 0, 2)
  flacPut(partitions.order, 4)
  const size = count >> partitions.order
  for (const [part, parameter] of parameters.entries()) {
    flacPut(parameter, isWide ? 5 : 4)
    const skipped = part === 0 ? order : 0
    kernels.flacRice(valuesAt + 4 * (part * size + skipped), size - skipped, parameter)
  }
}

/** Finds the predictor of a line, and writes its residual to the kernels' `values`. */
const codingOf = (line: number, count: number) => {
  const kernels = kernelsFor(count)
  kernels.flacCorrelation(lineAt(line), windowAt, count, correlationAt)
  const predictor = predictorOf(kernels.correlation, count)
  kernels.weights.fill(0)
  kernels.weights.set(predictor.weights)
  kernels.flacResidual(lineAt(line), valuesAt, count, weightsAt, 2 ** -predictor.shift)
  kernels.values.fill(0, 0, predictor.order)
  const smallest = smallestPartitions(count, predictor.order)
  kernels.flacSums(valuesAt, count >> smallest, 1 << smallest, sumsAt)
  return { predictor, partitions: partitionsOf(kernels.sums, smallest, count, predictor.order) }
}
