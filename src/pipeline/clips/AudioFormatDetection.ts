/** Detects format and sample rate of received audio from its bytes, and the rate at which its clip is stored. */
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import { isWav } from "../../audio/formats/Wav.ts"
import { behindId3, mp3HeaderAt } from "../../audio/formats/Mp3Header.ts"
import { deliveryRate, SampleRate } from "../../domain/time/Units.ts"

/** Sample rate of clips that need no more, in Hz: half the delivery's, exactly 24 frames per millisecond. */
const speechRate = SampleRate.make(24_000)

/** Returns the rate at which to store a source of this rate, in Hz: 24 kHz loses nothing of sources up to 24 kHz. */
export const storedRateOf = (source: number): SampleRate => (source <= speechRate ? speechRate : deliveryRate)

/**
 * Reads the sample rate of an MP3 or FLAC file from its bytes. Undefined for other formats, which ffmpeg must probe.
 */
export const statedRate = (bytes: Uint8Array): number | undefined => {
  if (startsWith(bytes, 0, "fLaC") && bytes.length > 20)
    return (byte(bytes, 18) << 12) | (byte(bytes, 19) << 4) | (byte(bytes, 20) >> 4)
  if (startsWith(bytes, 0, "RIFF")) return undefined
  const start = behindId3(bytes)
  // Encoders may leave a few bytes between the tag and the first frame.
  for (let at = start; at < Math.min(bytes.length - 4, start + 4_096); at++) {
    const rate = mp3HeaderAt(bytes, at)?.rate
    if (rate !== undefined) return rate
  }
  return undefined
}

/** Whether a sound is the bytes of a file in a format other than WAV. */
export const isEncoded = (sound: Uint8Array | Pcm): sound is Uint8Array =>
  sound instanceof Uint8Array && !isWav(sound)

/** The file extension for received bytes; `bin` if the format is unknown. */
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
