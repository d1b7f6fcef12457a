/** Checks a manifest, or options of a run, that are given as a value. */
import { Either, type Schema } from "effect"
import { checkSettings } from "../../settings/Settings.ts"
import { type InputRejected, rejectInputs } from "./InputRejected.ts"

/** Checks input that is given as a value; `name` is its name in messages. */
export const checkValue = <A, I>(
  schema: Schema.Schema<A, I>,
  value: unknown,
  name: string
): Either.Either<A, InputRejected> =>
  Either.mapLeft(checkSettings(schema, value), (faults) => rejectInputs(name, faults))
