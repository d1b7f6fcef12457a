/**
 * A data folder that cannot be written for a while, as on a full disk: nothing is lost by it, and nothing waits for the
 * next start.
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { describe, expect, type TestContext, test } from "vitest"
import { ask, create, ended, type Started, startService } from "./start.ts"

/** A service for a test, its log, and what resolves when that holds an error. */
const start = async ({ onTestFinished }: TestContext, keep: { readonly days?: number } = {}) => {
  let told: () => void = () => undefined
  const error = new Promise<void>((resolve) => (told = resolve))
  const log: Array<string> = []
  const begun = await startService({ audio: { format: "wav" }, keep }, undefined, (line) => {
    log.push(line)
    if (line.includes('"ERROR"')) told()
  })
  onTestFinished(() => begun.stop())
  return { begun, error, log }
}

/** Has every such change of a task fail as a full disk does, until the answer is called. */
const failing = ({ dataDir }: Started, change: string): (() => void) => {
  const database = new Sqlite(join(dataDir, "service.sqlite"))
  database.exec(`CREATE TRIGGER full BEFORE ${change} BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`)
  return () => {
    database.exec("DROP TRIGGER full")
    database.close()
  }
}

// Each mostly waits for the next try.
describe.concurrent("a data folder that cannot be written", () => {
  test.for([
    ["is done", "Words.", "done", { credits: 97, used: 3, reserved: 0 }],
    ["has failed", "…", "failed", { credits: 100, used: 0, reserved: 0 }]
  ] as const)("a task that %s is so once that can be written", async ([, text, status, balance], context) => {
    const { begun, error } = await start(context)
    const key = await begun.newKey(100)
    const mend = failing(begun, `UPDATE OF status ON tasks WHEN NEW.status = '${status}'`)
    const { task_id } = await create(begun, key, "fast-en-us", { provider: "provider_fast", text })
    await error
    expect((await ask(begun.address, key, "GET", `/v1/task/${task_id}`)).body).toMatchObject({
      status: "processing"
    })
    mend()
    expect((await ended(begun, key, task_id)).status).toBe(status)
    expect((await ask(begun.address, key, "GET", "/v1/credits")).body).toMatchObject(balance)
  })

  test("what is old is forgotten once that can be written", async (context) => {
    const { begun, error } = await start(context, { days: 0.00002 })
    const mend = failing(begun, "DELETE ON tasks")
    const { task_id } = await create(begun, begun.key, "fast-en-us", {
      provider: "provider_fast",
      text: "Words."
    })
    await error
    mend()
    while ((await ask(begun.address, begun.key, "GET", `/v1/task/${task_id}`)).status !== 404) continue
  })

  test("why audio could not be kept stands in the log", async (context) => {
    const { begun, log } = await start(context)
    const parts = join(begun.dataDir, "files", "part")
    rmSync(parts, { recursive: true })
    writeFileSync(parts, "")
    const { task_id } = await create(begun, begun.key, "fast-en-us", {
      provider: "provider_fast",
      text: "Words."
    })
    expect((await ended(begun, begun.key, task_id)).error).toEqual({
      code: "storage",
      message: "the service could not keep the audio"
    })
    expect(log.filter((line) => line.includes("task failed")).join()).toContain("ENOTDIR")
  })
})
