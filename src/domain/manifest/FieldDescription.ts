/**
 * Keys of a schema with the words that people read about them in the manual and in their editor. The words belong to
 * the key, not to its type, whose own words are what an error says was expected.
 */
import { Schema } from "effect"

/** A key that is needed. */
export const described = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) =>
  Schema.propertySignature(schema).annotations({ description })

/** A key that may be absent. */
export const optional = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) =>
  Schema.optionalWith(schema, { exact: true }).annotations({ description })
