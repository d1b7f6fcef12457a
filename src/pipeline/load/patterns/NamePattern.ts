/**
 * Path patterns with names, such as `subs/{episode}.{language}.srt`. A name matches a part of a path. In another
 * setting, the same name is replaced by that text.
 */
import { Either } from "effect"
import picomatch from "picomatch"
import { nearestName } from "../../../domain/values/DidYouMean.ts"

/** The text that each name of a pattern matched in a path, in Unicode normalization form C. */
export type NameValues = ReadonlyMap<string, string>

/** A parsed pattern. */
export interface NamePattern {
  /** Each name once, in the order of the pattern. */
  readonly names: ReadonlyArray<string>
  /** The glob that finds the pattern's files: every name is a `*`. */
  readonly glob: string
  /** Returns the values of the names in a path with forward slashes; undefined if the pattern does not match it. */
  readonly valuesIn: (path: string) => NameValues | undefined
}

/** Regular expressions by name, as a manifest's `match` sets them. */
export type NameRules = Readonly<Record<string, string>>

const nameMark = /\{([A-Za-z_][A-Za-z0-9_]*)\}/gu

/** A name without a rule matches as much of one path part as it can; `language` matches a language tag. */
const usualRules: NameRules = { language: "[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*" }

/** Whether a setting contains a name in braces. */
export const hasNames = (text: string): boolean => text.search(nameMark) >= 0

/** Returns the glob of a pattern, with `*` for every name. */
export const globOf = (text: string): string => text.replaceAll(nameMark, "*")

/** Parses a pattern. Left: an error message. */
export const parseNamePattern = (
  written: string,
  rules: NameRules = {}
): Either.Either<NamePattern, string> =>
  Either.gen(function* () {
    const text = written.replace(/^(?:\.\/)+/u, "").normalize("NFC")
    // picomatch builds the expression. Names are replaced by tokens of letters first, which it does not change.
    const token = (name: string) => `Qx${name}xQ`
    const names: Array<string> = []
    const glob = globOf(text)
    let source = unicodeSource(picomatch.makeRe(text.replaceAll(nameMark, (_, name: string) => token(name))))
    for (const [, name = ""] of text.matchAll(nameMark)) {
      const isFirst = !names.includes(name)
      if (isFirst) names.push(name)
      const rule = isFirst ? yield* ruleOf(name, rules) : ""
      source = source.replace(token(name), () => (isFirst ? `(?<${name}>${rule})` : `\\k<${name}>`))
    }
    const expression = yield* Either.try({
      try: () => new RegExp(source, "u"),
      catch: () => `${written}: not a valid pattern; check its brackets`
    })
    return {
      names,
      glob,
      valuesIn: (path) => {
        const found = expression.exec(path.normalize("NFC"))
        return found === null
          ? undefined
          : new Map(names.map((name) => [name, found.groups?.[name] ?? ""] as const))
      }
    }
  })

/** The source of an expression for the `u` flag, which allows only syntax characters to be escaped. */
const unicodeSource = ({ source }: RegExp): string =>
  source.replaceAll(/\\([^A-Za-z\d])/gsu, (escape, sign: string) =>
    /[\^$\\.*+?()[\]{}|/]/u.test(sign) ? escape : `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`
  )

const ruleOf = (name: string, rules: NameRules): Either.Either<string, string> => {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
  if (rule === undefined) return Either.right(usualRules[name] ?? "[^/]+")
  const fault = (why: string) => Either.left(`match.${name}: ${rule}: ${why}`)
  if (/\(\?<(?![=!])|\\[1-9k]/u.test(rule)) return fault("named groups and back-references are not supported")
  try {
    return Either.right(`(?:${new RegExp(rule, "u").source})`)
  } catch {
    return fault("not a regular expression; check its brackets and backslashes")
  }
}

/** Replaces the names in a text with their values. Left: an error message for an unknown name. */
export const fillNames = (text: string, values: NameValues): Either.Either<string, string> => {
  const unknown = [...text.matchAll(nameMark)].map(([, name = ""]) => name).find((name) => !values.has(name))
  return unknown === undefined
    ? Either.right(text.replaceAll(nameMark, (_, name: string) => values.get(name) ?? ""))
    : Either.left(`${text}: ${unknownName(unknown, [...values.keys()])}`)
}

/** The message for a name that the input's pattern does not have. */
export const unknownName = (name: string, known: ReadonlyArray<string>): string => {
  const near = nearestName(name, known)
  return known.length === 0
    ? `input has no names in braces; write {${name}} in input, too`
    : `input has no {${name}}${near === undefined ? "" : `; did you mean {${near}}?`} (its names: ${known.map((one) => `{${one}}`).join(", ")})`
}
