/** The manifest's JSON Schema, for completion and validation in editors. */
import { JSONSchema } from "effect"
import { Manifest } from "./Manifest.ts"

/** JSON Schema draft 7. */
export const manifestSchema = JSONSchema.make(Manifest)
