/** An utterance's audio as it is kept, and where in it each part is heard. */
import { Schema } from "effect"
import { UtteranceKey } from "../values/Ids.ts"
import { Frames, Lufs, SampleRate } from "../time/Units.ts"

/** Where one part of an utterance is heard in its clip: speech only, outer silence trimmed. */
export class Segment extends Schema.Class<Segment>("Segment")({
  from: Frames,
  /** Past the last frame; `from` itself where the provider did not say the part. */
  to: Frames,
  /** Integrated loudness of the segment (short ones padded as BS.1770 needs). */
  loudness: Lufs,
  /** Highest absolute sample, 1 is full scale. */
  peak: Schema.NonNegative
}) {}

/** Whether a part is heard at all. */
export const isSaid = ({ from, to }: Segment): boolean => to > from

/** How the parts of a clip were told apart. */
export const CutMethod = Schema.Literal("whole", "transcript", "silence", "together")
export type CutMethod = typeof CutMethod.Type

/** A clip: 16-bit mono PCM in a WAV file named by the utterance's key. */
export class Clip extends Schema.Class<Clip>("Clip")({
  key: UtteranceKey,
  rate: SampleRate,
  frames: Frames,
  /** SHA-256 of the file's bytes, in hexadecimal. */
  checksum: Schema.String,
  /** One segment a part; with `cut` "together" a single one for all parts. */
  segments: Schema.NonEmptyArray(Segment),
  cut: CutMethod
}) {}
