/** A clip: an utterance's audio as stored, and the segment of each part in it. */
import { Schema } from "effect"
import { UtteranceKey } from "../values/Ids.ts"
import { Frames, Lufs, SampleRate } from "../time/Units.ts"

/** Position of one part of an utterance in its clip, without leading and trailing silence. */
export class Segment extends Schema.Class<Segment>("Segment")({
  from: Frames,
  /** Exclusive end. Equal to `from` if the provider did not speak the part. */
  to: Frames,
  /** Integrated loudness of the segment. Short segments are padded, as BS.1770 requires. */
  loudness: Lufs,
  /** Highest absolute sample; 1 is full scale. */
  peak: Schema.NonNegative,
  /** Where each of the part's words begins in the clip, if that was found: words are what spaces separate. */
  words: Schema.optional(Schema.Array(Frames))
}) {}

/** Returns whether the part contains any speech. */
export const isSaid = ({ from, to }: Segment): boolean => to > from

/** How the parts of a clip were separated; "alignment" is by word times that were found in the clip itself. */
export const CutMethod = Schema.Literal("whole", "transcript", "alignment", "silence", "together")
export type CutMethod = typeof CutMethod.Type

/** A clip: 16-bit mono PCM in a WAV file named by the utterance's key. */
export class Clip extends Schema.Class<Clip>("Clip")({
  key: UtteranceKey,
  rate: SampleRate,
  frames: Frames,
  /** SHA-256 of the file's bytes, in hexadecimal. */
  checksum: Schema.String,
  /** One segment per part, or a single one for all parts if `cut` is "together". */
  segments: Schema.NonEmptyArray(Segment),
  cut: CutMethod,
  /** The engine that spoke it, if the service says so. */
  engine: Schema.optionalWith(Schema.String, { exact: true, nullable: true })
}) {}
