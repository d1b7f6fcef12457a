/** Constructors of commands, arguments and options. Options validate their values, so that errors name the option. */
import { Args, Command, HelpDoc, Options, ValidationError } from "@effect/cli"
import { Array, Effect, Option, Schema, type Types } from "effect"

/** A command. Its code is imported only when it runs, so that help and usage errors are fast. */
export const command = <Name extends string, const Config extends Command.Command.Config, A, E, R>(
  name: Name,
  description: string,
  config: Config,
  load: () => Promise<
    (options: Types.Simplify<Command.Command.ParseConfig<Config>>) => Effect.Effect<A, E, R>
  >
) =>
  Command.make(name, config, (options) => Effect.flatMap(Effect.promise(load), (run) => run(options))).pipe(
    Command.withDescription(description)
  )

export const argument = (name: string, description: string) =>
  Args.text({ name }).pipe(Args.withDescription(description))

/** One or more arguments. */
export const manyArguments = (name: string, description: string) =>
  Args.atLeast(argument(name, description), 1)

/** One argument, where the command takes a list. */
export const onlyArgument = (name: string, description: string) =>
  Args.map(argument(name, description), Array.of)

/** Makes an option optional; undefined if absent. */
export const maybe = <A>(option: Options.Options<A>): Options.Options<A | undefined> =>
  Options.map(Options.optional(option), Option.getOrUndefined)

/** Gives an optional option a default. */
export const withDefault = <A, const B>(
  option: Options.Options<A | undefined>,
  fallback: B
): Options.Options<A | B> => Options.map(option, (value) => value ?? fallback)

export const invalid = (problem: string) => ValidationError.invalidValue(HelpDoc.p(problem))

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
      Effect.mapError(Schema.decode(schema)(found), () =>
        invalid(`--${name}: expected ${expected}, found "${found}"`)
      )
    )
  )

export const requiredText = (name: string, placeholder: string, description: string) =>
  checked(name, placeholder, Schema.NonEmptyTrimmedString, "a value", description)

export const text = (name: string, placeholder: string, description: string) =>
  maybe(requiredText(name, placeholder, description))

/** An optional list of some of the literals, separated by commas. */
export const list = <Names extends readonly [string, ...ReadonlyArray<string>]>(
  name: string,
  placeholder: string,
  names: Schema.Literal<[...Names]>,
  description: string
) => {
  const schema = Schema.split(",").pipe(Schema.compose(Schema.NonEmptyArray(names)))
  const expected = `one or more of ${names.literals.join(", ")}, separated by commas`
  return maybe(checked(name, placeholder, schema, expected, description))
}

export const choice = <const Names extends ReadonlyArray<string>>(
  name: string,
  names: Names,
  description: string
): Options.Options<Names[number] | undefined> =>
  maybe(Options.withDescription(Options.choice(name, names), description))

/** A required whole number; both bounds are inclusive. */
export const requiredInteger = (
  name: string,
  placeholder: string,
  [min, max]: readonly [min: number, max: number],
  description: string
) => {
  const schema = Schema.NumberFromString.pipe(Schema.int(), Schema.between(min, max))
  return checked(name, placeholder, schema, `a whole number from ${min} to ${max}`, description)
}

export const integer = (...option: Parameters<typeof requiredInteger>) => maybe(requiredInteger(...option))

/** An optional number of seconds, from 0.1 to an hour. */
export const seconds = (name: string, fallback: number, description: string) => {
  const schema = Schema.NumberFromString.pipe(Schema.between(0.1, 3_600))
  const described = `${description}; default: ${fallback}`
  return withDefault(maybe(checked(name, "SECONDS", schema, "seconds from 0.1 to 3600", described)), fallback)
}

/** An optional number, zero or more. */
export const amount = (name: string, placeholder: string, description: string) => {
  const schema = Schema.NumberFromString.pipe(Schema.finite(), Schema.nonNegative())
  return maybe(checked(name, placeholder, schema, "a number, 0 or more", description))
}

export const flag = (name: string, description: string) =>
  Options.withDescription(Options.boolean(name), description)
