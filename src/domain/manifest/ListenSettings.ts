/** Manifest settings for checking what clips say with a speech recogniser: `listen`. */
import { Schema } from "effect"
import { optional } from "./FieldDescription.ts"
import { HttpAddress } from "./ServiceSettings.ts"

/** A recogniser: a program, or a server with OpenAI's transcription endpoint. */
export const ListenSettings = Schema.Struct({
  command: optional(
    Schema.NonEmptyArray(Schema.NonEmptyString),
    "A program and its arguments, run without a shell. {audio} is the clip, a WAV file; {language} is its language. It prints the words as text or JSON."
  ),
  baseUrl: optional(
    HttpAddress,
    "The URL of a server with /audio/transcriptions, such as https://stt.example/v1; default: DUBWRIGHT_LISTEN_URL. Its key is read from DUBWRIGHT_LISTEN_KEY only."
  ),
  model: optional(Schema.NonEmptyTrimmedString, "The server's model; default whisper-1."),
  timeout: optional(
    Schema.Number.pipe(Schema.between(1, 3_600)),
    "Maximum seconds for one clip; default 120."
  ),
  concurrency: optional(
    Schema.Int.pipe(Schema.between(1, 64)),
    "Maximum number of clips transcribed at once; default 4 for a server, 1 for a program."
  ),
  reroll: optional(
    Schema.Boolean,
    "Speak clips with wrong words again, within the allowance for bad takes; default true."
  )
})
export type ListenSettings = typeof ListenSettings.Type
