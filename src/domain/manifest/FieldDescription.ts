/**
 * Schema keys with descriptions, shown in the manual and in editors. A description belongs to the key, not to its type:
 * error messages use the type's own description.
 */
import { Schema } from "effect"

/** A required key. */
export const described = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) =>
  Schema.propertySignature(schema).annotations({ description })

/** An optional key. */
export const optional = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) =>
  Schema.optionalWith(schema, { exact: true }).annotations({ description })
