/** Dry run of a batch with everything that its state, service and disk say about it. Spends nothing. */
import { Array, Effect, Option } from "effect"
import type { PlanReport } from "../domain/report/PlanReport.ts"
import type { Refused } from "../gateway/GatewayErrors.ts"
import { InputRejected } from "../pipeline/load/InputRejected.ts"
import type { Batch } from "../pipeline/load/Job.ts"
import { unlisted } from "../pipeline/load/UnlistedSubtitles.ts"
import { unchosenLanguages } from "../pipeline/plan/BilingualNotices.ts"
import { planPartially, type BatchPlan, type PartialPlan } from "../pipeline/plan/BatchPlan.ts"
import { findUnknownVoices } from "../pipeline/plan/ServicePreflight.ts"
import { knownPrices, pricesOf } from "../pipeline/plan/Prices.ts"
import { knownRewritings } from "../pipeline/rewrite/EarlierRewritings.ts"
import { dryRun, isUnsent, type Outlook } from "../pipeline/run/DryRun.ts"
import { rereadIn } from "../pipeline/run/ReadingChanges.ts"
import { tasksInFlight } from "../pipeline/plan/TasksInFlight.ts"
import { Estimates } from "../store/tables/Estimates.ts"
import { readableStateLayer } from "../store/tables/StateLayers.ts"
import { UtteranceStore } from "../store/tables/UtteranceStore.ts"
import { hasGivenUp } from "../store/tables/UtteranceRow.ts"
import { SpeechService } from "./layers/SpeechService.ts"
import { diskOf } from "../pipeline/plan/DiskRoom.ts"
import { Gateway } from "../gateway/Gateway.ts"

/** A dry run. */
export interface Prospect {
  readonly report: PlanReport
  /** The plan of the jobs without a fault; undefined if all have one. */
  readonly plan: BatchPlan | undefined
  /** Why the batch, or only some of its jobs, could not run; then the service's rejection of the key. */
  readonly rejected: InputRejected | undefined
  readonly refused: Refused | undefined
  /** Checks that could not be made, and the service's warnings. */
  readonly notes: ReadonlyArray<string>
}

/** Plans a batch without running it. */
export const prospectOf = Effect.fn("PlanOutlook.prospectOf")(function* (loaded: Batch) {
  const batch = yield* loaded.stated?.asked ?? Effect.succeed(loaded)
  const planned = yield* planPartially(batch)
  const { outlook, refused, strange, notes } = yield* outlookOf(planned)
  const unchosen =
    planned.plan === undefined
      ? undefined
      : unchosenLanguages(
          planned.plan,
          planned.plan.utterances.filter((utterance) => isUnsent(utterance, outlook)),
          outlook.priceOf
        )
  const rejections = [planned.rejected, unchosen, Option.getOrUndefined(strange)].filter(
    (one) => one !== undefined
  )
  const faults = rejections.flatMap((one) => one.faults)
  const rejected = Array.isNonEmptyArray(faults)
    ? InputRejected.make({ faults, ofOneJob: rejections.every(({ ofOneJob }) => ofOneJob === true) })
    : undefined
  const left = yield* unlisted(batch)
  const prospect: Prospect = {
    report: {
      ...dryRun(batch, { ...planned, rejected }, outlook),
      ...(left.length === 0 ? {} : { unlisted: left })
    },
    plan: planned.plan,
    rejected,
    refused,
    notes
  }
  return prospect
})

/** Collects data about a plan from the state, the service and the disk. */
const outlookOf = Effect.fnUntraced(function* ({ plan, rejected }: PartialPlan) {
  const nothing = { refused: undefined, strange: Option.none<InputRejected>(), notes: [] }
  if (plan === undefined) return { ...nothing, outlook: nothingKnown }
  const stored = yield* storedOf(plan)
  const unsent = plan.utterances.filter((utterance) => isUnsent(utterance, stored))
  const { account, refused, unasked } = yield* accountOf(plan.batch, unsent.length)
  const service = yield* SpeechService
  const unpriced: Outlook = {
    ...stored,
    disk: yield* diskOf(plan, unsent),
    unread: plan.batch.service === "embedded" ? yield* service.local.unread : undefined,
    priceOf: knownPrices(plan),
    account
  }
  if (refused !== undefined) return { ...nothing, outlook: unpriced, refused }
  if (unasked !== undefined)
    return {
      ...nothing,
      outlook: unpriced,
      notes: [`balance, prices and voices were not checked: ${unasked}`]
    }
  const outlook = { ...unpriced, priceOf: yield* pricesOf(plan, service) }
  if (rejected?.ofOneJob === false) return { ...nothing, outlook }
  const { unknown, notes } = yield* findUnknownVoices(plan, unsent, service)
  return { ...nothing, outlook, strange: unknown, notes }
})

/** The state folder's data about a plan. */
const storedOf = (plan: BatchPlan) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const learned = yield* Estimates
    const keys = plan.utterances.map(({ key }) => key)
    const stored = yield* store.clips(keys)
    const standings = yield* store.standings(keys)
    const outlook: Outlook = {
      ...nothingKnown,
      clips: new Map([...stored].map(([key, { clip }]) => [key, clip])),
      inFlight: yield* tasksInFlight(standings),
      refused: new Set([...standings].flatMap(([key, standing]) => (hasGivenUp(standing) ? [key] : []))),
      speechTime: learned.speechTime,
      rewritings: new Map(
        yield* Effect.forEach(plan.jobs, ({ job }) =>
          Effect.map(knownRewritings(job, plan.batch), (known) => [job.id, known] as const)
        )
      ),
      reread: yield* rereadIn(plan)
    }
    return outlook
  }).pipe(
    Effect.provide(readableStateLayer(plan.batch.state)),
    Effect.catchIf(
      (fault) => fault.reason === "missing",
      () => Effect.succeed<Outlook>(nothingKnown)
    )
  )

const nothingKnown: Outlook = {
  clips: new Map(),
  inFlight: new Set(),
  refused: new Set(),
  speechTime: () => undefined,
  priceOf: () => undefined
}

/** What the service says about the account; nothing if no check was needed or possible. */
interface AccountSeen {
  /** The balance: the service accepts the key. */
  readonly account?: Outlook["account"]
  /** The service rejects the key. */
  readonly refused?: Refused | undefined
  /** Why the service is unreachable, so that prices and voices need not be requested either. */
  readonly unasked?: string | undefined
}

/** Timeout of each of the two requests. */
const within = "10 seconds"

/**
 * Checks the account at a remote service. Skipped for the bundled service, if nothing is to be sent (`unsent` is 0), or
 * without a key; the voice check reports a missing key.
 */
const accountOf = Effect.fn("PlanOutlook.accountOf")(function* (
  { service, state }: Pick<Batch, "service" | "state">,
  unsent: number
) {
  const { connect, hasKey } = yield* SpeechService
  const nothing: AccountSeen = {}
  if (service === "embedded" || unsent === 0 || !hasKey) return nothing
  return yield* asked.pipe(
    Effect.provide(connect(service, state)),
    Effect.catchTags({
      Refused: (refused) => Effect.succeed<AccountSeen>(refused.reason === "key" ? { refused } : nothing),
      Unreachable: ({ message }) => Effect.succeed<AccountSeen>({ unasked: message })
    }),
    // A service without these endpoints may still list prices and voices.
    Effect.orElseSucceed(() => nothing)
  )
})

const asked = Effect.gen(function* () {
  const { ping, reads } = yield* Gateway
  // Ping first: it fails fast if the service is unreachable, while reads retry.
  yield* ping.pipe(
    Effect.timeout(within),
    Effect.catchIf(
      (fault) => fault._tag !== "Unreachable",
      () => Effect.void
    )
  )
  const { credits, unlimited } = yield* Effect.timeout(reads.credits, within)
  const seen: AccountSeen = unlimited
    ? { account: { unlimited } }
    : credits === undefined
      ? {}
      : { account: { unlimited, credits } }
  return seen
})
