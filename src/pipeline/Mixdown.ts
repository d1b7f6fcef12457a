/**
 * The sum of a job's clips as a stream of blocks: clips read as they are needed, brought to one loudness, sped up where their
 * placement says so, and added up. Memory depends on how much sounds at once, never on the film's length.
 */
import { Effect, Either, Option, Stream } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import { type MixBlock, type MixEvent, Mixer } from "../audio/Mix.ts"
import { fromInt16, gainOf, type Pcm } from "../audio/Pcm.ts"
import { resampled } from "../audio/Resample.ts"
import { Rooms } from "../audio/Rooms.ts"
import { spedUp } from "../audio/Stretch.ts"
import { edgeFade, fadeEdges } from "../audio/Trim.ts"
import { int16In } from "../audio/Wav.ts"
import type { Clip } from "../domain/Clip.ts"
import type { SpeakerName, UtteranceKey } from "../domain/Ids.ts"
import type { ClipPart, Placement } from "../domain/Placement.ts"
import { type Frames, frames, framesAt, framesBetween, Lufs, type SampleRate } from "../domain/Units.ts"
import { ClipFolder } from "../store/ClipFolder.ts"
import type { StateUnusable } from "../store/StateFault.ts"
import { ClipMissing } from "./ClipMissing.ts"
import { pieceGap } from "./Place.ts"

/** What is mixed. */
export interface Programme {
  readonly placements: ReadonlyArray<Placement>
  readonly clips: ReadonlyMap<UtteranceKey, Clip>
  /** The rate of the mix: 24 or 48 kHz, the highest of its clips. */
  readonly rate: SampleRate
  /** Length in frames at that rate. */
  readonly length: Frames
  readonly channels: 1 | 2
  /** A speaker's place in a stereo mix, -1 to 1. */
  readonly panOf: (speaker: SpeakerName | undefined) => number
}

/** The loudness that every clip is brought to before the mix, in LUFS; leaves headroom for two voices at once. */
const lineLoudness = -20

/** A clip is never raised or lowered by more than this, in dB: what is fainter is noise, not speech. */
const mostGain = 24

/** Frames in a block of the mix. */
const blockFrames = 32_768

/** What a segment's loudness is in the mix: that of all lines, unless it lies too far off to be brought there. */
export const mixedLoudness = (recorded: Lufs): Lufs =>
  Lufs.make(Math.max(recorded - mostGain, Math.min(recorded + mostGain, lineLoudness)))

type MixFault = StateUnusable | ClipMissing

/**
 * The sum of all clips, block by block, with a stem for each of the speakers that are given. Placements stand in the order of their
 * start. A block is valid until the next is asked for.
 */
export const mixOf = (
  programme: Programme,
  stems: ReadonlyArray<SpeakerName | undefined> = []
): Stream.Stream<MixBlock, MixFault, ClipFolder> =>
  Stream.suspend(() => {
    const { placements, rate, length, channels } = programme
    const mixer = new Mixer({ length, channels, stems: stems.length })
    const rooms = new Rooms()
    let next = 0
    return Stream.repeatEffectOption(
      Effect.gen(function* () {
        if (mixer.position >= length) return yield* Effect.fail(Option.none())
        const first = next
        const until = mixer.position + blockFrames
        const begins = (placement: Placement | undefined) =>
          placement !== undefined && framesAt(placement.start, rate) < until
        while (begins(placements[next])) next++
        yield* Effect.forEach(
          placements.slice(first, next),
          (placement, at) =>
            Effect.map(eventOf(programme, placement, first + at, stems, rooms.take), (event) => {
              rooms.hold(event.at + event.samples.length)
              mixer.add(event)
            }),
          { discard: true }
        ).pipe(Effect.mapError(Option.some))
        const block = mixer.render(blockFrames)
        rooms.free(mixer.position)
        return block
      })
    )
  })

const eventOf = Effect.fnUntraced(function* (
  programme: Programme,
  placement: Placement,
  order: number,
  stems: ReadonlyArray<SpeakerName | undefined>,
  room: Room
) {
  const { rate } = programme
  const at = framesAt(placement.start, rate)
  const length = framesBetween(at, framesAt(placement.end, rate))
  const samples = yield* speechOf(programme, placement, length, room)
  const stem = stems.indexOf(placement.speaker)
  const event: MixEvent = {
    at,
    samples,
    gain: 1,
    pan: programme.panOf(placement.speaker),
    order,
    ...(stem < 0 ? {} : { stem })
  }
  return event
})

/** A placement's speech at its speed, as long as `length` or a little shorter, brought to the loudness of all lines. */
export const speechOf = Effect.fnUntraced(function* (
  { clips, rate }: Pick<Programme, "clips" | "rate">,
  { parts }: Pick<Placement, "parts">,
  length: Frames,
  room: Room = newRoom
) {
  const pieces = yield* Effect.forEach(parts, (part) => partOf(clips, part, rate, room))
  const [first] = pieces
  const speech = pieces.length === 1 ? first : joined(pieces, framesAt(pieceGap, rate))
  return speech.length <= length ? speech : spedUp({ rate, samples: speech }, length).samples
})

/** Where so many samples may be written. */
export type Room = (length: number) => Float32Array

const newRoom: Room = (length) => new Float32Array(length)

const partOf = Effect.fnUntraced(function* (
  clips: ReadonlyMap<UtteranceKey, Clip>,
  { utterance, segment }: ClipPart,
  rate: SampleRate,
  room: Room
) {
  const folder = yield* ClipFolder
  const clip = clips.get(utterance)
  const heard = clip?.segments[segment]
  if (clip === undefined || heard === undefined) return yield* ClipMissing.make({ utterance })
  const gain = gainOf(mixedLoudness(heard.loudness) - heard.loudness)
  const read = yield* folder.read(clip, (bytes) =>
    Either.map(int16In(bytes), (wav): Pcm => {
      const from = Math.min(heard.from, wav.samples.length)
      const to = Math.min(heard.to, wav.samples.length)
      return { rate: wav.rate, samples: fromInt16(wav.samples.subarray(from, to), gain, room(to - from)) }
    })
  )
  if (read === undefined || Either.isLeft(read)) return yield* ClipMissing.make({ utterance })
  const { samples } = resampled(read.right, rate)
  fadeEdges(samples, Math.round((rate * edgeFade) / 1000))
  return samples
})

const joined = (pieces: NonEmptyReadonlyArray<Float32Array>, gap: number): Float32Array => {
  const total = pieces.reduce((sum, piece) => sum + piece.length, gap * (pieces.length - 1))
  const samples = new Float32Array(total)
  let at = 0
  for (const piece of pieces) {
    samples.set(piece, at)
    at += piece.length + gap
  }
  return samples
}

/** The length of a programme in frames at a rate: whole frames that hold all of it. */
export const lengthAt = (deliveryFrames: Frames, delivery: SampleRate, rate: SampleRate): Frames =>
  frames(Math.ceil((deliveryFrames * rate) / delivery))
