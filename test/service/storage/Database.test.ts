import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql/SqlClient"
import Sqlite from "better-sqlite3"
import { Effect, Fiber, Layer } from "effect"
import { serviceDatabase } from "../../../src/service/storage/Database.ts"
import { DataFolder, DataFolderUnusable } from "../../../src/service/storage/DataFolder.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"

const opened = (folder: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    return yield* sql`SELECT count(*) AS tasks FROM tasks`
  }).pipe(Effect.provide(Layer.provide(serviceDatabase, DataFolder.shared({ path: folder, durable: false }))))

it.scopedLive("waits for another process that opens the same new file", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const other = new Sqlite(join(folder, "service.sqlite"))
    other.exec("BEGIN IMMEDIATE")
    const opening = yield* Effect.fork(opened(folder))
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    other.exec("COMMIT")
    other.close()
    expect(yield* Fiber.join(opening)).toEqual([{ tasks: 0 }])
  })
)

it.scopedLive("rejects a file that is not a database", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    writeFileSync(join(folder, "service.sqlite"), "a".repeat(5_000))
    expect(yield* Effect.flip(opened(folder))).toEqual(
      new DataFolderUnusable({
        folder,
        detail: "service.sqlite cannot be opened (file is not a database)"
      })
    )
  })
)
