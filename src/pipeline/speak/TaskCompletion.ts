/**
 * One utterance from where it stands to its done task. Every step outward is written before it is taken, so that
 * whoever comes after a crash knows what may have happened.
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
 * Brings an utterance to its done task: created, adopted or known already. Holds a slot of its lane until the task is
 * seen to be done; that this is written is nothing the next task need wait for. `last` is whether it has no further
 * chance.
 */
export const completeTask = (
  run: SpeakRun,
  lane: ProviderQueue,
  row: UtteranceRow,
  last: boolean
): Effect.Effect<DoneTask, Ending | StateUnusable> => {
  const known = row.task !== undefined && row.state !== "planned" && row.state !== "announced"
  const work = Effect.gen(function* () {
    if (row.state === "settled") yield* run.store.apply({ event: "refetch", key: row.utterance.key })
    const task = known && row.task !== undefined ? row.task : yield* obtainTask(run, lane, row, last)
    return yield* awaited(run, row, task)
  })
  const held = known ? work : run.pricing(row.utterance, work)
  return Effect.tap(lane.inSlot(held, row.state === "planned" ? 0 : 1), () =>
    run.store.apply({ event: "settle", key: row.utterance.key })
  )
}

/** Waits until a task is done, and learns how long such tasks take. */
const awaited = (
  run: SpeakRun,
  row: UtteranceRow,
  task: TaskId
): Effect.Effect<DoneTask, Ending | StateUnusable> =>
  Effect.gen(function* () {
    const { gateway, learned } = run
    const { casting, characters } = row.utterance
    const usual = learned.settleTime(casting.provider, characters)
    // A task of an earlier run has had its time: it is looked at at once.
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
            ? new Hopeless({ setback: failureReasonOf(fault) })
            : taskLost(run, row, failureReasonOf(fault)),
        Vanished: (fault) => taskLost(run, row, failureReasonOf(fault))
      })
    )
    // When a task of an earlier run was done is not known.
    if (row.state === "planned") {
      const took = run.settleTimes(casting.provider, characters).learnedFrom(settled, run.now())
      learned.settled(casting.provider, characters, took)
    }
    run.alive()
    return settled.done
  })

/** Learns from a task's record whether labels come back. */
const noticeLabel = (run: SpeakRun, row: UtteranceRow, sight: TaskSnapshot): void => {
  if (run.echoes.seen !== undefined || sight._tag === "GivenUp") return
  run.echoes.seen =
    sight.label !== undefined && markersIn(sight.label).includes(markerOf(row.utterance.key, row.take))
}
