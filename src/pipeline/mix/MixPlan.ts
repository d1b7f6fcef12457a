/** What a job's mix is made of: its placements as lines of plain values, for whoever makes a section of it. */
import { Effect } from "effect"
import type { Section } from "../../audio/pcm/Section.ts"
import { gainOf } from "../../audio/pcm/Pcm.ts"
import { newBuffer, type Buffer32 } from "../../audio/kernels/BufferPool.ts"
import type { Clip } from "../../domain/speech/Clip.ts"
import type { SpeakerName, UtteranceKey } from "../../domain/values/Ids.ts"
import type { Placement } from "../../domain/speech/Placement.ts"
import {
  type Frames,
  frames,
  framesAt,
  framesBetween,
  Lufs,
  type SampleRate
} from "../../domain/time/Units.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { ClipMissing } from "./ClipMissing.ts"
import { pieceGap } from "../place/LinePlacement.ts"
import type { MixLine } from "./SectionRenderer.ts"
import { ClipUnreadable, type LineAudio, readLineAudio } from "./LineAudio.ts"

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

/**
 * The lines that sound between two frames, in the order of their start, each when it is asked for: a film has
 * thousands. For the stems of the speakers that are given. Throws a ClipGone.
 */
export function* mixLinesIn(
  programme: Programme,
  { begin, end }: Pick<Section, "begin" | "end">,
  stems: ReadonlyArray<SpeakerName | undefined>
): Generator<MixLine> {
  const { placements, rate } = programme
  // Others are looked at but briefly.
  const from = (begin * 1000) / rate - 1
  const to = (end * 1000) / rate + 1
  for (const [order, placement] of placements.entries()) {
    if (placement.end < from || placement.start > to) continue
    const at = framesAt(placement.start, rate)
    const behind = framesAt(placement.end, rate)
    if (behind <= begin || at >= end) continue
    const stem = stems.indexOf(placement.speaker)
    yield {
      at,
      order,
      pan: programme.panOf(placement.speaker),
      stem: stem < 0 ? undefined : stem,
      speech: speechIn(programme, placement, framesBetween(at, behind))
    }
  }
}

/** A placement's speech, as long as `length` or a little shorter, at the loudness of all lines. Throws a ClipGone. */
const speechIn = (
  { clips, rate }: Pick<Programme, "clips" | "rate">,
  { parts }: Pick<Placement, "parts">,
  length: Frames
): LineAudio => ({
  parts: parts.map(({ utterance, segment }) => {
    const clip = clips.get(utterance)
    const heard = clip?.segments[segment]
    if (clip === undefined || heard === undefined) throw new ClipUnreadable(utterance)
    return {
      utterance,
      checksum: clip.checksum,
      rate: clip.rate,
      from: heard.from,
      to: heard.to,
      gain: gainOf(mixedLoudness(heard.loudness) - heard.loudness)
    }
  }),
  length,
  gap: framesAt(pieceGap, rate)
})

/** The samples of a placement's speech, in a room where they need not be sped up. */
export const planMix = Effect.fnUntraced(function* (
  programme: Pick<Programme, "clips" | "rate">,
  placement: Pick<Placement, "parts">,
  length: Frames,
  room: Buffer32 = newBuffer
) {
  const folder = yield* ClipFolder
  const samples = yield* folder.reading((reader) => {
    try {
      return readLineAudio(speechIn(programme, placement, length), programme.rate, reader, room)
    } catch (cause) {
      if (cause instanceof ClipUnreadable) return cause
      throw cause
    }
  })
  return samples instanceof ClipUnreadable
    ? yield* new ClipMissing({ utterance: samples.utterance })
    : samples
})

/** The length of a programme in frames at a rate: whole frames that hold all of it. */
export const lengthAt = (deliveryFrames: Frames, delivery: SampleRate, rate: SampleRate): Frames =>
  frames(Math.ceil((deliveryFrames * rate) / delivery))
