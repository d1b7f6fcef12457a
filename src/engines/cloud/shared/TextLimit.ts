/** Counts a text as providers do, and refuses a text over the limit before it is sent. */
import { Effect } from "effect"
import { SpeechFailed } from "../../Engine.ts"

/** A limit of the text of one request. */
export interface TextLimit {
  /** Code points, bytes of UTF-8, or code points with Han characters counted twice. */
  readonly unit: "characters" | "bytes" | "characters-han-double"
  readonly most: number
}

/** Returns a text's length in a unit. */
export const textLength = (text: string, unit: TextLimit["unit"]): number => {
  switch (unit) {
    case "characters":
      return Array.from(text).length
    case "bytes":
      return new TextEncoder().encode(text).length
    case "characters-han-double":
      return Array.from(text).length + (text.match(/\p{Script=Han}/gu)?.length ?? 0)
  }
}

/** Returns the number of characters of any language that surely fit. */
export const charactersWithin = ({ unit, most }: TextLimit): number => {
  switch (unit) {
    case "characters":
      return most
    // Most writing systems need at most three bytes for a character.
    case "bytes":
      return Math.floor(most / 3)
    case "characters-han-double":
      return Math.floor(most / 2)
  }
}

/** Fails if a text is over the limit. */
export const checkLength = (engine: string, text: string, { unit, most }: TextLimit) => {
  const length = textLength(text, unit)
  if (length <= most) return Effect.void
  const counted = unit === "bytes" ? "bytes" : "characters"
  const detail = `the text has ${length} ${counted}, more than the maximum of ${most}; split it`
  return new SpeechFailed({ engine, reason: "too-long", detail })
}
