/** Splits bilingual cues: assigns each line to one of the file's two languages. */
import { hasScript, scriptOf, wordCount } from "./WritingSystems.ts"

/** The scripts (such as Latin and Han) of a file's two languages; only used if they differ. */
export interface Languages {
  readonly first: string
  readonly second: string
}

/**
 * Returns the scripts of a file's two languages: those of the first and last line in most of its multi-line cues.
 * Undefined if both are in one script.
 */
export const detectLanguages = (texts: ReadonlyArray<string>): Languages | undefined => {
  const pairs = new Map<string, { readonly languages: Languages; count: number }>()
  let several = 0
  for (const text of texts) {
    if (!text.includes("\n")) continue
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
 * Returns a cue's text in one of its languages; undefined if there is none. Languages in different scripts are
 * separated line by line; a line that borrows Latin words keeps its own script. Other languages are separated into the
 * upper and lower half of the lines. A single line of up to two words counts for both.
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

/** Returns a line's script. Latin words occur in any script, so one letter of the other script decides. */
export const ownLanguage = (line: string, { first, second }: Languages): string | undefined => {
  if (first === "Latin" || second === "Latin") {
    const other = first === "Latin" ? second : first
    return hasScript(line, other) ? other : scriptOf(line)
  }
  return scriptOf(line)
}
