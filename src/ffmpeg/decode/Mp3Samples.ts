/**
 * Decodes plain MP3 files in this process, with libmpg123 compiled to WebAssembly. Blocks its thread for a few
 * milliseconds per clip.
 */
import { MPEGDecoder } from "mpg123-decoder"
import { resample } from "../../audio/pcm/Resampling.ts"
import { newBuffer, type Buffer32, BufferPool } from "../../audio/kernels/BufferPool.ts"
import type { SampleRate } from "../../domain/time/Units.ts"
import { type PlainMp3, plainMp3, silentFrames } from "../../audio/formats/PlainMp3.ts"

/** Decodes a file's bytes to mono samples at a rate; undefined if it exceeds `most` seconds or needs ffmpeg. */
export type DecodeMp3 = (
  bytes: Uint8Array,
  rate: SampleRate,
  most: number
) => Promise<Float32Array<ArrayBuffer> | undefined>

/** A decoder, and the number of frames that it has decoded. */
interface UsedDecoder {
  readonly mpeg: MPEGDecoder
  frames: number
}

/**
 * Creates a decoder that is reused for many files. Silent frames before each file reset its state, so that the samples
 * do not depend on earlier files.
 */
export const mp3Decoder = (): DecodeMp3 => {
  /** One decoder per rate and channel count. */
  const decoders = new Map<string, UsedDecoder>()
  const buffers = new BufferPool()
  return async (bytes, rate, most) => {
    const file = plainMp3(bytes)
    if (file === undefined || file.length > most * file.rate) return undefined
    const isThere = file.rate === rate
    if (!isThere && file.length > longest * file.rate) return undefined
    const kind = `${file.rate} ${file.channels}`
    const decoder = decoders.get(kind) ?? { mpeg: new MPEGDecoder({ enableGapless: false }), frames: 0 }
    decoders.set(kind, decoder)
    await decoder.mpeg.ready
    const samples = samplesOf(decoder, bytes, file, isThere ? newBuffer : buffers.take)
    if (samples === undefined) {
      // Its state is unknown after a failure.
      decoders.delete(kind)
      decoder.mpeg.free()
    }
    const result =
      samples === undefined || isThere
        ? samples
        : resample({ rate: file.rate, samples }, rate, buffers.take).samples.slice()
    buffers.freeAll()
    return result
  }
}

/** Maximum seconds to resample here: resampling holds several copies in memory. */
const longest = 120

/** Fewest silent frames before a file: one flushes the last frame's overlap, one the filters, and one is a margin. */
const silentBefore = 3

/**
 * Frames after which the ring of libmpg123's synthesis filter is at the same place. It has 16 places and advances by
 * one every 32 samples. From another place, the filter adds in another order and rounds differently.
 */
const ringPeriodOf = ({ frameSamples }: PlainMp3): number => (frameSamples === 1_152 ? 4 : 8)

/** How many bytes to decode at a time, to keep the decoded output small. */
const atOnce = 16_384

const samplesOf = (decoder: UsedDecoder, bytes: Uint8Array, file: PlainMp3, allocate: Buffer32) => {
  const result = allocate(file.length)
  // The file's first frame begins at the same place of the ring as in a new decoder.
  const period = ringPeriodOf(file)
  const silent = silentBefore + ((period - (decoder.frames % period)) % period)
  decoder.frames += silent + file.frames
  /** The position of the next decoded sample in the result; negative before its start. */
  let at = -silent * file.frameSamples - file.skip
  const end = at + (silent + file.frames) * file.frameSamples
  const take = (some: Uint8Array): boolean => {
    const { channelData, samplesDecoded, errors } = decoder.mpeg.decode(some)
    const [left, right] = channelData
    if (left === undefined || right === undefined || errors.length > 0) return false
    const from = Math.max(0, -at)
    const to = Math.min(samplesDecoded, result.length - at)
    if (file.channels === 2)
      for (let i = from; i < to; i++) result[at + i] = ((left[i] ?? 0) + (right[i] ?? 0)) / 2
    else if (from < to) result.set(left.subarray(from, to), at + from)
    at += samplesDecoded
    return true
  }
  if (!take(silentFrames(bytes, file, silent))) return undefined
  for (let from = file.from; from < file.to; from += atOnce)
    if (!take(bytes.subarray(from, Math.min(file.to, from + atOnce)))) return undefined
  return at === end ? result : undefined
}
