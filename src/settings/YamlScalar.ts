/** Quoting of YAML scalars. */
import { stringify } from "yaml"

/** Formats a text as a flow scalar, quoted only if it would otherwise mean something else. */
export const yamlScalar = (text: string): string =>
  stringify([text], { collectionStyle: "flow", lineWidth: 0 }).trim().slice(1, -1).trim()
