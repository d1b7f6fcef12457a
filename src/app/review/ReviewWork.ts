/** Work of a review: makes takes, saves accepted changes and delivers them. */
import { Data, Effect, Schedule } from "effect"
import type { Take, ReviewEdits } from "../../pages/data/ReviewProtocol.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import {
  acceptChanges,
  changesFor,
  deliverEdited,
  type HeardChanges,
  prepareEdit,
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

/** The URL names a job or file that does not exist in the review. */
export class NoSuchPage extends Data.TaggedError("NoSuchPage") {
  override get message(): string {
    return "no such page"
  }
}

/** Returns a job by its id. */
export const jobIn = (batch: Batch, id: string) => {
  const job = batch.jobs.find((one) => one.id === id)
  return job === undefined ? Effect.fail(new NoSuchPage()) : Effect.succeed(job)
}

/** A change to a cue. */
type Change = Extract<Route, { readonly _tag: "Change" }>

export type ReviewWork = Effect.Effect.Success<ReturnType<typeof makeReviewWork>>

/** Starts the background work of a review, which ends with the scope. */
export const makeReviewWork = Effect.fnUntraced(function* (options: BatchOptions) {
  const screen = yield* Screen
  const stateOf = yield* makeReviewState
  /** One take at a time, so that the same text requested twice is paid for once. */
  const speaking = yield* Effect.makeSemaphore(1)
  /** One save at a time, so that each sees the previous one. */
  const saving = yield* Effect.makeSemaphore(1)
  /** The last take of each cue: accepting it needs no second check. */
  const heard = new Map<string, { readonly edits: string; readonly changes: HeardChanges }>()

  const deliver = Effect.fnUntraced(function* (id: string, cues: ReadonlySet<number>) {
    const batch = yield* loadBatchInput(options)
    const job = yield* jobIn(batch, id)
    yield* Effect.gen(function* () {
      const plan = yield* speaking.withPermits(1)(prepareEdit(batch, job, [...cues]))
      yield* deliverEdited(batch, plan)
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

  const take = Effect.fnUntraced(function* ({ job: id, cue }: Change, edits: ReviewEdits) {
    const batch = yield* loadBatchInput(options)
    const job = yield* jobIn(batch, id)
    const { take, changes } = yield* Effect.provide(makeTake(batch, job, cue, edits), stateOf(batch))
    heard.set(`${id}/${cue}`, { edits: JSON.stringify(edits), changes })
    return take
  }, speaking.withPermits(1))

  const save = Effect.fnUntraced(function* ({ job: id, cue, change }: Change, edits: ReviewEdits) {
    const batch = yield* loadBatchInput(options)
    const job = yield* jobIn(batch, id)
    if (change === "withdraw") yield* withdraw(batch, job, cue)
    else {
      const last = heard.get(`${id}/${cue}`)
      const changes =
        last?.edits === JSON.stringify(edits)
          ? last.changes
          : yield* changesFor(batch, job, cue, edits).pipe(
              Effect.provide(stateOf(batch)),
              speaking.withPermits(1)
            )
      yield* acceptChanges(batch, job, changes)
    }
    heard.delete(`${id}/${cue}`)
    return yield* deliveries.request(id, cue)
  }, saving.withPermits(1))

  return {
    /** Makes a take, or saves a change and queues its delivery. */
    change: (asked: Change, edits: ReviewEdits) =>
      asked.change === "take"
        ? Effect.map(
            take(asked, edits),
            (made): Take | Effect.Effect.Success<ReturnType<typeof save>> => made
          )
        : save(asked, edits),
    /** The delivery status of a job's changes. */
    standing: deliveries.standing
  }
})
