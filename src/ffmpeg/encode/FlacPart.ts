/** Encodes one section of a FLAC file. */
import { flacBlockOf } from "../../audio/formats/FlacFrameHeader.ts"
import { FlacFrames, type FrameSizes } from "../../audio/formats/FlacFrames.ts"
import {
  type ConvertedPart,
  convertPart,
  OutputConverter,
  type UnconvertedPart
} from "../../audio/formats/OutputConversion.ts"
import type { Buffer32 } from "../../audio/kernels/BufferPool.ts"
import type { RenderedSection } from "../../audio/pcm/Section.ts"

/** An order to encode a FLAC file's frames. */
export interface FlacOrder {
  readonly kind: "flac"
  /** The final path. */
  readonly path: string
  readonly from: UnconvertedPart
  /** The programme's length in frames. */
  readonly length: number
  readonly to: ConvertedPart & { readonly depth: 16 | 24 }
  /** Whether the file has a checksum of its samples, so that these are passed on, too. */
  readonly isChecked: boolean
}

/** Encodes the samples of a section, which begins with a frame. */
export class FlacPart {
  private readonly converter: OutputConverter
  /** Undefined if the frames of the section are kept. */
  private readonly frames: FlacFrames | undefined
  private readonly isChecked: boolean
  private samples: Uint8Array = nothing

  constructor({ from, length, to, isChecked }: FlacOrder, section: RenderedSection, allocate: Buffer32) {
    const part = convertPart(to, from.rate, length, section)
    this.isChecked = isChecked
    this.converter = new OutputConverter(from, part, allocate)
    const format = { rate: to.rate, channels: from.channels, depth: to.depth }
    if (section.isKept !== true) this.frames = new FlacFrames(format, part.part.at / flacBlockOf(to.rate))
  }

  take(block: Float32Array): Uint8Array {
    this.samples = this.converter.push(block)
    return this.frames?.push(this.samples) ?? nothing
  }

  *rest(): Generator<Uint8Array> {
    for (const samples of this.converter.rest()) {
      this.samples = samples
      yield this.frames?.push(samples) ?? nothing
    }
    this.samples = nothing
    yield this.frames?.finish() ?? nothing
  }

  checked(): Uint8Array {
    return this.isChecked ? this.samples : nothing
  }

  outcome(): FrameSizes | "kept" {
    return this.frames?.sizes ?? "kept"
  }
}

const nothing = new Uint8Array(0)
