/** The error for unusable input, found before anything is sent: one line per fault. */
import { Array, Schema } from "effect"

/** One fault: its file and line, and a message with the found content, the expected content, and how to fix it. */
export class InputFault extends Schema.Class<InputFault>("InputFault")({
  /** The file as the user named it. */
  file: Schema.String,
  /** From 1; absent if the fault has no line. */
  line: Schema.optional(Schema.Int),
  message: Schema.NonEmptyString
}) {
  /** One line. Control characters are replaced by U+FFFD, so that a terminal does not act on them. */
  override toString(): string {
    const place = this.line === undefined ? this.file : `${this.file}:${this.line}`
    return `${place}: ${this.message}`.replaceAll(/\p{Cc}/gu, "\ufffd")
  }
}

/** Carries every fault that was found, not only the first. */
export class InputRejected extends Schema.TaggedError<InputRejected>()("InputRejected", {
  faults: Schema.NonEmptyArray(InputFault),
  /** Whether only one job lacks something: a run fails that job, and continues with the others. */
  ofOneJob: Schema.optional(Schema.Boolean)
}) {
  override get message(): string {
    return this.faults.map(String).join("\n")
  }
}

/** Returns the error for the faults of a file: messages, or messages with their lines. */
export const rejectInputs = (
  file: string,
  faults: Array.NonEmptyReadonlyArray<
    string | { readonly line?: number | undefined; readonly message: string }
  >
): InputRejected =>
  InputRejected.make({
    faults: Array.map(faults, (fault) =>
      InputFault.make({ file, ...(typeof fault === "string" ? { message: fault } : fault) })
    )
  })

/** Marks the fault of one job. */
export const ofOneJob = ({ faults }: InputRejected): InputRejected =>
  InputRejected.make({ faults, ofOneJob: true })

/** Returns the error for a single fault. */
export const rejectInput = (file: string, message: string, line?: number): InputRejected =>
  rejectInputs(file, [{ message, line }])
