/** MP3 frame header: parses the first four bytes of an MPEG audio layer III frame. */

export interface Mp3Header {
  /** Whether the frame is MPEG-1, whose side information is longer than that of MPEG-2 and 2.5. */
  readonly first: boolean
  readonly rate: number
  readonly channels: 1 | 2
  /** Samples per channel. */
  readonly samples: number
  /** Bytes of the whole frame, including the header. */
  readonly size: number
  /** Bytes of side information, which follow the header, or the checksum if there is one. */
  readonly side: number
  readonly hasChecksum: boolean
}

/** Parses the header at `at`; undefined if there is none. Free-format frames (no stated bit rate) are not accepted. */
export const mp3HeaderAt = (bytes: Uint8Array, at: number): Mp3Header | undefined => {
  const [second, third, fourth] = [bytes[at + 1] ?? 0, bytes[at + 2] ?? 0, bytes[at + 3] ?? 0]
  if (bytes[at] !== 0xff || (second & 0xe6) !== 0xe2) return undefined
  const version = (second >> 3) & 3
  const first = version === 3
  const rate = rates[version]?.[(third >> 2) & 3]
  const kilobits = (first ? firstKilobits : laterKilobits)[third >> 4]
  if (rate === undefined || kilobits === undefined || kilobits === 0) return undefined
  const samples = first ? 1_152 : 576
  const padding = (third >> 1) & 1
  const channels = fourth >> 6 === 3 ? 1 : 2
  return {
    first,
    rate,
    channels,
    samples,
    size: Math.floor((samples * 125 * kilobits) / rate) + padding,
    side: first ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17,
    hasChecksum: (second & 1) === 0
  }
}

/**
 * Returns the offset just past the ID3v2 tag that may precede the first frame, from the tag's own length; 0 without
 * one.
 */
export const behindId3 = (bytes: Uint8Array): number =>
  bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33
    ? 10 + (((bytes[6] ?? 0) << 21) | ((bytes[7] ?? 0) << 14) | ((bytes[8] ?? 0) << 7) | (bytes[9] ?? 0))
    : 0

/** Sample rates by version bits: 2.5, reserved, 2, 1. */
const rates: ReadonlyArray<ReadonlyArray<number> | undefined> = [
  [11_025, 12_000, 8_000],
  undefined,
  [22_050, 24_000, 16_000],
  [44_100, 48_000, 32_000]
]

/** Bit rates in kbit/s of MPEG-1, and of MPEG-2 and 2.5; 0 is free format. */
const firstKilobits = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const laterKilobits = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
