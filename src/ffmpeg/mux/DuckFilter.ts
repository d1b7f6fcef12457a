/** ffmpeg filters that duck the original sound under the voice and mix both. */
import { Iterable } from "effect"
import { type Duck, gainsUnder, type SpokenSpan } from "../../audio/level/Ducking.ts"
import { sampleBytesOf } from "../../audio/formats/WavHeader.ts"
import type { Frames, Micros } from "../../domain/time/Units.ts"
import type { JobInput } from "../process/FfmpegJob.ts"

/** Returns the channels of the mix: 5.1 if the original has six or more, else stereo. */
export const duckedChannels = (originalChannels: number): 2 | 6 => (originalChannels >= 6 ? 6 : 2)

/**
 * Milliseconds of gains to add before the start and after the end, since resampling treats whatever is beyond as
 * silence.
 */
const around = 100

/** Yields the bytes of a gain file for a film of this length: one gain per millisecond. */
export const gainBytes = (
  spoken: ReadonlyArray<SpokenSpan>,
  duck: Duck,
  length: Micros
): Iterable<Uint8Array> =>
  Iterable.map(
    gainsUnder(spoken, duck, { from: -around, to: Math.ceil(length / 1_000) + around }),
    sampleBytesOf
  )

/** Returns the ffmpeg input for a gain file. */
export const gainsInput = (path: string): JobInput => ({
  source: path,
  options: ["-f", "f32le", "-ar", "1000", "-ac", "1"]
})

/**
 * Returns the filter chains from the pads `original`, `gains` and `voice` to the pad `out`, at 48 kHz and `length`
 * frames long. `place` makes the names of inner pads unique.
 */
export const duckFilters = (
  pads: { readonly original: string; readonly gains: string; readonly voice: string; readonly out: string },
  originalChannels: number,
  length: Frames,
  place: number
): ReadonlyArray<string> => {
  const channels = duckedChannels(originalChannels)
  const layout = channels === 6 ? "5.1" : "stereo"
  const shape = `aformat=sample_fmts=dbl:sample_rates=48000:channel_layouts=${layout}`
  const name = (pad: string) => `[${pad}${place}]`
  return [
    // Fill with silence where the original starts later than the picture, or has gaps.
    `[${pads.original}]aresample=48000:async=1:first_pts=0,${shape},apad${name("original")}`,
    `[${pads.gains}]aresample=48000,atrim=start_sample=${around * 48},asetpts=PTS-STARTPTS,` +
      `pan=${layout}|${everywhere(channels)},${shape}${name("gains")}`,
    `${name("original")}${name("gains")}amultiply${name("lowered")}`,
    `[${pads.voice}]aresample=48000,${channels === 6 ? "aformat=channel_layouts=mono,pan=5.1|FC=c0," : ""}${shape},apad${name("voice")}`,
    `${name("lowered")}${name("voice")}amerge=inputs=2,pan=${layout}|${sumOf(channels)},${limiter},` +
      `apad,atrim=end_sample=${length}[${pads.out}]`
  ]
}

/**
 * Limits true peaks of the mix to -1 dBTP. ffmpeg's limiter sees only sample peaks, so it runs at four times the rate
 * (ITU-R BS.1770). Its limit is 0.2 dB lower, because downsampling raises peaks. With its attack of 5 ms at 192 kHz it
 * delays by 959 frames, which are trimmed.
 */
const limiter =
  "aresample=192000,alimiter=limit=0.871:attack=5:release=50:level=0," +
  "atrim=start_sample=959,asetpts=PTS-STARTPTS,aresample=48000"

const everywhere = (channels: number): string =>
  Array.from({ length: channels }, (_, channel) => `c${channel}=c0`).join("|")

const sumOf = (channels: number): string =>
  Array.from({ length: channels }, (_, channel) => `c${channel}=c${channel}+c${channel + channels}`).join("|")
