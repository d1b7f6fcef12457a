/** Turns a job's placements into plain lines for rendering, each with its start and the clip segments it plays. */
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
import type { PcmFeed } from "../../ffmpeg/encode/EncodeJob.ts"
import type { BackgroundTrack } from "../plan/media/JobBackground.ts"
import type { Bed } from "./BackgroundReader.ts"
import { ClipMissing } from "./ClipMissing.ts"
import { pieceGap } from "../place/LinePlacement.ts"
import type { MixLine } from "./SectionRenderer.ts"
import { ClipUnreadable, type LineAudio, readLineAudio } from "./LineAudio.ts"

/** The input of a mix. */
export interface Programme {
  readonly placements: ReadonlyArray<Placement>
  readonly clips: ReadonlyMap<UtteranceKey, Clip>
  /** Sample rate of the mix in Hz: the background's, else 24 or 48 kHz, the highest of its clips. */
  readonly rate: SampleRate
  /** Length in frames at that rate. */
  readonly length: Frames
  /** Channels of the voices: mono, also for the centre of 5.1; or stereo. */
  readonly channels: 1 | 2
  /** A speaker's position in a stereo mix, -1 (left) to 1 (right). */
  readonly panOf: (speaker: SpeakerName | undefined) => number
  /** Music and effects under the voices. */
  readonly background?: BackgroundTrack | undefined
}

/** The samples of a programme as its files get them. */
export const feedOf = ({ rate, channels, length, background }: Programme): PcmFeed => ({
  rate,
  channels: background?.channels ?? channels,
  frames: length,
  ...(background === undefined ? {} : { keepsIntegers: true })
})

/** The background with the times of speech over it; nothing for a programme without one. */
export const bedOf = ({ background, placements }: Programme): { readonly bed?: Bed } =>
  background === undefined
    ? {}
    : { bed: { track: background, spoken: placements.map(({ start, end }) => ({ start, end })) } }

/** Loudness to which every clip is brought before mixing, in LUFS; leaves headroom for two voices at once. */
const lineLoudness = -20

/** Largest change of a clip's level, in dB: anything fainter is noise, not speech. */
const maxGain = 24

/** Returns a segment's loudness in the mix: `lineLoudness`, or as close to it as `maxGain` allows. */
export const mixedLoudness = (recorded: Lufs): Lufs =>
  Lufs.make(Math.max(recorded - maxGain, Math.min(recorded + maxGain, lineLoudness)))

/**
 * Yields the lines that sound between two frames, in order of their start, lazily, since a film has thousands. Only
 * speakers listed in `stems` get a stem. Throws `ClipUnreadable`.
 */
export function* mixLinesIn(
  programme: Programme,
  { begin, end }: Pick<Section, "begin" | "end">,
  stems: ReadonlyArray<SpeakerName | undefined>
): Generator<MixLine> {
  const { placements, rate } = programme
  // A cheap test first skips most lines.
  const from = (begin * 1000) / rate - 1
  const to = (end * 1000) / rate + 1
  for (let order = 0; order < placements.length; order++) {
    const placement = placements[order]
    if (placement === undefined || placement.end < from || placement.start > to) continue
    const at = framesAt(placement.start, rate)
    const behind = framesAt(placement.end, rate)
    if (behind <= begin || at >= end) continue
    const stem = stems.indexOf(placement.speaker)
    yield {
      at,
      order,
      pan: programme.panOf(placement.speaker),
      stem: stem < 0 ? undefined : stem,
      speech: lineAudioOf(programme, placement, framesBetween(at, behind))
    }
  }
}

/** Describes a placement's speech at the common loudness, at most `length` frames long. Throws `ClipUnreadable`. */
const lineAudioOf = (
  { clips, rate }: Pick<Programme, "clips" | "rate">,
  { parts, speed }: Pick<Placement, "parts" | "speed">,
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
  ...(speed < 1 ? { isSlower: true } : {}),
  gap: framesAt(pieceGap, rate)
})

/** Renders the samples of a placement's speech, into a buffer from `allocate` unless its speed changes. */
export const renderPlacement = Effect.fnUntraced(function* (
  programme: Pick<Programme, "clips" | "rate">,
  placement: Pick<Placement, "parts" | "speed">,
  length: Frames,
  allocate: Buffer32 = newBuffer
) {
  const folder = yield* ClipFolder
  const samples = yield* folder.reading((reader) => {
    try {
      return readLineAudio(lineAudioOf(programme, placement, length), programme.rate, reader, allocate)
    } catch (cause) {
      if (cause instanceof ClipUnreadable) return cause
      throw cause
    }
  })
  return samples instanceof ClipUnreadable
    ? yield* new ClipMissing({ utterance: samples.utterance })
    : samples
})

/** Converts a programme's length to another rate, rounded up to whole frames. */
export const lengthAt = (deliveryFrames: Frames, delivery: SampleRate, rate: SampleRate): Frames =>
  frames(Math.ceil((deliveryFrames * rate) / delivery))
