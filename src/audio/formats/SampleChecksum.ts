/**
 * The checksum of a FLAC file: the MD5 of all samples (RFC 9639, section 8.2). Unlike Node's, it can be saved in the
 * middle of a stream and continued by another process. It is as fast.
 */
import { readBytesAt } from "../kernels/KernelArrays.ts"
import { atOnce, buffer, kernels, outAt } from "../kernels/KernelMemory.ts"

/** Bytes of a block (RFC 1321). */
const blockBytes = 64
/** Bytes that one call of the kernel adds: whole blocks. */
const mostBytes = 4 * atOnce
/** The words and the length at the beginning of a saved state, in bytes. */
const headBytes = 24

/** Adds up consecutive samples. */
export class SampleChecksum {
  private readonly words = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
  /** Bytes added so far. */
  private length = 0
  /** Those that do not fill a block. */
  private readonly held = new Uint8Array(blockBytes)

  /** Begins a checksum, or continues one from its `state`. */
  constructor(state?: Uint8Array) {
    if (state === undefined) return
    const view = new DataView(state.buffer, state.byteOffset, state.byteLength)
    for (let word = 0; word < 4; word++) this.words[word] = view.getUint32(4 * word, true)
    this.length = Number(view.getBigUint64(16, true))
    this.held.set(state.subarray(headBytes))
  }

  /** Adds little-endian samples, channels interleaved. */
  add(samples: Uint8Array): void {
    const before = this.length % blockBytes
    this.length += samples.length
    let at = 0
    if (before > 0) {
      at = Math.min(samples.length, blockBytes - before)
      this.held.set(samples.subarray(0, at), before)
      if (before + at < blockBytes) return
      this.process(this.held, 0, blockBytes)
    }
    const whole = samples.length - ((samples.length - at) % blockBytes)
    for (; at < whole; at += mostBytes) this.process(samples, at, Math.min(mostBytes, whole - at))
    this.held.set(samples.subarray(whole))
  }

  /** Returns the state after all samples so far. */
  state(): Uint8Array {
    const held = this.length % blockBytes
    const state = new Uint8Array(headBytes + held)
    const view = new DataView(state.buffer)
    this.words.forEach((word, at) => view.setUint32(4 * at, word, true))
    view.setBigUint64(16, BigInt(this.length), true)
    state.set(this.held.subarray(0, held), headBytes)
    return state
  }

  /** Returns the checksum, 16 bytes. Nothing can be added afterwards. */
  digest(): Uint8Array {
    const bits = 8n * BigInt(this.length)
    const end = new Uint8Array(blockBytes - ((this.length + 8) % blockBytes) + 8)
    end[0] = 0x80
    new DataView(end.buffer).setBigUint64(end.length - 8, bits, true)
    this.add(end)
    return this.state().slice(0, 16)
  }

  /** Adds whole blocks. */
  private process(bytes: Uint8Array, from: number, count: number): void {
    wordsInMemory.set(this.words)
    const at = readBytesAt(bytes, from, count)
    kernels.md5(outAt, at, at + count)
    this.words.set(wordsInMemory)
  }
}

const wordsInMemory = new Uint32Array(buffer, outAt, 4)
