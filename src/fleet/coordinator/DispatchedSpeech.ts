/** The speak stage of a fleet: dispatches utterances within the batch's budget, awaits them and counts results. */
import { Duration, Effect, Option, Schedule, Schema } from "effect"
import type { ProviderId, UtteranceKey } from "../../domain/values/Ids.ts"
import { FailureReason } from "../../domain/task/FailureReason.ts"
import { isUnderWay } from "../../domain/task/UtteranceState.ts"
import type { BatchPlan } from "../../pipeline/plan/BatchPlan.ts"
import { Progress } from "../../pipeline/Progress.ts"
import { RunSpending } from "../../pipeline/speak/services/RunSpending.ts"
import { ServiceWatch } from "../../pipeline/speak/services/ServiceWatch.ts"
import { SpeakCounters } from "../../pipeline/speak/services/SpeakCounters.ts"
import { speakServices, speakSummary } from "../../pipeline/speak/services/SpeakServices.ts"
import { StopSignal } from "../../pipeline/speak/services/StopSignal.ts"
import { SpeakConfig, type SpeakSettings } from "../../pipeline/speak/SpeakSettings.ts"
import type { UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import { requeueDamagedClips, UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { Coordinator } from "./CoordinatorContext.ts"
import {
  dispatchUtterances,
  limitQueues,
  reviewHistory,
  recordsOfJobs,
  removeJobs,
  type Stage,
  jobsInFlight,
  withdrawUtterances
} from "./Dispatch.ts"
import { rejoinBatch } from "./Rejoin.ts"
import { edition, SpeakEnd, Terms } from "../shared/JobPayloads.ts"
import { readLedger } from "../shared/Ledger.ts"
import { isAhead } from "../shared/LedgerEntry.ts"
import { speakQueue } from "../shared/Queues.ts"

const writeTerms = Schema.encodeSync(Schema.parseJson(Terms))
const readEnd = Schema.decodeUnknownOption(SpeakEnd)

/** How long to wait for workers before the warning that a queue has none. */
const missedAfter = Duration.seconds(5)

/** How long withdrawing queued jobs may delay the end of an interrupted run. */
const withdrawing = Duration.seconds(8)

/** Speaks the remaining utterances through the fleet. */
export const speakBy = (
  coordinator: Coordinator,
  settings: SpeakSettings,
  { batch, jobs }: Pick<BatchPlan, "batch" | "jobs">
) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const { counts } = yield* SpeakCounters
    const { stopped } = yield* StopSignal
    // Second takes were not in the plan that was looked up at the start.
    const wanted = yield* coordinator.handover.records(
      settings.keys.filter((key) => !coordinator.looked.has(key))
    )
    yield* rejoinBatch(
      coordinator,
      wanted.map(({ utterance }) => utterance)
    )
    yield* store.revive(settings.keys, "passing")
    const reused = yield* requeueDamagedClips(settings.keys)
    const unspoken = yield* store.unspoken(settings.keys)
    if (settings.isSecond !== true) {
      counts.reused = reused
      counts.failed = settings.keys.length - reused - unspoken.length
    }

    const providers = [...new Set(unspoken.map(({ provider }) => provider))]
    const terms = yield* coordinator.share.keep(
      writeTerms({
        edition,
        service: batch.service === "embedded" ? "" : batch.service.baseUrl,
        ...(settings.dialect === undefined ? {} : { dialect: settings.dialect }),
        undecided: settings.undecided,
        timesWords: settings.timesWords,
        profiles: Object.fromEntries(providers.map((provider) => [provider, settings.profileOf(provider)])),
        utterances: settings.keys.length
      })
    )
    const stage: Stage = { ...coordinator, terms, jobs, out: batch.out }
    // A queue that was slowed down stays slow when further takes are spoken.
    const fresh = providers.filter((provider) => !coordinator.providers.has(provider))
    for (const provider of fresh) coordinator.providers.add(provider)
    yield* Effect.forEach(fresh, (provider) => limitQueues(stage, provider), { discard: true })

    const read = yield* coordinator.handover.records(unspoken.map(({ key }) => key))
    const byKey = new Map(read.map((record) => [record.utterance.key, record]))
    const records = unspoken.flatMap(({ key }) => byKey.get(key) ?? [])
    yield* Effect.forkScoped(Effect.zipRight(stopped, withdrawUtterances(stage, records)))
    yield* Effect.forkScoped(missed(stage, fresh))
    const accounts = new Map(
      records.map(({ utterance, state, tasks }): [UtteranceKey, Account] => [
        utterance.key,
        { known: new Set(tasks.map(({ task }) => task)), wasAnnounced: state === "announced" }
      ])
    )
    yield* Effect.onInterrupt(allOf(stage, accounts, records), () =>
      Effect.sync(() => {
        coordinator.stopping.now = true
      }).pipe(
        Effect.zipRight(withdrawUtterances(stage, records)),
        Effect.zipRight(reviewHistory(stage, records)),
        Effect.zipRight(coordinator.handover.records(records.map(({ utterance }) => utterance.key))),
        Effect.flatMap(Effect.forEach((record) => accounted(accounts, record))),
        Effect.timeoutOption(withdrawing),
        Effect.interruptible,
        // Runs in its own fiber: this one is interrupted and could not wait.
        Effect.forkDaemon,
        Effect.flatMap((fiber) => fiber.await)
      )
    )
    return yield* speakSummary
  }).pipe(Effect.scoped, Effect.provide(speakServices(settings)))

/** Warns once per provider whose queue has no workers. Checks after 5 s, then every minute. */
const missed = ({ watch, callRedis }: Stage, providers: ReadonlyArray<ProviderId>) => {
  const announced = new Set<ProviderId>()
  return Effect.gen(function* () {
    const progress = yield* Progress
    for (const provider of providers) {
      if (announced.has(provider)) continue
      const queue = yield* watch.queue(speakQueue(provider))
      if ((yield* callRedis(() => queue.getWorkersCount())) > 0) continue
      announced.add(provider)
      yield* progress.emit({
        _tag: "Warning",
        message: `no worker in the fleet serves ${provider}; start one with dubwright worker`
      })
    }
  }).pipe(Effect.delay(missedAfter), Effect.repeat(Schedule.spaced("1 minute")))
}

/** Dispatches utterances that are not yet in flight, as far as the budget allows, and waits for all of them. */
const allOf = (stage: Stage, accounts: Accounts, records: ReadonlyArray<UtteranceRecord>) =>
  Effect.gen(function* () {
    const spending = yield* RunSpending
    const { unspoken } = yield* SpeakCounters
    const { halted } = yield* StopSignal
    const joined = yield* jobsInFlight(stage, records)
    const alone = new Set<UtteranceKey>()
    const settle = (record: UtteranceRecord) => settled(stage, accounts, record)
    // Jobs of an earlier run spend its grants, and its announced creates may have made tasks.
    for (const { utterance, state } of records)
      if (state === "announced" || (state === "planned" && joined.has(utterance.key)))
        spending.expect(utterance)
    // If that is too much, stops the run, and thus withdraws what no worker has begun.
    yield* spending.check
    if (spending.isLimited) {
      for (const record of records) {
        const { utterance } = record
        if (joined.has(utterance.key) || halted() !== undefined) continue
        if (spending.price(utterance.casting) !== undefined) continue
        alone.add(utterance.key)
        yield* spending.pricing(
          utterance,
          Effect.zipRight(dispatchUtterances(stage, [record]), settle(record))
        )
      }
    }
    const affordable: Array<UtteranceRecord> = []
    for (const record of records) {
      const { key } = record.utterance
      if (joined.has(key) || alone.has(key)) continue
      if (halted() === undefined && (yield* afforded(record))) affordable.push(record)
      else yield* unspoken("left")
    }
    yield* dispatchUtterances(stage, affordable)
    yield* Effect.forEach(
      [...records.filter(({ utterance }) => joined.has(utterance.key)), ...affordable],
      settle,
      { concurrency: "unbounded", discard: true }
    )
  })

/** An utterance's spending. */
interface Account {
  /** Tasks created before it was dispatched, or already counted. */
  readonly known: Set<string>
  /** Whether an earlier run may have created a task that has not been found yet. */
  readonly wasAnnounced: boolean
}
type Accounts = ReadonlyMap<UtteranceKey, Account>

/** Holds the cost of an utterance. If that would exceed the budget, stops creates and returns false. */
const afforded = ({ utterance }: UtteranceRecord) =>
  Effect.flatMap(RunSpending, ({ reserve }) => reserve(utterance))

/** Waits for an utterance's end and counts it. Dispatches an unfinished one again, unless creates were stopped. */
const settled = (stage: Stage, accounts: Accounts, given: UtteranceRecord) =>
  Effect.gen(function* () {
    const { watch, handover, done } = stage
    const { counts, unspoken } = yield* SpeakCounters
    const { stop, halted } = yield* StopSignal
    const { alive } = yield* ServiceWatch
    const settings = yield* SpeakConfig
    const store = yield* UtteranceStore
    const progress = yield* Progress
    const { key, casting } = given.utterance
    const about = { provider: casting.provider, utterance: key }
    for (;;) {
      const end = yield* watch.until(speakQueue(casting.provider), key)
      const written =
        end._tag === "Ended" ? (yield* recordsOfJobs(stage, [end.job]))[0] : yield* goneRecord(stage, key)
      if (written !== undefined) yield* handover.takeOver([written])
      const [record = given] = yield* handover.records([key])
      yield* accounted(accounts, record)
      if (end._tag === "Ended") done.push(end.job)
      if (record.clip !== undefined) {
        const { clip, suspect } = record.clip
        if (suspect !== undefined) counts.suspect++
        if (isUnderWay(given.state) && record.take === given.take) counts.resumed++
        alive()
        yield* progress.emit({ _tag: "Spoken", ...about, seconds: clip.frames / clip.rate })
        return yield* settings.settled(key)
      }
      const said = end._tag === "Ended" ? Option.getOrUndefined(readEnd(end.job.returnvalue)) : undefined
      const broke =
        end._tag === "Ended" && said === undefined
          ? FailureReason.make({
              // The next run searches for a task before it creates one.
              kind: record.state === "announced" ? "undecidable" : "broken",
              words: `the task failed on a worker: ${end.job.failedReason}`
            })
          : undefined
      const setback = record.state === "failed" ? (record.setback ?? broke) : broke
      if (setback !== undefined) {
        if (record.state !== "failed") yield* store.apply({ event: "fail", key, setback })
        yield* unspoken("failed")
        yield* progress.emit({
          _tag: "Failed",
          ...about,
          label: record.label,
          error: setback.words
        })
        return yield* settings.settled(key)
      }
      if (said?.ending === "spoken")
        return yield* Effect.dieMessage(`utterance ${key} is reported as spoken but has no clip`)
      // A worker that needs more than its grant leaves the utterance unfinished.
      if (said?.halt !== undefined && said.halt.reason !== "budget") yield* stop(said.halt)
      if (halted() !== undefined || !(yield* afforded(record))) return yield* unspoken("left")
      if (end._tag === "Ended") yield* removeJobs(stage, end.job)
      yield* dispatchUtterances(stage, [record])
    }
  })

/** Returns the record of an utterance whose job was removed, if it is newer than the run's. */
const goneRecord = ({ share, handover, callRedis, client }: Stage, key: UtteranceKey) =>
  Effect.gen(function* () {
    const spoken = yield* share.recordOf(key)
    if (spoken !== undefined) return spoken
    const [own] = yield* handover.records([key])
    const entry = (yield* callRedis(() => readLedger(client, [key]))).get(key)
    return own === undefined || isAhead(entry?.record, own) ? entry?.record : undefined
  })

/** Counts the tasks created for an utterance since it was dispatched, and their credits. */
const accounted = (accounts: Accounts, { utterance, tasks }: UtteranceRecord) =>
  Effect.gen(function* () {
    const { pay, release } = yield* RunSpending
    const { counts } = yield* SpeakCounters
    const { key, characters } = utterance
    const account = accounts.get(key)
    if (account === undefined) return release(key)
    for (const { task, credits, adopted } of tasks) {
      if (account.known.has(task)) continue
      account.known.add(task)
      if (adopted && account.wasAnnounced) counts.adopted++
      else {
        counts.created++
        counts.characters += characters
      }
      yield* pay(utterance, credits)
    }
    release(key)
  })
