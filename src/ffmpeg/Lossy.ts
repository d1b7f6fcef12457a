/** What encoders that leave something out must be told, and what they do to a level. */
import type { SampleRate } from "../domain/Units.ts"

/**
 * ffmpeg's own AAC encoder, for a stream such as `a:0`. The way in which it chooses what to leave out by default distorts speech between
 * silences: stretches with noise 6 dB below the voice, peaks 3 dB above those it was given. The fast way makes 13 dB less of it at the same size.
 */
export const aacCoder = (stream: string): ReadonlyArray<string> => [`-aac_coder:${stream}`, "fast"]

/** The filters that give an MP3 the level of what it is made from: its encoder makes all softer. `bitrate` is in kilobits a second. */
export const mp3Level = (bitrate: number, rate: SampleRate): ReadonlyArray<string> => {
  const scale = lameScale(rate < 32_000 ? Math.min(bitrate, lowRatesMost) : bitrate)
  return scale === 1 ? [] : [`volume=${(1 / scale).toFixed(6)}`]
}

/** The most kilobits a second that an MP3 below 32 kHz can have. */
const lowRatesMost = 160

/** LAME's factor, by the bit rate an MP3 can have that is nearest to the one asked for: 160, 192, 224 or 256 and above. */
const lameScale = (bitrate: number): number =>
  bitrate <= 176 ? 0.95 : bitrate <= 208 ? 0.97 : bitrate <= 240 ? 0.98 : 1
