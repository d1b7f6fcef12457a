/** Polls a task until it is done: first at its usual latency, then at growing intervals, until its deadline. */
import { Duration, Effect, Schedule } from "effect"
import type { Estimate } from "../../domain/values/Estimate.ts"
import type { TaskId } from "../../domain/values/Ids.ts"
import { millis } from "../../domain/time/Units.ts"
import {
  FailedAtService,
  type CallFault,
  type MixedUp,
  NeverSettled,
  NoAddress,
  type Refused,
  type Vanished
} from "../GatewayErrors.ts"
import { waitAsked } from "../pacing/RetrySchedules.ts"
import type { DoneTask, TaskSnapshot } from "../response/TaskSnapshot.ts"

/** When to poll a task. Times are in milliseconds since the service accepted it. */
export interface PollPlan {
  readonly first: number
  /** Interval between the first two polls. */
  readonly step: number
  /** Growth factor of the intervals. */
  readonly growth: number
  readonly deadline: number
}

/** Maximum interval between two polls, in milliseconds. */
const maxStep = 15_000

/** Maximum interval after a poll without a response, so that a service that is back is noticed soon. */
const maxOutageStep = Duration.seconds(3)

/** Minimum deadline of a task, in milliseconds. */
const leastDeadline = 15 * 60_000

/**
 * Plans the polls of a task with this many characters. `usual` is the learned latency.
 *
 * The first poll comes at about that time. Later intervals are in proportion to its spread, which keeps both the polls
 * and the lost time low. Without a learned latency, polls are frequent.
 */
export const pollPlan = (usual: Estimate | undefined, characters: number): PollPlan => {
  const deadline = Math.max(leastDeadline, characters * 500, (usual?.mean ?? 0) * 20)
  if (usual === undefined) return { first: 25, step: 25, growth: 1.6, deadline }
  const step = Math.min(maxStep, Math.max(2, usual.mean * 0.015, usual.spread * 0.4))
  return { first: Math.max(0, usual.mean - usual.spread / 2), step, growth: 1.5, deadline }
}

/** A done task and its latency, from which the estimator learns. */
export interface SettledTask {
  readonly done: DoneTask
  /** Milliseconds from accepted to done, bounded by the polls: the task was done between these two. */
  readonly undoneAt: number
  readonly doneAt: number
  /** The latency by the service's own clock, if it reports one. */
  readonly took: number | undefined
  /** Number of polls. */
  readonly looks: number
}

/** A task that is done without an address of its audio fails after this many polls in a row. */
const maxSilentLooks = 5

/** How many times its usual latency a task may take before the wait is reported, and the least wait reported. */
const slowFactor = 10
const minSlow = 60_000

/** What a poller may ask and tell. */
export interface PollHooks<R> {
  /** Whether a task that is unknown for some time is certainly gone; default: it is. */
  readonly isGone?: Effect.Effect<boolean, never, R>
  /** Called once if the task takes far longer than usual. `waited` is in milliseconds. */
  readonly slow?: (waited: number) => Effect.Effect<void, never, R>
  /** When the deadline begins, in milliseconds since 1970; default: when the poller is called. */
  readonly since?: number
}

/** A task counts as vanished after it was unknown for this many polls and this many milliseconds. */
const looksUnknown = 4
const timeUnknown = 8_000

type Look =
  | { readonly _tag: "Again"; readonly wait: Duration.Duration; readonly isOutage: boolean }
  | { readonly _tag: "Settled"; readonly settled: SettledTask }

/** Intervals between polls: they grow by `plan.growth`, and honour Retry-After. */
const rhythm = (plan: PollPlan): Schedule.Schedule<Look, Look> =>
  Schedule.identity<Look>().pipe(
    Schedule.zipLeft(
      Schedule.exponential(Duration.millis(plan.step), plan.growth).pipe(
        Schedule.union(Schedule.spaced(Duration.millis(maxStep)))
      )
    ),
    Schedule.modifyDelay((look, delay) => {
      if (look._tag === "Settled") return delay
      return Duration.max(look.isOutage ? Duration.min(delay, maxOutageStep) : delay, look.wait)
    }),
    Schedule.untilInput((look) => look._tag === "Settled")
  )

/**
 * Polls a task until it is done. `takenAt` is when the service accepted it (milliseconds since 1970), in this run or an
 * earlier one. Temporary failures of polls are retried until the deadline.
 */
export const pollUntilSettled = <R = never>(
  look: Effect.Effect<TaskSnapshot, CallFault | Vanished | MixedUp, R>,
  task: TaskId,
  plan: PollPlan,
  takenAt: number,
  hooks: PollHooks<R> = {}
): Effect.Effect<SettledTask, Refused | FailedAtService | Vanished | NeverSettled | NoAddress | MixedUp, R> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const sinceTaken = () => clock.unsafeCurrentTimeMillis() - takenAt
    let looks = 0
    let lastUndone = 0
    let unknown = { looks: 0, since: 0 }
    let trouble: string | undefined
    const again = (wait: Duration.Duration = Duration.zero, isOutage = false): Look => ({
      _tag: "Again",
      wait,
      isOutage
    })

    const { isGone = Effect.succeed(true) } = hooks
    const slowAfter = Math.max(minSlow, plan.first * slowFactor)
    let isReported = false
    let silent = 0

    const missed = (
      fault: CallFault | Vanished | MixedUp
    ): Effect.Effect<Look, Refused | Vanished | MixedUp, R> => {
      if (fault._tag === "Refused" || fault._tag === "MixedUp") return Effect.fail(fault)
      trouble = fault.message
      if (fault._tag !== "Vanished")
        return Effect.succeed(again(waitAsked(fault), fault._tag === "Unreachable"))
      const at = Math.max(1, sinceTaken())
      unknown = unknown.looks === 0 ? { looks: 1, since: at } : { ...unknown, looks: unknown.looks + 1 }
      const next = again(Duration.millis(timeUnknown / looksUnknown))
      if (unknown.looks < looksUnknown || at - unknown.since < timeUnknown) return Effect.succeed(next)
      unknown = { looks: 0, since: 0 }
      return Effect.flatMap(isGone, (gone) => (gone ? Effect.fail(fault) : Effect.succeed(next)))
    }

    const interpret = (
      sight: TaskSnapshot,
      lookedAt: number
    ): Effect.Effect<Look, FailedAtService | NoAddress> => {
      unknown = { looks: 0, since: 0 }
      trouble = undefined
      if (sight._tag === "GivenUp")
        return new FailedAtService({ task, words: sight.words, lasting: sight.lasting })
      silent = sight._tag === "Silent" ? silent + 1 : 0
      if (sight._tag === "Silent" && silent >= maxSilentLooks)
        return new NoAddress({ task, fields: sight.fields })
      if (sight._tag !== "Done") {
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
      return Effect.matchEffect(look, {
        onFailure: missed,
        onSuccess: (sight) => interpret(sight, lookedAt)
      }).pipe(
        Effect.tap((next) => {
          if (next._tag === "Settled" || isReported || lookedAt < slowAfter) return Effect.void
          isReported = true
          return hooks.slow?.(lookedAt) ?? Effect.void
        })
      )
    })

    const waited = sinceTaken()
    const spent = hooks.since === undefined ? 0 : Math.max(0, clock.unsafeCurrentTimeMillis() - hooks.since)
    // Poll at once if the task is from an earlier run or the clock was set back.
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
        duration: Duration.millis(Math.max(0, plan.deadline - first - spent)),
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
      : yield* Effect.dieMessage("polling stopped before the task ended")
  })

/** How far the next estimate is lowered. */
interface Boldness {
  readonly share: number
  /** When `share` was last raised. Tasks that were in flight at that time say nothing about the new share. */
  readonly at: number
}

const timid = 0.01
const boldest = 0.5

/**
 * Estimates task latency from polls, for one provider and text length. A poll before the task is done bounds its
 * latency from below. A first poll that finds it done shows only that it was not too early. So while first polls find
 * tasks done, the estimate is lowered: slightly at first, then in larger steps, until a poll comes too early. Call it
 * for each task, in the order in which they end.
 */
export class LatencyEstimator {
  private boldness: Boldness = { share: timid, at: 0 }

  /** Returns the latency learned from a task, in milliseconds from accepted to done. `now` is in milliseconds. */
  learnedFrom({ undoneAt, doneAt, took }: SettledTask, now: number): number {
    if (took !== undefined) return Math.max(1, Math.min(doneAt, Math.max(undoneAt, took)))
    if (undoneAt > 0) {
      this.boldness = { share: timid, at: now }
      return (undoneAt + doneAt) / 2
    }
    const { share, at } = this.boldness
    if (now - at >= doneAt) this.boldness = { share: Math.min(boldest, share * 2), at: now }
    return Math.max(1, doneAt * (1 - share))
  }
}
