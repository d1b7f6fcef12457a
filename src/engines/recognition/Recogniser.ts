/** The interface of speech recognisers, which transcribe clips. */
import type { Effect } from "effect"
import type { HelperFailed } from "../helpers/HelperFailed.ts"

/** The transcript by a recogniser. */
export interface RecognisedText {
  readonly text: string
  /** The language that it reports, as a tag or an English name. */
  readonly language?: string
}

export interface Recogniser {
  /** Identifies the recogniser: another one may hear other words. Holds no key. */
  readonly identity: string
  /** Maximum number of clips transcribed at once. */
  readonly concurrency: number
  /** Transcribes a WAV file. `language` is a BCP 47 tag; if it is undefined, the recogniser detects the language. */
  readonly hear: (
    wav: Uint8Array,
    language: string | undefined
  ) => Effect.Effect<RecognisedText, HelperFailed>
}
