/** A rewriter that is a local program: the prompt on stdin, the shorter line on stdout. */
import { type Duration, Effect } from "effect"
import { programFailed } from "../helpers/HelperProgram.ts"
import { filledArgument, runProgram } from "../program/ChildProgram.ts"
import { programEnvironment } from "../program/CommandEngine.ts"
import { type Rewriter, rewriterIdentity, withoutPrompt } from "./Rewriter.ts"

export interface CommandRewriterOptions {
  /** The program and its arguments, with the placeholders of `LineToShorten`. */
  readonly command: readonly [string, ...ReadonlyArray<string>]
  /** The base folder of the program's relative paths. */
  readonly folder: string
  readonly concurrency: number
  /** Maximum time for a line; the program is killed after it. */
  readonly timeout: Duration.DurationInput
}

/** Maximum bytes of output. */
const maxOutput = 256 * 1024

/** Makes the rewriter. A program gets no keys in its environment. */
export const makeCommandRewriter = Effect.fnUntraced(function* (options: CommandRewriterOptions) {
  const [file, ...args] = options.command
  const env = yield* programEnvironment
  const shorten: Rewriter["shorten"] = Effect.fn("CommandRewriter.shorten")((line) =>
    runProgram({
      file,
      args: args.map((arg) => filledArgument(arg, line.values)),
      env,
      cwd: options.folder,
      stdin: `${line.system}\n\n${line.user}\n`,
      maxBytes: maxOutput,
      timeout: options.timeout
    }).pipe(
      Effect.mapBoth({
        onSuccess: (output) => output.toString("utf8"),
        onFailure: (failure) => withoutPrompt(programFailed("rewrite", file, failure), line)
      })
    )
  )
  return {
    identity: rewriterIdentity(options),
    concurrency: options.concurrency,
    shorten
  } satisfies Rewriter
})
