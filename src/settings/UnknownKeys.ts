/** Advice for an unknown key: a secret in a file, a key in the wrong place, a key that left, or a typo. */
import type { SchemaAST } from "effect"
import { nearestName } from "../domain/values/DidYouMean.ts"
import { keysAt, type SchemaPlace, placeOfKey } from "./SchemaShape.ts"

/** Returns the message for an unknown key at a place. */
export const unknownKey = (ast: SchemaAST.AST, place: SchemaPlace): string => {
  const key = String(place.at(-1))
  const around = place.slice(0, -1)
  if (/^\d+$/u.test(key)) return "unknown key (write decimals with a point: 1.3)"
  if (/^(?:api[-_]?)?(?:key|token|secret)$/iu.test(key)) {
    const variable = placeOfKey(ast, around, "keyVariable") ?? placeOfKey(ast, [], "keyVariable")
    return variable === undefined
      ? "unknown key; the service's key is read only from DUBWRIGHT_API_KEY"
      : `unknown key; name the environment variable that holds the key in ${variable}`
  }
  if (key === "checksum" && around.at(-1) === "audio")
    return "unknown key; remove it: FLAC files always have the MD5 of their samples"
  const elsewhere = placeOfKey(ast, around, key) ?? placeOfKey(ast, [], key)
  return elsewhere === undefined
    ? `unknown key${meantBy(key, keysAt(ast, around))}`
    : `unknown key here; did you mean ${elsewhere}?`
}

/** Returns the suggestion of the known name that is nearest to a typed one; empty if none is near. */
export const meantBy = (typed: string, known: ReadonlyArray<string>): string => {
  const near = nearestName(typed, known)
  return near === undefined ? "" : `; did you mean ${near}?`
}
