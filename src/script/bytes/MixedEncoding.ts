/**
 * Files of two encodings, as they come about where lines are pasted or files are joined: UTF-8, and lines of a code
 * page between.
 */
import iconv from "iconv-lite"
import { Notice } from "../../domain/speech/Cue.ts"
import { guessCodePage } from "./CodePage.ts"
import { isUtf8 } from "./Utf8.ts"
import { hasScript, scriptOf } from "../language/WritingSystems.ts"

/** Fewer lines than these that are UTF-8 do not prove that a file is. */
const fewest = 3

/**
 * The whole file as UTF-8, with a notice of what was not; undefined where most of the lines with letters beyond ASCII
 * are not UTF-8. A line most of whose such letters are UTF-8 holds broken ones; the others are read as their likeliest
 * code page.
 */
export const mixedUtf8 = (
  bytes: Uint8Array
): { readonly bytes: Uint8Array; readonly notices: ReadonlyArray<Notice> } | undefined => {
  const lines = linesOf(bytes)
  const high = [...lines.keys()].filter((at) => lines[at]?.some((byte) => byte > 127) === true)
  const wrong = high.filter((at) => !isUtf8(lines[at] ?? none))
  if (high.length - wrong.length < Math.max(fewest, wrong.length)) return undefined
  const foreign = wrong.filter((at) => isForeign(lines[at] ?? none))
  const sample = Buffer.concat(foreign.flatMap((at) => lines[at] ?? []))
  const page = guessCodePage(sample, likeIn(bytes)) ?? guessCodePage(sample)
  const read = new Set(page === undefined ? [] : foreign)
  const whole = Buffer.concat(
    lines.map((line, at) =>
      read.has(at) && page !== undefined ? Buffer.from(iconv.decode(Buffer.from(line), page)) : line
    )
  )
  const broken = wrong.filter((at) => !read.has(at))
  return {
    bytes: Buffer.from(new TextDecoder().decode(whole)),
    notices: [
      ...told(
        [...read],
        `not UTF-8 as the rest is: read as ${page ?? ""}; if that is wrong, save the file as UTF-8`
      ),
      ...told(broken, "bytes that are not UTF-8 were passed over")
    ]
  }
}

const none = new Uint8Array()

/** Tells whether a text's letters beyond ASCII are of a script that the rest of a file is written in. */
const likeIn = (bytes: Uint8Array): ((text: string) => boolean) => {
  const beyondAscii = (text: string): string => text.replace(/\p{ASCII}+/gu, "")
  const rest = beyondAscii(new TextDecoder().decode(bytes))
  return (text) => {
    const script = scriptOf(beyondAscii(text))
    return script === undefined || hasScript(rest, script)
  }
}

/** One notice for all lines, at the first of them. */
const told = (lines: ReadonlyArray<number>, what: string): ReadonlyArray<Notice> => {
  const first = lines[0]
  if (first === undefined) return []
  const others = lines.length === 1 ? "" : `, in this line and ${lines.length - 1} more`
  return [Notice.make({ line: first + 1, message: `${what}${others}` })]
}

/** Lines with their ends. */
const linesOf = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const lines: Array<Uint8Array> = []
  let from = 0
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
    lines.push(bytes.subarray(from, end + 1))
    from = end + 1
  }
  return [...lines, bytes.subarray(from)]
}

/** Whether the letters of a line that is not UTF-8 are another encoding's, and not UTF-8 with some that are broken. */
const isForeign = (line: Uint8Array): boolean => {
  const text = new TextDecoder().decode(line)
  const broken = text.match(/\ufffd/gu)?.length ?? 0
  return broken * 2 >= (text.match(/[\u{80}-\u{10ffff}]/gu)?.length ?? 0)
}
