/** The language that a subtitle's name tells, as in `film.pt-BR.srt` or `film.en.sdh.srt`. */
import { basename, extname } from "node:path"
import { Schema } from "effect"
import { LanguageTag } from "../domain/Ids.ts"

/** What players and shops mark subtitles with behind the language: for whom they are, not what they are written in. */
const mark = /\.(?:sdh|cc|hoh|forced|default|full)$/iu

const tagged = /^(?<title>.*)\.(?<tag>[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?)$/u

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
  const language = tag?.replace("_", "-")
  if (title === undefined || language === undefined || !Schema.is(LanguageTag)(language)) return undefined
  // `film.old.srt` names no language.
  return languages.of(language.slice(0, language.search(/-|$/u))) === undefined
    ? undefined
    : { title, language }
}
