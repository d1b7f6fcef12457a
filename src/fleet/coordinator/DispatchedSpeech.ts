/**
 * The speak stage in the hands of the fleet: utterances handed out within the batch's limit, waited for, and counted.
 */
import { Duration, Effect, Option, Schedule, Schema } from "effect"
import type { ProviderId, UtteranceKey } from "../../domain/values/Ids.ts"
import { FailureReason } from "../../domain/task/FailureReason.ts"
import { isUnderWay } from "../../domain/task/UtteranceState.ts"
import type { BatchPlan } from "../../pipeline/plan/BatchPlan.ts"
import { Progress } from "../../pipeline/Progress.ts"
import { mendClips } from "../../pipeline/speak/SpeakStage.ts"
import { makeSpeakRun } from "../../pipeline/speak/SpeakRun.ts"
import type { SpeakSettings } from "../../pipeline/speak/SpeakSettings.ts"
import type { UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { Coordinator } from "./CoordinatorContext.ts"
import {
  dispatchUtterances,
  limitQueues,
  reviewHistory,
  recordDispatched,
  removeJobs,
  type Stage,
  jobsInFlight,
  withdrawUtterances
} from "./Dispatch.ts"
import { rejoinBatch } from "./Rejoin.ts"
import { edition, SpeakEnd, Terms } from "../shared/JobPayloads.ts"
import { speakQueue } from "../shared/Queues.ts"

const writeTerms = Schema.encodeSync(Schema.parseJson(Terms))
const readEnd = Schema.decodeUnknownOption(SpeakEnd)

/** How long workers may take to come before they are missed. */
const missedAfter = Duration.seconds(5)

/** How long the taking back of what waits may hold up the end of an interrupted run. */
const withdrawing = Duration.seconds(8)

/** Speaks what is left of the wanted utterances by the fleet. */
export const speakBy = (
  coordinator: Coordinator,
  settings: SpeakSettings,
  { batch, jobs }: Pick<BatchPlan, "batch" | "jobs">
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* UtteranceStore
      const run = yield* makeSpeakRun(settings)
      // Second takes are no part of the plan that was looked up at the beginning.
      const wanted = yield* coordinator.handover.records(
        settings.keys.filter((key) => !coordinator.looked.has(key))
      )
      yield* rejoinBatch(
        coordinator,
        wanted.map(({ utterance }) => utterance)
      )
      yield* store.revive(settings.keys, "passing")
      run.counts.reused = yield* mendClips(settings.keys)
      const unspoken = yield* store.unspoken(settings.keys)
      run.counts.failed = settings.keys.length - run.counts.reused - unspoken.length

      const providers = [...new Set(unspoken.map(({ provider }) => provider))]
      const terms = yield* coordinator.share.keep(
        writeTerms({
          edition,
          service: batch.service === "embedded" ? "" : batch.service.baseUrl,
          undecided: settings.undecided,
          profiles: Object.fromEntries(providers.map((provider) => [provider, settings.profileOf(provider)])),
          utterances: settings.keys.length
        })
      )
      const stage: Stage = { ...coordinator, run, terms, jobs, out: batch.out }
      yield* Effect.forEach(providers, (provider) => limitQueues(stage, provider), { discard: true })

      const read = yield* coordinator.handover.records(unspoken.map(({ key }) => key))
      const byKey = new Map(read.map((record) => [record.utterance.key, record]))
      const records = unspoken.flatMap(({ key }) => byKey.get(key) ?? [])
      yield* Effect.forkScoped(Effect.zipRight(run.stopped, withdrawUtterances(stage, records)))
      yield* Effect.forkScoped(missed(stage, providers))
      yield* Effect.onInterrupt(allOf(stage, records), () =>
        Effect.sync(() => {
          coordinator.stopping.now = true
        }).pipe(
          Effect.zipRight(withdrawUtterances(stage, records)),
          Effect.zipRight(reviewHistory(stage, records)),
          Effect.timeoutOption(withdrawing),
          Effect.interruptible,
          // A fiber of its own: this one is interrupted, and would cut its own waiting short.
          Effect.forkDaemon,
          Effect.flatMap((fiber) => fiber.await)
        )
      )
      return run.summary()
    })
  )

/** Says so where nobody has come to do the work. */
const missed = ({ watch, asked }: Stage, providers: ReadonlyArray<ProviderId>) => {
  const told = new Set<ProviderId>()
  return Effect.gen(function* () {
    const progress = yield* Progress
    for (const provider of providers) {
      if (told.has(provider)) continue
      const queue = yield* watch.queue(speakQueue(provider))
      if ((yield* asked(() => queue.getWorkersCount())) > 0) continue
      told.add(provider)
      yield* progress.emit({
        _tag: "Warning",
        message: `no worker of the fleet speaks for ${provider}: start one with dubwright worker`
      })
    }
  }).pipe(Effect.delay(missedAfter), Effect.repeat(Schedule.spaced("1 minute")))
}

/** Hands out what is not under way yet, as far as the limit allows, and waits for everything. */
const allOf = (stage: Stage, records: ReadonlyArray<UtteranceRecord>) =>
  Effect.gen(function* () {
    const { run } = stage
    const joined = yield* jobsInFlight(stage, records)
    const accounts = new Map(
      records.map(({ utterance, state, tasks }): [UtteranceKey, Account] => [
        utterance.key,
        { known: new Set(tasks.map(({ task }) => task)), wasAnnounced: state === "announced", reserved: 0 }
      ])
    )
    const alone = new Set<UtteranceKey>()
    const settle = (record: UtteranceRecord) => settled(stage, accounts, record)
    if (run.budget.isLimited) {
      for (const record of records) {
        const { utterance } = record
        if (joined.has(utterance.key) || run.halted() !== undefined) continue
        if (run.price(utterance.casting) !== undefined) continue
        alone.add(utterance.key)
        yield* run.pricing(utterance, Effect.zipRight(dispatchUtterances(stage, [record]), settle(record)))
      }
    }
    const affordable: Array<UtteranceRecord> = []
    for (const record of records) {
      const { key } = record.utterance
      if (joined.has(key) || alone.has(key)) continue
      if (run.halted() === undefined && (yield* afforded(stage, accounts, record))) affordable.push(record)
      else run.counts.left++
    }
    yield* dispatchUtterances(stage, affordable)
    yield* Effect.forEach(
      [...records.filter(({ utterance }) => joined.has(utterance.key)), ...affordable],
      settle,
      { concurrency: "unbounded", discard: true }
    )
  })

/** What is known of an utterance's money. */
interface Account {
  /** Tasks that were made before it was handed out, or are counted already. */
  readonly known: Set<string>
  /** Whether an earlier run may have made a task that nobody has seen yet. */
  readonly wasAnnounced: boolean
  /** Credits that are set aside for it. */
  reserved: number
}
type Accounts = ReadonlyMap<UtteranceKey, Account>

/** Sets the cost of an utterance aside; where the limit would be passed, creates are stopped. */
const afforded = ({ run }: Stage, accounts: Accounts, { utterance }: UtteranceRecord) =>
  Effect.gen(function* () {
    const cost = (run.price(utterance.casting) ?? 0) * utterance.characters
    if (!(yield* run.afforded(cost))) return false
    const account = accounts.get(utterance.key)
    if (account !== undefined) account.reserved += cost
    return true
  })

/**
 * Waits for an utterance's end and counts it. One that is there no more is handed out again, unless creates were
 * stopped.
 */
const settled = (stage: Stage, accounts: Accounts, given: UtteranceRecord) =>
  Effect.gen(function* () {
    const { run, watch, handover, share, done } = stage
    const store = yield* UtteranceStore
    const progress = yield* Progress
    const { key, casting } = given.utterance
    const about = { provider: casting.provider, utterance: key }
    for (;;) {
      const end = yield* watch.until(speakQueue(casting.provider), key)
      const told = end._tag === "Ended" ? recordDispatched(end.job) : yield* share.recordOf(key)
      if (told !== undefined) yield* handover.takeOver([told])
      const [record = given] = yield* handover.records([key])
      yield* accounted(stage, accounts, record)
      if (end._tag === "Ended") done.push(end.job)
      if (record.clip !== undefined) {
        const { clip, suspect } = record.clip
        if (suspect !== undefined) run.counts.suspect++
        if (isUnderWay(given.state) && record.take === given.take) run.counts.resumed++
        run.alive()
        return yield* progress.emit({ _tag: "Spoken", ...about, seconds: clip.frames / clip.rate })
      }
      const said = end._tag === "Ended" ? Option.getOrUndefined(readEnd(end.job.returnvalue)) : undefined
      if (end._tag === "Ended" && (record.state === "failed" || said === undefined)) {
        const setback =
          record.setback ??
          FailureReason.make({ kind: "broken", words: `a worker failed at it: ${end.job.failedReason}` })
        if (record.state !== "failed") yield* store.apply({ event: "fail", key, setback })
        run.counts.failed++
        return yield* progress.emit({
          _tag: "Failed",
          ...about,
          label: record.label,
          error: setback.words
        })
      }
      if (said?.ending === "spoken") return yield* Effect.dieMessage(`${key} is spoken, and has no clip`)
      // A worker that needs more than it was given asks by leaving it.
      if (said?.halt !== undefined && said.halt.reason !== "budget") yield* run.stop(said.halt)
      if (run.halted() !== undefined || !(yield* afforded(stage, accounts, record))) {
        run.counts.left++
        return
      }
      if (end._tag === "Ended") yield* removeJobs(stage, end.job)
      yield* dispatchUtterances(stage, [record])
    }
  })

/** Counts the tasks that were made for an utterance since it was handed out, and what they took. */
const accounted = ({ run }: Stage, accounts: Accounts, { utterance, tasks }: UtteranceRecord) =>
  Effect.gen(function* () {
    const { key, casting, characters } = utterance
    const account = accounts.get(key)
    if (account === undefined) return
    for (const { task, credits, adopted } of tasks) {
      if (account.known.has(task)) continue
      account.known.add(task)
      const price = run.price(casting)
      const cost = (price ?? 0) * characters
      const paid = credits ?? (price === undefined ? undefined : cost)
      const reserved = Math.min(account.reserved, cost)
      account.reserved -= reserved
      run.budget.pay(reserved, paid)
      if (credits !== undefined) yield* run.charged(casting, characters, credits)
      if (adopted && account.wasAnnounced) run.counts.adopted++
      else {
        run.counts.created++
        run.counts.characters += characters
      }
    }
    run.budget.release(account.reserved)
    account.reserved = 0
    yield* run.audited
  })
