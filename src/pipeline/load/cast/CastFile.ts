/** Reads a manifest's cast, written in it or in a file of its own. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { Effect, Either } from "effect"
import { CastSettings } from "../../../domain/manifest/CastSettings.ts"
import type { Manifest } from "../../../domain/manifest/Manifest.ts"
import { languageNamed } from "../../../domain/values/LanguageName.ts"
import { readSettings } from "../../../settings/SettingsText.ts"
import { inputText, type ReadInput } from "../InputFile.ts"
import { rejectInputs } from "../InputRejected.ts"

/** A cast and the file that holds it. */
export interface WrittenCast {
  readonly settings: CastSettings
  /** Absolute. */
  readonly file: string
  /** Whether it is the manifest itself. */
  readonly isInManifest: boolean
}

/** Reads the cast; undefined for a manifest without one. `file` is the manifest's absolute path. */
export const readCast = Effect.fn("CastFile.readCast")(function* (
  { cast }: Manifest,
  manifest: { readonly name: string; readonly file: string; readonly base: string },
  { read, newCast }: { readonly read?: ReadInput | undefined; readonly newCast?: boolean | undefined }
) {
  if (cast === undefined) return undefined
  if (typeof cast !== "string") {
    yield* checkLanguages(cast, manifest.name, "cast.")
    return { settings: cast, file: manifest.file, isInManifest: true } satisfies WrittenCast
  }
  const path = resolve(manifest.base, cast)
  const isNew = newCast === true && !existsSync(path)
  const text = isNew ? "" : yield* inputText(path, cast, read)
  const settings = yield* Either.mapLeft(
    readSettings(
      CastSettings,
      text,
      "expected a cast: a mapping with speakers, default or pool",
      isNew ? {} : undefined
    ),
    (faults) => rejectInputs(cast, faults)
  )
  yield* checkLanguages(settings, cast, "")
  return { settings, file: path, isInManifest: false } satisfies WrittenCast
})

/** Rejects keys that are not languages. */
const checkLanguages = (
  { speakers = {}, default: usual, pool }: CastSettings,
  file: string,
  prefix: string
) => {
  const places = [
    ...Object.entries(speakers).map(([name, voices]) => [`speakers.${name}`, voices] as const),
    ["default", usual ?? {}] as const,
    ["pool", pool ?? {}] as const
  ]
  const faults = places.flatMap(([place, voices]) =>
    Object.keys(voices).flatMap((language) =>
      language === "*"
        ? []
        : Either.match(languageNamed(language), {
            onLeft: (message) => [{ message: `${prefix}${place}: ${message}, or * for all other languages` }],
            onRight: () => []
          })
    )
  )
  const [first, ...others] = faults
  return first === undefined ? Either.void : Either.left(rejectInputs(file, [first, ...others]))
}
