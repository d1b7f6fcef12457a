/** The service's databases, for tests that both must pass. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe } from "vitest"
import { KeyStore } from "../../../src/service/accounts/KeyStore.ts"
import { serviceDatabase } from "../../../src/service/storage/Database.ts"
import { DataFolder, type DataFolderUnusable } from "../../../src/service/storage/DataFolder.ts"
import { Secret } from "../../../src/service/storage/Secret.ts"
import { postgres } from "../../../src/service/storage/SharedStorage.ts"
import { TaskQueue } from "../../../src/service/tasks/TaskQueue.ts"
import { TaskStore } from "../../../src/service/tasks/TaskStore.ts"
import { hasPostgres, PostgresServer } from "../replicas/PostgresServer.ts"

/** The services that use a database. */
export const accountsAndTasks = Layer.mergeAll(TaskStore.Default, TaskQueue.Default, KeyStore.Default)

export const sqliteStorage = (folder: string) =>
  accountsAndTasks.pipe(
    Layer.provideMerge(Layer.merge(serviceDatabase, Secret.Default)),
    Layer.provide(DataFolder.shared({ path: folder, durable: false }))
  )

/** The parts of the service over a new SQLite database. */
export const inFolder = <A, E>(
  use: (folder: string) => Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof sqliteStorage>>>
) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "dubwright-store-"))),
    (folder) => Effect.provide(use(folder), sqliteStorage(folder)),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

type InStorage = <A, E>(
  use: () => Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof sqliteStorage>>>
) => Effect.Effect<A, E | DataFolderUnusable>

/** An arbitrary secret. */
export const secret = Layer.succeed(Secret, Secret.of32Bytes(Buffer.alloc(32, 7)))

/** Starts a PostgreSQL server for the tests of a block, which are skipped without one. */
export const describePostgres = (name: string, tests: (server: () => PostgresServer) => void) =>
  describe.skipIf(!hasPostgres)(name, () => {
    let server: PostgresServer | undefined
    beforeAll(async () => {
      server = await PostgresServer.start()
    })
    afterAll(() => server?.stop())
    tests(() => {
      if (server === undefined) throw new Error("PostgreSQL has not started")
      return server
    })
  })

/** Runs the same tests over each database; every use has a new one. */
export const describeStorage = (name: string, tests: (inStorage: InStorage) => void) => {
  describe(`${name} in SQLite`, () => tests(inFolder))
  describePostgres(`${name} in PostgreSQL`, (server) =>
    tests((use) =>
      Effect.flatMap(
        Effect.promise(() => server().database()),
        (url) =>
          Effect.provide(
            use(),
            Layer.provideMerge(accountsAndTasks, Layer.merge(postgres(url, 5_000), secret))
          )
      )
    )
  )
}
