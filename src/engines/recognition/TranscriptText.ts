/** Reads the words from the output of recognisers: plain text, or JSON of several shapes. */
import { Either, Option, Schema } from "effect"
import type { RecognisedText } from "./Recogniser.ts"

const Text = Schema.Struct({ text: Schema.String })
const Texts = Schema.Array(Text)
const Language = Schema.optional(Schema.NullOr(Schema.String))

/** OpenAI, faster-whisper and Vosk have `text`; segments alone are whisper.cpp's `transcription`, or a bare list. */
const Shape = Schema.Union(
  Schema.Struct({ text: Schema.String, language: Language }),
  Schema.Struct({ transcription: Texts, language: Language }),
  Schema.Struct({ segments: Texts, language: Language }),
  Texts,
  Schema.String
)

const readJson = Schema.decodeUnknownOption(Schema.parseJson())
const readShape = Schema.decodeUnknownOption(Shape)

/** Maximum characters of a transcript that are kept. */
const longest = 20_000

/** Parses a JSON transcript; the left side is the error. */
export const jsonTranscript = (text: string): Either.Either<RecognisedText, string> => {
  const json = readJson(text)
  if (Option.isNone(json)) return Either.left(`not JSON: "${excerpt(text)}"`)
  return Option.match(readShape(json.value), {
    onNone: () => Either.left(`JSON without a text: "${excerpt(text)}"`),
    onSome: (shape) => {
      if (typeof shape === "string") return Either.right({ text: plain(shape) })
      const language = "language" in shape ? (shape.language ?? undefined) : undefined
      const segments =
        "text" in shape
          ? [shape]
          : "transcription" in shape
            ? shape.transcription
            : "segments" in shape
              ? shape.segments
              : shape
      return Either.right({
        text: plain(segments.map((segment) => segment.text).join(" ")),
        ...(language === undefined ? {} : { language })
      })
    }
  })
}

/** Reads a program's output: JSON if it is an object or a list, else text, with or without whisper.cpp's times. */
export const printedTranscript = (text: string): Either.Either<RecognisedText, string> =>
  /^\s*[[{]/u.test(text) && Option.isSome(readJson(text))
    ? jsonTranscript(text)
    : Either.right({ text: plain(text.replace(/^[ \t]*\[[\d:., >-]+\]/gmu, " ")) })

/** One line without control characters, such as a terminal's escape sequences. */
const plain = (text: string): string =>
  text
    .replace(/\u001b\[[\d;]*[A-Za-z]/gu, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, longest)

const excerpt = (text: string): string => plain(text).slice(0, 80)
