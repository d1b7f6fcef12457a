/**
 * Returns the jobs that a worker's predecessor left when it died. A predecessor is a worker of the same name that is
 * not connected to Redis any more. Without this, its jobs would wait until their locks expire.
 */
import type { Job, Queue } from "bullmq"
import type { Redis } from "ioredis"

/** A job that a dead worker holds, with the token of its lock. */
interface LeftJob {
  readonly job: Job
  readonly token: string
}

/**
 * Returns the jobs of a queue that a dead worker of this name holds. Must be called before a new worker of the name
 * connects to the queue. Returns none if a worker of the name is connected, or if Redis does not list connections.
 */
export const jobsLeftBy = async (
  name: string,
  queue: Queue,
  client: Redis
): Promise<ReadonlyArray<LeftJob>> => {
  const isPerhapsAlive = (connection: string | undefined) =>
    connection === undefined || connection.endsWith(`:w:${name}`)
  const workers = await queue.getWorkers()
  if (workers.some(({ rawname }) => isPerhapsAlive(rawname))) return []
  const left: Array<LeftJob> = []
  for (const job of await queue.getActive()) {
    if (job.processedBy !== name || job.id === undefined) continue
    const token = await client.get(queue.toKey(`${job.id}:lock`))
    if (token !== null) left.push({ job, token })
  }
  return left
}

/** Returns jobs to the front of their queue, except those that a worker has taken over meanwhile. */
export const returnJobs = async (left: ReadonlyArray<LeftJob>): Promise<void> => {
  // A job that was taken over has another lock, and the call fails.
  for (const { job, token } of left) await job.moveToWait(token).catch(() => {})
}
