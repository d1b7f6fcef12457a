/** Decodes a file's bytes into text: detects the encoding, repairs damage, rejects binary files. */
import { Either, Array } from "effect"
import iconv from "iconv-lite"
import { noticeAt, type Notice, faultAt, type ScriptFault } from "../../domain/speech/Cue.ts"
import { guessCodePage, mostlyOwn, shareOfLanguage } from "./CodePage.ts"
import { binaryKind } from "./BinaryKind.ts"
import { isUtf8 } from "./Utf8.ts"
import { hasScript, scriptOf } from "../language/WritingSystems.ts"

/** A file's text: NFC, lines end with `\n`, no byte order mark. */
export interface Decoded {
  readonly text: string
  /** The encoding of the file, in lower case. */
  readonly encoding: string
  readonly notices: ReadonlyArray<Notice>
}

/**
 * Decodes a file. The first of these that applies decides the encoding:
 *
 * 1. the `encoding` argument
 * 2. a byte order mark
 * 3. zero bytes at fixed places: UTF-16 or UTF-32
 * 4. UTF-8, if the whole file or most of its lines are valid
 * 5. the likeliest legacy code page, which the text's language tells if it is known
 *
 * Fails for empty and binary files, and for bytes that are invalid in the given encoding.
 */
export const decodeText = (
  bytes: Uint8Array,
  encoding?: string,
  language?: string
): Either.Either<Decoded, ScriptFault> => {
  const kind = binaryKind(bytes)
  if (kind !== undefined)
    return fault(1, "", `expected a subtitle or text file but found ${kind}; check the path`)
  const marked = markOf(bytes)
  if (marked !== undefined) {
    const [stated, mark] = marked
    const unmarked = bytes.subarray(mark.length)
    if (encoding !== undefined && encoding.toLowerCase() !== stated) return decodeNamed(unmarked, encoding)
    const mixed = stated === "utf-8" && !isUtf8(unmarked) ? mixedUtf8(unmarked, language) : undefined
    return mixed === undefined
      ? decodeAs(unmarked, stated, [], language)
      : decodeAs(mixed.bytes, "utf-8", mixed.notices)
  }
  if (encoding !== undefined) return decodeNamed(bytes, encoding)
  const wide = wideEncoding(bytes)
  if (wide !== undefined) return decodeAs(bytes, wide, [])
  if (isBinary(bytes))
    return fault(1, "", "expected a subtitle or text file but found binary data; check the path")
  if (isUtf8(bytes)) return decodeAs(bytes, "utf-8", [], language)
  const mixed = mixedUtf8(bytes, language)
  if (mixed !== undefined) return decodeAs(mixed.bytes, "utf-8", mixed.notices)
  const guess = guessCodePage(bytes, language)
  if (guess !== undefined)
    return decodeAs(bytes, guess, [
      noticeAt(firstHighLine(bytes), `not UTF-8: read as ${guess}; if that is wrong, set "encoding"`)
    ])
  return fault(
    firstHighLine(bytes),
    "",
    'cannot detect the character encoding; save the file as UTF-8 or set "encoding"'
  )
}

const fault = (line: number, found: string, expected: string): Either.Either<never, ScriptFault> =>
  Either.left(faultAt(line, found, expected))

const marks: ReadonlyArray<readonly [encoding: string, mark: ReadonlyArray<number>]> = [
  ["utf-32le", [0xff, 0xfe, 0, 0]],
  ["utf-32be", [0, 0, 0xfe, 0xff]],
  ["gb18030", [0x84, 0x31, 0x95, 0x33]],
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]]
]

const markOf = (bytes: Uint8Array) => marks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))

const decodeNamed = (bytes: Uint8Array, named: string): Either.Either<Decoded, ScriptFault> =>
  iconv.encodingExists(named)
    ? decodeAs(bytes, named.toLowerCase(), [])
    : fault(
        1,
        named,
        "is not a known encoding; use a name such as utf-8, windows-1252, windows-1258, gb18030, big5, cp949 or shift_jis"
      )

const decodeAs = (
  bytes: Uint8Array,
  encoding: string,
  notices: ReadonlyArray<Notice>,
  language?: string
): Either.Either<Decoded, ScriptFault> => {
  const raw =
    encoding === "utf-8"
      ? new TextDecoder().decode(bytes)
      : iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), encoding, {
          stripBOM: true
        })
  const utf = encoding.startsWith("utf")
  if (!utf || !isUtf8(bytes)) {
    const broken = raw.indexOf("\ufffd")
    if (broken >= 0 && !(encoding.startsWith("utf-16") || encoding.startsWith("utf-32")))
      return fault(
        lineAt(raw, broken),
        excerpt(raw, broken),
        `contains bytes that are invalid in ${encoding}; save the file as UTF-8 or set "encoding"`
      )
  }
  const { text: repairedText, line: garbled } =
    encoding === "utf-8" ? repaired(raw, language) : { text: raw, line: undefined }
  const zeros = raw.indexOf("\u0000")
  const text = repairedText
    .replace(/\u0000/gu, "")
    .replace(/\r\n?/gu, "\n")
    .normalize("NFC")
  if (text.trim() === "") return fault(1, "", "the file is empty; expected cues or text")
  const found = [...notices]
  if (garbled !== undefined)
    found.push(noticeAt(garbled, 'repaired letters garbled by double encoding ("Ã©" for "é")'))
  if (zeros >= 0) found.push(noticeAt(lineAt(raw, zeros), "skipped zero bytes"))
  return Either.right({ text, encoding, notices: found })
}

/** Detects UTF-16 and UTF-32 without a byte order mark: ASCII characters have zero bytes at fixed places. */
const wideEncoding = (bytes: Uint8Array): string | undefined => {
  const sample = bytes.subarray(0, 65_536 - (65_536 % 4))
  if (sample.length < 4 || bytes.length % 2 !== 0) return undefined
  const zeros = [0, 0, 0, 0]
  sample.forEach((byte, i) => {
    if (byte === 0) zeros[i % 4] = (zeros[i % 4] ?? 0) + 1
  })
  const quarter = sample.length / 4
  const share = zeros.map((count) => count / quarter)
  const [a = 0, b = 0, c = 0, d = 0] = share
  if (bytes.length % 4 === 0 && c > 0.9 && d > 0.9 && a < 0.1) return "utf-32le"
  if (bytes.length % 4 === 0 && a > 0.9 && b > 0.9 && d < 0.1) return "utf-32be"
  const even = (a + c) / 2
  const odd = (b + d) / 2
  if (odd > 0.1 && even < 0.02) return "utf-16le"
  if (even > 0.1 && odd < 0.02) return "utf-16be"
  return undefined
}

/** Whether there are more control characters than the few strays that a text may contain: 8 plus 2 % of the bytes. */
const isBinary = (bytes: Uint8Array): boolean => {
  const sample = bytes.subarray(0, 65_536)
  let controls = 0
  for (const byte of sample) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) controls++
  return controls > 8 + sample.length * 0.02
}

/** Returns the line number (from 1) of the first non-ASCII byte; 1 if there is none. */
const firstHighLine = (bytes: Uint8Array): number => {
  const first = bytes.findIndex((byte) => byte > 127)
  return first < 0 ? 1 : lineAt(Buffer.from(bytes.subarray(0, first)).toString("latin1"), first)
}

const lineAt = (text: string, position: number): number => text.slice(0, position).split(/\r\n|\r|\n/u).length

const excerpt = (text: string, position: number): string => {
  const start = Math.max(text.lastIndexOf("\n", position), text.lastIndexOf("\r", position)) + 1
  return text.slice(start, start + 60).split(/[\r\n]/u)[0] ?? ""
}

/** Code pages as which programs have read other encodings, with the byte of each character. */
const bytesByPage = () =>
  ["windows-1252", "windows-1251", "macintosh"].map((page) => {
    const high = globalThis.Array.from({ length: 128 }, (_, i) => 128 + i)
    const signs = globalThis.Array.from(iconv.decode(Buffer.from(high), page))
    const controls = high.map((byte) => [String.fromCharCode(byte), byte] as const)
    return new Map([...controls, ...signs.map((sign, i) => [sign, 128 + i] as const)])
  })

/** Made for the first text beyond ASCII: the tables of code pages take a while to load. */
let garblings: ReturnType<typeof bytesByPage> | undefined

/** Returns the bytes of a text that was read as one of the code pages, for each where that is possible. */
const bytesBefore = (text: string): ReadonlyArray<Uint8Array> =>
  (garblings ??= bytesByPage()).flatMap((byteOf) => {
    const bytes = globalThis.Array.from(text, (sign) =>
      sign < "\u0080" ? sign.charCodeAt(0) : byteOf.get(sign)
    )
    return bytes.every((byte) => byte !== undefined) ? [Uint8Array.from(bytes)] : []
  })

/** Repairs letters that an earlier conversion has garbled, until nothing changes; `line` is the first of them. */
const repaired = (text: string, language: string | undefined) => {
  let line: number | undefined
  const lines = text.split("\n").map((written, at) => {
    let words = written
    for (let next: string | undefined = words; next !== undefined; next = repairedUtf8(words)) words = next
    if (words !== written) line ??= at + 1
    return words
  })
  const whole = lines.join("\n")
  const share = shareOfLanguage(whole, language) ?? 1
  if (share > mostlyOwn) return { text: whole, line }
  const read = bytesBefore(whole).flatMap((bytes) => {
    const page = guessCodePage(bytes, language)
    const found = page === undefined ? "" : iconv.decode(Buffer.from(bytes), page)
    return (shareOfLanguage(found, language) ?? 0) > Math.max(mostlyOwn, share + 0.3) ? [found] : []
  })[0]
  return read === undefined ? { text: whole, line } : { text: read, line: line ?? 1 }
}

/** Returns a line that is UTF-8 read as another code page. Beside such letters, a space may be a no-break space. */
const repairedUtf8 = (line: string): string | undefined => {
  if (!/\P{ASCII}/u.test(line)) return undefined
  const spaced = /Ã\P{ASCII}/u.test(line) ? line.replace(/Ã(?=[ .,;!?]|$)/gu, "Ã\u00a0") : line
  const bytes = bytesBefore(spaced).find(isUtf8)
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}

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
const mixedUtf8 = (
  bytes: Uint8Array,
  language: string | undefined
): { readonly bytes: Uint8Array; readonly notices: ReadonlyArray<Notice> } | undefined => {
  const lines = linesOf(bytes)
  const high = [...lines.keys()].filter((at) => lines[at]?.some((byte) => byte > 127) === true)
  const [wrong, valid] = Array.partition(high, (at) => isUtf8(lines[at] ?? none))
  const characters = valid.reduce((sum, at) => sum + leadBytes(lines[at] ?? none), 0)
  if (valid.length < wrong.length || characters < fewest) return undefined
  const foreign = wrong.filter((at) => isForeign(lines[at] ?? none))
  const sample = Buffer.concat(foreign.flatMap((at) => lines[at] ?? []))
  const page =
    guessCodePage(sample, language, likeIn(bytes)) ?? guessCodePage(sample, language) ?? guessCodePage(sample)
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
  return [noticeAt(first + 1, `${what}${others}`)]
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
