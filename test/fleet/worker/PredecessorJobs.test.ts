/** Which jobs a worker takes back when it starts, on a real Redis. */
import { once } from "node:events"
import { Queue, Worker } from "bullmq"
import { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { jobsLeftBy, returnJobs } from "../../../src/fleet/worker/Worker.ts"
import { hasRedis, RedisServer } from "../RedisServer.ts"

describe.skipIf(!hasRedis)("the jobs of a predecessor", () => {
  let server: RedisServer
  let client: Redis
  let queue: Queue
  beforeAll(async () => {
    server = await RedisServer.start()
    client = new Redis(server.url, { maxRetriesPerRequest: null })
    queue = new Queue("speak.test", { connection: client, prefix: "dubwright" })
  })
  afterAll(async () => {
    await queue.close()
    client.disconnect()
    await server.stop()
  })

  /** Starts a worker that never ends a job, on a connection of its own. */
  const holding = async (name: string) => {
    const connection = new Redis(server.url, { maxRetriesPerRequest: null })
    const worker = new Worker(queue.name, () => new Promise(() => {}), {
      connection,
      prefix: "dubwright",
      name,
      concurrency: 1,
      lockDuration: 3_600_000
    })
    worker.on("error", () => {})
    const [job] = await once(worker, "active")
    return {
      id: String(job.id),
      /** Ends its connections without a word, as a killed process does. */
      die: async () => {
        await worker.close(true)
        connection.disconnect()
      }
    }
  }
  const idsOf = async (name: string) => (await jobsLeftBy(name, queue, client)).map(({ job }) => job.id)

  it("are those that it held, once it is not connected any more", async () => {
    await queue.addBulk([1, 2, 3].map((line) => ({ name: `ep1 #${line}`, data: {} })))
    const one = await holding("one")
    const other = await holding("other")
    expect(await idsOf("one")).toEqual([])
    await one.die()
    // Redis notices a moment later that its connections are closed.
    await expect.poll(() => idsOf("one")).toEqual([one.id])
    expect(await idsOf("none")).toEqual([])

    const left = await jobsLeftBy("one", queue, client)
    await returnJobs(left)
    expect((await queue.getWaiting()).map(({ id }) => id)).toContain(one.id)
    expect((await queue.getActive()).map(({ id }) => id)).toEqual([other.id])

    const successor = await holding("one")
    expect(successor.id).toBe(one.id)
    await returnJobs(left)
    expect((await queue.getActive()).map(({ id }) => id).sort()).toEqual([other.id, successor.id].sort())
    await successor.die()
    await other.die()
  })
})
