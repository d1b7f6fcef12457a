/** Parses languages as people write them (`french`, `fra`, `fr_FR`, `fr-FR`) into BCP 47 tags. */
import { Either, Option, ParseResult, Schema } from "effect"
import { LanguageTag } from "./Ids.ts"
import { nearestName } from "./DidYouMean.ts"

const expected = "expected a language such as en, vi, pt-BR or French"

/** Parses a language: a tag, a three-letter code, or an English name. Left is an error message. */
export const languageNamed = (written: string): Either.Either<LanguageTag, string> => {
  const text = written.trim().replaceAll("_", "-")
  const named = tagOfName(text)
  if (named !== undefined) return Either.right(LanguageTag.make(named))
  // No language has a code of more than three letters, so a longer word is a name.
  if (/^[A-Za-z]{2,3}(?:-|$)/u.test(text) && Schema.is(LanguageTag)(text))
    return Either.right(LanguageTag.make(shortest(text)))
  const near = text.length < 4 ? undefined : nearestName(text, [...knownTags().keys()])
  const tag = near === undefined ? undefined : knownTags().get(near)
  const meant = near === undefined ? "" : `; did you mean ${titled(near)} (${tag ?? ""})?`
  return Either.left(`${expected}, found ${JSON.stringify(written)}${meant}`)
}

/** Returns the tag of a language's English name, ignoring case; undefined if unknown. */
export const tagOfName = (name: string): string | undefined => knownTags().get(name.trim().toLowerCase())

/** Returns a language's own name, as players show it: `Français` for fr. The tag itself if it has no name. */
export const ownNameOf = (tag: LanguageTag): string =>
  Option.liftThrowable(() =>
    new Intl.DisplayNames([tag, "en"], {
      type: "language",
      languageDisplay: "standard",
      fallback: "none"
    }).of(tag)
  )().pipe(
    Option.flatMap(Option.fromNullable),
    Option.match({
      onNone: () => tag,
      onSome: (name) => name.replace(/^\p{L}/u, (letter) => letter.toLocaleUpperCase(tag))
    })
  )

/** Shortens a tag to the language's two-letter code if it has one: `en` for eng, `de` for both deu and ger. */
const shortest = (tag: string): string => {
  const [primary = "", ...others] = tag.split("-")
  if (primary.length !== 3) return tag
  const [canonical = primary] = Intl.getCanonicalLocales(primary)
  return [canonical.length === 2 ? canonical : primary, ...others].join("-")
}

/** A language in a manifest or an option. */
export const LanguageWritten = Schema.transformOrFail(Schema.NonEmptyTrimmedString, LanguageTag, {
  strict: true,
  decode: (written, _, ast) =>
    Either.mapLeft(languageNamed(written), (message) => new ParseResult.Type(ast, written, message)),
  encode: ParseResult.succeed
}).annotations({ message: ({ actual }) => languageMessage(actual) })

/** The `language` of an entry of `jobs` that takes the language from its `input` pattern. */
export const namedByPattern = "{language}"

/** A language in an entry of `jobs`. */
export const LanguageOfEntry = Schema.Union(LanguageWritten, Schema.Literal(namedByPattern)).annotations({
  message: ({ actual }) => ({ message: languageMessage(actual), override: true })
})

const languageMessage = (actual: unknown): string =>
  typeof actual !== "string" || actual.trim() === ""
    ? `${expected}${actual === undefined ? "" : `, found ${JSON.stringify(actual)}`}`
    : Option.getOrElse(Either.getLeft(languageNamed(actual)), () => expected)

const titled = (name: string): string =>
  name.replaceAll(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase())

const letters = [..."abcdefghijklmnopqrstuvwxyz"]

/** English names of languages without a two-letter code, and further names in common use. */
const more = {
  ...{ mandarin: "zh", farsi: "fa", castilian: "es", flemish: "nl-BE", tagalog: "tl" },
  ...{ cantonese: "yue", filipino: "fil", hawaiian: "haw", "brazilian portuguese": "pt-BR" },
  ...{ "european portuguese": "pt-PT", "american english": "en-US", "british english": "en-GB" },
  ...{ "latin american spanish": "es-419", "mexican spanish": "es-MX", "european spanish": "es-ES" },
  ...{ "canadian french": "fr-CA", "simplified chinese": "zh-Hans", "traditional chinese": "zh-Hant" }
}

/**
 * Returns the tags by English name in lower case. Deprecated codes are left out, so that they do not take their
 * successor's name. Built at the first use, which takes 15 ms.
 */
const knownTags = (): ReadonlyMap<string, string> => (tagsByName ??= tagsOfNames())

let tagsByName: ReadonlyMap<string, string> | undefined

const tagsOfNames = (): ReadonlyMap<string, string> => {
  const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" })
  return new Map([
    ...letters
      .flatMap((first) => letters.map((second) => first + second))
      .filter((code) => Intl.getCanonicalLocales(code)[0] === code)
      .flatMap((code) => {
        const name = names.of(code)
        return name === undefined ? [] : [[name.toLowerCase(), code] as const]
      }),
    ...Object.entries(more)
  ])
}
