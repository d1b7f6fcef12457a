/** The interface of speech recognisers, which write down what a clip says. */
import { Data, type Effect } from "effect"

/** What a recogniser heard. */
export interface RecognisedText {
  readonly text: string
  /** The language that it reports, as a tag or an English name. */
  readonly language?: string
}

/** Why a clip was not heard. */
export class RecognitionFailed extends Data.TaggedError("RecognitionFailed")<{
  /** `clip`: this clip only. `busy`, `unreachable`: worth another try. `unusable`: no clip can be heard. */
  readonly reason: "clip" | "busy" | "unreachable" | "unusable"
  /** One line that names the recogniser. */
  readonly detail: string
  /** Seconds that a server asks to wait. */
  readonly retryAfter?: number
}> {}

export interface Recogniser {
  /** Identifies the recogniser: another one may hear other words. Holds no key. */
  readonly identity: string
  /** Maximum number of clips transcribed at once. */
  readonly concurrency: number
  /** Transcribes a WAV file. `language` is a BCP 47 tag; if it is undefined, the recogniser detects the language. */
  readonly hear: (
    wav: Uint8Array,
    language: string | undefined
  ) => Effect.Effect<RecognisedText, RecognitionFailed>
}
