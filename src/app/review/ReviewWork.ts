/** What the edit box asks for: takes, accepted changes and their deliveries. */
import { Data, Effect, Schedule } from "effect"
import type { Take, ReviewEdits } from "../../pages/data/ReviewProtocol.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import {
  acceptChanges,
  changesFor,
  deliveredAnew,
  type HeardChanges,
  preparedAnew,
  makeTake,
  withdraw
} from "../../pipeline/review/ReviewSession.ts"
import { rewriteBatch } from "../../pipeline/review/ReviewPages.ts"
import { StateBusy } from "../../store/state/StateErrors.ts"
import { type BatchOptions, loadBatchInput } from "../batch/BatchInput.ts"
import { exitCodeFor } from "../ExitCodes.ts"
import { makeDeliveries } from "./ReviewDeliveries.ts"
import type { Route } from "./ReviewRoutes.ts"
import { makeReviewState } from "./ReviewState.ts"
import { Screen } from "../terminal/Screen.ts"

/** The address names a job or a file that the review does not have. */
export class NoSuchPage extends Data.TaggedError("NoSuchPage") {
  override get message(): string {
    return "no such page"
  }
}

/** The job of a batch by its id. */
export const jobIn = (batch: Batch, id: string) => {
  const job = batch.jobs.find((one) => one.id === id)
  return job === undefined ? Effect.fail(new NoSuchPage()) : Effect.succeed(job)
}

/** A change to a cue. */
type Change = Extract<Route, { readonly _tag: "Change" }>

export type ReviewWork = Effect.Effect.Success<ReturnType<typeof makeReviewWork>>

/** Starts the work of a review, which ends with the scope. */
export const makeReviewWork = Effect.fnUntraced(function* (options: BatchOptions) {
  const screen = yield* Screen
  const stateOf = yield* makeReviewState
  /** Speaking takes turns: the same words asked for twice are paid for once. */
  const speaking = yield* Effect.makeSemaphore(1)
  /** What one request saves, the next must find. */
  const saving = yield* Effect.makeSemaphore(1)
  /** What was heard last of each cue: accepted, it needs no second look. */
  const heard = new Map<string, { readonly wishes: string; readonly changes: HeardChanges }>()

  const deliver = Effect.fnUntraced(function* (id: string, cues: ReadonlySet<number>) {
    const batch = yield* loadBatchInput(options)
    const job = yield* jobIn(batch, id)
    yield* Effect.gen(function* () {
      const plan = yield* speaking.withPermits(1)(preparedAnew(batch, job, [...cues]))
      yield* deliveredAnew(batch, plan)
    }).pipe(Effect.provide(stateOf(batch)))
    yield* rewriteBatch(batch, job)
  })
  const deliveries = yield* makeDeliveries((job, cues, tell) =>
    deliver(job, cues).pipe(
      Effect.tapErrorTag("StateBusy", (busy) => Effect.sync(() => tell(busy.message))),
      Effect.retry({
        while: (error) => error instanceof StateBusy,
        schedule: Schedule.spaced("2 seconds")
      }),
      Effect.as(undefined),
      Effect.catchAll((error) => Effect.succeed(exitCodeFor(error).message)),
      Effect.catchAllDefect((defect) => Effect.succeed(exitCodeFor(defect).message))
    )
  )
  yield* Effect.addFinalizer(() =>
    Effect.forEach(
      deliveries.left(),
      (job) => screen.say(`${job}: accepted changes are saved but not delivered; the next run delivers them`),
      { discard: true }
    )
  )

  const take = Effect.fnUntraced(function* ({ job: id, cue }: Change, wishes: ReviewEdits) {
    const batch = yield* loadBatchInput(options)
    const job = yield* jobIn(batch, id)
    const { take, changes } = yield* Effect.provide(makeTake(batch, job, cue, wishes), stateOf(batch))
    heard.set(`${id}/${cue}`, { wishes: JSON.stringify(wishes), changes })
    return take
  }, speaking.withPermits(1))

  const save = Effect.fnUntraced(function* ({ job: id, cue, change }: Change, wishes: ReviewEdits) {
    const batch = yield* loadBatchInput(options)
    const job = yield* jobIn(batch, id)
    if (change === "withdraw") yield* withdraw(batch, job, cue)
    else {
      const last = heard.get(`${id}/${cue}`)
      const changes =
        last?.wishes === JSON.stringify(wishes)
          ? last.changes
          : yield* changesFor(batch, job, cue, wishes).pipe(
              Effect.provide(stateOf(batch)),
              speaking.withPermits(1)
            )
      yield* acceptChanges(batch, job, changes)
    }
    heard.delete(`${id}/${cue}`)
    return yield* deliveries.request(id, cue)
  }, saving.withPermits(1))

  return {
    /** Makes a take, or saves a change and has it delivered in the background. */
    change: (asked: Change, wishes: ReviewEdits) =>
      asked.change === "take"
        ? Effect.map(
            take(asked, wishes),
            (made): Take | Effect.Effect.Success<ReturnType<typeof save>> => made
          )
        : save(asked, wishes),
    /** How far the delivery of a job's changes is. */
    standing: deliveries.standing
  }
})
