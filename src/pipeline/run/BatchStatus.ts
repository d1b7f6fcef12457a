/** How a batch stands, from its state alone; safe while a run is under way. */
import { Effect } from "effect"
import { Deliveries } from "../../store/tables/Deliveries.ts"
import { type JobStanding, UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { Batch } from "../load/Job.ts"

/** How one job stands; utterances by what became of them, and whether its files were delivered at least once. */
export interface JobStatus extends Omit<JobStanding, "job"> {
  readonly id: string
  readonly delivered: boolean
}

/** Every job of a batch that was never planned. */
export const unplannedJobs = ({ jobs }: Batch): ReadonlyArray<JobStatus> =>
  jobs.map(({ id }) => ({ id, ...nothing, delivered: false }))

/** Every job of the batch, in its order; one that was never planned has no utterances yet. */
export const statusOf = Effect.fn("Status.of")(function* (batch: Batch) {
  const store = yield* UtteranceStore
  const deliveries = yield* Deliveries
  const standings = new Map(
    (yield* store.jobStandings(batch.key)).map((standing) => [standing.job, standing])
  )
  const delivered = yield* deliveries.all(batch.out)
  return batch.jobs.map(({ id }): JobStatus => {
    const { job: _job, ...standing } = standings.get(id) ?? { job: id, ...nothing }
    return { id, ...standing, delivered: delivered.has(id) }
  })
})

const nothing = { utterances: 0, characters: 0, done: 0, underWay: 0, failed: 0, left: 0 }
