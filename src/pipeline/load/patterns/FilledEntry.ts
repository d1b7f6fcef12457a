/** Replaces the names in an entry's settings by the text that they matched in its input. */
import { Either, ParseResult, Schema } from "effect"
import type { Defaults, JobEntry } from "../../../domain/manifest/Manifest.ts"
import { SharedVideo } from "../../../domain/manifest/Outputs.ts"
import type { TagSettings } from "../../../domain/manifest/SoundSettings.ts"
import type { InputRejected } from "../InputRejected.ts"
import { fillNames, type NameValues } from "./NamePattern.ts"

/** Fills `into` and `tags`, also those of the defaults. Left: the fault of a setting. */
export const fillEntry = (
  entry: JobEntry,
  defaults: Defaults,
  values: NameValues,
  reject: (key: string, problem: string) => InputRejected
): Either.Either<JobEntry, InputRejected> =>
  Either.gen(function* () {
    const fill = (key: string, text: string) =>
      Either.mapLeft(fillNames(text, values), (problem) => reject(key, problem))
    const filled: { -readonly [Key in keyof JobEntry]: JobEntry[Key] } = { ...entry }
    const into = entry.into ?? defaults.into
    if (into !== undefined)
      filled.into = yield* Either.mapLeft(
        Schema.decodeEither(SharedVideo)(yield* fill("into", into)),
        (fault) => reject("into", ParseResult.TreeFormatter.formatErrorSync(fault))
      )
    const tags = { ...defaults.tags, ...entry.tags }
    if (Object.keys(tags).length > 0) {
      const said: Record<string, string> = {}
      for (const [key, text] of Object.entries(tags)) said[key] = yield* fill(`tags.${key}`, text)
      filled.tags = said satisfies TagSettings
    }
    return filled
  })
