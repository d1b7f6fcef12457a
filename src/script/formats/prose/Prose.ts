/** Parses plain text and Markdown into a narration. */
import { Either } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import { Narration, type Notice, ScriptFault } from "../../../domain/speech/Cue.ts"
import { markdownBlocks } from "./Markdown.ts"
import { textBlocks } from "./PlainText.ts"

/** Parses a file's text; fails if it contains no words. */
export const readProse = (
  text: string,
  format: "text" | "markdown"
): Either.Either<Narration, NonEmptyReadonlyArray<ScriptFault>> => {
  const notices: Array<Notice> = []
  const blocks = format === "markdown" ? markdownBlocks(text, notices) : textBlocks(text, notices)
  return blocks.some((block) => /[\p{L}\p{N}]/u.test(block.text))
    ? Either.right(Narration.make({ format, blocks, notices }))
    : Either.left([
        ScriptFault.make({
          line: 1,
          found: "",
          expected: "no words to speak; expected text in paragraphs"
        })
      ])
}
