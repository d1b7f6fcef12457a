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
 * Returns the filter chains for ducking. In 5.1, the dialogue is in the centre: only that channel is lowered and gets
 * the voice, and the others pass as they are.
 *
 * They go from the pads `original`, `gains` and `voice` to the pad `out`, at 48 kHz and `length`
 * frames long. `place` makes the names of inner pads unique. `pauses` are filters that lengthen the original.
 */
export const duckFilters = (
  pads: { readonly original: string; readonly gains: string; readonly voice: string; readonly out: string },
  originalChannels: number,
  length: Frames,
  place: number,
  pauses: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  const name = (pad: string) => `[${pad}${place}]`
  const shaped = (layout: string) => `aformat=sample_fmts=dbl:sample_rates=48000:channel_layouts=${layout}`
  // Fill with silence where the original starts later than the picture, or has gaps.
  const original = [`[${pads.original}]aresample=48000:async=1:first_pts=0`, ...pauses].join(",")
  const gains = `[${pads.gains}]aresample=48000,atrim=start_sample=${around * 48},asetpts=PTS-STARTPTS`
  const end = `${limiter},apad,atrim=end_sample=${length}[${pads.out}]`
  if (duckedChannels(originalChannels) === 2) {
    const shape = shaped("stereo")
    return [
      `${original},${shape},apad${name("original")}`,
      `${gains},pan=stereo|c0=c0|c1=c0,${shape}${name("gains")}`,
      `${name("original")}${name("gains")}amultiply${name("lowered")}`,
      `[${pads.voice}]aresample=48000,${shape},apad${name("voice")}`,
      `${name("lowered")}${name("voice")}amerge=inputs=2,pan=stereo|c0=c0+c2|c1=c1+c3,${end}`
    ]
  }
  const mono = shaped("mono")
  return [
    `${original},${shaped("5.1")},apad,asplit${name("original")}${name("dialogue")}`,
    `${gains},${mono}${name("gains")}`,
    `${name("dialogue")}pan=mono|c0=c2,${mono}${name("centre")}`,
    `${name("centre")}${name("gains")}amultiply${name("lowered")}`,
    `[${pads.voice}]aresample=48000,${mono},apad${name("voice")}`,
    `${name("original")}${name("lowered")}${name("voice")}amerge=inputs=3,` +
      `pan=5.1|c0=c0|c1=c1|c2=c6+c7|c3=c3|c4=c4|c5=c5,${end}`
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
