/** Speaks the unfinished utterances of a batch, after checking that the service has their providers and voices. */
import { Effect, type Layer, Option } from "effect"
import type { Credits } from "../../contract/Account.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { creditsStated } from "../../gateway/response/TaskSnapshot.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import { bytesText } from "../../pages/documents/PlanCosts.ts"
import { formatInteger } from "../../pages/parts/TimeFormat.ts"
import { StateUnusable } from "../../store/state/StateErrors.ts"
import { hasGivenUp } from "../../store/tables/UtteranceRow.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { BatchPlan, JobPlan } from "../plan/BatchPlan.ts"
import { diskOf } from "../plan/DiskRoom.ts"
import { servicePrices } from "../plan/Prices.ts"
import { unsentUtterances } from "../plan/TasksInFlight.ts"
import { unchosenLanguages } from "../plan/BilingualNotices.ts"
import { ServiceAbsent } from "../plan/ServicePresence.ts"
import { checkService, withinReadLimit } from "../plan/ServicePreflight.ts"
import { Progress } from "../Progress.ts"
import { priceLookup } from "../speak/CreditBudget.ts"
import { type Deadline, defaultSpeakSettings, type Halt, type SpeakSettings } from "../speak/SpeakSettings.ts"
import { nothingSpoken, spentSoFar, type SpokenBatch } from "./RunCompletion.ts"
import type { RunExecutor } from "./RunExecutor.ts"
import type { RunRecord } from "./RunRecord.ts"

/** How a run speaks. */
export interface SpeechOptions<E, R> {
  /** Connects to the service when it is needed, once. */
  readonly service: Layer.Layer<Gateway, E, R>
  /** Maximum credits that the batch may spend, including those of its earlier, interrupted runs. */
  readonly maxCredits: number | undefined
  /** The run starts no new work after this time. */
  readonly deadline: Deadline | undefined
  /** Whether the run starts even if disk space or credits will not suffice. */
  readonly force: boolean
  readonly executor: RunExecutor
  readonly record: RunRecord
}

/**
 * Speaks the utterances that have no clip, `waiting`, and reads the account's credits before and after. If there is no
 * service, leaves them.
 */
export const speakBatch = Effect.fn("BatchSpeech.speakBatch")(function* <E, R>(
  plan: BatchPlan,
  waiting: ReadonlyMap<UtteranceKey, unknown>,
  options: SpeechOptions<E, R>,
  settled: SpeakSettings["settled"]
) {
  const { takes } = options.record
  takes.counts.reused = plan.utterances.length - waiting.size
  return yield* waiting.size === 0
    ? Effect.succeed(nothingSpoken(plan.utterances.length))
    : speakAll(plan, waiting, options, settled).pipe(
        Effect.provide(options.service),
        Effect.catchIf(
          (error) => error instanceof ServiceAbsent,
          ({ message }) => unspoken(plan, waiting, { reason: "unreachable", words: message })
        )
      )
})

const speakAll = Effect.fnUntraced(function* (
  plan: BatchPlan,
  waiting: ReadonlyMap<UtteranceKey, unknown>,
  options: Omit<SpeechOptions<never, never>, "service">,
  settled: SpeakSettings["settled"]
) {
  const { batch } = plan
  const { executor, record } = options
  const unsent = yield* unsentUtterances(plan)
  const unchosen = unchosenLanguages(plan, unsent, priceLookup(batch.profileOf, yield* Estimates))
  if (unchosen !== undefined) return yield* unchosen
  yield* checkService(plan, unsent)
  record.account = yield* readAccount
  const short = options.force ? undefined : yield* shortage(plan, unsent, options)
  if (short !== undefined) return yield* unspoken(plan, waiting, { reason: "credits", words: short })
  const keys = plan.utterances.map(({ key }) => key)
  const settings = yield* speakSettings(plan, keys, options)
  const summary = yield* executor.speak({ ...settings, settled, tally: record.takes }, plan)
  return { summary, credits: {} } satisfies SpokenBatch
})

/** Fails if a disk is too small for what the run writes. Returns why its credits will not suffice, if so. */
const shortage = Effect.fnUntraced(function* (
  plan: BatchPlan,
  unsent: ReadonlyArray<Utterance>,
  { maxCredits = Infinity, record: { account } }: Pick<SpeechOptions<never, never>, "maxCredits" | "record">
) {
  if (unsent.length === 0) return undefined
  for (const { folders, needed, free } of yield* diskOf(plan, unsent))
    if (needed > free)
      return yield* new StateUnusable({
        folder: folders.join(" and "),
        reason: "small",
        detail: `needs about ${bytesText(needed)}, ${bytesText(free)} is free`
      })
  if (account?.credits === undefined || account.unlimited) return undefined
  const priceOf = yield* servicePrices(plan)
  const cost = unsent.reduce((sum, { casting, characters }) => sum + (priceOf(casting) ?? 0) * characters, 0)
  const needed = Math.ceil(Math.min(cost, maxCredits))
  return needed <= account.credits
    ? undefined
    : `the account has ${formatInteger(Math.floor(account.credits))} credits, but the run needs about ${formatInteger(needed)}; add ${formatInteger(needed - Math.floor(account.credits))}, or start anyway with --force`
})

/** The account; undefined if it cannot be read. */
const readAccount = Effect.gen(function* () {
  const gateway = yield* Gateway
  return Option.getOrUndefined(yield* Effect.option(withinReadLimit(gateway.reads.credits)))
})

/** Adds the account's credits before and after all rounds of speaking, if the first one has read them. */
export const withAccount = <E, R>(
  { summary, credits }: SpokenBatch,
  { service, record: { account } }: Pick<SpeechOptions<E, R>, "service" | "record">
) =>
  account === undefined
    ? Effect.succeed<SpokenBatch>({ summary, credits })
    : Effect.map(Effect.provide(readAccount, service), (after): SpokenBatch => ({
        summary: { ...summary, credits: chargedOf(summary.credits, account, after) },
        credits: {
          ...(account.credits === undefined ? {} : { before: account.credits }),
          ...(after?.credits === undefined ? {} : { after: after.credits })
        }
      }))

/**
 * Returns the part of the counted credits that an unlimited account was charged: services may release those of failed
 * tasks. Others may use the account, too, so its own figure is only an upper bound.
 */
const chargedOf = (counted: number | undefined, before: Credits, after: Credits | undefined) => {
  const used = [before, after].map((account) => (account?.unlimited === true ? usedBy(account) : undefined))
  const [first, last] = used
  return first === undefined || last === undefined || last < first
    ? counted
    : Math.min(counted ?? Infinity, last - first)
}

/** Credits spent on an account's finished tasks, and reserved for its others; undefined if not reported. */
const usedBy = ({ used, reserved }: Credits): number | undefined => {
  const spent = creditsStated(used)
  return spent === undefined ? undefined : spent + (creditsStated(reserved) ?? 0)
}

/** The result of speaking when nothing is sent: jobs with all their clips are delivered, the rest is left. */
const unspoken = Effect.fnUntraced(function* (
  { utterances }: BatchPlan,
  waiting: ReadonlyMap<UtteranceKey, unknown>,
  halt: Halt
) {
  const store = yield* UtteranceStore
  const progress = yield* Progress
  yield* progress.emit({ _tag: "Stopping", why: halt.words })
  const failed = [...(yield* store.standings([...waiting.keys()])).values()].filter(hasGivenUp).length
  const { summary, credits } = nothingSpoken(utterances.length - waiting.size)
  return { summary: { ...summary, failed, left: waiting.size - failed, halt }, credits }
})

/** A batch's jobs with the utterances to speak. */
interface SpokenJobs extends Pick<BatchPlan, "batch"> {
  readonly jobs: ReadonlyArray<Pick<JobPlan, "job" | "uses">>
}

/** The settings of the speak stage, with the credits that the batch has spent so far. */
export const speakSettings = Effect.fnUntraced(function* (
  { batch, jobs }: SpokenJobs,
  keys: ReadonlyArray<UtteranceKey>,
  { maxCredits, deadline }: Pick<SpeechOptions<never, never>, "maxCredits" | "deadline">
) {
  const { profileOf, undecided, service, state } = batch
  const languages = new Map(
    jobs.flatMap(({ job: { language }, uses }) =>
      language === undefined ? [] : uses.map(({ utterance }) => [utterance.key, language] as const)
    )
  )
  return {
    ...defaultSpeakSettings,
    keys,
    profileOf,
    undecided,
    maxCredits,
    spentBefore: yield* spentSoFar(batch),
    deadline,
    timesWords: batch.jobs.some(({ video }) => video !== undefined),
    languageOf: (utterance: UtteranceKey) => languages.get(utterance),
    ...(service === "embedded" ? { folder: state } : { dialect: service.dialect })
  }
})
