/**
 * Waiting for a task: the first look when such tasks are usually done, then closer ones, until it ends or its time is
 * up.
 */
import { Duration, Effect, Schedule } from "effect"
import type { Estimate } from "../../domain/values/Estimate.ts"
import type { TaskId } from "../../domain/values/Ids.ts"
import { millis } from "../../domain/time/Units.ts"
import {
  FailedAtService,
  type CallFault,
  NeverSettled,
  type Refused,
  type Vanished
} from "../GatewayErrors.ts"
import { retryRead } from "../pacing/RetrySchedules.ts"
import type { DoneTask, TaskSnapshot } from "../response/TaskSnapshot.ts"

/** When to look at a task; all in milliseconds from when the service took it. */
export interface PollPlan {
  readonly first: number
  /** The wait between the first two looks. */
  readonly step: number
  /** By how much each further wait is longer than the one before. */
  readonly growth: number
  readonly deadline: number
}

/** The longest wait between two looks. */
const longestStep = 15_000

/** The least deadline of a task. */
const leastDeadline = 15 * 60_000

/**
 * When to look at a task of so many characters. `usual` is the learned time to done: the first look comes about then,
 * and later ones at distances in proportion to how much such tasks stray, so that both the looks and the time lost stay
 * few. Of tasks of which nothing is known yet, the first few are looked at often.
 */
export const pollPlan = (usual: Estimate | undefined, characters: number): PollPlan => {
  const deadline = Math.max(leastDeadline, characters * 500, (usual?.mean ?? 0) * 20)
  if (usual === undefined) return { first: 25, step: 25, growth: 1.6, deadline }
  const step = Math.min(longestStep, Math.max(2, usual.mean * 0.015, usual.spread * 0.4))
  return { first: Math.max(0, usual.mean - usual.spread / 2), step, growth: 1.5, deadline }
}

/** A task that is done, and how long that took: what is learned from. */
export interface SettledTask {
  readonly done: DoneTask
  /** Milliseconds from taken to done, as near as the looks tell: between these two. */
  readonly undoneAt: number
  readonly doneAt: number
  /** The same by the service's own clock, where it tells. */
  readonly took: number | undefined
  /** How often it was looked at. */
  readonly looks: number
}

/** A task is taken to have vanished when it is unknown for so many looks and so many milliseconds. */
const looksUnknown = 4
const timeUnknown = 8_000

type Look =
  | { readonly _tag: "Again"; readonly wait: Duration.Duration }
  | { readonly _tag: "Settled"; readonly settled: SettledTask }

/** The distances between looks: growing by half, never before the time that the service asked to wait. */
const rhythm = (plan: PollPlan): Schedule.Schedule<Look, Look> =>
  Schedule.identity<Look>().pipe(
    Schedule.zipLeft(
      Schedule.exponential(Duration.millis(plan.step), plan.growth).pipe(
        Schedule.union(Schedule.spaced(Duration.millis(longestStep)))
      )
    ),
    Schedule.modifyDelay((look, delay) => (look._tag === "Again" ? Duration.max(delay, look.wait) : delay)),
    Schedule.untilInput((look) => look._tag === "Settled")
  )

/**
 * Waits until a task is done. `takenAt` is when the service took it (milliseconds since 1970), now or in an earlier
 * run. Passing faults of looks are waited out until the deadline.
 */
export const pollUntilSettled = (
  look: Effect.Effect<TaskSnapshot, CallFault | Vanished>,
  task: TaskId,
  plan: PollPlan,
  takenAt: number
): Effect.Effect<SettledTask, Refused | FailedAtService | Vanished | NeverSettled> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const sinceTaken = () => clock.unsafeCurrentTimeMillis() - takenAt
    let looks = 0
    let lastUndone = 0
    let unknown = { looks: 0, since: 0 }
    let trouble: string | undefined
    const again = (wait: Duration.Duration = Duration.zero): Look => ({ _tag: "Again", wait })

    const missed = (fault: CallFault | Vanished): Effect.Effect<Look, Refused | Vanished> => {
      if (fault._tag === "Refused") return Effect.fail(fault)
      trouble = fault.message
      if (fault._tag !== "Vanished") return Effect.succeed(again(retryRead(fault)))
      const at = Math.max(1, sinceTaken())
      unknown = unknown.looks === 0 ? { looks: 1, since: at } : { ...unknown, looks: unknown.looks + 1 }
      return unknown.looks >= looksUnknown && at - unknown.since >= timeUnknown
        ? Effect.fail(fault)
        : Effect.succeed(again(Duration.millis(timeUnknown / looksUnknown)))
    }

    const told = (sight: TaskSnapshot, lookedAt: number): Effect.Effect<Look, FailedAtService> => {
      unknown = { looks: 0, since: 0 }
      trouble = undefined
      if (sight._tag === "GivenUp")
        return new FailedAtService({ task, words: sight.words, lasting: sight.lasting })
      if (sight._tag === "Waiting") {
        lastUndone = lookedAt
        return Effect.succeed(again())
      }
      const doneAt = Math.max(1, sinceTaken())
      return Effect.succeed<Look>({
        _tag: "Settled",
        settled: { done: sight, undoneAt: lastUndone, doneAt, took: sight.took, looks }
      })
    }

    const one = Effect.suspend(() => {
      const lookedAt = sinceTaken()
      looks++
      return Effect.matchEffect(look, { onFailure: missed, onSuccess: (sight) => told(sight, lookedAt) })
    })

    const waited = sinceTaken()
    // A task of an earlier run, or a clock that was set: it is looked at now.
    const first = waited >= 0 ? Math.max(0, plan.first - waited) : 0
    if (first > 0) yield* Effect.sleep(Duration.millis(first))
    let seen: Look | undefined = yield* one
    if (seen._tag === "Settled") return seen.settled

    const next = Effect.suspend(() => {
      const looked = seen
      seen = undefined
      return looked === undefined ? one : Effect.succeed(looked)
    })
    const last = yield* next.pipe(
      Effect.repeat(rhythm(plan)),
      Effect.timeoutFail({
        duration: Duration.millis(Math.max(0, plan.deadline - first)),
        onTimeout: () =>
          new NeverSettled({
            task,
            waited: millis(plan.deadline),
            ...(trouble === undefined ? {} : { trouble })
          })
      })
    )
    return last._tag === "Settled"
      ? last.settled
      : yield* Effect.dieMessage("looks ended before the task did")
  })
