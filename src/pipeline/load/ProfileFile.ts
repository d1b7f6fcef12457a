/** Finds the delivery profile that a job or command names: a built-in one, or a file. */
import { resolve } from "node:path"
import { Effect, Either } from "effect"
import {
  DeliveryProfile,
  deliveryProfiles,
  profileNames,
  type ProfileName
} from "../../domain/manifest/DeliveryProfile.ts"
import { nearestName } from "../../domain/values/DidYouMean.ts"
import { readSettings } from "../../settings/SettingsText.ts"
import { inputText, type ReadInput } from "./InputFile.ts"
import { type InputRejected, rejectInput, rejectInputs } from "./InputRejected.ts"

/** A profile and its name: a built-in one, or the file as written. */
export interface NamedProfile {
  readonly name: string
  readonly profile: DeliveryProfile
}

const isBuiltIn = (name: string): name is ProfileName => profileNames.some((known) => known === name)

/** Reads a profile. A name that looks like a path is read as a file, relative to `base`. `reject` makes the error. */
export const readProfile = Effect.fnUntraced(function* (
  name: string,
  base: string,
  reject: (problem: string) => InputRejected,
  read?: ReadInput
) {
  if (isBuiltIn(name)) return { name, profile: deliveryProfiles[name] } satisfies NamedProfile
  if (!/[./\\]/u.test(name)) {
    const near = nearestName(name, profileNames)
    return yield* reject(
      `expected one of ${profileNames.join(", ")}, or a profile's file (.yaml), found "${name}"` +
        (near === undefined ? "" : `; did you mean ${near}?`)
    )
  }
  const text = yield* inputText(resolve(base, name), name, read)
  const profile = yield* Either.mapLeft(
    readSettings(
      DeliveryProfile,
      text,
      "expected a delivery profile: a mapping with loudness, truePeak or rate"
    ),
    (faults) => rejectInputs(name, faults)
  )
  if (profile.name !== undefined && !isPattern(profile.name))
    return yield* rejectInput(name, `name: "${profile.name}" is not a regular expression; correct it`)
  return { name, profile } satisfies NamedProfile
})

const isPattern = (text: string): boolean =>
  Either.isRight(Either.try(() => new RegExp(`^(?:${text})$`, "u")))
