/** The headers of FLAC frames (RFC 9639, section 9.1), and how many samples each frame has. */

/**
 * The most samples per channel in a frame: up to 48 kHz those of the streamable subset (RFC 9639, section 7), above it
 * half. ffmpeg 5 cannot read frames of more than 200 kB.
 */
const mostSamplesUpTo48 = 4_608
export const mostSamples = 8_192

/**
 * Returns the samples per channel in each frame but the last: 4,608 at 48 kHz. It divides a minute, so that every
 * minute begins with a frame. A frame is at most an eighth of a second long, and can be halved often, for small
 * partitions. Only at odd rates, such as primes, frames are so short that they are larger than uncompressed samples.
 */
export const flacBlockOf = (rate: number): number => {
  const limit = Math.min(rate <= 48_000 ? mostSamplesUpTo48 : mostSamples, Math.ceil(rate / 8))
  for (const step of [64, 16, 4, 1])
    for (let block = limit - (limit % step); block >= (step === 1 ? 16 : limit / 2); block -= step)
      if ((60 * rate) % block === 0) return block
  return 20
}

/** Returns the header of a frame with its CRC-8. */
export const frameHeader = (
  number: number,
  count: number,
  rate: number,
  depth: 16 | 24,
  assignment: number
): ReadonlyArray<number> => {
  const [rateCode, ...rateBytes] = codeOfRate(rate)
  // Its size in 16 bits at the end of the header.
  const header = [0xff, 0xf8, (7 << 4) | rateCode, (assignment << 4) | (depth === 16 ? 8 : 12)]
  header.push(...utf8Number(number), (count - 1) >> 8, (count - 1) & 255, ...rateBytes)
  return [...header, header.reduce((sum, byte) => crc8[sum ^ byte]!, 0)]
}

const crc8 = Uint8Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = (sum << 1) ^ (sum & 128 ? 0x107 : 0)
  return sum
})

/** Codes of sample rates in hertz (RFC 9639, table 15). */
const rateCodes: Readonly<Record<number, number>> = {
  88_200: 1,
  176_400: 2,
  192_000: 3,
  8_000: 4,
  16_000: 5,
  22_050: 6,
  24_000: 7,
  32_000: 8,
  44_100: 9,
  48_000: 10,
  96_000: 11
}

/** Returns the code of a rate, and the bytes that it has at the end of the header. */
const codeOfRate = (rate: number): readonly [number, ...ReadonlyArray<number>] => {
  const code = rateCodes[rate]
  if (code !== undefined) return [code]
  if (rate % 1_000 === 0 && rate < 256_000) return [12, rate / 1_000]
  if (rate < 65_536) return [13, rate >> 8, rate & 255]
  const tens = rate / 10
  // 0 means that only STREAMINFO has it.
  return Number.isInteger(tens) && tens < 65_536 ? [14, tens >> 8, tens & 255] : [0]
}

/** Codes a number below 2³¹ like a character of UTF-8, in up to six bytes. */
const utf8Number = (number: number): ReadonlyArray<number> => {
  if (number < 128) return [number]
  const rest: Array<number> = []
  let left = number
  // The first byte has a 1 for each byte, a 0, and the highest bits.
  while (left >= 1 << (6 - rest.length)) {
    rest.unshift(128 | (left & 63))
    left >>>= 6
  }
  return [((0xff00 >> (rest.length + 1)) & 255) | left, ...rest]
}
