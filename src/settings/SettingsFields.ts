/** Schema helpers shared by the settings files: described fields, bounded numbers, names and URLs. */
import { Schema } from "effect"
import { expecting } from "../domain/values/SchemaWords.ts"

/** Adds a description for people. Error messages quote it. */
export const describedField = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) =>
  schema.annotations({ description })

/** An optional field with a description. */
export const optionalField = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) =>
  Schema.optionalWith(describedField(schema, description), { exact: true })

/** An optional integer from `least` to `most`. */
export const optionalCount = (least: number, most: number, description: string) =>
  optionalField(Schema.Int.pipe(Schema.between(least, most)), description)
/** An optional number from `least` to `most`. */
export const optionalNumber = (least: number, most: number, description: string) =>
  optionalField(Schema.Number.pipe(Schema.between(least, most)), description)
/** An http or https URL. */
export const addressField = Schema.NonEmptyTrimmedString.pipe(
  Schema.filter(
    (value) => URL.canParse(value) && /^https?:$/u.test(new URL(value).protocol),
    expecting("a URL that starts with http:// or https://")
  )
)

/** A name that is safe in a URL path: letters, digits, dots, dashes, plus signs and underscores. */
export const Slug = Schema.String.pipe(
  Schema.pattern(
    /^[A-Za-z0-9][A-Za-z0-9._+-]{0,79}$/u,
    expecting("1 to 80 letters, digits, dots, dashes, plus signs or underscores")
  )
)
