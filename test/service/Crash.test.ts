/** The service is killed with SIGKILL during many tasks. All tasks end, and the credits are exact. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, expect, test } from "vitest"
import { Effect, Redacted, Schema } from "effect"
import { Credits } from "../../src/contract/Account.ts"
import { type Task, TaskPage } from "../../src/contract/Task.ts"
import * as Keys from "../../src/service/accounts/KeyManagement.ts"
import { ask } from "./start.ts"

const command = resolve("dist/dubwright.mjs")
const folder = mkdtempSync(join(tmpdir(), "dubwright-crash-"))
const running = new Set<ChildProcess>()
afterAll(() => {
  for (const child of running) child.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})

/** Starts the service in its own process and waits until it listens. */
const start = (): Promise<{ readonly child: ChildProcess; readonly address: string }> =>
  new Promise((listening, failed) => {
    const child = spawn(
      process.execPath,
      [
        command,
        "serve",
        "--port",
        "0",
        "--data",
        join(folder, "data"),
        "--config",
        join(folder, "service.yaml")
      ],
      { stdio: ["ignore", "pipe", "pipe"] }
    )
    running.add(child)
    let said = ""
    child.stderr.on("data", (chunk) => (said += String(chunk)))
    child.stdout.on("data", (chunk) => {
      const address = /^listening (http:\S+)/mu.exec(String(chunk))?.[1]
      if (address !== undefined) listening({ child, address })
    })
    child.on("exit", () => {
      running.delete(child)
      failed(new Error(`the service ended before it listened: ${said}`))
    })
  })

const killed = (child: ChildProcess): Promise<void> =>
  new Promise((gone) => {
    child.once("exit", () => gone())
    child.kill("SIGKILL")
  })

const count = 200
const granted = 1_000_000

test(`${count} tasks survive three kills`, { timeout: 240_000 }, async () => {
  expect(existsSync(command)).toBe(true)
  writeFileSync(
    join(folder, "service.yaml"),
    "audio: { format: wav }\nproviders: { provider_fast: { concurrency: 8 } }\n"
  )
  const key = Redacted.value(
    await Effect.runPromise(Keys.createKey(join(folder, "data"), { name: "crash", credits: granted }))
  )
  let { child, address } = await start()

  const answered = new Map<number, string>()
  const attempt = async (index: number): Promise<void> => {
    try {
      const { status, body } = await ask(address, key, "POST", "/v1/text-to-speech/fast-en-us", {
        provider: "provider_fast",
        text: `Line ${index}.`,
        voice_name: `line ${index}`
      })
      if (status === 200) answered.set(index, Object(body).task_id)
    } catch {
      // The service was killed during this request: only the history shows whether the task exists.
    }
  }
  // Two kills while tasks are being created, one while the rest is being spoken.
  const all = Array.from({ length: count }, (_, index) => index)
  for (const part of [all.slice(0, 80), all.slice(80, 160)]) {
    const before = answered.size
    const asking = Promise.all(part.map(attempt))
    while (answered.size < before + 48) await new Promise((resume) => setTimeout(resume, 5))
    await killed(child)
    await asking
    ;({ child, address } = await start())
  }
  await Promise.all(all.slice(160).map(attempt))
  await killed(child)
  ;({ child, address } = await start())

  // Sends unanswered requests again unless the history has their task, as any careful client does.
  const history = async (): Promise<ReadonlyArray<Task>> => {
    const tasks: Array<Task> = []
    for (let page = 1; ; page++) {
      const read = Schema.decodeUnknownSync(TaskPage)(
        (await ask(address, key, "GET", `/v1/tasks?page=${page}&limit=100`)).body
      )
      tasks.push(...read.tasks)
      if (!read.has_more) return tasks
    }
  }
  const known = new Set((await history()).map((task) => task.voice_name))
  await Promise.all(all.filter((index) => !known.has(`line ${index}`)).map(attempt))

  const credits = async () =>
    Schema.decodeUnknownSync(Credits)((await ask(address, key, "GET", "/v1/credits")).body)
  // Credits stay reserved until a task has ended.
  while ((await credits()).reserved > 0) await new Promise((resume) => setTimeout(resume, 200))
  const tasks = await history()
  expect(tasks.filter((task) => task.status !== "done")).toEqual([])
  expect(new Set(tasks.map((task) => task.voice_name))).toEqual(new Set(all.map((index) => `line ${index}`)))
  expect(tasks.length).toBe(count)
  const ids = new Set(tasks.map((task) => task.task_id))
  expect([...answered.values()].filter((id) => !ids.has(id))).toEqual([])

  const spent = tasks.reduce((sum, task) => sum + task.credits, 0)
  expect(await credits()).toEqual({ credits: granted - spent, unlimited: false, used: spent, reserved: 0 })

  for (const task of tasks) {
    const audio = await fetch(task.audio_url ?? "")
    const bytes = new Uint8Array(await audio.arrayBuffer())
    expect([audio.status, Buffer.from(bytes.subarray(0, 4)).toString()]).toEqual([200, "RIFF"])
    expect(new DataView(bytes.buffer).getUint32(4, true)).toBe(bytes.length - 8)
  }
  const ended = new Promise((exited) => child.once("exit", (code, signal) => exited(code ?? signal)))
  child.kill("SIGTERM")
  expect(await ended).toBe(0)
})
