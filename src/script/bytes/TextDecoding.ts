/** Decodes a file's bytes into text: detects the encoding, repairs damage, rejects binary files. */
import { Either } from "effect"
import iconv from "iconv-lite"
import { Notice, ScriptFault } from "../../domain/speech/Cue.ts"
import { binaryKind } from "./BinaryKind.ts"
import { guessCodePage } from "./CodePage.ts"
import { mixedUtf8 } from "./MixedEncoding.ts"
import { repairMojibake } from "./Mojibake.ts"
import { isUtf8 } from "./Utf8.ts"

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
 * 5. the likeliest legacy code page
 *
 * Fails for empty and binary files, and for bytes that are invalid in the given encoding.
 */
export const decodeText = (bytes: Uint8Array, encoding?: string): Either.Either<Decoded, ScriptFault> => {
  const kind = binaryKind(bytes)
  if (kind !== undefined)
    return fault(1, "", `expected a subtitle or text file but found ${kind}; check the path`)
  const marked = markOf(bytes)
  if (marked !== undefined) {
    const unmarked = bytes.subarray(marked.length)
    if (encoding !== undefined && encoding.toLowerCase() !== marked.encoding)
      return decodeNamed(unmarked, encoding)
    const mixed = marked.encoding === "utf-8" && !isUtf8(unmarked) ? mixedUtf8(unmarked) : undefined
    return mixed === undefined
      ? decodeAs(unmarked, marked.encoding, [])
      : decodeAs(mixed.bytes, "utf-8", mixed.notices)
  }
  if (encoding !== undefined) return decodeNamed(bytes, encoding)
  const wide = wideEncoding(bytes)
  if (wide !== undefined) return decodeAs(bytes, wide, [])
  if (isBinary(bytes))
    return fault(1, "", "expected a subtitle or text file but found binary data; check the path")
  if (isUtf8(bytes)) return decodeAs(bytes, "utf-8", [])
  const mixed = mixedUtf8(bytes)
  if (mixed !== undefined) return decodeAs(mixed.bytes, "utf-8", mixed.notices)
  const guess = guessCodePage(bytes)
  if (guess !== undefined)
    return decodeAs(bytes, guess, [
      Notice.make({
        line: firstHighLine(bytes),
        message: `not UTF-8: read as ${guess}; if that is wrong, set "encoding"`
      })
    ])
  return fault(
    firstHighLine(bytes),
    "",
    'cannot detect the character encoding; save the file as UTF-8 or set "encoding"'
  )
}

const fault = (line: number, found: string, expected: string): Either.Either<never, ScriptFault> =>
  Either.left(ScriptFault.make({ line, found, expected }))

const marks: ReadonlyArray<readonly [encoding: string, mark: ReadonlyArray<number>]> = [
  ["utf-32le", [0xff, 0xfe, 0, 0]],
  ["utf-32be", [0, 0, 0xfe, 0xff]],
  ["gb18030", [0x84, 0x31, 0x95, 0x33]],
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]]
]

const markOf = (bytes: Uint8Array): { encoding: string; length: number } | undefined => {
  for (const [encoding, mark] of marks)
    if (mark.every((byte, i) => bytes[i] === byte)) return { encoding, length: mark.length }
  return undefined
}

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
  notices: ReadonlyArray<Notice>
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
  let repairedText: string | undefined
  let next = encoding === "utf-8" ? repairMojibake(raw) : undefined
  while (next !== undefined) {
    repairedText = next
    next = repairMojibake(next)
  }
  const zeros = raw.indexOf("\u0000")
  const text = (repairedText ?? raw)
    .replace(/\u0000/gu, "")
    .replace(/\r\n?/gu, "\n")
    .normalize("NFC")
  if (text.trim() === "") return fault(1, "", "the file is empty; expected cues or text")
  const found = [...notices]
  if (repairedText !== undefined)
    found.push(
      Notice.make({
        line: firstHighLine(bytes),
        message: 'repaired letters garbled by double encoding ("Ã©" for "é")'
      })
    )
  if (zeros >= 0) found.push(Notice.make({ line: lineAt(raw, zeros), message: "skipped zero bytes" }))
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
