/** Helpers shared by plain text and Markdown: text blocks, and joining hard-wrapped lines. */
import { Block } from "../../../domain/speech/Cue.ts"
import { SpeakerName } from "../../../domain/values/Ids.ts"
import { skipValidation } from "../../../domain/values/SkipValidation.ts"
import { withoutUnseen } from "../../markup/CueLines.ts"
import { unspaced } from "../../language/WritingSystems.ts"

/** Returns one heading or paragraph; empty if the text is blank. */
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

/** Joins hard-wrapped lines into one; rejoins words hyphenated at a line's end. */
export const unwrapped = (lines: ReadonlyArray<string>): string =>
  lines
    .map((line) => line.trim())
    .join("\n")
    .replace(/(?<=\p{Ll})[-\u2010]\n(?=\p{Ll})/gu, "")
    .replace(withoutSpace, "")
    .replace(/\n/gu, " ")

/** A line break between characters of a script without spaces, or after its punctuation. */
const withoutSpace = new RegExp(
  `(?<=${unspaced}|[\\u3001-\\u301f\\uff01-\\uff1f])\\n(?=${unspaced}|[\\u3001-\\u301f])`,
  "gu"
)
