/** FLAC header writer: everything before the first frame (RFC 9639, section 8). */
import { flacBlockOf } from "./FlacFrameHeader.ts"
import type { FlacFormat, FrameSizes } from "./FlacFrames.ts"

/** The stream that a header describes. */
export interface FlacStream extends FlacFormat {
  /** Frames of the file, in samples per channel. */
  readonly frames: number
  /** Such as `title=Harbour`. */
  readonly tags: ReadonlyArray<string>
}

/** What is known of a stream once it is encoded. */
export interface FlacSums {
  readonly sizes: FrameSizes
  /** The MD5 of all samples, 16 bytes; undefined writes zeros: unknown. */
  readonly md5: Uint8Array | undefined
}

/** Free space in which other programs can change tags, as ffmpeg leaves it. */
const paddingBytes = 8_192

/** Encodes a header. Its length only depends on the tags. Without `sums`, the header holds a place for them. */
export const flacHeader = (stream: FlacStream, sums?: FlacSums): Uint8Array => {
  const comments = commentsOf(stream.tags)
  return Buffer.concat([
    Buffer.from("fLaC", "latin1"),
    blockHeader(0, 34),
    streamInfo(stream, sums),
    blockHeader(4, comments.length),
    comments,
    blockHeader(1, paddingBytes, true),
    Buffer.alloc(paddingBytes)
  ])
}

/** The header of a metadata block. */
const blockHeader = (type: number, size: number, isLast = false): Buffer => {
  const header = Buffer.alloc(4)
  header[0] = type | (isLast ? 128 : 0)
  header.writeUIntBE(size, 1, 3)
  return header
}

const streamInfo = ({ rate, channels, depth, frames }: FlacStream, sums: FlacSums | undefined): Buffer => {
  const info = Buffer.alloc(34)
  info.writeUInt16BE(flacBlockOf(rate), 0)
  info.writeUInt16BE(flacBlockOf(rate), 2)
  info.writeUIntBE(sums?.sizes.least ?? 0, 4, 3)
  info.writeUIntBE(sums?.sizes.most ?? 0, 7, 3)
  const total = BigInt(frames) < 2n ** 36n ? BigInt(frames) : 0n
  info.writeBigUInt64BE(
    (BigInt(rate) << 44n) | (BigInt(channels - 1) << 41n) | (BigInt(depth - 1) << 36n) | total,
    10
  )
  if (sums?.md5 !== undefined) info.set(sums.md5, 18)
  return info
}

/** A Vorbis comment: the encoder's name, then the tags. Its integers are little-endian. */
const commentsOf = (tags: ReadonlyArray<string>): Buffer => {
  const texts = ["dubwright", ...tags].map((text) => {
    const bytes = Buffer.from(text, "utf8")
    return Buffer.concat([numberOf(bytes.length), bytes])
  })
  const [vendor = Buffer.alloc(0), ...comments] = texts
  return Buffer.concat([vendor, numberOf(comments.length), ...comments])
}

const numberOf = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
