/** Decodes values that strangers wrote, such as a server's responses. */
import { Option, Schema } from "effect"

/**
 * Makes a decoder that returns none for any value that does not match the schema. Where a union expects its tag, the
 * schema library throws if the value cannot be converted to text, as `{"toString": 0}`.
 */
export const decodeForeign = <A, I>(schema: Schema.Schema<A, I>): ((value: unknown) => Option.Option<A>) =>
  Option.liftThrowable(Schema.decodeUnknownSync(schema))
