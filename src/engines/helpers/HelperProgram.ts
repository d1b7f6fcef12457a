/** A helper that is a program. */
import { type Duration, Effect } from "effect"
import { filledArgument, type ProgramFailed, runProgram } from "../program/ChildProgram.ts"
import { programEnvironment } from "../program/CommandEngine.ts"
import { HelperFailed } from "./HelperFailed.ts"

/** Converts a program's failure to `HelperFailed`; `setting` is the manifest's key for the helper. */
export const programFailed = (
  setting: string,
  file: string,
  { reason, detail }: ProgramFailed
): HelperFailed =>
  reason === "not-started"
    ? new HelperFailed({
        reason: "unusable",
        detail: `${file}: cannot be started (${detail}); install it, or correct ${setting}.command`
      })
    : new HelperFailed({ reason: "one", detail: `${file}: ${detail}` })

/** How to run a helper that is a program. */
export interface HelperProgramOptions {
  /** The program and its arguments, with placeholders. */
  readonly command: readonly [string, ...ReadonlyArray<string>]
  /** The base folder of the program's relative paths. */
  readonly folder: string
  /** Maximum requests at once. */
  readonly concurrency: number
  /** Maximum time for a request; the program is killed after it. */
  readonly timeout: Duration.DurationInput
}

/** Makes the function that runs the program with these values for its placeholders, and returns its output. */
export const makeHelperProgram = (setting: string, maxBytes: number, options: HelperProgramOptions) =>
  Effect.map(programEnvironment, (env) => {
    const [file, ...args] = options.command
    return (values: Readonly<Record<string, string>>, stdin: string) =>
      runProgram({
        file,
        args: args.map((arg) => filledArgument(arg, values)),
        env,
        cwd: options.folder,
        stdin,
        maxBytes,
        timeout: options.timeout
      }).pipe(
        Effect.mapBoth({
          onSuccess: (output) => output.toString("utf8"),
          onFailure: (failure) => programFailed(setting, file, failure)
        })
      )
  })
