/**
 * A section of a programme made: lines read, added up, brought to their level, and handed on. It loads little: threads
 * do it.
 */
import type { SectionMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import { Limiter } from "../../audio/level/Limiter.ts"
import { type MixBlock, Mixer } from "../../audio/level/Mixer.ts"
import { BufferPool } from "../../audio/kernels/BufferPool.ts"
import type { Section } from "../../audio/pcm/Section.ts"
import type { Frames, SampleRate } from "../../domain/time/Units.ts"
import { SampleSinks, type RequestOrder } from "../../ffmpeg/encode/SampleSinks.ts"
import { ClipReader } from "../../store/files/ClipReader.ts"
import { type LineAudio, readLineAudio } from "./LineAudio.ts"

/** What all sections of a programme have in common. */
export interface Mastering {
  readonly rate: SampleRate
  readonly channels: 1 | 2
  readonly stems: number
  /**
   * The factor that all samples are multiplied by, and the amplitude that no peak of the whole passes: stems get the
   * same gains.
   */
  readonly gain: number
  readonly ceiling: number
}

/** A line on the timeline. */
export interface MixLine {
  /** The frame of its first sample. */
  readonly at: Frames
  /** Unique among the programme's lines: in this order they are added up. */
  readonly order: number
  readonly pan: number
  /** The stem that also gets it, from 0. */
  readonly stem: number | undefined
  readonly speech: LineAudio
}

/** What sections are made with, one after the other. */
export class SectionRenderer {
  readonly reader: ClipReader
  /** For the speech of lines, until it has been heard. */
  readonly speech = new BufferPool()
  /** For what works on all of a section. */
  readonly work = new BufferPool()

  /** The folder of clips. */
  constructor(clips: string) {
    this.reader = new ClipReader(clips)
  }

  /** Nothing of the last section is needed any more. */
  clear(): void {
    this.speech.freeAll()
    this.work.freeAll()
  }
}

/** Frames in a block of the mix. */
const blockFrames = 32_768

/**
 * The sum of a section's lines and its stems, block by block, from where its samples begin to where they end. Lines
 * stand in the order of their start. A block is valid until the next is asked for. Who asks for them clears the desk.
 */
export function* mixedSection(
  { rate, channels, stems }: Pick<Mastering, "rate" | "channels" | "stems">,
  { begin, end }: Pick<Section, "begin" | "end">,
  lines: Iterable<MixLine>,
  { reader, speech: rooms, work }: SectionRenderer
): Generator<MixBlock> {
  const mixer = new Mixer({ from: begin, length: end, channels, stems }, work.take)
  const coming = lines[Symbol.iterator]()
  let next = coming.next()
  while (mixer.position < end) {
    for (; next.done !== true && next.value.at < mixer.position + blockFrames; next = coming.next()) {
      const { at, order, pan, stem, speech } = next.value
      const samples = readLineAudio(speech, rate, reader, rooms.take)
      rooms.hold(at + samples.length)
      mixer.add({ at, order, pan, stem, samples, gain: 1 })
    }
    yield mixer.render(blockFrames)
    rooms.free(mixer.position)
  }
}

/**
 * Makes a section and does what is ordered with it, a block a step; returns what the orders heard. `feed` is as for
 * Hands.
 */
export function* renderSection(
  mastering: Mastering,
  section: Section,
  lines: Iterable<MixLine>,
  orders: ReadonlyArray<RequestOrder>,
  desk: SectionRenderer,
  feed: (order: number, bytes: Uint8Array) => void
): Generator<void, ReadonlyArray<SectionMeasurement | undefined>> {
  const { rate, channels, stems, gain, ceiling } = mastering
  const hands = new SampleSinks(orders, section, feed, desk.work.take)
  try {
    const limiter = new Limiter(rate, channels, ceiling, gain, desk.work.take)
    const followers = Array.from({ length: stems }, () => limiter.follower(desk.work.take))
    for (const [whole, ...others] of mixedSection(mastering, section, lines, desk)) {
      hands.take([limiter.push(whole), ...followers.map((stem, at) => stem.push(others[at] ?? nothing))])
      yield
    }
    hands.take([limiter.flush(), ...followers.map((stem) => stem.flush())])
    return hands.finish()
  } finally {
    hands.close()
    desk.clear()
  }
}

const nothing = new Float32Array(0)
