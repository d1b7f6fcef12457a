/** Input that cannot be used: found before anything is sent, told one line a fault. */
import { Schema } from "effect"

/** One fault: where it stands, and in words what was found, what was expected and how to mend it. */
export class InputFault extends Schema.Class<InputFault>("InputFault")({
  /** The file as its user named it. */
  file: Schema.String,
  /** From 1, where the fault has a line. */
  line: Schema.optional(Schema.Int),
  message: Schema.NonEmptyString
}) {
  /** One line; a control character, which a terminal would obey, stands as one that is lost. */
  override toString(): string {
    const place = this.line === undefined ? this.file : `${this.file}:${this.line}`
    return `${place}: ${this.message}`.replaceAll(/\p{Cc}/gu, "\ufffd")
  }
}

/** Every fault that was found, not only the first. */
export class InputRejected extends Schema.TaggedError<InputRejected>()("InputRejected", {
  faults: Schema.NonEmptyArray(InputFault)
}) {
  override get message(): string {
    return this.faults.map(String).join("\n")
  }
}

/** A rejection for a single fault. */
export const rejectInput = (file: string, message: string, line?: number): InputRejected =>
  InputRejected.make({
    faults: [InputFault.make({ file, message, ...(line === undefined ? {} : { line }) })]
  })
