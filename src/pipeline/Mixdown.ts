/** What a job's mix is made of: its placements as lines of plain values, for whoever makes a section of it. */
import { Effect, Either } from "effect"
import type { Section } from "../audio/Section.ts"
import { gainOf } from "../audio/Pcm.ts"
import type { Clip } from "../domain/Clip.ts"
import type { SpeakerName, UtteranceKey } from "../domain/Ids.ts"
import type { Placement } from "../domain/Placement.ts"
import { type Frames, frames, framesAt, framesBetween, Lufs, type SampleRate } from "../domain/Units.ts"
import { ClipFolder } from "../store/ClipFolder.ts"
import { ClipMissing } from "./ClipMissing.ts"
import { pieceGap } from "./Place.ts"
import type { MixLine } from "./SectionMaking.ts"
import { ClipGone, type Speech, type SpeechPart, speechOf } from "./Speech.ts"

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

/** What a segment's loudness is in the mix: that of all lines, unless it lies too far off to be brought there. */
export const mixedLoudness = (recorded: Lufs): Lufs =>
  Lufs.make(Math.max(recorded - mostGain, Math.min(recorded + mostGain, lineLoudness)))

/** Where a clip's file stands. */
type PathOf = (key: UtteranceKey) => string

/** The lines that sound between two frames, in the order of their start; for the stems of the speakers that are given. */
export const linesIn = (
  programme: Programme,
  { begin, end }: Pick<Section, "begin" | "end">,
  stems: ReadonlyArray<SpeakerName | undefined>,
  pathOf: PathOf
): Either.Either<ReadonlyArray<MixLine>, ClipMissing> => {
  const { rate } = programme
  return Either.all(
    soundingIn(programme, begin, end).flatMap(({ placement, order }) => {
      const at = framesAt(placement.start, rate)
      const behind = framesAt(placement.end, rate)
      if (behind <= begin || at >= end) return []
      const stem = stems.indexOf(placement.speaker)
      return Either.map(
        speechIn(programme, placement, framesBetween(at, behind), pathOf),
        (speech): MixLine => ({
          at,
          order,
          pan: programme.panOf(placement.speaker),
          speech,
          ...(stem < 0 ? {} : { stem })
        })
      )
    })
  )
}

/** The placements that may sound between two frames, with their places among all. A film has many: each is looked at but briefly. */
const soundingIn = ({ placements, rate }: Programme, begin: number, end: number) => {
  const from = (begin * 1000) / rate - 1
  const to = (end * 1000) / rate + 1
  const found: Array<{ readonly placement: Placement; readonly order: number }> = []
  for (const [order, placement] of placements.entries())
    if (placement.end >= from && placement.start <= to) found.push({ placement, order })
  return found
}

/** A placement's speech, as long as `length` or a little shorter, at the loudness of all lines. */
const speechIn = (
  { clips, rate }: Pick<Programme, "clips" | "rate">,
  { parts }: Pick<Placement, "parts">,
  length: Frames,
  pathOf: PathOf
): Either.Either<Speech, ClipMissing> =>
  Either.map(
    Either.all(
      parts.map(({ utterance, segment }): Either.Either<SpeechPart, ClipMissing> => {
        const clip = clips.get(utterance)
        const heard = clip?.segments[segment]
        if (clip === undefined || heard === undefined) return Either.left(new ClipMissing({ utterance }))
        return Either.right({
          utterance,
          path: pathOf(utterance),
          checksum: clip.checksum,
          rate: clip.rate,
          from: heard.from,
          to: heard.to,
          gain: gainOf(mixedLoudness(heard.loudness) - heard.loudness)
        })
      })
    ),
    (spoken): Speech => ({ parts: spoken, length, gap: framesAt(pieceGap, rate) })
  )

/** The samples of a placement's speech. */
export const spoken = Effect.fnUntraced(function* (
  programme: Pick<Programme, "clips" | "rate">,
  placement: Pick<Placement, "parts">,
  length: Frames
) {
  const folder = yield* ClipFolder
  const speech = yield* speechIn(programme, placement, length, folder.pathOf)
  const samples = yield* folder.reading((reader) => {
    try {
      return speechOf(speech, programme.rate, reader)
    } catch (cause) {
      if (cause instanceof ClipGone) return cause
      throw cause
    }
  })
  return samples instanceof ClipGone ? yield* new ClipMissing({ utterance: samples.utterance }) : samples
})

/** The length of a programme in frames at a rate: whole frames that hold all of it. */
export const lengthAt = (deliveryFrames: Frames, delivery: SampleRate, rate: SampleRate): Frames =>
  frames(Math.ceil((deliveryFrames * rate) / delivery))
