/**
 * Finds the language in a subtitle's file name, as in `film.pt-BR.srt`, `film.en.sdh.srt`, `film.eng.srt` or
 * `film.English.srt`.
 */
import { basename, extname } from "node:path"
import { Either } from "effect"
import type { LanguageTag } from "../../domain/values/Ids.ts"
import { languageNamed } from "../../domain/values/LanguageName.ts"

/** Suffixes after the language that name the audience or the kind of a subtitle, such as `.sdh`. */
const mark = /\.(?:sdh|cc|hoh|forced|default|full)$/iu

const tagged = /^(?<title>.*)\.(?<tag>[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?|[A-Za-z]{4,})$/u

const languages = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" })

/** Splits a file name into its title and its language; undefined if it names none. */
export const languageInName = (
  file: string
): { readonly title: string; readonly language: LanguageTag | undefined } => {
  const unmarked = (name: string): string => (mark.test(name) ? unmarked(name.replace(mark, "")) : name)
  const stem = unmarked(basename(file, extname(file)))
  const named = languageAtEnd(stem)
  // `.hi` after a language means hearing impaired; otherwise it is the language Hindi.
  const before = stem.endsWith(".hi") ? languageAtEnd(stem.slice(0, -".hi".length)) : undefined
  return before ?? named ?? { title: stem, language: undefined }
}

const languageAtEnd = (stem: string) => {
  const { title, tag } = tagged.exec(stem)?.groups ?? {}
  if (title === undefined || tag === undefined) return undefined
  const language = Either.getOrUndefined(languageNamed(tag))
  // `film.old.srt` names no language.
  return language === undefined || languages.of(language.slice(0, language.search(/-|$/u))) === undefined
    ? undefined
    : { title, language }
}
