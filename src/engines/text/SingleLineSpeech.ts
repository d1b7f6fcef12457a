/** Prepares a text as one line for engines that take it whole; `normalise` writes out numbers and abbreviations. */
import { Effect } from "effect"
import { type SpeechRequest, SpeechFailed } from "../Engine.ts"
import { normalizeText } from "./TextNormalization.ts"

/** How to prepare a text. */
export interface Preparation {
  readonly engine: string
  /** Whether to write out numbers, dates, units and abbreviations, in the languages that support it. */
  readonly normalise: boolean
  /** The voice's language, used if the request names none. */
  readonly language: string
  /** Maximum code points. */
  readonly maxChars: number
}

/** Returns one line of text without control characters. Fails if it has nothing to say or is too long. */
export const singleLineSpeech = (request: SpeechRequest, how: Preparation) => {
  const tokens = normalizeText(request.text, request.language ?? how.language)
  const failed = (reason: "nothing-to-say" | "too-long", detail: string) =>
    Effect.fail(new SpeechFailed({ engine: how.engine, reason, detail }))
  if (!tokens.some(({ spoken }) => spoken !== ""))
    return failed("nothing-to-say", "the text has nothing to speak; expected at least one word or number")
  const text = how.normalise
    ? tokens.map(({ gap, spoken }) => (gap === "" ? spoken : ` ${spoken}`)).join("")
    : request.text
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim()
  const length = Array.from(line).length
  return length > how.maxChars
    ? failed(
        "too-long",
        `the text has ${length} characters, more than the maximum of ${how.maxChars}; split it`
      )
    : Effect.succeed(line)
}
