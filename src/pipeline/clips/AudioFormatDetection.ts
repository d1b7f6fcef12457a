/** At which rate a clip is kept. */
import { behindId3, mp3HeaderAt } from "../../audio/formats/Mp3Header.ts"
import { deliveryRate, SampleRate } from "../../domain/time/Units.ts"

/** The rate of clips whose sound needs no more: half the delivery's, exactly 24 frames a millisecond. */
const speechRate = SampleRate.make(24_000)

/** The rate at which sound of such a rate is kept: 24 kHz loses nothing of what was sampled at 24 kHz or less. */
export const storedRateOf = (source: number): SampleRate => (source <= speechRate ? speechRate : deliveryRate)

/** The sample rate that an MP3 or FLAC file's bytes tell; undefined for what is told by ffmpeg alone. */
export const statedRate = (bytes: Uint8Array): number | undefined => {
  if (startsWith(bytes, 0, "fLaC") && bytes.length > 20)
    return (byte(bytes, 18) << 12) | (byte(bytes, 19) << 4) | (byte(bytes, 20) >> 4)
  const start = behindId3(bytes)
  // An encoder may leave some bytes between its tag and the first frame.
  for (let at = start; at < Math.min(bytes.length - 4, start + 4_096); at++) {
    const rate = mp3HeaderAt(bytes, at)?.rate
    if (rate !== undefined) return rate
  }
  return undefined
}

/** Whether bytes begin like a WAV file, which is decoded without ffmpeg. */
export const isWav = (bytes: Uint8Array): boolean =>
  (startsWith(bytes, 0, "RIFF") || startsWith(bytes, 0, "RF64")) && startsWith(bytes, 8, "WAVE")

/** A file name's ending for bytes as they came. */
export const extensionOf = (bytes: Uint8Array): string => {
  if (isWav(bytes)) return "wav"
  if (startsWith(bytes, 0, "fLaC")) return "flac"
  if (startsWith(bytes, 0, "OggS")) return "ogg"
  if (startsWith(bytes, 4, "ftyp")) return "m4a"
  return statedRate(bytes) === undefined ? "bin" : "mp3"
}

const byte = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0

const startsWith = (bytes: Uint8Array, at: number, word: string): boolean =>
  Array.from(word).every((letter, index) => bytes[at + index] === letter.charCodeAt(0))
