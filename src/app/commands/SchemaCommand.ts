/** The manifest's JSON Schema, as editors take it for completion and checks. */
import { Effect, JSONSchema } from "effect"
import { Manifest } from "../../domain/manifest/Manifest.ts"
import { Screen } from "../terminal/Screen.ts"

/** The schema as a value; draft 7. */
export const manifestSchema = JSONSchema.make(Manifest)

export const schemaCommand = Effect.flatMap(Screen, (screen) =>
  screen.result(JSON.stringify(manifestSchema, null, 2))
)
