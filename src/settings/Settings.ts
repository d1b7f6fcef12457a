/** Checks settings, given as a value, against a schema. Reports every fault in words. */
import { Array, Either, Schema, ParseResult, Predicate, type SchemaAST } from "effect"
import { choicesAt, wantedAt, keysAt, placeOfKey, type SchemaPlace } from "./SchemaShape.ts"
import { nearestName } from "../domain/values/DidYouMean.ts"

/** A fault of settings. `line` counts from 1; absent for settings that are given as a value. */
export interface SettingsFault {
  readonly line?: number
  readonly message: string
}

/** Settings, or every fault in them. */
export type Checked<A> = Either.Either<A, Array.NonEmptyReadonlyArray<SettingsFault>>

/** Checks a value against a schema. `sourceAt` and `lineAt` look up a place in the value's text, if it has one. */
export const checkSettings = <A, I>(
  schema: Schema.Schema<A, I>,
  value: unknown,
  sourceAt: (place: SchemaPlace) => string | undefined = () => undefined,
  lineAt: (place: SchemaPlace) => { readonly line?: number } = () => ({})
): Checked<A> =>
  Either.mapLeft(
    Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "error" })(value),
    (error) => {
      const faults: ReadonlyArray<SettingsFault> = schemaFaults(error, schema.ast, { value, sourceAt })
        .map(({ place, message }) => ({ message: `${pathName(place)}${message}`, ...lineAt(place) }))
        .sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
      return Array.isNonEmptyReadonlyArray(faults) ? faults : [{ message: error.message, ...lineAt([]) }]
    }
  )

const pathName = (place: SchemaPlace): string =>
  place.length === 0
    ? ""
    : `${place
        .map((step, at) => (typeof step === "number" ? `[${step}]` : `${at === 0 ? "" : "."}${String(step)}`))
        .join("")}: `

/** A fault at a place in a value. */
interface Fault {
  readonly place: SchemaPlace
  readonly message: string
}

/** A parsed value and its source text. */
interface Written {
  readonly value: unknown
  /** Source text of the scalar at a place; undefined if there is none. */
  readonly sourceAt: (place: SchemaPlace) => string | undefined
}

/** Returns the faults that a schema finds, merging those of a union's members into one per place. */
const schemaFaults = (
  error: ParseResult.ParseError,
  ast: SchemaAST.AST,
  written: Written
): ReadonlyArray<Fault> => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
  const within = (place: SchemaPlace, other: SchemaPlace) =>
    other.length > place.length && place.every((step, at) => String(step) === String(other[at]))
  // Assume that the author meant the member of the union that parsed furthest.
  const meant = issues.filter(({ path }) => !issues.some((other) => within(path, other.path)))
  return Object.values(Array.groupBy(meant, ({ path }) => JSON.stringify(path.map(String)))).map(
    ([{ _tag, path, message }]) => {
      switch (_tag) {
        case "Unexpected":
          return { place: path, message: unknownKey(ast, path) }
        case "Missing": {
          const key = path.at(-1)
          return {
            place: path.slice(0, -1),
            message: typeof key === "number" ? "expected at least one" : `the key "${String(key)}" is missing`
          }
        }
        default:
          // Default messages begin with "Expected"; a schema's custom message is kept.
          return {
            place: path,
            message: message.startsWith("Expected ") ? refusal(ast, path, written) : message
          }
      }
    }
  )
}

const refusal = (ast: SchemaAST.AST, place: SchemaPlace, { value, sourceAt }: Written): string => {
  const found = place.reduce(inside, value)
  const wanted = wantedAt(ast, place)
  const says = `expected ${wanted}${unlike(wanted, found)}, found ${shown(found)}`
  if (wanted === "a list") return `${says}${asList(ast, place, found)}`
  if (wanted.startsWith("a text") && (typeof found === "number" || typeof found === "boolean"))
    return `${says}; put it in quotes: "${sourceAt(place) ?? String(found)}"`
  return typeof found === "string" ? `${says}${meantBy(found, choicesAt(ast, place))}` : says
}

const inside = (value: unknown, step: PropertyKey): unknown => {
  if (Predicate.isRecord(value)) return value[step]
  const list: ReadonlyArray<unknown> = globalThis.Array.isArray(value) ? value : []
  return list[Number(step)]
}

/** Returns the expected property that a text lacks, such as " that is not empty". */
const unlike = (wanted: string, found: unknown): string => {
  if (!wanted.startsWith("a text") || typeof found !== "string") return ""
  if (found.trim() === "") return " that is not empty"
  return found === found.trim() ? "" : " without spaces around it"
}

const asList = (ast: SchemaAST.AST, place: SchemaPlace, found: unknown): string => {
  const choices = choicesAt(ast, [...place, 0])
  const words = typeof found === "string" ? found.split(/[\s,;]+/u).filter((word) => word !== "") : []
  if (words.length > 0 && (choices.length > 0 || wantedAt(ast, [...place, 0]) === "a text"))
    return `; write [${choices.length > 0 ? words.join(", ") : JSON.stringify(found)}]`
  return Predicate.isRecord(found) ? "; start each entry with a dash" : ""
}

/** Formats a value for a message, cut after 60 characters. */
const shown = (value: unknown): string => {
  if (value === null || value === undefined) return "nothing"
  const text = typeof value === "number" ? String(value) : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** Returns the message for an unknown key at a place. */
const unknownKey = (ast: SchemaAST.AST, place: SchemaPlace): string => {
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
const meantBy = (typed: string, known: ReadonlyArray<string>): string => {
  const near = nearestName(typed, known)
  return near === undefined ? "" : `; did you mean ${near}?`
}
