/** Option constructors: text, numbers and flags. Each validates its value, so errors name the option. */
import { HelpDoc, Options, ValidationError } from "@effect/cli"
import { Effect, Option, Schema } from "effect"

/** Makes an option optional; undefined if absent. */
export const maybe = <A>(option: Options.Options<A>): Options.Options<A | undefined> =>
  Options.map(Options.optional(option), Option.getOrUndefined)

export const refused = (name: string, expected: string, found: string) =>
  ValidationError.invalidValue(HelpDoc.p(`--${name}: expected ${expected}, found "${found}"`))

/** An option decoded by a schema. `expected` describes valid values in the error message. */
export const checked = <A>(
  name: string,
  placeholder: string,
  schema: Schema.Schema<A, string>,
  expected: string,
  description: string
) =>
  Options.text(name).pipe(
    Options.withPseudoName(placeholder),
    Options.withDescription(description),
    Options.mapEffect((found) =>
      Schema.decode(schema)(found).pipe(Effect.mapError(() => refused(name, expected, found)))
    )
  )

export const textOption = (name: string, placeholder: string, description: string) =>
  maybe(checked(name, placeholder, Schema.NonEmptyTrimmedString, "a value", description))

export const textOr = (name: string, placeholder: string, fallback: string, description: string) =>
  Options.map(textOption(name, placeholder, description), (value) => value ?? fallback)

export const requiredText = (name: string, placeholder: string, description: string) =>
  checked(name, placeholder, Schema.NonEmptyTrimmedString, "a value", description)

/** An optional list of some of the literals, separated by commas. */
export const listOption = <Names extends readonly [string, ...ReadonlyArray<string>]>(
  name: string,
  placeholder: string,
  names: Schema.Literal<[...Names]>,
  description: string
) =>
  maybe(
    checked(
      name,
      placeholder,
      Schema.split(",").pipe(Schema.compose(Schema.NonEmptyArray(names))),
      `one or more of ${names.literals.join(", ")}, separated by commas`,
      description
    )
  )

/** Inclusive bounds. */
interface Bounds {
  readonly min: number
  readonly max: number
}

/** An optional whole number within bounds. */
export const integerOption = (name: string, placeholder: string, bounds: Bounds, description: string) =>
  maybe(requiredIntegerOption(name, placeholder, bounds, description))

/** An optional number of seconds, from 0.1 to an hour. */
export const seconds = (name: string, fallback: number, description: string) =>
  Options.map(
    maybe(
      checked(
        name,
        "SECONDS",
        Schema.NumberFromString.pipe(Schema.between(0.1, 3_600)),
        "seconds from 0.1 to 3600",
        `${description}; default: ${fallback}`
      )
    ),
    (given) => given ?? fallback
  )

/** A required whole number within bounds. */
export const requiredIntegerOption = (
  name: string,
  placeholder: string,
  { min, max }: Bounds,
  description: string
) =>
  checked(
    name,
    placeholder,
    Schema.NumberFromString.pipe(Schema.int(), Schema.between(min, max)),
    `a whole number from ${min} to ${max}`,
    description
  )

/** An optional number, zero or more. */
export const amount = (name: string, placeholder: string, description: string) =>
  maybe(
    checked(
      name,
      placeholder,
      Schema.NumberFromString.pipe(Schema.finite(), Schema.nonNegative()),
      "a number, 0 or more",
      description
    )
  )

export const flag = (name: string, description: string) =>
  Options.boolean(name).pipe(Options.withDescription(description))
