/** A text in one line for engines that take it whole: written out where they cannot do so themselves. */
import { Effect } from "effect"
import { type SpeechRequest, SpeechFailed } from "../Engine.ts"
import { normalizeText } from "./TextNormalization.ts"

/** How a text is prepared. */
export interface Preparation {
  readonly engine: string
  /** Whether numbers, dates, units and abbreviations are written out, where that is known for the language. */
  readonly normalise: boolean
  /** Of the voice asked for, where the request names no language. */
  readonly language: string
  /** Code points at most. */
  readonly maxChars: number
}

/** One line of text without control characters; fails if it says nothing or is too long. */
export const singleLineSpeech = (
  request: SpeechRequest,
  how: Preparation
): Effect.Effect<string, SpeechFailed> => {
  const tokens = normalizeText(request.text, request.language ?? how.language)
  const failed = (reason: "nothing-to-say" | "too-long", detail: string) =>
    Effect.fail(new SpeechFailed({ engine: how.engine, reason, detail }))
  if (!tokens.some(({ spoken }) => spoken !== "")) {
    return failed(
      "nothing-to-say",
      "the text has nothing that can be said: expected at least one word or number"
    )
  }
  const text = how.normalise
    ? tokens.map(({ gap, spoken }) => (gap === "" ? spoken : ` ${spoken}`)).join("")
    : request.text
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim()
  const length = Array.from(line).length
  return length > how.maxChars
    ? failed("too-long", `the text has ${length} characters: at most ${how.maxChars} are taken`)
    : Effect.succeed(line)
}
