/**
 * Splits a programme into segments whose AAC frames are encoded on their own: on several cores, and again only where
 * the sound has changed. The segments depend on nothing but the programme's length and the rates, so that a file has
 * the same bytes whichever of them were encoded again.
 */
import { aacDelay, aacFrameSamples } from "../../../audio/formats/AacFrames.ts"
import { greatestCommonDivisor } from "../../../audio/pcm/Resampling.ts"

/** A segment. Numbers of frames are those of AAC frames in the file. */
export interface AacSegment {
  /** The samples that its encoder gets: from `begin` up to `end`, in frames of the programme. */
  readonly begin: number
  readonly end: number
  /** The first frame that its encoder makes. */
  readonly first: number
  /** The first frame that the file takes from it, unless the segment before must go on a little. */
  readonly from: number
  /** The frame after the last that the file takes from it. */
  readonly to: number
}

/** The segments of a file, and where their frames are stored for its next version. */
export type StoredSegments = ReadonlyArray<
  AacSegment & {
    readonly path: string
    /** Whether its frames are there already. */
    readonly isKept: boolean
  }
>

/** A number of samples per channel, and their rate in hertz. */
interface Length {
  readonly rate: number
  readonly frames: number
}

/**
 * Shortest segment in seconds: long enough that the start of a process and the run-in are a twentieth of its work,
 * short enough to be encoded again in half a second.
 */
const segmentSeconds = 120

/** Run-in before a segment, in AAC frames: the encoder's bit rate and its choice of windows settle in two seconds. */
const runIn = 94

/** Frames after a segment's end in which the next segment can take over. */
export const joinFrames = 40

/** Run-out after these frames: the encoder looks two frames ahead. */
const runOut = 8

/** Returns the segments of a programme; a single one if it is short. `to` is the file's length and rate. */
export const aacSegments = (
  from: Length,
  to: Length,
  seconds: number = segmentSeconds
): ReadonlyArray<AacSegment> => {
  const unit = to.rate / greatestCommonDivisor(from.rate, to.rate)
  // Segments begin where samples of the programme and of the file coincide.
  const step = unit / greatestCommonDivisor(unit, aacFrameSamples)
  const stepped = (frames: number) => Math.ceil(frames / step) * step
  const length = stepped((seconds * to.rate) / aacFrameSamples)
  const all = Math.ceil((to.frames + aacDelay) / aacFrameSamples)
  const count = Math.max(1, Math.floor(all / length))
  const sampleOf = (frame: number) => (frame * aacFrameSamples * from.rate) / to.rate
  return Array.from({ length: count }, (_, at) => {
    const first = Math.max(0, at * length - stepped(runIn))
    const isLast = at === count - 1
    const next = (at + 1) * length
    return {
      begin: sampleOf(first),
      end: isLast ? from.frames : Math.min(from.frames, Math.ceil(sampleOf(next + joinFrames + runOut))),
      first,
      from: at * length,
      to: isLast ? all : next
    }
  })
}
