/** Reads the requests of earlier runs to rewriters, and the replies. Loads no rewriter, because a plan needs none. */
import { Config, Effect, Option } from "effect"
import type { RewriteSettings } from "../../domain/manifest/RewriteSettings.ts"
import { rewriterIdentity } from "../../engines/rewriting/Rewriter.ts"
import { type StoredRewriting, storedRewritings } from "../../store/tables/Rewritings.ts"
import { manifestOf } from "../load/BatchId.ts"
import type { Batch, Job } from "../load/Job.ts"

/** The default server of rewriters. */
export const urlSet = Effect.map(
  Effect.option(Config.nonEmptyString("DUBWRIGHT_REWRITE_URL")),
  Option.getOrUndefined
)

/** Identifies the rewriter that a job names. */
export const identityOf = (settings: RewriteSettings) =>
  Effect.map(urlSet, (url) => rewriterIdentity({ ...settings, baseUrl: settings.baseUrl ?? url }))

/** The manifest under whose name the attempts are stored. */
export const manifestFileOf = ({ key }: Batch): string => manifestOf(key) ?? key

/** Returns the attempts that earlier runs made with a job's present rewriter; empty without a rewriter. */
export const knownRewritings = Effect.fn("EarlierRewritings.knownRewritings")(function* (
  job: Job,
  batch: Batch
) {
  if (job.rewrite === undefined) return new Map<string, StoredRewriting>()
  const present = yield* identityOf(job.rewrite)
  const stored = yield* storedRewritings(manifestFileOf(batch), job.id)
  return new Map([...stored].filter(([, { rewriter }]) => rewriter === present))
})
