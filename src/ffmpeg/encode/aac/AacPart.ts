/** Writes the samples of a section to the files from which segments are encoded. */
import { closeSync, openSync } from "node:fs"
import { sampleBytesOf } from "../../../audio/formats/WavHeader.ts"
import type { ChannelCount } from "../../../audio/pcm/Pcm.ts"
import type { Section } from "../../../audio/pcm/Section.ts"
import { writeAll } from "../WavWriter.ts"

/** A file for the samples of a segment, as 32-bit floats. */
export interface SegmentSamples {
  readonly path: string
  /** Its samples: from `begin` up to `end`, in frames of the programme. */
  readonly begin: number
  readonly end: number
  /** The offset of the first one in bytes. */
  readonly dataAt: number
}

/** An order to write the samples of an AAC file's segments, as far as they are to be encoded. */
export interface AacOrder {
  readonly kind: "aac"
  /** Where samples are written, for errors. */
  readonly path: string
  readonly channels: ChannelCount
  readonly segments: ReadonlyArray<SegmentSamples>
}

/** Whether a segment has samples of a section. */
export const hasSamplesIn = (
  { begin, end }: Pick<SegmentSamples, "begin" | "end">,
  { from, to }: Pick<Section, "from" | "to">
): boolean => begin < to && end > from

/** The end of a section: segments whose samples end there or before are complete. */
export interface SectionWritten {
  /** In frames of the programme. */
  readonly writtenTo: number
}

/** Writes one section. Throws file system errors. */
export class AacPart {
  private readonly files: ReadonlyArray<SegmentSamples & { readonly file: number }>
  private at: number

  constructor(
    private readonly order: AacOrder,
    private readonly section: Section
  ) {
    this.at = section.begin
    this.files = order.segments
      .filter((segment) => hasSamplesIn(segment, section))
      .map((segment) => ({ ...segment, file: openSync(segment.path, "r+") }))
  }

  /** Writes the next samples. */
  take(block: Float32Array): undefined {
    const { channels } = this.order
    const { at, section } = this
    this.at += block.length / channels
    for (const { file, begin, end, dataAt } of this.files) {
      const first = Math.max(at, begin, section.from)
      const last = Math.min(this.at, end, section.to)
      if (first >= last) continue
      const bytes = sampleBytesOf(block.subarray((first - at) * channels, (last - at) * channels))
      writeAll(file, bytes, dataAt + (first - begin) * channels * Float32Array.BYTES_PER_ELEMENT)
    }
  }

  outcome(): SectionWritten {
    return { writtenTo: this.section.to }
  }

  close(): void {
    for (const { file } of this.files) closeSync(file)
  }
}
