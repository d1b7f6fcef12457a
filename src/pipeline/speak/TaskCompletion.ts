/**
 * Takes one utterance from its current state to a done task. Each request is recorded before it is sent, so that a run
 * after a crash knows what may have happened.
 */
import { Clock, Context, Effect } from "effect"
import { markerOf, markersIn } from "../../domain/task/TaskMarker.ts"
import { failureReasonOf, type MixedUp, type NoAddress } from "../../gateway/GatewayErrors.ts"
import { pollPlan, pollUntilSettled } from "../../gateway/requests/Polling.ts"
import type { DoneTask } from "../../gateway/response/TaskSnapshot.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import { inSpan, logDebug } from "../Annotations.ts"
import { isListedGone } from "./LostTaskRecovery.ts"
import { type Ending, Hopeless, readRefused, setAside, taskLost } from "./FaultPolicy.ts"
import { type ObtainedTask, obtainTask } from "./TaskCreation.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { AnswerTrust } from "./services/AnswerTrust.ts"
import { ProviderQueues } from "./services/ProviderQueues.ts"
import { RunSpending } from "./services/RunSpending.ts"
import { ServiceWatch } from "./services/ServiceWatch.ts"
import { SpeakCounters } from "./services/SpeakCounters.ts"
import { type NewsEpoch, TaskNews } from "./services/TaskNews.ts"
import type { SpeakContext } from "./services/SpeakServices.ts"

/**
 * Completes an utterance's task, which is created, adopted or already known. Holds a slot of the provider queue until
 * the task is done; recording that needs no slot. `last` marks the last round.
 */
export const completeTask = (
  row: UtteranceRow,
  last: boolean
): Effect.Effect<DoneTask, Ending | StateUnusable, SpeakContext> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<SpeakContext>()
    const store = Context.get(context, UtteranceStore)
    const { inSlot } = Context.get(context, ProviderQueues)
    const { pricing } = Context.get(context, RunSpending)
    const news = Context.get(context, TaskNews)
    const { key, casting } = row.utterance
    const known = row.task !== undefined && row.state !== "planned" && row.state !== "announced"
    const work = Effect.gen(function* () {
      if (row.state === "settled") yield* store.apply({ event: "refetch", key })
      // The stream is read before the create, because it has only later events.
      const epoch = known ? undefined : yield* news.epoch
      const obtained =
        known && row.task !== undefined ? { task: row.task, isResumed: true } : yield* obtainTask(row, last)
      return yield* awaited(row, obtained, epoch)
    })
    const done = yield* inSlot(
      casting.provider,
      known ? work : pricing(row.utterance, work),
      row.state === "planned" ? 0 : 1
    )
    yield* store.apply({ event: "settle", key })
    return done
  })

/** Least time to wait for a task's event before it is polled, in milliseconds. */
const leastPatience = 30_000

/** Waits for a task's event, or polls until it is done, and records how long it took. */
const awaited = (
  row: UtteranceRow,
  { task, isResumed }: ObtainedTask,
  epoch: NewsEpoch | undefined
): Effect.Effect<DoneTask, Ending | StateUnusable, SpeakContext> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<SpeakContext>()
    const gateway = Context.get(context, Gateway)
    const learned = Context.get(context, Estimates)
    const watch = Context.get(context, ServiceWatch)
    const { casting, characters } = row.utterance
    const usual = learned.settleTime(casting.provider, characters)
    // A task of an earlier run has had time to finish, so it is polled at once.
    const now = yield* Clock.currentTimeMillis
    const takenAt = isResumed ? (row.announcedAt ?? now) : now
    const { mixed } = Context.get(context, AnswerTrust)
    const { warn } = Context.get(context, SpeakCounters)
    const noticing = Effect.flatMap(gateway.look(task), (sight) => {
      if (sight._tag === "GivenUp" || sight.label === undefined) return Effect.succeed(sight)
      const isOurs = hasMarker(sight.label, row)
      if (!isOurs && markersIn(sight.label).length > 0)
        return mixed(`task ${task} of ${row.label} is labelled "${sight.label}"`)
      if (watch.echoesLabels() === undefined) watch.sawLabels(isOurs)
      return Effect.succeed(sight)
    })
    const plan = pollPlan(usual, characters)
    const slow = (waited: number) =>
      warn(
        `tasks of ${casting.provider} take far longer than usual: ${row.label} has waited ${Math.round(waited / 1000)} s; a task may take ${Math.round(plan.deadline / 60_000)} minutes`
      )
    const hooks = {
      isGone: isListedGone(row, task, takenAt),
      slow: (waited: number) => (watch.firstSlow(casting.provider) ? slow(waited) : Effect.void),
      since: Math.max(takenAt, watch.startedAt)
    }
    const news = Context.get(context, TaskNews)
    const told = yield* news.ended(task, epoch, Math.max(leastPatience, 3 * (usual?.mean ?? 0)))
    const polls = told ? { ...plan, first: 0 } : plan
    const settled = yield* pollUntilSettled(noticing, task, polls, takenAt, hooks).pipe(
      Effect.catchTags({
        Refused: readRefused,
        NeverSettled: (fault) =>
          Effect.zipRight(warn(`${row.label}: ${fault.message}; it is looked at once more`), setAside(fault)),
        NoAddress: hopeless,
        MixedUp: hopeless,
        FailedAtService: (fault) =>
          fault.lasting
            ? new Hopeless({ failure: failureReasonOf(fault) })
            : taskLost(row, failureReasonOf(fault)),
        Vanished: (fault) => taskLost(row, failureReasonOf(fault))
      })
    )
    // The finish time of an earlier run's task is unknown.
    if (!isResumed)
      learned.settled(casting.provider, characters, watch.latency(casting.provider, characters, settled))
    watch.alive()
    yield* logDebug("task done")
    return settled.done
  }).pipe(inSpan("TaskCompletion.awaited", { task }))

const hopeless = (fault: NoAddress | MixedUp) => new Hopeless({ failure: failureReasonOf(fault) })

/** Whether a label has the marker of an utterance's take; a restored clip's task is of an earlier one. */
const hasMarker = (label: string | undefined, { utterance: { key } }: UtteranceRow): boolean =>
  label !== undefined && markersIn(label).some((mark) => mark.startsWith(markerOf(key, 1)))
