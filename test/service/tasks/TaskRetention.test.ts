/** What is deleted when the clock is wrong. */
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { ServiceOptions } from "../../../src/service/config/ServiceOptions.ts"
import { serviceDatabase } from "../../../src/service/storage/Database.ts"
import { DataFolder } from "../../../src/service/storage/DataFolder.ts"
import { TaskFiles } from "../../../src/service/storage/TaskFiles.ts"
import { taskRetention } from "../../../src/service/tasks/TaskRetention.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"

const day = 86_400_000

it.scoped("a clock 40 days ahead deletes nothing; tasks expire as the process runs", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const removed: Array<string> = []
    yield* TestClock.setTime(140 * day)
    const files = Layer.mock(TaskFiles, {
      _tag: "service/TaskFiles",
      remove: (taskId) => Effect.sync(() => removed.push(taskId)),
      sweep: () => Effect.void,
      addressOf: () => ""
    })
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`INSERT INTO accounts ${sql.insert({ id: 1, name: "a", tasks: 3, created_at: 0 })}`
      for (const at of [60, 69, 98.9])
        yield* sql`INSERT INTO tasks ${sql.insert({
          task_id: `day ${at}`,
          account_id: 1,
          status: "done",
          provider: "p",
          model_id: "m",
          voice_id: "v",
          input: "text",
          want_srt: 0,
          want_json: 0,
          speed: 1,
          vol: 1,
          pitch: 0,
          characters: 1,
          credits: 1,
          created_at: Math.round(at * day),
          completed_at: Math.round(at * day)
        })}`
      yield* Layer.build(taskRetention)
      yield* TestClock.adjust("1 hour")
      expect(removed).toEqual(["day 60"])
      yield* TestClock.adjust("2 hours")
      expect(removed).toEqual(["day 60", "day 69"])
    }).pipe(
      Effect.provide(
        Layer.mergeAll(
          files,
          Layer.provide(serviceDatabase, DataFolder.shared({ path: folder, durable: false })),
          Layer.succeed(ServiceOptions, { host: "127.0.0.1", port: 0, candid: false, config: {} })
        )
      )
    )
  })
)
