/** Settings for lossy encoders, and how they change levels and peaks. */
import type { SampleRate } from "../../domain/time/Units.ts"

/**
 * Options of ffmpeg's AAC encoder for a stream such as `a:0`. Its default coder distorts speech between silences: noise
 * 6 dB below the voice, and peaks 3 dB above the input's. The `fast` coder has 13 dB less noise at the same size.
 */
export const aacCoder = (stream: string): ReadonlyArray<string> => [`-aac_coder:${stream}`, "fast"]

/**
 * Returns filters that restore an MP3's level, since LAME attenuates its input. `bitrate` is in kilobits per second.
 */
export const mp3Level = (bitrate: number, rate: SampleRate): ReadonlyArray<string> => {
  const scale = lameScale(rate < 32_000 ? Math.min(bitrate, lowRatesMost) : bitrate)
  return scale === 1 ? [] : [`volume=${(1 / scale).toFixed(6)}`]
}

/** The highest bit rate of an MP3 below 32 kHz, in kilobits per second. */
const lowRatesMost = 160

/**
 * LAME's scale factor, which depends on the nearest standard bit rate: 160, 192, 224, or 256 and above.
 */
const lameScale = (bitrate: number): number =>
  bitrate <= 176 ? 0.95 : bitrate <= 208 ? 0.97 : bitrate <= 240 ? 0.98 : 1

export type LossyCoder = "aac" | "mp3" | "opus"

/** Default bit rates for speech, in kilobits per second and channel. */
export const speechBitrates: Readonly<Record<LossyCoder, number>> = { aac: 96, mp3: 96, opus: 64 }

/**
 * Maximum increase of peaks by an encoder, in dB, by minimum bit rate in kilobits per second and channel. `adds`
 * applies if speech is 15 LU or more below the peak limit. `perLu` is added for each LU closer, as harder limiting
 * makes encoders overshoot more. Measured on eleven voices of three engines at -20 to -10 LUFS. One peak in some
 * minutes of speech may still exceed it.
 */
const codingAdds: Readonly<
  Record<LossyCoder, ReadonlyArray<{ readonly from: number; readonly adds: number; readonly perLu: number }>>
> = {
  aac: [
    { from: 96, adds: 0.5, perLu: 0.15 },
    { from: 48, adds: 1.2, perLu: 0.15 },
    { from: 0, adds: 2.2, perLu: 0.3 }
  ],
  mp3: [
    { from: 192, adds: 0.2, perLu: 0 },
    { from: 96, adds: 0.5, perLu: 0.3 },
    { from: 64, adds: 1.7, perLu: 0.2 },
    { from: 0, adds: 2.2, perLu: 0.3 }
  ],
  opus: [
    { from: 128, adds: 0.5, perLu: 0.2 },
    { from: 48, adds: 0.7, perLu: 0.3 },
    { from: 0, adds: 1.1, perLu: 0.3 }
  ]
}

/**
 * Returns by how many dB to lower the peak limit, so that the decoded audio stays within it. `bitrate` is in kilobits
 * per second and channel. `above` is loudness minus limit in LU, which is negative.
 */
export const peakRoom = (coder: LossyCoder, bitrate: number, above: number): number => {
  const { adds = 0, perLu = 0 } = codingAdds[coder].find(({ from }) => bitrate >= from) ?? {}
  return adds + perLu * Math.max(0, above + 15)
}
