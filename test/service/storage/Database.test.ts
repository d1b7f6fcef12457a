import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql/SqlClient"
import Sqlite from "better-sqlite3"
import { Effect, Fiber, Layer } from "effect"
import { inWriteTransaction } from "../../../src/service/storage/WriteTransaction.ts"
import { serviceDatabase } from "../../../src/service/storage/Database.ts"
import { DataFolder, DataFolderUnusable } from "../../../src/service/storage/DataFolder.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"

const database = (folder: string) =>
  Layer.provide(serviceDatabase, DataFolder.shared({ path: folder, durable: false }))

const opened = (folder: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    return yield* sql`SELECT count(*) AS tasks FROM tasks`
  }).pipe(Effect.provide(database(folder)))

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

it.scopedLive("answers reads while a statement and a transaction wait for another process's lock", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient
      const other = new Sqlite(join(folder, "service.sqlite"))
      other.exec("BEGIN IMMEDIATE")
      const insert = (name: string) => sql`INSERT INTO accounts ${sql.insert({ name, created_at: 0 })}`
      const writing = yield* Effect.fork(
        Effect.all([insert("statement"), inWriteTransaction(sql)(insert("transaction"))], {
          concurrency: "unbounded"
        })
      )
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      const names = sql<{ name: string }>`SELECT name FROM accounts ORDER BY name`
      expect(yield* names).toEqual([])
      expect(writing.unsafePoll()).toBeNull()
      other.exec("COMMIT")
      other.close()
      yield* Fiber.join(writing)
      expect(yield* names).toEqual([{ name: "statement" }, { name: "transaction" }])
    }).pipe(Effect.provide(database(folder)))
  })
)

it.scopedLive.skipIf(process.platform === "win32")("takes a folder that was there from other users", () =>
  Effect.gen(function* () {
    const folder = join(yield* temporaryFolder, "data")
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    writeFileSync(join(folder, "secret"), "a".repeat(32), { mode: 0o644 })
    writeFileSync(join(folder, "service.sqlite"), "", { mode: 0o644 })
    const modes = Effect.map(Effect.void, () =>
      [".", ...readdirSync(folder)].map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8))
    )
    const found = yield* Effect.provide(modes, database(folder))
    expect(found).toEqual(["700", ...found.slice(1).map(() => "600")])
    expect(found.length).toBeGreaterThan(2)
  })
)
