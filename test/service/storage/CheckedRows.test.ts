/** Rows of another shape in the service's database are named by table and column. */
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import Sqlite from "better-sqlite3"
import { Cause, Effect, Layer, Option } from "effect"
import { exitCodeFor } from "../../../src/app/ExitCodes.ts"
import { createKey, listKeys } from "../../../src/service/accounts/KeyManagement.ts"
import { RowMismatch } from "../../../src/service/storage/CheckedRows.ts"
import { DataFolder, DataFolderUnusable } from "../../../src/service/storage/DataFolder.ts"
import { serviceDatabase } from "../../../src/service/storage/Database.ts"
import { TaskQueue } from "../../../src/service/tasks/TaskQueue.ts"
import { TaskStore } from "../../../src/service/tasks/TaskStore.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"

/** Changes the database as a program without its types and checks would. */
const alter = (folder: string, ...statements: ReadonlyArray<string>) => {
  const file = join(folder, "service.sqlite")
  const schema = new Sqlite(file).unsafeMode()
  schema.pragma("writable_schema = ON")
  schema.exec(
    "UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name IN ('accounts', 'tasks')"
  )
  schema.close()
  const database = new Sqlite(file)
  database.pragma("ignore_check_constraints = ON")
  database.pragma("foreign_keys = ON")
  for (const statement of statements) database.exec(statement)
  database.close()
}

const odd = (problem: string) =>
  `the database has a row that this version cannot read; restore a copy (${problem})`

it.scopedLive("an account of another shape makes the data folder unusable", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* createKey(folder, { name: "studio" })
    alter(folder, "UPDATE accounts SET used = 'plenty'")
    const fault = yield* Effect.flip(listKeys(folder))
    expect(fault).toEqual(
      new DataFolderUnusable({
        folder,
        detail: odd('column used of keys and accounts: expected number, found "plenty"')
      })
    )
    expect(exitCodeFor(fault).code).toBe(2)
  })
)

it.scopedLive("a task of another shape is not spoken, and does not hold up the queue", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* createKey(folder, { name: "studio" })
    alter(
      folder,
      `INSERT INTO tasks (task_id, account_id, status, provider, model_id, voice_id, text, input, want_srt, want_json,
         speed, vol, pitch, characters, credits, created_at)
       VALUES ('t', 1, 'queued', 'p', 'm', 'v', 'words', 'text', 0, 0, 1, 1, 0, 'many', 5, 0)`
    )
    const database = Layer.provide(serviceDatabase, DataFolder.shared({ path: folder, durable: false }))
    const failures = yield* Effect.gen(function* () {
      const queue = yield* TaskQueue
      const store = yield* TaskStore
      const exits = yield* Effect.all([
        Effect.sandbox(queue.claim("p")).pipe(Effect.flip),
        Effect.sandbox(store.read(1, "t")).pipe(Effect.flip)
      ])
      expect(yield* queue.counts).toEqual({ queued: 0, processing: 1 })
      return exits.map((cause) => Option.getOrUndefined(Cause.dieOption(cause)))
    }).pipe(Effect.provide(Layer.provide(Layer.merge(TaskQueue.Default, TaskStore.Default), database)))
    const expected = 'column characters of tasks: expected number, found "many"'
    expect(failures.map((defect) => defect instanceof RowMismatch && defect.message)).toEqual([
      odd(expected),
      odd(expected)
    ])
  })
)
