/** Watches the queue of utterances in Redis for progress after a kill. */
import { Redis } from "ioredis"
import type { KilledProcess } from "./KilledProcess.ts"

/** Tells Redis' process when a worker has completed an utterance since it was ready. */
export const watchRedis = (url: string, redis: KilledProcess): (() => void) => {
  const client = new Redis(url, { maxRetriesPerRequest: 0, retryStrategy: () => 20 })
  client.on("error", () => {})
  let least: number | undefined
  let wasReady = true
  const timer = setInterval(() => {
    if (!redis.isReady) {
      wasReady = false
      return
    }
    client.zcard("dubwright:speak.provider_fast:completed").then(
      (count) => {
        if (!wasReady) least = undefined
        wasReady = true
        if (least !== undefined && count > least) redis.finished()
        least = Math.min(least ?? count, count)
      },
      () => {}
    )
  }, 20)
  return () => {
    clearInterval(timer)
    client.disconnect()
  }
}
