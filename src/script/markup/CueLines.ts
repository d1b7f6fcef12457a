/** Lines of a subtitle file, as its readers look at them. */

/** The first words of what stands there; control characters, which a terminal would obey, stand as one that is lost. */
export const excerpt = (text: string): string => {
  const words = withoutBom(text.slice(0, 1_000))
    .replace(/\s+/gu, " ")
    .replace(/\p{Cc}/gu, "\ufffd")
    .trim()
  const points = Array.from(words)
  return points.length > 60 ? `${points.slice(0, 59).join("")}…` : words
}

/** Whether there is nothing on a line, or no line. */
export const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ""

/**
 * A line without the marks that say in which direction it is written, or where a file that was joined to others began.
 */
export const withoutBom = (line: string): string =>
  line.replace(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, "")

/** Text without characters that are seen by nobody and never said; what starts a new line or page starts a line. */
export const withoutUnseen = (text: string): string =>
  text
    .replace(/[\v\f\u0085]/gu, "\n")
    .replace(
      /[\u0001-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu,
      ""
    )

/** The number that is all there is on a line, in the digits of any script that times are written in too. */
export const numberOf = (line: string | undefined): number | undefined => {
  const written = /^.{0,30}$/u.test(line ?? "") ? asciiDigits(withoutBom(line ?? "")) : ""
  return /^\s*\d{1,9}\s*$/u.test(written) ? Number(written) : undefined
}

/** The number on a line that only looks as if it numbered a cue: `2.`, `#2`. */
export const dressedNumberOf = (line: string | undefined): number | undefined =>
  numberOf(/^\s*#?(\d{1,9})[.)]?\s*$/u.exec(line ?? "")?.[1])

/** A line with the digits of Arabic, of Persian and of full width as those of ASCII. */
export const asciiDigits = (line: string): string =>
  /[\uff10-\uff1a]/u.test(line)
    ? line.normalize("NFKC")
    : line.replace(/[\u0660-\u0669\u06f0-\u06f9]/gu, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf))

/** Lines that follow each other without an empty one between: from the first, up to and without `to`. */
export interface Paragraph {
  readonly from: number
  readonly to: number
}

/** The paragraphs of a stretch of lines. A line of white space is no empty one. */
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

/** Lines without white space around them, and without empty ones at either end. */
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

/** Why a file holds no cue, and what to do. */
export const withoutCue = (lines: ReadonlyArray<string>): string => {
  const needed = "a time line such as 00:01:02,500 --> 00:01:04,000 above each cue's text"
  if (lines.some((line) => /\d\s*:\s*\d/u.test(line))) return `no cue found: expected ${needed}`
  const numbers = lines.some((line) => numberOf(line) !== undefined) ? ", without the cues' numbers," : ""
  return `the file has no times: add ${needed}, or save it${numbers} as .txt to have it read aloud without a timeline`
}
