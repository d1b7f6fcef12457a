/** What encoders that leave something out must be told, and what they do to a level and to peaks. */
import type { SampleRate } from "../../domain/time/Units.ts"

/**
 * ffmpeg's own AAC encoder, for a stream such as `a:0`. The way in which it chooses what to leave out by default
 * distorts speech between silences: stretches with noise 6 dB below the voice, peaks 3 dB above those it was given. The
 * fast way makes 13 dB less of it at the same size.
 */
export const aacCoder = (stream: string): ReadonlyArray<string> => [`-aac_coder:${stream}`, "fast"]

/**
 * The filters that give an MP3 the level of what it is made from: its encoder makes all softer. `bitrate` is in
 * kilobits a second.
 */
export const mp3Level = (bitrate: number, rate: SampleRate): ReadonlyArray<string> => {
  const scale = lameScale(rate < 32_000 ? Math.min(bitrate, lowRatesMost) : bitrate)
  return scale === 1 ? [] : [`volume=${(1 / scale).toFixed(6)}`]
}

/** The most kilobits a second that an MP3 below 32 kHz can have. */
const lowRatesMost = 160

/**
 * LAME's factor, by the bit rate an MP3 can have that is nearest to the one asked for: 160, 192, 224 or 256 and above.
 */
const lameScale = (bitrate: number): number =>
  bitrate <= 176 ? 0.95 : bitrate <= 208 ? 0.97 : bitrate <= 240 ? 0.98 : 1

export type LossyCoder = "aac" | "mp3" | "opus"

/** Kilobits a second of a channel that suit speech. */
export const speechBitrates: Readonly<Record<LossyCoder, number>> = { aac: 96, mp3: 96, opus: 64 }

/**
 * By how many decibels peaks come out higher than they went in, at most, from so many kilobits a second and channel on:
 * where speech is up to 15 LU softer than its limit, and more for each LU that it is louder, since the harder peaks are
 * held the more an encoder makes of them. Measured on eleven voices of three engines at -20 to -10 LUFS; one peak in
 * some minutes of speech may still pass.
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
 * How many decibels lower peaks must be held so that those of what is decoded keep their limit. `bitrate` is in
 * kilobits a second and channel; `above` says how many LU the loudness stands above the limit, which is less than 0.
 */
export const peakRoom = (coder: LossyCoder, bitrate: number, above: number): number => {
  const { adds = 0, perLu = 0 } = codingAdds[coder].find(({ from }) => bitrate >= from) ?? {}
  return adds + perLu * Math.max(0, above + 15)
}
