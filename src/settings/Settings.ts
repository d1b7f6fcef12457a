/** Checks settings, given as a value, against a schema. Reports every fault in words. */
import { Array, Either, Schema } from "effect"
import { schemaFaults } from "./SchemaFaults.ts"
import type { SchemaPlace } from "./SchemaShape.ts"

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
