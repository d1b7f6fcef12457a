/** Builds the ffmpeg jobs for an AAC file in segments: one encodes a segment, one puts the joined frames in a file. */
import { aacDelay, aacFrameSamples } from "../../../audio/formats/AacFrames.ts"
import { chapterOptions } from "../Chapters.ts"
import {
  aacOptions,
  type AudioSink,
  type ChapterFile,
  chapterInputs,
  framesWritten,
  type LossyFormat,
  type PcmFeed,
  type PlacedSink,
  rateOf,
  tagsOf,
  wavInput
} from "../EncodeJob.ts"
import type { FfmpegJob } from "../../process/FfmpegJob.ts"
import type { AacSegment } from "./AacSegments.ts"

/** A sink in a lossy format. */
export interface LossySink extends AudioSink {
  readonly format: LossyFormat
}

/** Builds the job that encodes the samples in a WAV file to ADTS frames. */
export const segmentJob = (
  feed: PcmFeed,
  sink: LossySink,
  { begin, end, first }: AacSegment,
  wav: string,
  target: string
): FfmpegJob => {
  const rate = rateOf(sink)
  const isLast = end === feed.frames
  const length = framesWritten(feed, sink) - first * aacFrameSamples
  const filters = [
    ...(rate === feed.rate ? [] : [`aresample=${rate}`]),
    // No resampler guarantees the exact length.
    ...(isLast ? ["apad", `atrim=end_sample=${length}`] : [])
  ]
  return {
    purpose: `encode ${sink.path}`,
    inputs: [wavInput(wav)],
    filters: [],
    outputs: [
      {
        target,
        options: [
          ...(filters.length === 0 ? [] : ["-af", filters.join(",")]),
          ...aacOptions(feed, sink.format),
          ...["-f", "adts", "-y"]
        ]
      }
    ],
    encodes: 1,
    seconds: (end - begin) / feed.rate
  }
}

/** Builds the job that writes `frames` ADTS frames from standard input to an M4A file. */
export const joinJob = (
  feed: PcmFeed,
  { sink, part }: PlacedSink,
  frames: number,
  chapters: ChapterFile | undefined
): FfmpegJob => {
  const rate = rateOf(sink)
  const last = framesWritten(feed, sink) + aacDelay - (frames - 1) * aacFrameSamples
  return {
    purpose: `write ${sink.path}`,
    inputs: [
      // ADTS does not say how many samples the encoder has put before the sound.
      { source: "stdin", options: ["-itsoffset", `${-aacDelay / rate}`, "-f", "aac"] },
      ...chapterInputs(chapters)
    ],
    filters: [],
    outputs: [
      {
        target: part,
        options: [
          ...["-map", "0:a:0", "-c:a", "copy"],
          ...(chapters === undefined ? [] : chapterOptions(sink.format.format, chapters.chapters)),
          ...tagsOf(sink.tags ?? {}, sink.format.format),
          ...["-f", "ipod", "-y"]
        ],
        // Without it, the file has up to 21 ms of silence at its end.
        newer: [{ from: { major: 4, minor: 4 }, options: ["-bsf:a", lastDuration(frames, last)] }]
      }
    ],
    encodes: 0
  }
}

/** The bitstream filter that shortens the last of these frames to some samples. */
const lastDuration = (frames: number, samples: number): string =>
  `setts=duration=if(eq(N\\,${frames - 1})\\,DURATION*${samples}/${aacFrameSamples}\\,DURATION)`
