/** The `schema` command: prints the manifest's JSON Schema, for completion and validation in editors. */
import { Effect } from "effect"
import { manifestSchema } from "../../domain/manifest/ManifestSchema.ts"
import { Screen } from "../terminal/Screen.ts"

export const schemaCommand = () =>
  Effect.flatMap(Screen, (screen) => screen.result(JSON.stringify(manifestSchema, null, 2)))
