import { spawn } from "node:child_process"
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql/SqlClient"
import Sqlite from "better-sqlite3"
import { Effect, Layer } from "effect"
import { JobId } from "../../../src/domain/values/Ids.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { stateFault, StateUnusable, unreadFault } from "../../../src/store/state/StateErrors.ts"
import { StateFolder } from "../../../src/store/state/StateFolder.ts"
import { readableStateLayer } from "../../../src/store/tables/StateLayers.ts"
import { UtteranceStore } from "../../../src/store/tables/UtteranceStore.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"

const opened = (folder: string) => Effect.asVoid(StateFolder).pipe(Effect.provide(writableState(folder)))
const looked = (folder: string) => Effect.asVoid(StateFolder).pipe(Effect.provide(readableStateLayer(folder)))

it.scopedLive("has one writer, and names it", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const fault = yield* Effect.flip(opened(folder)).pipe(Effect.provide(writableState(folder)))
    expect(fault).toMatchObject({ _tag: "StateBusy", holder: { pid: process.pid, host: hostname() } })
    expect(fault.message).toMatch(new RegExp(`^${folder}: in use by process ${process.pid} on `, "u"))
    // After its release, the folder is free.
    yield* opened(folder)
  })
)

it.scopedLive("is free again after its holder was killed", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* opened(folder)
    const script = `
      const Sqlite = require(process.versions.napi < 10 ? "better-sqlite3" : "better-sqlite3-napi")
      const lock = new Sqlite(${JSON.stringify(join(folder, "lock.sqlite"))})
      lock.exec("BEGIN EXCLUSIVE")
      process.stdout.write("held")
      setInterval(() => {}, 1000)`
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] })),
      (one) => Effect.sync(() => one.kill("SIGKILL"))
    )
    yield* Effect.promise(() => new Promise((held) => child.stdout.once("data", held)))
    expect(yield* Effect.flip(opened(folder))).toMatchObject({ _tag: "StateBusy" })
    yield* Effect.promise(
      () =>
        new Promise((dead) => {
          child.once("exit", dead)
          child.kill("SIGKILL")
        })
    )
    yield* opened(folder)
  })
)

it.scopedLive("can be read during a write", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* Effect.gen(function* () {
      const store = yield* UtteranceStore
      yield* store.plan("batch", [{ job: JobId.make("ep01"), utterances: [] }])
      const seen = yield* Effect.flatMap(UtteranceStore, (reader) => reader.jobStandings("batch")).pipe(
        Effect.provide(readableStateLayer(folder))
      )
      expect(seen.map((row) => row.job)).toEqual(["ep01"])
    }).pipe(Effect.provide(UtteranceStore.Default.pipe(Layer.provide(writableState(folder)))))
  })
)

it.scopedLive("reports what is wrong with a folder, and how to fix it", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const missing = join(folder, "nothing")
    expect((yield* Effect.flip(looked(missing))).message).toBe(
      `${missing}: has no state yet; run the batch first`
    )
    const file = join(folder, "file")
    writeFileSync(file, "")
    expect(yield* Effect.flip(opened(file))).toMatchObject({ reason: "not-a-folder" })
    const garbage = join(folder, "garbage")
    mkdirSync(garbage)
    writeFileSync(
      join(garbage, "state.sqlite"),
      "this is a diary and no database, and has more than a hundred bytes, so that it is read".repeat(9)
    )
    expect(yield* Effect.flip(opened(garbage))).toMatchObject({ reason: "not-a-database" })
    expect(yield* Effect.flip(looked(garbage))).toMatchObject({ reason: "not-a-database" })
    // The existing file is not changed.
    expect(readFileSync(join(garbage, "state.sqlite"), "utf8")).toMatch(/^this is a diary/u)
  })
)

it.scopedLive("does not start over beside clips that were paid for", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* opened(folder)
    writeFileSync(join(folder, "clips", `${"0".repeat(64)}.wav`), "RIFF")
    yield* opened(folder)
    for (const lose of [
      () => writeFileSync(join(folder, "state.sqlite"), ""),
      () => rmSync(join(folder, "state.sqlite"))
    ]) {
      lose()
      expect(yield* Effect.flip(opened(folder))).toMatchObject({ _tag: "StateUnusable", reason: "lost" })
    }
    rmSync(join(folder, "clips"), { recursive: true })
    yield* opened(folder)
  })
)

it.scopedLive("rejects a newer version's file, and upgrades an older one", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* opened(folder)
    const database = new Sqlite(join(folder, "state.sqlite"))
    database.exec("INSERT INTO migrations (migration_id, name) VALUES (999, 'from_the_future')")
    for (const open of [opened, looked])
      expect(yield* Effect.flip(open(folder))).toMatchObject({ _tag: "StateUnusable", reason: "newer" })
    // A file without any migration.
    database.exec("DELETE FROM migrations WHERE migration_id > 0")
    for (const { name } of database
      .prepare<[], { name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'migrations'"
      )
      .all())
      database.exec(`DROP TABLE ${name}`)
    database.close()
    expect(yield* Effect.flip(looked(folder))).toMatchObject({ reason: "missing" })
    const tables = yield* Effect.flatMap(
      SqlClient,
      (sql) => sql<{ count: number }>`SELECT count(*) AS count FROM utterance`
    ).pipe(Effect.provide(writableState(folder)))
    expect(tables).toEqual([{ count: 0 }])
  })
)

it.scopedLive("repairs utterances whose clip an earlier version put back without its task", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* opened(folder)
    const database = new Sqlite(join(folder, "state.sqlite"))
    const add = (key: string, state: string, task: string | null) =>
      database
        .prepare(
          `INSERT INTO utterance (key, state, casting, provider, input, text, said, characters, label, task, changed_at)
           VALUES (?, ?, '{}', 'p', 'text', 't', '[]', 1, 'l', ?, 0)`
        )
        .run(key, state, task)
    const pay = (task: string, key: string, take: number) =>
      database.prepare("INSERT INTO task VALUES (?, ?, ?, 'p', 1, NULL, 0, 0)").run(task, key, take)
    add("clip kept", "placed", null)
    add("clip gone", "submitted", null)
    add("never paid", "settled", null)
    add("intact", "fetched", "own")
    add("lost take", "planned", null)
    pay("kept", "clip kept", 1)
    pay("first", "clip gone", 1)
    pay("second", "clip gone", 2)
    pay("later", "intact", 2)
    pay("abandoned", "lost take", 1)
    database.exec("DELETE FROM migrations WHERE migration_id >= 10")
    database.close()
    const rows = yield* Effect.flatMap(
      SqlClient,
      (sql) => sql`SELECT key, state, task FROM utterance ORDER BY id`
    ).pipe(Effect.provide(writableState(folder)))
    expect(rows).toEqual([
      { key: "clip kept", state: "placed", task: "kept" },
      { key: "clip gone", state: "submitted", task: "second" },
      { key: "never paid", state: "planned", task: null },
      { key: "intact", state: "fetched", task: "own" },
      { key: "lost take", state: "planned", task: null }
    ])
  })
)

it.scopedLive("rejects another program's database, or one that was changed, and leaves it as it is", () =>
  Effect.gen(function* () {
    const whole = yield* temporaryFolder
    yield* opened(whole)
    const crafted = (name: string, isOurs: boolean, ...statements: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const file = join(folder, "state.sqlite")
        if (isOurs) copyFileSync(join(whole, "state.sqlite"), file)
        const database = new Sqlite(file)
        database.exec(statements.join(";"))
        database.close()
        const before = readFileSync(file)
        for (const open of [opened, looked]) {
          const fault = yield* Effect.flip(open(folder))
          expect(fault).toMatchObject({ _tag: "StateUnusable", reason: "foreign" })
          expect(fault.message, name).toContain("belongs to another program")
        }
        expect(readFileSync(file).equals(before), name).toBe(true)
      })
    const create = "CREATE TABLE migrations"
    yield* crafted("another program's tables", false, "CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url)")
    yield* crafted("tables of the same name", false, "CREATE TABLE utterance (id)", "CREATE TABLE job (name)")
    yield* crafted("another program's migrations", false, `${create} (id, batch)`, "CREATE TABLE users (id)")
    const ours = "(migration_id INTEGER PRIMARY KEY, created_at, name TEXT)"
    yield* crafted("no migration yet", false, `${create} ${ours}`, "CREATE TABLE users (id)")
    yield* crafted(
      "the service's migrations",
      false,
      `${create} ${ours}`,
      "INSERT INTO migrations VALUES (1, 0, 'accounts')"
    )
    yield* crafted(
      "a trigger",
      true,
      "CREATE TRIGGER t AFTER UPDATE ON utterance BEGIN DELETE FROM task; END"
    )
    yield* crafted("a view", true, "DROP TABLE task", "CREATE VIEW task AS SELECT * FROM clip")
    // A table that is missing is noticed by the first query that needs it.
    const lacking = new Sqlite(join(whole, "state.sqlite"))
    lacking.exec("DROP TABLE utterance")
    lacking.close()
    const query = Effect.flatMap(UtteranceStore, (store) => store.jobStandings("batch"))
    const fault = yield* Effect.flip(
      Effect.provide(query, UtteranceStore.Default.pipe(Layer.provide(writableState(whole))))
    )
    expect(fault).toMatchObject({ _tag: "StateUnusable", reason: "foreign" })
  })
)

it("distinguishes a disk failure from an internal error", () => {
  const coded = (code: string) => Object.assign(new Error("the system's message"), { code })
  const reasons = [
    "ENOSPC",
    "EROFS",
    "EACCES",
    "ESTALE",
    "SQLITE_FULL",
    "SQLITE_READONLY_DBMOVED",
    "SQLITE_IOERR_WRITE",
    "SQLITE_BUSY",
    "SQLITE_ERROR"
  ].map((code) => stateFault("/state", new Error("wrapped", { cause: coded(code) }))?.reason)
  expect(reasons).toEqual([
    "full",
    "read-only",
    "read-only",
    "gone",
    "full",
    "gone",
    "gone",
    "locked",
    undefined
  ])
  const gone = new StateUnusable({ folder: "/state", reason: "gone", detail: "unable to open database file" })
  expect(unreadFault(gone, true)).toBe(gone)
  expect(unreadFault(gone, false).reason, "a disk that is mounted read-only").toBe("read-only")
  expect(new StateUnusable({ folder: "/state", reason: "full", detail: "ENOSPC" }).message).toBe(
    "/state: no space left on its disk; free some and run again; nothing paid for is lost (ENOSPC)"
  )
})
