/** A data folder that is not writable for a while, as on a full disk: nothing is lost, and no restart is needed. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { describe, expect, type TestContext, test } from "vitest"
import { ask, create, ended, type Started, startService } from "./start.ts"

/** Starts a service. Returns it with its log and a promise that resolves at the first logged error. */
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

/** Makes the given change fail as on a full disk, until the returned function is called. */
const failing = ({ dataDir }: Started, change: string): (() => void) => {
  const database = new Sqlite(join(dataDir, "service.sqlite"))
  database.exec(`CREATE TRIGGER full BEFORE ${change} BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`)
  return () => {
    database.exec("DROP TRIGGER full")
    database.close()
  }
}

// The tests are concurrent, since each mostly waits for the next attempt.
describe.concurrent("a data folder that cannot be written", () => {
  test.for([
    ["is done", "Words.", "done", { credits: 97, used: 3, reserved: 0 }],
    ["has failed", "…", "failed", { credits: 100, used: 0, reserved: 0 }]
  ] as const)(
    "a task that %s is recorded once the folder is writable",
    async ([, text, status, balance], context) => {
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
    }
  )

  test("expired tasks are deleted once the folder is writable", async (context) => {
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

  test("the log says why audio could not be stored", async (context) => {
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
      message: "the service could not store the audio; create the task again later"
    })
    expect(log.filter((line) => line.includes("task failed")).join()).toContain("ENOTDIR")
  })
})
