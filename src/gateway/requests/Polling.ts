/** Polls a task until it is done: first at its usual latency, then at growing intervals, until its deadline. */
import { Duration, Effect } from "effect"
import type { Estimate } from "../../domain/values/Estimate.ts"
import type { TaskId } from "../../domain/values/Ids.ts"
import { millis } from "../../domain/time/Units.ts"
import {
  FailedAtService,
  type CallFault,
  NeverSettled,
  type Refused,
  Unusable,
  type Vanished
} from "../GatewayErrors.ts"
import { waitAsked } from "../pacing/RetrySchedules.ts"
import type { DoneTask, TaskSnapshot } from "../exchange/TaskSnapshot.ts"

/** Maximum interval between two polls, in milliseconds. */
const maxStep = 15_000

/** Maximum interval after a poll without a response, so that a service that is back is noticed soon. */
const maxOutageStep = 3_000

/** Minimum deadline of a task, in milliseconds. */
const minDeadline = 15 * 60_000

/**
 * Plans the polls of a task with this many characters. `usual` is the learned latency.
 *
 * The first poll comes at about that time. Later intervals are in proportion to its spread, which keeps both the polls
 * and the lost time low. Without a learned latency, polls are frequent.
 *
 * Times are in milliseconds since the service accepted the task: of the `first` poll, and of the `deadline`. `step` is
 * the interval between the first two polls, and `growth` the factor by which it grows.
 */
export const pollPlan = (usual: Estimate | undefined, characters: number) => {
  const deadline = Math.max(minDeadline, characters * 500, (usual?.mean ?? 0) * 20)
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

/** A task that is done without an address of its audio fails after this many polls and milliseconds in a row. */
const maxSilentLooks = 5
const maxSilence = 30_000

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

/**
 * Polls a task until it is done. `takenAt` is when the service accepted it (milliseconds since 1970), in this run or an
 * earlier one. Temporary failures of polls are retried until the deadline.
 */
export const pollUntilSettled = <R = never>(
  look: Effect.Effect<TaskSnapshot, CallFault | Vanished | Unusable, R>,
  task: TaskId,
  plan: ReturnType<typeof pollPlan>,
  takenAt: number,
  hooks: PollHooks<R> = {}
): Effect.Effect<SettledTask, Refused | FailedAtService | Vanished | NeverSettled | Unusable, R> =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const now = () => clock.unsafeCurrentTimeMillis()
    const { isGone = Effect.succeed(true), slow = () => Effect.void, since = now() } = hooks
    const spent = Math.max(0, now() - since)
    let looks = 0
    let lastUndone = 0
    let unknown = { looks: 0, since: 0 }
    let silent = { looks: 0, since: 0 }
    let trouble: string | undefined
    let slowAfter = Math.max(minSlow, plan.first * slowFactor)
    /** The poll did not settle the task: limits of the wait until the next one, in milliseconds. */
    const again = (least = 0, most = maxStep) => ({ least, most })

    const missed = Effect.fnUntraced(function* (fault: CallFault | Vanished | Unusable) {
      if (fault._tag === "Refused" || fault._tag === "Unusable") return yield* fault
      trouble = fault.message
      const most = fault._tag === "Unreachable" ? maxOutageStep : maxStep
      if (fault._tag !== "Vanished") return again(Duration.toMillis(waitAsked(fault)), most)
      const at = Math.max(1, now() - takenAt)
      unknown = { looks: unknown.looks + 1, since: unknown.looks === 0 ? at : unknown.since }
      if (unknown.looks >= looksUnknown && at - unknown.since >= timeUnknown) {
        unknown = { looks: 0, since: 0 }
        if (yield* isGone) return yield* fault
      }
      return again(timeUnknown / looksUnknown)
    })

    const poll = Effect.gen(function* () {
      const lookedAt = now() - takenAt
      looks++
      const answer = yield* Effect.either(look)
      if (answer._tag === "Left") return yield* missed(answer.left)
      const sight = answer.right
      unknown = { looks: 0, since: 0 }
      trouble = sight._tag === "Waiting" && sight.seen ? `its last answer says ${sight.seen}` : undefined
      if (sight._tag === "GivenUp")
        return yield* new FailedAtService({ task, words: sight.words, lasting: sight.lasting })
      if (sight._tag !== "Silent") silent = { looks: 0, since: lookedAt }
      else if (++silent.looks >= maxSilentLooks && lookedAt - silent.since >= maxSilence)
        return yield* new Unusable({
          words: `task ${task} is done, but the answer has no address of its audio; its fields are ${sight.fields}; set service.dialect.fields.audio in the manifest, then run dubwright retry`
        })
      if (sight._tag === "Done") {
        const doneAt = Math.max(1, now() - takenAt)
        return { done: sight, undoneAt: lastUndone, doneAt, took: sight.took, looks }
      }
      lastUndone = lookedAt
      return again()
    }).pipe(
      Effect.tap((seen) => {
        const waited = now() - takenAt
        if ("done" in seen || waited < slowAfter) return Effect.void
        slowAfter = Infinity
        return slow(waited)
      })
    )

    // Poll at once if the task is from an earlier run or the clock was set back.
    const waited = now() - takenAt
    const first = waited >= 0 ? Math.max(0, plan.first - waited) : 0
    if (first > 0) yield* Effect.sleep(first)
    let seen = yield* poll
    const polls = Effect.gen(function* () {
      for (let step = plan.step; "least" in seen; step *= plan.growth) {
        yield* Effect.sleep(Math.max(seen.least, Math.min(seen.most, step)))
        seen = yield* poll
      }
      return seen
    })
    return yield* Effect.timeoutFail(polls, {
      duration: Math.max(0, plan.deadline - first - spent),
      onTimeout: () => new NeverSettled({ task, waited: millis(plan.deadline), trouble })
    })
  })

const timid = 0.01
const boldest = 0.5

/**
 * Estimates task latency from polls, for one provider and text length. A poll before the task is done bounds its
 * latency from below. A first poll that finds it done shows only that it was not too early. So while first polls find
 * tasks done, the estimate is lowered: slightly at first, then in larger steps, until a poll comes too early. Call it
 * for each task, in the order in which they end.
 */
export class LatencyEstimator {
  /**
   * How far the next estimate is lowered, and when that was last raised: tasks that were in flight at that time say
   * nothing about the new share.
   */
  private boldness = { share: timid, at: 0 }

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
