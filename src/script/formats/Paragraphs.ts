/** What plain text and Markdown share on the way to a narration's blocks. */
import { Block } from "../../domain/speech/Cue.ts"
import { SpeakerName } from "../../domain/values/Ids.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { withoutUnseen } from "../markup/CueLines.ts"
import { unspaced } from "../language/WritingSystems.ts"

/** A heading or paragraph of these words, or none where there are no words. */
export const blockOf = (
  kind: "heading" | "paragraph",
  text: string,
  line: number,
  speaker = ""
): ReadonlyArray<Block> => {
  const words = withoutUnseen(text).replace(/\s+/gu, " ").trim()
  const name = withoutUnseen(speaker).replace(/\s+/gu, " ").trim()
  if (words === "") return []
  return name === ""
    ? [Block.make({ kind, text: words, line }, skipValidation)]
    : [Block.make({ kind, text: words, line, speaker: SpeakerName.make(name) }, skipValidation)]
}

/** Lines wrapped by hand, as one; a word hyphenated at a line's end is whole again. */
export const unwrapped = (lines: ReadonlyArray<string>): string =>
  lines
    .map((line) => line.trim())
    .join("\n")
    .replace(/(?<=\p{Ll})[-\u2010]\n(?=\p{Ll})/gu, "")
    .replace(withoutSpace, "")
    .replace(/\n/gu, " ")

/** A line's end in a text that sets no spaces between words, or behind the signs of such a text. */
const withoutSpace = new RegExp(
  `(?<=${unspaced}|[\\u3001-\\u301f\\uff01-\\uff1f])\\n(?=${unspaced}|[\\u3001-\\u301f])`,
  "gu"
)
