/** Reads files of studios' formats in tests, and shows their cues. */
import { Either } from "effect"
import { type ReadOptions, readScript } from "../../../../src/script/ScriptFile.ts"

/** The bytes of a text. */
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The script of a file; fails the test if it is rejected. */
export const scriptIn = (file: string, content: string | Uint8Array, options: ReadOptions = {}) =>
  Either.getOrThrowWith(
    readScript(typeof content === "string" ? bytesOf(content) : content, file, options),
    (rejected) => new Error(rejected.message)
  )

/** Start, end, text and speaker of each cue; of a narration, the text and speaker of each block. */
export const cuesIn = (file: string, content: string | Uint8Array, options: ReadOptions = {}) => {
  const script = scriptIn(file, content, options)
  return script._tag === "Subtitle"
    ? script.cues.map(({ start, end, text, speaker }) => [
        start,
        end,
        text,
        ...(speaker === undefined ? [] : [speaker])
      ])
    : script.blocks.map(({ text, speaker }) => [text, ...(speaker === undefined ? [] : [speaker])])
}

/** The notices of a file. */
export const noticesIn = (file: string, content: string | Uint8Array, options: ReadOptions = {}) =>
  scriptIn(file, content, options).notices.map(({ line, message }) => `${line}: ${message}`)

/** Why a file is rejected. */
export const rejectionOf = (file: string, content: string | Uint8Array, options: ReadOptions = {}): string =>
  Either.getOrThrow(
    Either.flip(readScript(typeof content === "string" ? bytesOf(content) : content, file, options))
  ).message
