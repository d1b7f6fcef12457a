/** Speaks the unfinished utterances of a batch, after checking that the service has their providers and voices. */
import { Effect, type Layer } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { BatchSpending } from "../../store/tables/BatchSpending.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import { hasGivenUp } from "../../store/tables/UtteranceRow.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { BatchPlan, JobPlan } from "../plan/BatchPlan.ts"
import { unsentUtterances } from "../plan/TasksInFlight.ts"
import { unchosenLanguages } from "../plan/BilingualNotices.ts"
import { ServiceAbsent } from "../plan/ServicePresence.ts"
import { checkService, withinReadLimit } from "../plan/ServicePreflight.ts"
import { Progress } from "../Progress.ts"
import { dearestBy, priceLookup } from "../speak/CreditBudget.ts"
import { type Deadline, defaultSpeakSettings, type SpeakSettings } from "../speak/SpeakSettings.ts"
import { nothingSpoken } from "./RunCompletion.ts"
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
    : speakAll(plan, options, settled).pipe(
        Effect.provide(options.service),
        Effect.catchIf(
          (error) => error instanceof ServiceAbsent,
          (absent) => unspoken(plan, waiting, absent)
        )
      )
})

const speakAll = Effect.fnUntraced(function* (
  plan: BatchPlan,
  options: Omit<SpeechOptions<never, never>, "service">,
  settled: SpeakSettings["settled"]
) {
  const { batch } = plan
  const { executor, record } = options
  const gateway = yield* Gateway
  const unsent = yield* unsentUtterances(plan)
  const unchosen = unchosenLanguages(plan, unsent, priceLookup(batch.profileOf, yield* Estimates))
  if (unchosen !== undefined) return yield* unchosen
  yield* checkService(plan, unsent)
  const credits = Effect.map(Effect.option(withinReadLimit(gateway.reads.credits)), (read) =>
    read._tag === "Some" ? read.value.credits : undefined
  )
  const before = yield* credits
  record.credits = before
  const keys = plan.utterances.map(({ key }) => key)
  const settings = yield* speakSettings(plan, keys, options)
  const summary = yield* executor.speak({ ...settings, settled, tally: record.takes }, plan)
  const after = yield* credits
  return {
    summary,
    credits: { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
  }
})

/** The result of speaking when the service is absent: jobs with all their clips are delivered, the rest is left. */
const unspoken = Effect.fnUntraced(function* (
  { utterances }: BatchPlan,
  waiting: ReadonlyMap<UtteranceKey, unknown>,
  { message }: ServiceAbsent
) {
  const store = yield* UtteranceStore
  const progress = yield* Progress
  yield* progress.emit({ _tag: "Stopping", why: message })
  const failed = [...(yield* store.standings([...waiting.keys()])).values()].filter(hasGivenUp).length
  const { summary, credits } = nothingSpoken(utterances.length - waiting.size)
  const halt = { reason: "unreachable", words: message } as const
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
  const { key, profileOf, undecided, service, state } = batch
  const spending = yield* BatchSpending
  const learned = yield* Estimates
  const price = dearestBy(profileOf, learned)
  const languages = new Map(
    jobs.flatMap(({ job: { language }, uses }) =>
      language === undefined ? [] : uses.map(({ utterance }) => [utterance.key, language] as const)
    )
  )
  const spentBefore = (yield* spending.spent(key)).reduce(
    (sum, { casting, credits, unpriced }) => sum + credits + unpriced * price(casting),
    0
  )
  return {
    ...defaultSpeakSettings,
    keys,
    profileOf,
    undecided,
    maxCredits,
    spentBefore,
    deadline,
    timesWords: batch.jobs.some(({ video }) => video !== undefined),
    languageOf: (utterance: UtteranceKey) => languages.get(utterance),
    ...(service === "embedded" ? { folder: state } : {})
  }
})
