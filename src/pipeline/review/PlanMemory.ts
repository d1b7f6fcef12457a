/**
 * Keeps the plan of the job that is being edited: opening the edit box plans it, and takes use that plan. Deliveries
 * plan anew.
 */
import { Effect } from "effect"
import { fileIdentity } from "../../system/FileIdentity.ts"
import { readInput, type ReadInput } from "../load/InputFile.ts"
import { type Batch, filesOf, type Job } from "../load/Job.ts"
import { type JobPlan, planBatch } from "../plan/BatchPlan.ts"

/** A plan, what it was made from, and the state of its files before they were read. */
interface KeptPlan {
  readonly from: string
  readonly files: ReadonlyMap<string, string | undefined>
  readonly plan: JobPlan
}

/** Returns a function that plans a job, unless the last plan was of the same job, batch and files. */
export const makePlanMemory = () => {
  let last: KeptPlan | undefined
  return Effect.fnUntraced(function* (batch: Batch, job: Job) {
    const from = JSON.stringify([job.id, batch])
    if (last?.from === from && [...last.files].every(([path, before]) => fileIdentity(path) === before))
      return last.plan
    const files = new Map(filesOf(job).map((path) => [path, fileIdentity(path)]))
    const read: ReadInput = (path, name) =>
      Effect.suspend(() => {
        files.set(path, fileIdentity(path))
        return readInput(path, name)
      })
    const { jobs } = yield* planBatch({ ...batch, jobs: [job] }, read)
    const [plan] = jobs
    last = { from, files, plan }
    return plan
  })
}
