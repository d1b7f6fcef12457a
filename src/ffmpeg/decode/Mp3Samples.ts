/**
 * Plain MP3 files to samples within this process, by libmpg123 compiled to WebAssembly. It blocks its thread: some
 * milliseconds a clip.
 */
import { MPEGDecoder } from "mpg123-decoder"
import { resample } from "../../audio/pcm/Resampling.ts"
import { newBuffer, type Buffer32, BufferPool } from "../../audio/kernels/BufferPool.ts"
import { SampleRate } from "../../domain/time/Units.ts"
import { type PlainMp3, plainMp3, silentFrames } from "../../audio/formats/PlainMp3.ts"

/** Decodes a file's bytes to mono samples at a rate; undefined where ffmpeg is to judge it. */
export type DecodeMp3 = (
  bytes: Uint8Array,
  rate: SampleRate
) => Promise<Float32Array<ArrayBuffer> | undefined>

/**
 * A decoder for many files. It is not set up anew for each: silent frames between them bring it back to where it began,
 * so that a file's samples are the same whatever was decoded before.
 */
export const mp3Decoder = (): DecodeMp3 => {
  /** One for each kind of file, by rate and channels. */
  const decoders = new Map<string, MPEGDecoder>()
  const rooms = new BufferPool()
  return async (bytes, rate) => {
    const file = plainMp3(bytes)
    if (file === undefined) return undefined
    const isThere = file.rate === rate
    if (!isThere && file.length > longest * file.rate) return undefined
    const kind = `${file.rate} ${file.channels}`
    const decoder = decoders.get(kind) ?? new MPEGDecoder({ enableGapless: false })
    decoders.set(kind, decoder)
    await decoder.ready
    const samples = samplesOf(decoder, bytes, file, isThere ? newBuffer : rooms.take)
    if (samples === undefined) {
      // What it holds now is not known.
      decoders.delete(kind)
      decoder.free()
    }
    const result =
      samples === undefined || isThere
        ? samples
        : resample({ rate: SampleRate.make(file.rate), samples }, rate, rooms.take).samples.slice()
    rooms.freeAll()
    return result
  }
}

/** Seconds of sound that is brought to another rate here at most: for that it stands in memory several times. */
const longest = 120

/**
 * Silent frames before a file: one ends what overlaps from the last frame, one empties the filters, one is to be sure.
 */
const silentBefore = 3

/** Bytes that are decoded at once: what they unpack to stays small. */
const atOnce = 16_384

const samplesOf = (
  decoder: MPEGDecoder,
  bytes: Uint8Array,
  file: PlainMp3,
  room: Buffer32
): Float32Array<ArrayBuffer> | undefined => {
  const result = room(file.length)
  /** Where the next decoded sample stands in the sound: before it at first. */
  let at = -silentBefore * file.frameSamples - file.skip
  const end = at + (silentBefore + file.frames) * file.frameSamples
  const take = (some: Uint8Array): boolean => {
    const { channelData, samplesDecoded, errors } = decoder.decode(some)
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
  if (!take(silentFrames(bytes, file, silentBefore))) return undefined
  for (let from = file.from; from < file.to; from += atOnce)
    if (!take(bytes.subarray(from, Math.min(file.to, from + atOnce)))) return undefined
  return at === end ? result : undefined
}
