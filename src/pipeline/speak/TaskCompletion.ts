/**
 * Takes one utterance from its current state to a done task. Each request is recorded before it is sent, so that a run
 * after a crash knows what may have happened.
 */
import { Effect } from "effect"
import type { TaskId } from "../../domain/values/Ids.ts"
import { markerOf, markersIn } from "../../domain/task/TaskMarker.ts"
import { failureReasonOf } from "../../gateway/GatewayErrors.ts"
import type { ProviderQueue } from "../../gateway/pacing/ProviderQueue.ts"
import { pollPlan, pollUntilSettled } from "../../gateway/requests/Polling.ts"
import type { DoneTask, TaskSnapshot } from "../../gateway/response/TaskSnapshot.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import { obtainTask } from "./TaskCreation.ts"
import { type Ending, Hopeless } from "./UtteranceFailures.ts"
import { taskLost, readRefused, setAside } from "./FaultPolicy.ts"
import type { SpeakRun } from "./SpeakRun.ts"

/**
 * Completes an utterance's task, which is created, adopted or already known. Holds a slot of the provider queue until
 * the task is done; recording that needs no slot. `last` means that there is no later round.
 */
export const completeTask = (
  run: SpeakRun,
  queue: ProviderQueue,
  row: UtteranceRow,
  last: boolean
): Effect.Effect<DoneTask, Ending | StateUnusable> => {
  const known = row.task !== undefined && row.state !== "planned" && row.state !== "announced"
  const work = Effect.gen(function* () {
    if (row.state === "settled") yield* run.store.apply({ event: "refetch", key: row.utterance.key })
    const task = known && row.task !== undefined ? row.task : yield* obtainTask(run, queue, row, last)
    return yield* awaited(run, row, task)
  })
  const reservation = known ? work : run.pricing(row.utterance, work)
  return Effect.tap(queue.inSlot(reservation, row.state === "planned" ? 0 : 1), () =>
    run.store.apply({ event: "settle", key: row.utterance.key })
  )
}

/** Polls until a task is done, and records how long it took. */
const awaited = (
  run: SpeakRun,
  row: UtteranceRow,
  task: TaskId
): Effect.Effect<DoneTask, Ending | StateUnusable> =>
  Effect.gen(function* () {
    const { gateway, learned } = run
    const { casting, characters } = row.utterance
    const usual = learned.settleTime(casting.provider, characters)
    // A task of an earlier run has had time to finish, so it is polled at once.
    const now = run.now()
    const takenAt = row.state === "planned" ? now : (row.announcedAt ?? now)
    const noticing = Effect.map(gateway.look(task), (sight) => {
      noticeLabel(run, row, sight)
      return sight
    })
    const settled = yield* pollUntilSettled(noticing, task, pollPlan(usual, characters), takenAt).pipe(
      Effect.catchTags({
        Refused: (fault) => readRefused(run, fault),
        NeverSettled: (fault) => setAside(fault),
        FailedAtService: (fault) =>
          fault.lasting
            ? new Hopeless({ failure: failureReasonOf(fault) })
            : taskLost(run, row, failureReasonOf(fault)),
        Vanished: (fault) => taskLost(run, row, failureReasonOf(fault))
      })
    )
    // When a task of an earlier run finished is unknown.
    if (row.state === "planned") {
      const took = run.settleTimes(casting.provider, characters).learnedFrom(settled, run.now())
      learned.settled(casting.provider, characters, took)
    }
    run.alive()
    return settled.done
  })

/** Notes whether the service repeats labels, from a task's record. */
const noticeLabel = (run: SpeakRun, row: UtteranceRow, sight: TaskSnapshot): void => {
  if (run.echoes.seen !== undefined || sight._tag === "GivenUp") return
  run.echoes.seen =
    sight.label !== undefined && markersIn(sight.label).includes(markerOf(row.utterance.key, row.take))
}
