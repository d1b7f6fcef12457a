/** Cues that say the same in two languages, one above the other: which lines are which. */
import { hasScript, scriptOf, wordCount } from "./WritingSystems.ts"

/**
 * The scripts of a file's two languages, where they differ; absent where the two share one, or where there is only
 * one.
 */
export interface Languages {
  readonly first: string
  readonly second: string
}

/**
 * The scripts of the two languages of a file: those of the first and the last line in most of its cues of several
 * lines.
 */
export const detectLanguages = (texts: ReadonlyArray<string>): Languages | undefined => {
  const pairs = new Map<string, { readonly languages: Languages; count: number }>()
  let several = 0
  for (const text of texts) {
    const scripts = text.split("\n").flatMap((line) => scriptOf(line) ?? [])
    const [first, last] = [scripts[0], scripts.at(-1)]
    if (first === undefined || last === undefined || scripts.length < 2) continue
    several++
    if (first === last) continue
    const key = `${first} ${last}`
    const pair = pairs.get(key) ?? { languages: { first, second: last }, count: 0 }
    pair.count++
    pairs.set(key, pair)
  }
  for (const { languages, count } of pairs.values()) if (count * 2 > several) return languages
  return undefined
}

/**
 * A cue's text in one of its languages; undefined where it has none in it. Languages in different scripts are told
 * apart line by line, where a line that borrows Latin words stays in its own; others by the upper and the lower
 * half of the lines. A single short line is in both.
 */
export const linesInLanguage = (
  text: string,
  which: "first" | "second",
  languages: Languages | undefined
): string | undefined => {
  const lines = text.split("\n")
  if (languages === undefined) {
    if (lines.length < 2) return text
    const half = Math.ceil(lines.length / 2)
    return (which === "first" ? lines.slice(0, half) : lines.slice(half)).join("\n")
  }
  const own = languages[which]
  const kept = lines.filter((line) => ownLanguage(line, languages) === own)
  if (kept.length > 0 && kept.length < lines.length) return kept.join("\n")
  if (kept.length === lines.length) return lines.length === 2 ? lines[which === "first" ? 0 : 1] : text
  if (lines.length === 2 && lines.every((line) => scriptOf(line) !== undefined))
    return lines[which === "first" ? 0 : 1]
  return lines.length > 1 || wordCount(text) > 2 ? undefined : text
}

/** Latin letters are at home in every script, so whatever has letters of the other one is in the other one. */
export const ownLanguage = (line: string, { first, second }: Languages): string | undefined => {
  if (first === "Latin" || second === "Latin") {
    const other = first === "Latin" ? second : first
    return hasScript(line, other) ? other : scriptOf(line)
  }
  return scriptOf(line)
}
