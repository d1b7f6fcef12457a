/**
 * Detects speaker labels at the start of a line: `ANNA:`, `[Anna]`, `(ANNA):`, `MAN #2 (on radio):`, `SPEAKER_01:`.
 * Other text looks alike ("Note: …", "At 10:30", "Accessibility: it's about people"), so the rest of the file must
 * confirm a name.
 */
import { isCapitals, lettersByCase, wordsOnly } from "../language/WritingSystems.ts"
import { leadingDirectives } from "../markup/InlineDirectives.ts"
import { announces, namesMany, namesRole, namesSound } from "../language/SoundWords.ts"

/** A label found at the start of a text. */
export interface Label {
  readonly name: string
  /** The text after it. */
  readonly rest: string
}

/** Statistics of a whole file about its label candidates. */
export interface LabelSurvey {
  /** The confirmed labels, in upper case. */
  readonly proved: ReadonlySet<string>
  /** Whether the whole file is in capitals, so that capitals confirm nothing. */
  readonly capitals: boolean
  /**
   * How many names in capitals are alone on a line, recur, or are in a file that labels most lines; from three, any
   * name in capitals is a label.
   */
  readonly habit: number
  /** How many names in brackets are confirmed; from two, other proper names in brackets are labels, too. */
  readonly bracketed: number
}

const token = "(?:[\\p{Lu}\\p{Lo}\\p{N}][\\p{L}\\p{M}\\p{N}.'’&_/-]*|#\\d+)"
const joiner = "(?:and|or|as|on|over|from|via|at|in|of|the|de|del|von|van|da|du|di|et|y|e|und|и|và|&)"
const named = `(${token}(?:[ \\t]+(?:${joiner}[ \\t]+)?${token}){0,3})`
const joined = new RegExp(`^${joiner}$`, "u")
const aside = "(?:[ \\t]*(?:\\([^()\\n]{1,40}\\)|\\[[^\\[\\]\\n]{1,40}\\]))?"
const colonLabel = new RegExp(
  `^${named}${aside}[ \\t]*[:：](?=$|\\s|["“„«'’¿¡([]|(?<=：)|[^\\p{ASCII}])[ \\t]*`,
  "u"
)
const bracketLabel =
  /^(?:\[([^[\]\n]{1,40})\]|\(([^()\n]{1,40})\)|（([^（）\n]{1,20})）|【([^【】\n]{1,20})】)[ \t]*([:：]?)[ \t]*/u

/** Maximum length of a name, in characters. */
const longest = 34

interface Candidate {
  readonly name: string
  readonly rest: string
  readonly bracket: boolean
  readonly colon: boolean
}

const candidateAt = (text: string): Candidate | undefined => {
  if (!/[:：[(（【]/u.test(text)) return undefined
  const bracket = bracketLabel.exec(text)
  if (bracket !== null) {
    const written = bracket[1] ?? bracket[2] ?? bracket[3] ?? bracket[4] ?? ""
    const name = written.replace(/\s+/gu, " ").trim()
    // Sounds often have spaces inside their brackets, "( laughs )"; names never do.
    if (written !== written.trim()) return undefined
    return name === "" || !/^[\p{L}\p{N}]/u.test(name) || name.split(" ").length > 4
      ? undefined
      : {
          name: name.replace(/[:：]$/u, "").trim(),
          rest: text.slice(bracket[0].length),
          bracket: true,
          colon: bracket[5] !== ""
        }
  }
  const colon = colonLabel.exec(text)
  if (colon === null || (colon[1] ?? "").length > longest || !/\p{L}/u.test(colon[1] ?? "")) return undefined
  return {
    name: (colon[1] ?? "").replace(/\s+/gu, " "),
    rest: text.slice(colon[0].length),
    bracket: false,
    colon: true
  }
}

/** Surveys the lines of a whole file for names that must be speakers. `known` names are confirmed from the start. */
export const surveyLabels = (lines: ReadonlyArray<string>, known: Iterable<string>): LabelSurvey => {
  let upper = 0
  let lower = 0
  let candidates = 0
  const seen = new Map<
    string,
    { behinds: Set<string>; alone: boolean; capitals: boolean; bracket: boolean }
  >()
  lines.forEach((line, i) => {
    const letters = lettersByCase(line)
    upper += letters.upper
    lower += letters.lower
    const bare = withoutMarks(line)
    const candidate = candidateAt(bare.slice(leadingDirectives(bare).length))
    if (candidate === undefined || (candidate.bracket && !candidate.colon && candidate.rest === "")) return
    const key = candidate.name.toUpperCase()
    const behind = wordsOnly(candidate.rest === "" ? (lines[i + 1] ?? "") : candidate.rest).slice(0, 24)
    candidates++
    const known = seen.get(key) ?? { behinds: new Set(), alone: false, capitals: false, bracket: false }
    known.behinds.add(behind)
    known.alone ||= candidate.rest === ""
    known.capitals ||= isCapitals(candidate.name)
    known.bracket ||=
      candidate.bracket && !candidate.colon && isNameLike(candidate.name) && !namesSound(candidate.name)
    seen.set(key, known)
  })
  const proved = new Set(Array.from(known, (name) => name.toUpperCase()))
  const often = candidates > lines.length * habitual
  let habit = 0
  let bracketed = 0
  for (const [name, { behinds, alone, capitals, bracket }] of seen) {
    if (behinds.size >= (capitals || often ? 2 : 3)) {
      proved.add(name)
      if (bracket) bracketed++
    }
    if (capitals && (alone || behinds.size >= 2 || candidates > lines.length / 2)) habit++
  }
  return { proved, capitals: upper > lower * 3, habit, bracketed }
}

/** Share of lines with a label candidate above which a file counts as a labelled dialogue. */
const habitual = 0.1

/** Removes the dash or arrows that mark a change of speaker. */
const withoutMarks = (line: string): string =>
  line.replace(/^\s*(?:>{2,}|[-\u2010-\u2015\u2212](?!\d))\s*/u, "")

/** Returns the label at the start of a line, if there is one. `marked`: a dash or `>>` precedes it. */
export const labelAt = (line: string, survey: LabelSurvey, marked: boolean): Label | undefined => {
  const candidate = candidateAt(line)
  if (candidate === undefined) return undefined
  const { name, rest } = candidate
  const label: Label = { name, rest }
  const proved = survey.proved.has(name.toUpperCase())
  if (candidate.bracket) {
    if (namesSound(name)) return undefined
    if (candidate.colon) return proved || namesRole(name) || isNameLike(name) ? label : undefined
    const named = namesRole(name)
      ? rest !== "" || isCapitals(name)
      : rest !== "" && isNameLike(name) && (proved || (survey.bracketed >= 2 && isProperName(name, rest)))
    return named && (!/^\p{Ll}/u.test(rest) || (isNameLike(name) && !namesMany(name))) ? label : undefined
  }
  if (namesRole(name)) return label
  if (announces(name) || /^\d/u.test(name)) return undefined
  if (proved && isNameLike(name)) return label
  if (isCapitals(name) && !survey.capitals) {
    const single = !/\s/u.test(
      name
        .replace(/\s+(?:&|AND|UND|ET|Y|E|И|VÀ|and|und|et|y|e|и|và)\s+/gu, "&")
        .replace(/\s+#?\d+$/u, "")
        .replace(/^(?:DR|MR|MRS|MS|PROF|SIR)\.?\s+/u, "")
    )
    return marked || rest === "" || single || survey.habit >= 3 ? label : undefined
  }
  return marked && /^\p{Lu}\p{Ll}+$/u.test(name) ? label : undefined
}

/** Whether a bracketed text must be a proper name, since a new sentence follows: "[Anna Maria] Come." */
const isProperName = (name: string, rest: string): boolean =>
  /^(?:\p{Lu}[\p{L}\p{M}'’-]*\p{Ll}|\p{Lo}[\p{Lo}\p{M}]*)(?: (?:\p{Lu}[\p{L}\p{M}'’.-]*|\p{Lo}[\p{Lo}\p{M}]*))*$/u.test(
    name
  ) && /^["“'‘«¿¡]?[\p{Lu}\p{Lo}]/u.test(rest)

/** Whether no word begins with a lower-case letter, except joining words such as "and" and "von". */
const isNameLike = (name: string): boolean =>
  name.split(" ").every((word) => !/^\p{Ll}/u.test(word) || joined.test(word))
