/**
 * Sends the lines of a batch that do not fit to the rewriter of each job, and stores every reply. A rewriter that fails
 * leaves its lines as they are; it never fails the run.
 */
import { dirname, resolve } from "node:path"
import { Config, Effect, Either, Layer, Option } from "effect"
import type { RewriteSettings } from "../../domain/manifest/RewriteSettings.ts"
import { HelperFailed } from "../../engines/helpers/HelperFailed.ts"
import { makeHelperHealth } from "../../engines/helpers/HelperHealth.ts"
import { makeCommandRewriter } from "../../engines/rewriting/CommandRewriter.ts"
import { makeEndpointRewriter } from "../../engines/rewriting/EndpointRewriter.ts"
import { httpClient } from "../../gateway/exchange/HttpTransport.ts"
import { promptOf } from "../../script/rewritten/RewritePrompt.ts"
import { keepRewriting } from "../../store/tables/Rewritings.ts"
import type { Batch } from "../load/Job.ts"
import type { LongLine } from "../place/LongLines.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import { manifestFileOf, identityOf, knownRewritings, urlSet } from "./EarlierRewritings.ts"
import { type RewrittenLine, rewrittenLine, rewrittenLines } from "./LineRewritings.ts"

/** Maximum characters of a reply that are kept. */
const maxReply = 2_000

/** Opens the rewriter that a job names; `manifest` is the manifest's path, from whose folder programs are started. */
const openRewriter = Effect.fn("RewriteStage.openRewriter")(function* (
  { command, baseUrl, model, timeout = 60, concurrency }: RewriteSettings,
  manifest: string
) {
  const within = `${timeout} seconds` as const
  if (command !== undefined)
    return yield* makeCommandRewriter({
      command,
      folder: dirname(resolve(manifest)),
      concurrency: concurrency ?? 1,
      timeout: within
    })
  const url = baseUrl ?? (yield* urlSet)
  if (url === undefined || model === undefined)
    return yield* new HelperFailed({
      reason: "unusable",
      detail: "no rewriter is named; set rewrite.command or rewrite.baseUrl, or DUBWRIGHT_REWRITE_URL"
    })
  const key = yield* Effect.option(Config.redacted(Config.nonEmptyString("DUBWRIGHT_REWRITE_KEY")))
  return yield* makeEndpointRewriter({
    baseUrl: url,
    model,
    key: Option.getOrUndefined(key),
    concurrency: concurrency ?? 4,
    timeout: within
  })
})

/** Opens the rewriters of one run, each when the first line is sent. */
export const makeRewriters = Effect.fnUntraced(function* ({ manifest }: Pick<Batch, "manifest">) {
  const scope = yield* Effect.scope
  const client = yield* Effect.cached(Layer.buildWithScope(httpClient, scope))
  return yield* Effect.cachedFunction((settings: RewriteSettings) =>
    Effect.map(
      Effect.flatMap(client, (context) =>
        Effect.either(Effect.provide(openRewriter(settings, manifest), context))
      ),
      (opened) => ({
        health: makeHelperHealth(opened),
        concurrency: Either.isLeft(opened) ? 1 : opened.right.concurrency
      })
    )
  )
})
export type Rewriters = Effect.Effect.Success<ReturnType<typeof makeRewriters>>

/** The lines of a job that were sent to its rewriter. */
export interface RewrittenJob {
  readonly lines: ReadonlyArray<RewrittenLine>
  /** Why requests got no reply, by the names of their lines. */
  readonly failures: ReadonlyMap<string, string>
}

/**
 * Sends the lines that do not fit, `long`, until each has a proposal or no attempts are left. Without `rewriters`,
 * sends nothing.
 */
export const rewriteLines = Effect.fn("RewriteStage.rewriteLines")(function* (
  plan: JobPlan,
  long: ReadonlyArray<LongLine>,
  batch: Batch,
  rewriters: Rewriters | undefined
) {
  const { rewrite, id, language = "" } = plan.job
  const known = new Map(yield* knownRewritings(plan.job, batch))
  const failures = new Map<string, string>()
  if (rewrite !== undefined && rewriters !== undefined) {
    const { health, concurrency } = yield* rewriters(rewrite)
    const rewriter = yield* identityOf(rewrite)
    yield* Effect.forEach(
      rewrittenLines(plan, long, known),
      Effect.fnUntraced(function* ({ name, at, limit, request: first }) {
        let request = first
        while (request !== undefined) {
          const prompt = promptOf(request)
          const { text, before, after, limit: most } = request
          const values = { text, before, after, language, limit: `${most}` }
          const reply = yield* health.ask(({ shorten }) => shorten({ ...prompt, values }))
          if (Either.isLeft(reply)) {
            failures.set(name, reply.left)
            return
          }
          const attempt = { limit: most, before, after, reply: reply.right.slice(0, maxReply) }
          const record = { rewriter, text, attempts: [...request.earlier, attempt] }
          known.set(name, record)
          yield* keepRewriting({ file: manifestFileOf(batch), job: id, line: name }, record)
          request = rewrittenLine(plan, at, limit, record)?.request
        }
      }),
      { concurrency, discard: true }
    )
  }
  return {
    lines: rewrittenLines(plan, long, known).map((line) => explained(line, failures)),
    failures
  } satisfies RewrittenJob
})

/** Says why a line that was to be sent has no proposal. */
const explained = (line: RewrittenLine, failures: ReadonlyMap<string, string>): RewrittenLine => {
  const why = failures.get(line.name)
  return why === undefined ? line : { ...line, rewriting: { ...line.rewriting, why } }
}
