/** A rewriter that is a local program: the prompt on stdin, the shorter line on stdout. */
import { Effect } from "effect"
import { type HelperProgramOptions, makeHelperProgram } from "../helpers/HelperProgram.ts"
import { type Rewriter, rewriterIdentity, withoutPrompt } from "./Rewriter.ts"

/** Maximum bytes of output. */
const maxOutput = 256 * 1024

/**
 * Makes the rewriter. The program's arguments take the placeholders of `LineToShorten`. It gets no keys in its
 * environment.
 */
export const makeCommandRewriter = Effect.fnUntraced(function* (options: HelperProgramOptions) {
  const run = yield* makeHelperProgram("rewrite", maxOutput, options)
  const shorten: Rewriter["shorten"] = Effect.fn("CommandRewriter.shorten")((line) =>
    Effect.mapError(run(line.values, `${line.system}\n\n${line.user}\n`), (failed) =>
      withoutPrompt(failed, line)
    )
  )
  return {
    identity: rewriterIdentity(options),
    concurrency: options.concurrency,
    shorten
  } satisfies Rewriter
})
