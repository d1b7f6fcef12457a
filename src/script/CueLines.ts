/** Lines of a subtitle file, as its readers look at them. */

/** The first words of what stands there. */
export const excerpt = (text: string): string => {
  const words = text.slice(0, 1_000).replace(/\s+/gu, " ").trim()
  const points = Array.from(words)
  return points.length > 60 ? `${points.slice(0, 59).join("")}…` : words
}

/** Whether there is nothing on a line, or no line. */
export const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ""

/** The number that is all there is on a line. */
export const numberOf = (line: string | undefined): number | undefined =>
  line !== undefined && /^\s*\d{1,9}\s*$/u.test(line) ? Number(line) : undefined

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
