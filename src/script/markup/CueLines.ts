/** Line-level helpers of the subtitle parsers: excerpts, numbers, digits, paragraphs. */

/** Returns the first 60 characters for a message. Control characters, which a terminal would obey, become U+FFFD. */
export const excerpt = (text: string): string => {
  const words = withoutBom(text.slice(0, 1_000))
    .replace(/\s+/gu, " ")
    .replace(/\p{Cc}/gu, "\ufffd")
    .trim()
  const points = Array.from(words)
  return points.length > 60 ? `${points.slice(0, 59).join("")}…` : words
}

/** Whether a line is blank or missing. */
export const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ""

/** Removes direction marks, zero-width characters and byte order marks (left over where files were joined). */
export const withoutBom = (line: string): string =>
  line.replace(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, "")

/** Removes invisible characters; turns vertical tabs, form feeds and U+0085 into line breaks. */
export const withoutUnseen = (text: string): string =>
  text
    .replace(/[\v\f\u0085]/gu, "\n")
    .replace(
      /[\u0001-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu,
      ""
    )

/** Returns the number of a line that consists of digits only, in the digits of any writing system. */
export const numberOf = (line: string | undefined): number | undefined => {
  const written = /^.{0,30}$/u.test(line ?? "") ? asciiDigits(withoutBom(line ?? "")) : ""
  return /^\s*\d{1,9}\s*$/u.test(written) ? Number(written) : undefined
}

/** Like {@link numberOf}, but also accepts numbers such as `2.`, `2)`, `[2]` and `#2`. */
export const dressedNumberOf = (line: string | undefined): number | undefined =>
  numberOf(/^\s*[#[(]?(\p{Nd}{1,9})[\]).:]?\s*$/u.exec(line ?? "")?.[1])

/** Converts the decimal digits of all writing systems to ASCII. */
export const asciiDigits = (line: string): string =>
  (/[\uff10-\uff1a]/u.test(line) ? line.normalize("NFKC") : line).replace(/[\u0660-\uffff]/gu, (sign) => {
    if (!/\p{Nd}/u.test(sign)) return sign
    // In Unicode, the digits of a writing system begin at a code that ends in 0 or 6.
    const code = sign.charCodeAt(0)
    return String((code & 0xf) - (/\p{Nd}/u.test(String.fromCharCode(code & 0xfff0)) ? 0 : 6))
  })

/** Consecutive lines without an empty one in between: from `from` up to, not including, `to`. */
export interface Paragraph {
  readonly from: number
  readonly to: number
}

/** Splits a range of lines into paragraphs. A line of white space does not count as empty. */
export const paragraphsOf = (
  lines: ReadonlyArray<string>,
  from: number,
  to: number
): ReadonlyArray<Paragraph> => {
  const paragraphs: Array<Paragraph> = []
  let start = from
  for (let line = from; line <= to; line++)
    if (line === to || lines[line] === "") {
      if (line > start) paragraphs.push({ from: start, to: line })
      start = line + 1
    }
  return paragraphs
}

/** Trims each line, and drops empty lines at either end. */
export const trimmed = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const kept = lines.map((line) => line.trim())
  while (kept.length > 0 && kept[0] === "") kept.shift()
  while (kept.length > 0 && kept.at(-1) === "") kept.pop()
  return kept
}

/** Whether a WebVTT paragraph that begins with this line is a comment, a style or a region. */
export const isAsideHead = (line: string): boolean =>
  /^\s*(?:NOTE(?:\s|$)|STYLE\s*$|REGION\s*$|Region:)/u.test(line)

/** Whether a line of a WebVTT file belongs to a comment, a style or a region. */
export const isInAside = (lines: ReadonlyArray<string>, line: number): boolean => {
  let first = line
  while (first > 0 && lines[first - 1] !== "") first--
  return isAsideHead(lines[first] ?? "")
}

/** Says why a file contains no cue, and what to do; `at` is the first line with a time, counted from 0. */
export const withoutCue = (
  lines: ReadonlyArray<string>
): { readonly at?: number; readonly expected: string } => {
  const needed = "a time line such as 00:01:02,500 --> 00:01:04,000 above each cue's text"
  const at = lines.findIndex((line) => /\d\s*:\s*\d/u.test(line))
  if (at >= 0) return { at, expected: `no cue found: expected ${needed}` }
  const numbers = lines.some((line) => numberOf(line) !== undefined) ? ", without the cues' numbers," : ""
  return {
    expected: `the file has no times: add ${needed}, or save it${numbers} as .txt to have it read aloud without a timeline`
  }
}
