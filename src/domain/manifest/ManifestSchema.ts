/** The manifest's JSON Schema, for completion and validation in editors. */
import { JSONSchema } from "effect"
import { Manifest } from "./Manifest.ts"

/** The address of the schema: the file that npm publishes. */
const schemaId = "https://unpkg.com/dubwright/dist/manifest.schema.json"

const { $schema, $defs, ...root } = JSONSchema.make(Manifest)

/** JSON Schema draft 7, which ignores keys beside `$ref`; so the root's own is in `allOf`. */
export const manifestSchema: { readonly $id: string } & Readonly<Record<string, unknown>> = {
  $schema,
  $id: schemaId,
  title: "dubwright manifest",
  allOf: [root],
  $defs
}
