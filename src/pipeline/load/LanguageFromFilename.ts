/**
 * The language in a subtitle's name, as in `film.pt-BR.srt`, `film.en.sdh.srt`, `film.eng.srt` or `film.English.srt`.
 */
import { basename, extname } from "node:path"
import { Either } from "effect"
import type { LanguageTag } from "../../domain/values/Ids.ts"
import { languageNamed } from "../../domain/values/LanguageName.ts"

/** What players and shops mark subtitles with behind the language: for whom they are, not what they are written in. */
const mark = /\.(?:sdh|cc|hoh|forced|default|full)$/iu

const tagged = /^(?<title>.*)\.(?<tag>[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?|[A-Za-z]{4,})$/u

const languages = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" })

/** A name's language, if it tells one, and what stands before it. */
export const languageInName = (
  file: string
): { readonly title: string; readonly language: LanguageTag | undefined } => {
  const unmarked = (name: string): string => (mark.test(name) ? unmarked(name.replace(mark, "")) : name)
  const stem = unmarked(basename(file, extname(file)))
  const named = languageAtEnd(stem)
  // For the hard of hearing, unless it stands where a language does: then it is Hindi.
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
