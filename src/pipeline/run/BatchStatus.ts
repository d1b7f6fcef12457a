/** Progress of a batch, read from its state alone; safe while a run is active. */
import { Effect } from "effect"
import { Deliveries } from "../../store/tables/Deliveries.ts"
import type { JobStanding } from "../../store/tables/UtteranceQueries.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { Batch } from "../load/Job.ts"

/** Progress of one job: its utterances by state, and whether its files were delivered at least once. */
export interface JobStatus extends Omit<JobStanding, "job"> {
  readonly id: string
  readonly delivered: boolean
}

/** The status of a batch that was never planned: all counts are 0. */
export const unplannedJobs = ({ jobs }: Batch): ReadonlyArray<JobStatus> =>
  jobs.map(({ id }) => ({ id, ...nothing, delivered: false }))

/** Returns the status of each job, in the batch's order. A job that was never planned has no utterances yet. */
export const statusOf = Effect.fn("BatchStatus.statusOf")(function* (batch: Batch) {
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
