/** Divides the M4A files of a mix into segments, and finds those that are encoded already. */
import { type Section, sectionBetween } from "../../../audio/pcm/Section.ts"
import { hasSamplesIn } from "../../../ffmpeg/encode/aac/AacPart.ts"
import { aacSegments, type StoredSegments } from "../../../ffmpeg/encode/aac/AacSegments.ts"
import { readSegment } from "../../../ffmpeg/encode/aac/SegmentFile.ts"
import { type AudioSink, framesWritten, rateOf } from "../../../ffmpeg/encode/EncodeJob.ts"
import type { EncodeRequest } from "../../../ffmpeg/encode/Encoder.ts"
import { digestOf } from "../../../store/files/Checksum.ts"
import type { MixFolder } from "./MixRecord.ts"

/**
 * Returns a request whose M4A files are encoded in segments, unless they are short. The frames of a segment are stored
 * under all that they depend on: the samples, whose digests `digestsOf` returns, and `encoder`, ffmpeg's version.
 */
export const inSegments = (
  folder: MixFolder,
  encoder: string,
  request: EncodeRequest,
  digestsOf: (sections: ReadonlyArray<Section>) => ReadonlyArray<string>
): EncodeRequest => {
  const { feed } = request
  const divided = (sink: AudioSink): AudioSink => {
    const [rate, length] = [rateOf(sink), framesWritten(feed, sink)]
    const segments = sink.format.format === "m4a" ? aacSegments(feed, { rate, frames: length }) : []
    if (segments.length < 2) return sink
    const digests = digestsOf(
      segments.map(({ begin, end }) => sectionBetween(begin, end, feed.frames, feed.rate))
    )
    const format = digestOf([encoder, feed.rate, feed.channels, rate, sink.format])
    return {
      ...sink,
      segments: segments.map((segment, at) => {
        const own = [format, segment, segment.end === feed.frames ? length : 0, digests[at]]
        const path = folder.pathOf(`${digestOf(own).slice(0, 32)}.aac`)
        return { ...segment, path, isKept: readSegment(path) !== undefined }
      })
    }
  }
  return { ...request, sinks: request.sinks.map(divided) }
}

/** Returns the sections with samples of segments that are yet to be encoded. */
export const sectionsToEncode = (
  requests: ReadonlyArray<EncodeRequest>,
  sections: ReadonlyArray<Section>
): ReadonlySet<number> => {
  const missing = segmentsOf(requests).filter(({ isKept }) => !isKept)
  return new Set(
    sections.flatMap((section, at) => (missing.some((segment) => hasSamplesIn(segment, section)) ? [at] : []))
  )
}

/** Deletes the frames of segments that these requests do not have, and what a killed process has left. */
export const removeOtherSegments = (folder: MixFolder, requests: ReadonlyArray<EncodeRequest>): void =>
  folder.removeOthers(/\.aac(?:\.|$)/u, new Set(segmentsOf(requests).map(({ path }) => path)))

const segmentsOf = (requests: ReadonlyArray<EncodeRequest>): StoredSegments =>
  requests.flatMap(({ sinks }) => sinks.flatMap(({ segments = [] }) => segments))
