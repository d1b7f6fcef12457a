/** The whole fleet shares its adaptive concurrency. */
import { Queue } from "bullmq"
import { Redis } from "ioredis"
import { describe, expect, test } from "vitest"
import { recoverFleet, fullSpeed, slowFleet } from "../../../src/fleet/shared/FleetRateLimit.ts"
import { prefix } from "../../../src/fleet/shared/Queues.ts"
import { hasRedis, RedisServer } from "../RedisServer.ts"

describe.skipIf(!hasRedis)("a fleet's concurrency", () => {
  test("is halved once per burst of 429s, with a pause for all workers, and recovers with accepted creates", async () => {
    const server = await RedisServer.start()
    const client = new Redis(server.url, { maxRetriesPerRequest: null })
    // Two workers' queue objects for the same queue.
    const [one, other] = [0, 1].map(() => new Queue("speak.p", { connection: client, prefix }))
    try {
      if (one === undefined || other === undefined) throw new Error("expected two queues")
      await fullSpeed(client, one, 8)
      await one.setGlobalRateLimit(1_000_000, 1_000)
      await slowFleet(client, one, 60_000)
      await slowFleet(client, other, 60_000)
      expect(await other.getGlobalConcurrency()).toBe(4)
      expect(await other.getRateLimitTtl(1_000_000)).toBeGreaterThan(50_000)
      for (let borne = 0; borne < 4; borne++) await recoverFleet(client, other)
      expect(await one.getGlobalConcurrency()).toBe(4)
      await recoverFleet(client, one)
      expect(await one.getGlobalConcurrency()).toBe(5)
      for (let borne = 0; borne < 30; borne++) await recoverFleet(client, one)
      expect(await other.getGlobalConcurrency()).toBe(8)
    } finally {
      await one?.close()
      await other?.close()
      client.disconnect()
      await server.stop()
    }
  })
})
