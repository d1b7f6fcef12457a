/**
 * Reads a line's speech from its clips and stretches it to its length. Takes plain values and returns samples, so that
 * it runs on the main thread or in workers.
 */
import { plainSamplesIn } from "../../audio/formats/Int16.ts"
import { newBuffer, type Buffer32 } from "../../audio/kernels/BufferPool.ts"
import { floatsOf } from "../../audio/pcm/Pcm.ts"
import { resample } from "../../audio/pcm/Resampling.ts"
import { slowDown, speedUp } from "../../audio/speech/TimeStretch.ts"
import { edgeFade, fadeEdges } from "../../audio/speech/SpeechTrim.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { Frames, SampleRate } from "../../domain/time/Units.ts"
import type { ClipReader } from "../../store/files/ClipReader.ts"

/** A segment of a clip. */
export interface LineAudioPart {
  readonly utterance: UtteranceKey
  readonly checksum: string
  readonly rate: SampleRate
  /** First frame in the clip. */
  readonly from: number
  readonly to: number
  /** The factor that brings the segment to the common loudness of all lines. */
  readonly gain: number
}

/** A line's audio in the mix. */
export interface LineAudio {
  readonly parts: ReadonlyArray<LineAudioPart>
  /** Length in frames at the mix's rate; longer speech is sped up to it. */
  readonly length: Frames
  /** Shorter speech is slowed down to `length`. */
  readonly isSlower?: true
  /** Frames of silence between parts. */
  readonly gap: number
}

/** A clip that is missing or whose checksum does not match. */
export class ClipUnreadable extends Error {
  constructor(readonly utterance: UtteranceKey) {
    super(`clip ${utterance} is missing or damaged`)
  }
}

/** Returns a line's samples: `length` of them, or slightly fewer. Throws `ClipUnreadable` and file system errors. */
export const readLineAudio = (
  { parts, length, gap, isSlower }: LineAudio,
  rate: SampleRate,
  reader: ClipReader,
  allocate: Buffer32 = newBuffer
): Float32Array => {
  const pieces = parts.map((part) => pieceOf(part, rate, reader, allocate))
  const speech = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : joined(pieces, gap, allocate)
  if (isSlower === true) return slowDown({ rate, samples: speech }, length, allocate).samples
  return speech.length <= length ? speech : speedUp({ rate, samples: speech }, length, allocate).samples
}

const pieceOf = (
  part: LineAudioPart,
  rate: SampleRate,
  reader: ClipReader,
  allocate: Buffer32
): Float32Array => {
  const read = reader.read(part.utterance, part.checksum, (bytes) => {
    const samples = plainSamplesIn(bytes)?.subarray(part.from, part.to)
    return samples && floatsOf(samples, part.gain / 32_768, allocate(samples.length))
  })
  if (read === undefined) throw new ClipUnreadable(part.utterance)
  const { samples } = resample({ rate: part.rate, samples: read }, rate, allocate)
  fadeEdges(samples, Math.round((rate * edgeFade) / 1000))
  return samples
}

const joined = (pieces: ReadonlyArray<Float32Array>, gap: number, allocate: Buffer32): Float32Array => {
  const total = pieces.reduce((sum, piece) => sum + piece.length, gap * Math.max(0, pieces.length - 1))
  const samples = allocate(total).fill(0)
  let at = 0
  for (const piece of pieces) {
    samples.set(piece, at)
    at += piece.length + gap
  }
  return samples
}
