/**
 * The original sound lowered under the voice, and both together.
 *
 * The voice is first amplified until it clips, so that loud and soft speech push the compressor alike and the original
 * is lowered by the same amount wherever someone speaks. That key reaches the compressor twice: once ahead of the voice
 * by the length of the fade, so that the original has faded when the voice begins, and once in time with it, so that the
 * original does not come back before the voice has ended.
 */
import { type Frames, type Millis, millis } from "../domain/Units.ts"

/** How far the original is lowered, and how gently. */
export interface Duck {
  /** Decibels by which the original is lowered while someone speaks: 1 to 40. */
  readonly amount: number
  /** How long it takes to fade down and up again: 1 ms to 3 s. */
  readonly fade: Millis
}

/** Ducking that suits speech over music and effects. */
export const usualDuck: Duck = { amount: 12, fade: millis(300) }

/** How many channels the sum has: the original's, as stereo or 5.1. */
export const duckedChannels = (originalChannels: number): 2 | 6 => (originalChannels >= 6 ? 6 : 2)

/**
 * The filter chains from the pads `original` and `voice` to the pad `out`: 48 kHz, as long as `length` frames. `place`
 * keeps the names of inner pads apart where there are several.
 */
export const duckFilters = (
  duck: Duck,
  pads: { readonly original: string; readonly voice: string; readonly out: string },
  originalChannels: number,
  length: Frames,
  place: number
): ReadonlyArray<string> => {
  const channels = duckedChannels(originalChannels)
  const layout = channels === 6 ? "5.1" : "stereo"
  const shape = `aformat=sample_fmts=dbl:sample_rates=48000:channel_layouts=${layout}`
  const amount = within(duck.amount, 1, 40)
  const fade = within(duck.fade, 1, 3_000)
  const threshold = 10 ** (-amount / (1 - 1 / ratio) / 20)
  const release = within((fade * releasePerFade) / amount, 1, 9_000)
  const name = (pad: string) => `[${pad}${place}]`
  return [
    `[${pads.original}]${shape},apad${name("original")}`,
    `[${pads.voice}]aresample=48000,asplit=2${name("spoken")}${name("key")}`,
    `${name("key")}aformat=channel_layouts=mono,volume=40dB,aformat=sample_fmts=s16,pan=stereo|c0=c0|c1=c0,` +
      `atrim=start_sample=${fade * 48},asetpts=PTS-STARTPTS,adelay=0|${fade},apad,aformat=sample_fmts=dbl${name("keys")}`,
    `${name("original")}${name("keys")}sidechaincompress=threshold=${threshold.toFixed(6)}:ratio=${ratio}:attack=${fade}:` +
      `release=${release.toFixed(2)}:knee=1:detection=peak:link=maximum${name("lowered")}`,
    `${name("spoken")}${channels === 6 ? "aformat=channel_layouts=mono,pan=5.1|FC=c0," : ""}${shape},apad${name("voice")}`,
    `${name("lowered")}${name("voice")}amerge=inputs=2,pan=${layout}|${sumOf(channels)},${limiter},` +
      `apad,atrim=end_sample=${length}[${pads.out}]`
  ]
}

/** The compressor's ratio: the highest that ffmpeg takes. */
const ratio = 20

/**
 * The compressor's level falls by 8.7 dB in each quarter of its release time, from full scale to a threshold that lies
 * `amount` (and a twentieth) below: so many times the fade, divided by the amount, make a release that lasts the fade.
 */
const releasePerFade = 33

/** Peaks of the sum are held at -1 dB. It answers 239 frames late, with its attack of 5 ms at 48 kHz; these are cut. */
const limiter = "alimiter=limit=0.891:attack=5:release=50:level=0,atrim=start_sample=239,asetpts=PTS-STARTPTS"

const sumOf = (channels: number): string =>
  Array.from({ length: channels }, (_, channel) => `c${channel}=c${channel}+c${channel + channels}`).join("|")

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))
