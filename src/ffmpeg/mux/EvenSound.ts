/**
 * Converts a film's own sound to the same channels and rate throughout. Broadcast recordings change them midway, such
 * as from stereo to 5.1. ffmpeg would then restart the filter graph: it would again fill the time since the start of
 * the film with silence, and lose what the other inputs have already sent.
 */
import { deliveryRate } from "../../domain/time/Units.ts"
import type { FfmpegJob } from "../process/FfmpegJob.ts"
import type { AudioStream } from "../probe/MediaInfo.ts"
import type { MuxRequest, MuxSources } from "./MuxRequest.ts"

/** The options of a film's input that make a job fail if sound changes its channels or rate, instead of restarting. */
export const unchangedSound = (
  { stretches = [] }: MuxRequest,
  { gains, made, even }: MuxSources
): ReadonlyArray<string> =>
  made === undefined && even === undefined && gains.length + stretches.length > 0
    ? ["-reinit_filter", "0"]
    : []

/** Whether a job failed because of `unchangedSound`. */
export const saysSoundChanges = (stderr: string): boolean =>
  /Changing audio frame properties on the fly/u.test(stderr)

/** Returns the input pad of one of the film's own sound tracks. */
export const ownSound = (
  { index }: AudioStream,
  { tracks, subtitles }: MuxRequest,
  { video, gains, even }: MuxSources
): string =>
  even === undefined
    ? `0:${index}`
    : `${1 + tracks.length + subtitles.length + gains.length}:a:${video.sounds.findIndex((own) => own.index === index)}`

/** Builds the job that writes the film's sound tracks to `target`. `options` are those of the film's input. */
export const evenSoundJob = (
  { video }: MuxRequest,
  { video: { sounds } }: MuxSources,
  options: ReadonlyArray<string>,
  target: string
): FfmpegJob => ({
  purpose: `convert the sound of ${video}`,
  inputs: [{ source: video, options }],
  // ffmpeg shifts a file so that its first packet is at zero. This one keeps the sound where it is.
  filters: [`anullsrc=sample_rate=${deliveryRate}:channel_layout=mono,atrim=end=0.1[start]`],
  outputs: [
    {
      target,
      options: [
        ...sounds.flatMap(({ index, channels }, place) => [
          ...["-map", `0:${index}`, `-filter:a:${place}`],
          `aformat=sample_rates=${deliveryRate}:channel_layouts=${layoutOf(channels)},atrim=start=0`
        ]),
        ...["-map", "[start]", "-c:a", "pcm_f32le", "-f", "nut", "-y"]
      ]
    }
  ],
  encodes: sounds.length
})

const layoutOf = (channels: number): string =>
  channels === 1 ? "mono" : channels < 6 ? "stereo" : channels < 8 ? "5.1" : "7.1"
