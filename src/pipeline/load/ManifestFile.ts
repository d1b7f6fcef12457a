/** Parses a manifest and checks it against its schema; reports each fault with its line. */
import { Either } from "effect"
import { Manifest } from "../../domain/manifest/Manifest.ts"
import { readSettings } from "../../settings/SettingsText.ts"
import { type InputRejected, rejectInputs } from "./InputRejected.ts"

/** Parses a manifest in YAML or JSON (a subset of YAML). `file` is its name in messages. */
export const readManifest = (text: string, file: string): Either.Either<Manifest, InputRejected> =>
  Either.mapLeft(
    readSettings(
      Manifest,
      text,
      "expected a manifest: a mapping with a list named jobs (dubwright init writes an example)"
    ),
    (faults) => rejectInputs(file, faults)
  )
