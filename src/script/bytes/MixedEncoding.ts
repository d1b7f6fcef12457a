/** Files in mixed encodings: UTF-8 with some lines in a legacy code page, as when files are joined or lines pasted. */
import { Array } from "effect"
import iconv from "iconv-lite"
import { Notice } from "../../domain/speech/Cue.ts"
import { guessCodePage } from "./CodePage.ts"
import { isUtf8 } from "./Utf8.ts"
import { hasScript, scriptOf } from "../language/WritingSystems.ts"

/**
 * Fewest non-ASCII characters in the UTF-8 lines of a file that counts as UTF-8. Text in a code page is hardly ever
 * valid UTF-8 by chance: none of 60,000 real lines in 18 code pages is.
 */
const fewest = 2

/**
 * Converts the whole file to UTF-8, and reports the lines that were not UTF-8. Returns undefined if most lines with
 * non-ASCII letters are not UTF-8. An invalid line that is mostly UTF-8 counts as damaged and loses its invalid bytes;
 * other invalid lines are decoded with their likeliest code page.
 */
export const mixedUtf8 = (
  bytes: Uint8Array
): { readonly bytes: Uint8Array; readonly notices: ReadonlyArray<Notice> } | undefined => {
  const lines = linesOf(bytes)
  const high = [...lines.keys()].filter((at) => lines[at]?.some((byte) => byte > 127) === true)
  const [wrong, valid] = Array.partition(high, (at) => isUtf8(lines[at] ?? none))
  const characters = valid.reduce((sum, at) => sum + leadBytes(lines[at] ?? none), 0)
  if (valid.length < wrong.length || characters < fewest) return undefined
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
      ...notices(
        [...read],
        `not UTF-8, unlike the rest of the file: read as ${page ?? ""}; if that is wrong, save the file as UTF-8`
      ),
      ...notices(broken, "skipped bytes that are not UTF-8")
    ]
  }
}

const none = new Uint8Array()

/** Counts the non-ASCII characters of valid UTF-8. */
const leadBytes = (line: Uint8Array): number => line.reduce((sum, byte) => sum + (byte >= 0xc0 ? 1 : 0), 0)

/** Returns a test for whether a text's non-ASCII letters are in a script that occurs in the rest of the file. */
const likeIn = (bytes: Uint8Array): ((text: string) => boolean) => {
  const beyondAscii = (text: string): string => text.replace(/\p{ASCII}+/gu, "")
  const rest = beyondAscii(new TextDecoder().decode(bytes))
  return (text) => {
    const script = scriptOf(beyondAscii(text))
    return script === undefined || hasScript(rest, script)
  }
}

/** One notice for all lines, placed at the first. */
const notices = (lines: ReadonlyArray<number>, what: string): ReadonlyArray<Notice> => {
  const first = lines[0]
  if (first === undefined) return []
  const others = lines.length === 1 ? "" : ` (this line and ${lines.length - 1} more)`
  return [Notice.make({ line: first + 1, message: `${what}${others}` })]
}

/** Splits bytes into lines, each including its line end. */
const linesOf = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const lines: globalThis.Array<Uint8Array> = []
  let from = 0
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
    lines.push(bytes.subarray(from, end + 1))
    from = end + 1
  }
  return [...lines, bytes.subarray(from)]
}

/** Whether a line that is not valid UTF-8 is in another encoding, as opposed to damaged UTF-8. */
const isForeign = (line: Uint8Array): boolean => {
  const text = new TextDecoder().decode(line)
  const broken = text.match(/\ufffd/gu)?.length ?? 0
  return broken * 2 >= (text.match(/[\u{80}-\u{10ffff}]/gu)?.length ?? 0)
}
