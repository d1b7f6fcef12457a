/**
 * Renders one section of a programme: reads its lines, mixes, limits and hands the samples to their sinks. Has few
 * imports, because worker threads load it.
 */
import { Limiter } from "../../audio/level/Limiter.ts"
import { Mixer, type MixBlock } from "../../audio/level/Mixer.ts"
import type { SectionMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import { BufferPool, type Buffer32 } from "../../audio/kernels/BufferPool.ts"
import type { Section } from "../../audio/pcm/Section.ts"
import type { Frames, SampleRate } from "../../domain/time/Units.ts"
import { SampleSinks, type OrderBytes, type RequestOrder } from "../../ffmpeg/encode/SampleSinks.ts"
import { BackgroundReader, type Bed } from "./BackgroundReader.ts"
import { ClipReader } from "../../store/files/ClipReader.ts"
import { readLineAudio, type LineAudio } from "./LineAudio.ts"
import { addVoices, restoreBackground, sharesOf } from "../../audio/level/BackgroundMix.ts"
import { edgeFade } from "../../audio/speech/SpeechTrim.ts"

/** Settings shared by all sections of a programme. */
export interface Mastering {
  readonly rate: SampleRate
  /** Channels of the voices; those of the result are the background's, if there is one. */
  readonly channels: 1 | 2
  readonly stems: number
  /** The gain factor, and the amplitude that no peak of the mix exceeds. Stems get the same gains as the mix. */
  readonly gain: number
  readonly ceiling: number
  /** The background, laid under the voices without their gain. Stems have no background. */
  readonly bed?: Bed
}

/** A line on the timeline. */
export interface MixLine {
  /** Frame of its first sample. */
  readonly at: Frames
  /** Unique in the programme; lines are added up in this order. */
  readonly order: number
  readonly pan: number
  /** Index of the stem that also gets the line. */
  readonly stem: number | undefined
  readonly speech: LineAudio
}

/** Buffers and clip reader for rendering sections one after the other. */
export class SectionRenderer {
  readonly reader: ClipReader
  /** Buffers for the speech of lines, freed once it has been mixed. */
  readonly speech = new BufferPool()
  /** Buffers for work on the whole section. */
  readonly work = new BufferPool()

  /** `clips` is the folder of clips. */
  constructor(clips: string) {
    this.reader = new ClipReader(clips)
  }

  /** Frees all buffers of the last section. */
  clear(): void {
    this.speech.freeAll()
    this.work.freeAll()
  }
}

/** Frames in a block of the mix. */
const blockFrames = 32_768

/**
 * Mixes a section's lines and stems block by block. `lines` must be in order of their start. A block is valid until the
 * next is requested. The caller clears the renderer.
 */
export function* mixedSection(
  { rate, channels, stems }: Pick<Mastering, "rate" | "channels" | "stems">,
  { begin, end }: Pick<Section, "begin" | "end">,
  lines: Iterable<MixLine>,
  { reader, speech: buffers, work }: SectionRenderer
): Generator<MixBlock> {
  const mixer = new Mixer({ from: begin, length: end, channels, stems }, work.take)
  const coming = lines[Symbol.iterator]()
  let next = coming.next()
  while (mixer.position < end) {
    for (; next.done !== true && next.value.at < mixer.position + blockFrames; next = coming.next()) {
      const { at, order, pan, stem, speech } = next.value
      const samples = readLineAudio(speech, rate, reader, buffers.take)
      buffers.hold(at + samples.length)
      mixer.add({ at, order, pan, stem, samples, gain: 1 })
    }
    yield mixer.render(blockFrames)
    buffers.free(mixer.position)
  }
}

/**
 * Renders a section into its sinks. Yields the bytes that each block makes, valid until the next step, and returns the
 * meters' measurements by order index.
 */
export function* renderSection(
  mastering: Mastering,
  section: Section,
  lines: Iterable<MixLine>,
  orders: ReadonlyArray<RequestOrder>,
  renderer: SectionRenderer
): Generator<ReadonlyArray<OrderBytes>, ReadonlyArray<SectionMeasurement | undefined>> {
  const { rate, channels, stems, gain, ceiling, bed } = mastering
  const sinks = new SampleSinks(orders, section, renderer.work.take)
  let layer: BackgroundLayer | undefined
  const laid = (voices: Float32Array) => layer?.lay(voices) ?? voices
  try {
    if (bed !== undefined)
      layer = new BackgroundLayer(bed, channels, ceiling, section.begin, renderer.work.take)
    const limiter = new Limiter(rate, channels, ceiling, gain, renderer.work.take)
    const followers = Array.from({ length: stems }, () => limiter.follower(renderer.work.take))
    for (const [whole, ...others] of mixedSection(mastering, section, lines, renderer))
      yield sinks.take([
        laid(limiter.push(whole)),
        ...followers.map((stem, at) => stem.push(others[at] ?? nothing))
      ])
    yield sinks.take([laid(limiter.flush()), ...followers.map((stem) => stem.flush())])
    if (layer !== undefined) yield sinks.take([layer.rest()])
    yield* sinks.rest()
    return sinks.outcomes()
  } finally {
    layer?.close()
    sinks.close()
    renderer.clear()
  }
}

const nothing = new Float32Array(0)

/**
 * Lays a background under the limited voices. Outside speech, the result is the background, sample for sample. In
 * speech, a limiter holds the sum's true peaks; its gain returns to 1 within the speech. Has few imports, since worker
 * threads load it.
 */

/** Lays the background of one section, block by block. The caller must close it. */
class BackgroundLayer {
  private readonly reader: BackgroundReader
  /** Reads the frames again that the limiter has delayed. */
  private readonly delayed: BackgroundReader
  private readonly limiter: Limiter
  /** The next frames to read and to return. */
  private position: number
  private returned: number

  /** `voices` is the number of the voices' channels, `begin` the section's first frame. */
  constructor(
    private readonly bed: Bed,
    private readonly voices: 1 | 2,
    ceiling: number,
    begin: number,
    allocate: Buffer32
  ) {
    const { track } = bed
    this.position = begin
    this.returned = begin
    this.limiter = new Limiter(track.rate, track.channels, ceiling, 1, allocate)
    this.reader = new BackgroundReader(bed, allocate)
    this.delayed = new BackgroundReader(bed, allocate)
  }

  /**
   * Takes the next frames of the voices. Returns those of the sum whose gain is settled, valid until the next call.
   */
  lay(voice: Float32Array): Float32Array {
    const frames = voice.length / this.voices
    const sum = this.reader.read(this.position, frames)
    addVoices(sum, this.bed.track.channels, voice, this.voices)
    this.position += frames
    return this.kept(this.limiter.push(sum))
  }

  /** Returns the frames that the limiter still holds. Do not call `lay` afterwards. */
  rest(): Float32Array {
    return this.kept(this.limiter.flush())
  }

  close(): void {
    this.reader.close()
    this.delayed.close()
  }

  /** Restores the original background in limited frames outside speech. */
  private kept(limited: Float32Array): Float32Array {
    const { channels, rate } = this.bed.track
    const frames = limited.length / channels
    const from = this.returned
    this.returned += frames
    const { gains, skipped } = this.limiter.settled
    if (gains === undefined || frames === 0) return limited
    const own = this.delayed.read(from, frames)
    const shares = sharesOf(this.bed.spoken, from, frames, rate, edgeFade)
    restoreBackground(limited, own, channels, shares, gains.subarray(skipped, skipped + frames))
    return limited
  }
}
