/**
 * The sum of a job's clips as a stream of blocks: clips read as they are needed, brought to one loudness, sped up where their
 * placement says so, and added up. Memory depends on how much sounds at once, never on the film's length.
 */
import { Effect, Either, Stream } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import { type MixEvent, Mixer } from "../audio/Mix.ts"
import { gainOf, type Pcm, scaled, sliceOf } from "../audio/Pcm.ts"
import { resampled } from "../audio/Resample.ts"
import { spedUp } from "../audio/Stretch.ts"
import { edgeFade, faded } from "../audio/Trim.ts"
import { decodeWav } from "../audio/Wav.ts"
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
const blockFrames = 16_384

/** What a segment's loudness is in the mix: that of all lines, unless it lies too far off to be brought there. */
export const mixedLoudness = (recorded: Lufs): Lufs =>
  Lufs.make(Math.max(recorded - mostGain, Math.min(recorded + mostGain, lineLoudness)))

type MixFault = StateUnusable | ClipMissing

/** The sum of all clips, block by block. */
export const mixOf = (programme: Programme): Stream.Stream<Float32Array, MixFault, ClipFolder> =>
  Stream.suspend(() => {
    const mixer = new Mixer({ length: programme.length, channels: programme.channels, stems: 0 })
    /** Renders up to where the next event must be added, lazily: a long pause is never held as a whole. */
    const until = function* (at: number): Generator<Float32Array> {
      while (mixer.position < programme.length && at >= mixer.position + blockFrames)
        yield mixer.render(blockFrames)[0]
    }
    const events = Stream.fromIterable(programme.placements.entries()).pipe(
      Stream.rechunk(1),
      Stream.mapEffect(([order, placement]) => eventOf(programme, placement, order))
    )
    return events.pipe(
      Stream.flatMap((event) =>
        Stream.fromIteratorSucceed(until(event.at), 1).pipe(
          Stream.concat(Stream.execute(Effect.sync(() => mixer.add(event))))
        )
      ),
      Stream.concat(Stream.suspend(() => Stream.fromIteratorSucceed(until(Infinity), 1)))
    )
  })

const eventOf = Effect.fnUntraced(function* (programme: Programme, placement: Placement, order: number) {
  const { rate } = programme
  const at = framesAt(placement.start, rate)
  const samples = yield* speechOf(programme, placement, framesBetween(at, framesAt(placement.end, rate)))
  const event: MixEvent = { at, samples, gain: 1, pan: programme.panOf(placement.speaker), order }
  return event
})

/** A placement's speech at its speed, exactly so many frames long, brought to the loudness of all lines. */
export const speechOf = Effect.fnUntraced(function* (
  { clips, rate }: Pick<Programme, "clips" | "rate">,
  { parts }: Pick<Placement, "parts">,
  length: Frames
) {
  const pieces = yield* Effect.forEach(parts, (part) => partOf(clips, part, rate))
  const [first] = pieces
  const speech = pieces.length === 1 ? first : joined(pieces, framesAt(pieceGap, rate))
  return spedUp({ rate, samples: speech }, length).samples
})

const partOf = Effect.fnUntraced(function* (
  clips: ReadonlyMap<UtteranceKey, Clip>,
  { utterance, segment }: ClipPart,
  rate: SampleRate
) {
  const folder = yield* ClipFolder
  const clip = clips.get(utterance)
  const heard = clip?.segments[segment]
  const bytes = clip === undefined ? undefined : yield* folder.read(clip)
  if (heard === undefined || bytes === undefined) return yield* ClipMissing.make({ utterance })
  const whole = yield* Either.match(decodeWav(bytes), {
    onLeft: () => ClipMissing.make({ utterance }),
    onRight: (pcm) => Effect.succeed(pcm)
  })
  const decibels = mixedLoudness(heard.loudness) - heard.loudness
  const speech: Pcm = resampled(sliceOf(whole, heard.from, heard.to), rate)
  return scaled(faded(speech.samples, Math.round((rate * edgeFade) / 1000)), gainOf(decibels))
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
