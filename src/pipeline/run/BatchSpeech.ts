/** The speech of a run: the lines of all jobs, after the service is checked, and further takes of single jobs. */
import { Context, Deferred, Effect, FiberId, Layer, Option } from "effect"
import type { Credits } from "../../contract/Account.ts"
import type { Utterance, UtteranceUse } from "../../domain/speech/Utterance.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { creditsStated } from "../../gateway/exchange/TaskSnapshot.ts"
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
import { emit } from "../Progress.ts"
import { priceLookup } from "../speak/Ledger.ts"
import { RunSpending } from "../speak/services/RunSpending.ts"
import { ServiceWatch } from "../speak/services/ServiceWatch.ts"
import { SharedServices, speakServices } from "../speak/services/SpeakServices.ts"
import { StopSignal } from "../speak/services/StopSignal.ts"
import {
  type Deadline,
  defaultSpeakSettings,
  type Halt,
  type SpeakSettings,
  type SpeakSummary
} from "../speak/SpeakSettings.ts"
import { plannedOf, type Registered, registerTakes } from "./BatchRegistration.ts"
import { nothingSpoken, type RunRecord, spentSoFar, type SpokenBatch } from "./RunCompletion.ts"
import type { RunExecutor } from "./RunExecutor.ts"

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

/** The utterances that are spoken now, or will be, and what ends when they are spoken, failed or left. */
const makePending = (left: ReadonlyArray<Utterance>) => {
  const byKey = new Map<UtteranceKey, { readonly utterance: Utterance; ended?: Deferred.Deferred<void> }>()
  const add = (utterance: Utterance) => byKey.set(utterance.key, { utterance })
  left.forEach(add)
  return {
    byKey,
    add,
    all: () => [...byKey.values()].map(({ utterance }) => utterance),
    settle: (key: UtteranceKey) =>
      Effect.suspend(() => {
        const ended = byKey.get(key)?.ended
        byKey.delete(key)
        return ended === undefined ? Effect.void : Deferred.succeed(ended, undefined)
      }),
    until: ({ key }: Utterance) => {
      const one = byKey.get(key)
      if (one === undefined) return Effect.void
      one.ended ??= Deferred.unsafeMake(FiberId.none)
      return Deferred.await(one.ended)
    }
  }
}

/** Prepares the calls of the executor, which share the run's budget, queues and counts. */
const openCalls = Effect.fnUntraced(function* <E, R>(
  plan: BatchPlan,
  waiting: ReadonlySet<UtteranceKey>,
  pending: ReturnType<typeof makePending>,
  options: SpeechOptions<E, R>
) {
  const { batch, jobs, utterances } = plan
  const { executor, record, maxCredits, deadline } = options
  const scope = yield* Effect.scope
  const keys = utterances.map(({ key }) => key)
  const reused = keys.length - waiting.size
  const state: { summary: SpeakSummary; stop?: StopSignal["Type"] } = { summary: nothingSpoken(reused) }
  let calls = 0
  record.tally.counts.reused = reused

  /** Read once: what this run itself spends is counted by its budget. */
  const spent = yield* Effect.cached(spentSoFar(batch))
  const settingsOf = (plans: BatchPlan["jobs"], wanted: ReadonlyArray<UtteranceKey>) =>
    Effect.map(spent, ({ credits }) => ({
      ...speakSettings({ batch, jobs: plans }, wanted, { maxCredits, deadline, spentBefore: credits }),
      settled: pending.settle,
      tally: record.tally
    }))

  /** Made when something is to be spoken. */
  const shared = yield* settingsOf(jobs, keys).pipe(
    Effect.flatMap((settings) => Layer.buildWithScope(speakServices(settings), scope)),
    Effect.tap((services) => Effect.sync(() => (state.stop = Context.get(services, StopSignal)))),
    Effect.cached
  )

  /** Has the executor speak. The service is watched only meanwhile. `own` stops these utterances alone. */
  const speak = Effect.fnUntraced(function* (
    plans: BatchPlan["jobs"],
    wanted: ReadonlyArray<UtteranceKey>,
    isSecond: boolean,
    own?: StopSignal["Type"]
  ) {
    const services = yield* shared
    const { alive, rest } = Context.get(services, ServiceWatch)
    const settings = { ...(yield* settingsOf(plans, wanted)), isSecond }
    const spoken = yield* Effect.acquireUseRelease(
      Effect.sync(() => (calls++ === 0 ? alive() : undefined)),
      () => executor.speak(settings, { batch, jobs: plans }),
      () => Effect.sync(() => (--calls === 0 ? rest() : undefined))
    ).pipe(
      Effect.provideService(
        SharedServices,
        own === undefined ? services : Context.add(services, StopSignal, own)
      )
    )
    const halt = state.summary.halt ?? (own === undefined ? spoken.halt : undefined)
    state.summary = { ...spoken, halt }
    return state.summary
  })

  /** Speaks the lines of all jobs; `begin` runs when the service has been checked. */
  const speakFirst = Effect.fnUntraced(function* (begin: Effect.Effect<void>) {
    const unsent = yield* unsentUtterances(plan)
    const unchosen = unchosenLanguages(plan, unsent, priceLookup(batch.profileOf, yield* Estimates))
    if (unchosen !== undefined) return yield* unchosen
    yield* checkService(plan, unsent)
    record.account = yield* readAccount
    const short = options.force ? undefined : yield* shortage(plan, unsent, options)
    if (short !== undefined) return yield* unspoken(plan, waiting, { reason: "credits", words: short })
    yield* begin
    return yield* speak(jobs, keys, false)
  })

  return { state, shared, speak, speakFirst }
})

/**
 * Speaks for all jobs of a run, within one budget and one queue for each provider. `waiting` has the keys without a
 * clip; those of `left` have not failed for good.
 */
export const openSpeech = Effect.fnUntraced(function* <E, R>(
  plan: BatchPlan,
  { waiting, left }: Registered,
  options: SpeechOptions<E, R>
) {
  const { batch, jobs, utterances } = plan
  const { service, maxCredits } = options
  const [isOpen, isOver] = [yield* Effect.makeLatch(), yield* Effect.makeLatch()]
  const pending = makePending(left)
  const { state, shared, speak, speakFirst } = yield* openCalls(plan, waiting, pending, options)
  const halted = () => state.summary.halt ?? state.stop?.halted()
  let known = utterances.length

  return {
    /** Why nothing more is sent, if so. */
    halted,

    /** Speaks the utterances of all jobs that have no clip. If there is no service, leaves them. */
    first: Effect.gen(function* () {
      if (waiting.size > 0)
        state.summary = yield* Effect.catchIf(
          Effect.provide(speakFirst(isOpen.open), service),
          (error) => error instanceof ServiceAbsent,
          ({ message }) => unspoken(plan, waiting, { reason: "unreachable", words: message })
        )
      yield* Effect.forEach(left, ({ key }) => pending.settle(key), { discard: true })
      yield* Effect.zipRight(isOpen.open, isOver.open)
    }).pipe(Effect.withSpan("BatchSpeech.first")),

    /** Waits until the utterances of a job are spoken, failed or left. */
    until: ({ uses }: JobPlan) => Effect.forEach(uses, ({ utterance }) => pending.until(utterance)),

    /**
     * Waits until further takes may be sent; false if nothing more is. Under a limit that may not suffice, they are
     * sent after the lines of all jobs.
     */
    ready: Effect.fnUntraced(function* (wanted: ReadonlyArray<Utterance>) {
      yield* isOpen.await
      if (maxCredits === undefined) return halted() === undefined
      const { fits, price } = Context.get(yield* shared, RunSpending)
      const costs = [...wanted, ...pending.all()].map(
        ({ casting, characters }) => (price(casting) ?? Infinity) * characters
      )
      if (!fits(costs.reduce((sum, cost) => sum + cost, 0))) yield* isOver.await
      return halted() === undefined
    }, Effect.provide(service)),

    /** Speaks utterances beside those of a job's plan, each once for all jobs, and waits for them. */
    more: Effect.fn("BatchSpeech.more")(function* (one: JobPlan, takes: ReadonlyArray<UtteranceUse>) {
      const missing = yield* registerTakes(batch, one, takes)
      const own = missing.filter(({ key }) => !pending.byKey.has(key))
      own.forEach(pending.add)
      known += own.length
      if (own.length > 0) {
        yield* emit(plannedOf(jobs, pending.all(), known))
        const wanted = own.map(({ key }) => key)
        yield* Effect.ensuring(
          speak([{ ...one, uses: [...one.uses, ...takes] }], wanted, true),
          Effect.forEach(wanted, pending.settle)
        )
      }
      yield* Effect.forEach(missing, pending.until)
    }, Effect.provide(service)),

    /** Speaks an utterance again. Returns whether nothing prevented it. If something did, the run goes on. */
    repeat: Effect.fn("BatchSpeech.repeat")(function* (one: JobPlan, utterance: Utterance) {
      const services = yield* shared
      if (!Context.get(services, RunSpending).hold(utterance)) return false
      const own = yield* Effect.provide(Effect.provide(StopSignal, StopSignal.layer), services)
      yield* speak([one], [utterance.key], true, own)
      return own.halted() === undefined
    }, Effect.provide(service)),

    /** What was spoken in all. */
    result: Effect.suspend(() => withAccount(state.summary, options))
  }
})
export type RunSpeech<E, R> = Effect.Effect.Success<ReturnType<typeof openSpeech<E, R>>>

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

/** Adds what was spent, and the account's credits before and after all speaking if they were read before. */
const withAccount = Effect.fnUntraced(function* <E, R>(
  summary: SpeakSummary,
  { service, record: { account } }: Pick<SpeechOptions<E, R>, "service" | "record">
) {
  const after = account === undefined ? undefined : yield* Effect.provide(readAccount, service)
  const spent = chargedOf(summary.credits, account, after)
  const credits = {
    ...(account?.credits === undefined ? {} : { before: account.credits }),
    ...(after?.credits === undefined ? {} : { after: after.credits }),
    ...(spent === undefined ? {} : { spent })
  }
  return { summary, credits } satisfies SpokenBatch
})

/**
 * Returns the part of the counted credits that the account was charged: services may release those of failed tasks.
 * Others may use the account, too, so its own figure is only an upper bound, and none if credits were added to it.
 */
const chargedOf = (counted: number | undefined, before: Credits | undefined, after: Credits | undefined) => {
  const [first, last] = [before, after].map((account) => account && usedBy(account))
  return first === undefined || last === undefined || last < first || before?.unlimited !== after?.unlimited
    ? counted
    : Math.min(counted ?? Infinity, last - first)
}

/** Credits that an account has spent or reserved, from any zero; undefined if not reported. */
const usedBy = ({ unlimited, credits, used, reserved }: Credits): number | undefined => {
  if (!unlimited) return credits === undefined ? undefined : -credits
  const spent = creditsStated(used)
  return spent === undefined ? undefined : spent + (creditsStated(reserved) ?? 0)
}

/** The result of speaking when nothing is sent: jobs with all their clips are delivered, the rest is left. */
const unspoken = Effect.fnUntraced(function* (
  { utterances }: BatchPlan,
  waiting: ReadonlySet<UtteranceKey>,
  halt: Halt
) {
  const store = yield* UtteranceStore
  yield* emit({ _tag: "Stopping", why: halt.words })
  const failed = [...(yield* store.standings([...waiting])).values()].filter(hasGivenUp).length
  return { ...nothingSpoken(utterances.length - waiting.size), failed, left: waiting.size - failed, halt }
})

/** A batch's jobs with the utterances to speak. */
interface SpokenJobs extends Pick<BatchPlan, "batch"> {
  readonly jobs: ReadonlyArray<Pick<JobPlan, "job" | "uses">>
}

/** The settings of the speak stage; `spentBefore` is what earlier runs of the batch have spent. */
export const speakSettings = (
  { batch, jobs }: SpokenJobs,
  keys: ReadonlyArray<UtteranceKey>,
  limits: Pick<SpeakSettings, "maxCredits" | "deadline" | "spentBefore">
) => {
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
    ...limits,
    timesWords: batch.jobs.some(({ video }) => video !== undefined),
    languageOf: (utterance: UtteranceKey) => languages.get(utterance),
    ...(service === "embedded" ? { folder: state } : { dialect: service.dialect })
  }
}
