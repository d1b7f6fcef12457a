/**
 * AAC frames in ADTS, and how to join streams that were encoded apart. A decoder adds the second half of each frame's
 * window to the first half of the next (ISO/IEC 14496-3, 4.6.11.3.3). So one stream can take over from another where
 * both chose the same window for the frame before.
 */

/** Samples per channel of a frame. */
export const aacFrameSamples = 1_024

/** Samples that an encoder puts before the sound: frame `n` begins with sample `(n - 1) * 1024`. */
export const aacDelay = 1_024

/** Consecutive frames of a file. */
export interface AacStream {
  /** ADTS frames without a checksum. */
  readonly bytes: Uint8Array
  /** Where each frame begins, in bytes, and the end of the last one. */
  readonly offsets: ReadonlyArray<number>
  /** The number in the file of its first frame. */
  readonly first: number
}

/** Finds the frames in ADTS. Throws an error with the offset of bytes that are none. */
export const aacStream = (bytes: Uint8Array, first: number): AacStream => {
  const offsets = [0]
  for (let at = 0; at < bytes.length;) {
    const length = frameLength(bytes, at)
    if (length <= headerBytes || at + length > bytes.length)
      throw new Error(`byte ${at} of ${bytes.length} does not begin a whole ADTS frame`)
    at += length
    offsets.push(at)
  }
  return { bytes, offsets, first }
}

/** The number in the file of the frame after a stream's last one. */
export const streamEnd = ({ first, offsets }: AacStream): number => first + offsets.length - 1

/** Returns the bytes of the frames from number `from` up to, without, `to`. */
export const adtsBetween = ({ bytes, offsets, first }: AacStream, from: number, to: number): Uint8Array =>
  bytes.subarray(offsets[from - first], offsets[to - first])

/**
 * Returns the first frame, from number `from` on, at which `after` can take over from `before`. Returns `from` if there
 * is none among `most` frames: a quantizer's step would hide that join, too, unless it falls into a sharp attack.
 */
export const joinOf = (before: AacStream, after: AacStream, from: number, most: number): number => {
  for (let frame = from; frame < from + most; frame++) {
    const window = windowOf(before, frame - 1)
    if (window !== undefined && window === windowOf(after, frame - 1)) return frame
  }
  return from
}

const headerBytes = 7

/** The length of the ADTS frame at an offset, header included; 0 if none begins there. */
const frameLength = (bytes: Uint8Array, at: number): number => {
  const [sync = 0, flags = 0, , high = 0, middle = 0, low = 0] = bytes.subarray(at, at + headerBytes)
  // Layer 0, and no checksum, which would take two bytes more.
  const isFrame = sync === 0xff && (flags & 0xf7) === 0xf1
  return isFrame ? ((high & 3) << 11) | (middle << 3) | (low >> 5) : 0
}

/**
 * Returns the sequence and shape of a frame's window as one number, from its first element: a single channel or a pair
 * with common windows. Undefined for others, and for a frame that the stream lacks.
 */
const windowOf = ({ bytes, offsets, first }: AacStream, frame: number): number | undefined => {
  const at = offsets[frame - first]
  if (at === undefined || at >= bytes.length) return undefined
  const [one = 0, two = 0, three = 0] = bytes.subarray(at + headerBytes, at + headerBytes + 3)
  const bits = (one << 16) | (two << 8) | three
  switch (one >> 5) {
    case singleChannel:
      // Element 3 bits, tag 4, global gain 8, reserved 1.
      return (bits >> 5) & 7
    case channelPair:
      // Element 3 bits, tag 4, common window 1, reserved 1.
      return (one & 1) === 1 ? (bits >> 12) & 7 : undefined
    default:
      return undefined
  }
}

const singleChannel = 0
const channelPair = 1
