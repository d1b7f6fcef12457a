/** Values as YAML writes them. */
import { stringify } from "yaml"

/** A value inside a flow: quoted where it would mean something else. */
export const yamlScalar = (text: string): string =>
  stringify([text], { collectionStyle: "flow", lineWidth: 0 })
    .trim()
    .replace(/^\[\s*(.*?)\s*\]$/su, "$1")
