/** What the settings' schemas have in common: described fields, bounded numbers, names, addresses. */
import { Schema } from "effect"

/** A schema with words for people, which stand in messages too. */
export const describedField = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) =>
  schema.annotations({ description })

/** A field that may be left out. */
export const optionalField = <A, I, R>(schema: Schema.Schema<A, I, R>, description: string) =>
  Schema.optionalWith(describedField(schema, description), { exact: true })

/** A number of seconds, zero or more. */
export const secondsField = (most: number) => Schema.Number.pipe(Schema.between(0, most))
/** A whole number within bounds. */
export const countField = (least: number, most: number) => Schema.Int.pipe(Schema.between(least, most))
/** An address of http or https. */
export const addressField = Schema.NonEmptyTrimmedString.pipe(
  Schema.filter((value) => URL.canParse(value) && /^https?:$/u.test(new URL(value).protocol), {
    message: () => "expected an address that begins with http:// or https://"
  })
)

/** A name that stands in addresses: letters, digits, dots, dashes and underscores. */
export const Slug = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,79}$/u, {
    message: () => "expected 1 to 80 letters, digits, dots, dashes, plus signs or underscores"
  })
)
