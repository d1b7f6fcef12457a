/** Limits of keys: scopes, expiry, rates, caps for each day, the audit log, and databases of older versions. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as Keys from "../../../src/service/accounts/KeyManagement.ts"
import { ask, create, ended, refusalOf, type Started, startService } from "../start.ts"

let service: Started
beforeAll(async () => {
  service = await startService({ audio: { format: "wav" }, limits: { requestsPerSecond: 100 } })
})
afterAll(() => service.stop())

const keyWith = (options: Partial<Keys.KeyOptions>) =>
  Effect.runPromise(
    Effect.map(Keys.createKey(service.dataDir, { name: "limited", ...options }), Redacted.value)
  )
const body = { provider: "provider_fast", text: "Words." }
const speak = (key: string, text = body.text) =>
  ask(service.address, key, "POST", "/v1/text-to-speech/fast-en-us", { ...body, text })
const read = (key: string, path = "/v1/credits") => ask(service.address, key, "GET", path)

describe("A key", () => {
  test("may do what its scopes allow", async () => {
    const account = (await Effect.runPromise(Keys.listKeys(service.dataDir)))[0]?.account ?? 0
    const reader = await keyWith({ scopes: ["read"], account })
    const creator = await keyWith({ scopes: ["create"], account })
    expect(refusalOf(await speak(reader))).toEqual([403, "scope_missing", "xi-api-key"])
    expect(refusalOf(await read(creator))).toEqual([403, "scope_missing", "xi-api-key"])
    const { task_id } = await create(service, creator, "fast-en-us", body)
    expect((await ended(service, reader, task_id)).status).toBe("done")
    const deletion = ["DELETE", "/v1/task/delete", { task_id }] as const
    expect(refusalOf(await ask(service.address, reader, ...deletion))[0]).toBe(403)
    expect((await ask(service.address, creator, ...deletion)).status).toBe(200)
    const speech = await fetch(`${service.address}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${reader}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "tts-1", voice: "nova", input: "Words." })
    })
    expect(speech.status).toBe(403)
    await speech.body?.cancel()
  })

  test("expires", async () => {
    const key = await keyWith({ expiresAt: new Date(Date.now() + 86_400_000) })
    expect((await read(key)).status).toBe(200)
    const database = new Sqlite(join(service.dataDir, "service.sqlite"))
    database
      .prepare("UPDATE keys SET expires_at = ? WHERE id = (SELECT MAX(id) FROM keys)")
      .run(Date.now() - 1)
    database.close()
    expect(refusalOf(await read(key))).toEqual([401, "key_expired", "xi-api-key"])
  })

  test("has a rate of its own beside that of its account; responses say what is left", async () => {
    const key = await keyWith({ requestsPerSecond: 0.2 })
    const first = await read(key)
    expect(first.headers.get("ratelimit-policy")).toBe('"account";q=1000;w=10, "key";q=2;w=10')
    expect(first.headers.get("ratelimit")).toMatch(/^"account";r=999;t=1, "key";r=1;t=5$/u)
    expect((await read(key)).status).toBe(200)
    const third = await read(key)
    expect(refusalOf(third)).toEqual([429, "rate_limited", undefined])
    expect(third.headers.get("ratelimit")).toContain('"key";r=0;t=')
    expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  test("cannot spend more than its cap in a day; failed and deleted tasks free their part", async () => {
    const key = await keyWith({ creditsPerDay: 12 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => speak(key)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
    expect(answers.filter(({ status }) => status !== 200).map(refusalOf)).toEqual(
      Array.from({ length: 16 }, () => [402, "daily_cap", undefined])
    )
    expect((await read(key)).body).toMatchObject({
      daily: { limit: 12, used: 12, resets_at: expect.stringMatching(/T00:00:00.000Z$/u) }
    })
    // A text without words fails when it is spoken, and costs nothing.
    const other = await keyWith({ creditsPerDay: 5 })
    const nothing = await create(service, other, "fast-en-us", { ...body, text: "…" })
    expect((await ended(service, other, nothing.task_id)).status).toBe("failed")
    expect((await read(other)).body).toMatchObject({ daily: { used: 0 } })
  })

  test("whose limits are invalid is rejected", async () => {
    const fault = (options: Partial<Keys.KeyOptions>) =>
      Effect.runPromise(Effect.flip(Keys.createKey(service.dataDir, { name: "x", ...options })))
    expect((await fault({ expiresAt: new Date(0) })).message).toContain("not in the future")
    expect((await fault({ creditsPerDay: 0.5 })).message).toContain("invalid credits per day 0.5")
    expect((await fault({ requestsPerSecond: 0 })).message).toContain("invalid requests per second 0")
  })
})

test("the audit log has changes of keys and credits, and never a key", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-audit-"))
  try {
    const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)
    const key = Redacted.value(await run(Keys.createKey(folder, { name: "a", credits: 5 })))
    await run(Keys.importKey(folder, Redacted.make("an-older-key"), { name: "b", account: 1 }))
    await run(Keys.grantCredits(folder, 1, 7))
    await run(Keys.revokeKey(folder, "b"))
    const entries = await run(Keys.auditEntries(folder, 100))
    expect(entries.map(({ event, account, key: id }) => [event, account, id])).toEqual([
      ["key_created", 1, 1],
      ["key_imported", 1, 2],
      ["credits_granted", 1, undefined],
      ["key_revoked", 1, 2]
    ])
    expect(JSON.stringify(entries)).not.toContain(key.slice(-12))
    expect(JSON.stringify(entries)).not.toContain("an-older-key")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test("a database of an older version keeps its keys and tasks, without limits", async () => {
  const older = await startService()
  const key = await older.newKey(100)
  await older.close()
  const database = new Sqlite(join(older.dataDir, "service.sqlite"))
  for (const name of [
    "key_days_reserved",
    "key_days_failed",
    "key_days_deleted",
    "webhooks_ended",
    "webhooks_deleted",
    "tasks_kept_new",
    "tasks_kept",
    "tasks_kept_deleted"
  ])
    database.exec(`DROP TRIGGER ${name}`)
  for (const table of ["key_days", "audit", "webhooks", "replicas", "key_uses"])
    database.exec(`DROP TABLE ${table}`)
  for (const column of ["scopes", "expires_at", "requests_per_second", "credits_per_day"])
    database.exec(`ALTER TABLE keys DROP COLUMN ${column}`)
  database.exec("ALTER TABLE accounts DROP COLUMN bytes")
  for (const column of ["engine", "holder", "bytes"]) database.exec(`ALTER TABLE tasks DROP COLUMN ${column}`)
  database.exec("DELETE FROM migrations WHERE migration_id > 4")
  database.close()
  const newer = await startService({}, older.dataDir)
  try {
    const { task_id } = await create(newer, key, "fast-en-us", body)
    expect(await ended(newer, key, task_id)).toMatchObject({ status: "done", engine: "espeak" })
    expect((await ask(newer.address, key, "GET", "/v1/credits")).body).toMatchObject({ credits: 97 })
  } finally {
    await newer.stop()
  }
})
