/**
 * A line's speech from the clips that it was recorded in. Plain values in, samples out: it is done here or in threads.
 */
import { floatsOf } from "../../audio/kernels/Kernels.ts"
import { plainSamplesIn } from "../../audio/formats/Int16.ts"
import { newBuffer, type Buffer32 } from "../../audio/kernels/BufferPool.ts"
import { resample } from "../../audio/pcm/Resampling.ts"
import { speedUp } from "../../audio/speech/TimeStretch.ts"
import { edgeFade, fadeEdges } from "../../audio/speech/SpeechTrim.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { Frames, SampleRate } from "../../domain/time/Units.ts"
import type { ClipReader } from "../../store/files/ClipReader.ts"

/** A stretch of a clip. */
export interface LineAudioPart {
  readonly utterance: UtteranceKey
  readonly checksum: string
  readonly rate: SampleRate
  /** Its frames in the clip. */
  readonly from: number
  readonly to: number
  /** The factor that brings it to the loudness of all lines. */
  readonly gain: number
}

/** A line as it is heard. */
export interface LineAudio {
  readonly parts: ReadonlyArray<LineAudioPart>
  /** Frames that it is sped up to fit in, at the rate of the mix. */
  readonly length: Frames
  /** Frames of silence between its parts. */
  readonly gap: number
}

/** A clip that is gone, or is not what was written. */
export class ClipUnreadable extends Error {
  constructor(readonly utterance: UtteranceKey) {
    super(`clip ${utterance} is gone or damaged`)
  }
}

/** Its samples, as many as its length or a little fewer. Throws a ClipGone, and what the file system throws. */
export const readLineAudio = (
  { parts, length, gap }: LineAudio,
  rate: SampleRate,
  reader: ClipReader,
  room: Buffer32 = newBuffer
): Float32Array => {
  const pieces = parts.map((part) => pieceOf(part, rate, reader, room))
  const speech = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : joined(pieces, gap, room)
  return speech.length <= length ? speech : speedUp({ rate, samples: speech }, length, room).samples
}

const pieceOf = (part: LineAudioPart, rate: SampleRate, reader: ClipReader, room: Buffer32): Float32Array => {
  const read = reader.read(part.utterance, part.checksum, (bytes) => {
    const samples = plainSamplesIn(bytes)?.subarray(part.from, part.to)
    if (samples === undefined) return undefined
    const floats = room(samples.length)
    floatsOf(samples, part.gain / 32_768, floats)
    return floats
  })
  if (read === undefined) throw new ClipUnreadable(part.utterance)
  const { samples } = resample({ rate: part.rate, samples: read }, rate, room)
  fadeEdges(samples, Math.round((rate * edgeFade) / 1000))
  return samples
}

const joined = (pieces: ReadonlyArray<Float32Array>, gap: number, room: Buffer32): Float32Array => {
  const total = pieces.reduce((sum, piece) => sum + piece.length, gap * Math.max(0, pieces.length - 1))
  const samples = room(total).fill(0)
  let at = 0
  for (const piece of pieces) {
    samples.set(piece, at)
    at += piece.length + gap
  }
  return samples
}
