/** Kills replicas of the service at random while clients create tasks, and counts the outcomes of the tasks. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Effect, Redacted, Schema } from "effect"
import { Credits } from "../../../src/contract/Account.ts"
import { type Task, TaskPage } from "../../../src/contract/Task.ts"
import * as Keys from "../../../src/service/accounts/KeyManagement.ts"
import type { PostgresServer } from "./PostgresServer.ts"
import { S3Server } from "../../system/S3Server.ts"

/** The outcomes of the tasks. */
export interface ChaosOutcome {
  readonly tasks: ReadonlyArray<Task>
  readonly credits: typeof Credits.Type
  readonly kills: number
  /** Requests that were sent again after no response, or after a status from 500 on. */
  readonly repeated: number
  /** Claims of tasks: each is spoken once, or again after a kill. */
  readonly claims: number
  /** Objects in the bucket with audio. */
  readonly files: number
  readonly seconds: number
}

/** The parameters of a test. */
export interface ChaosPlan {
  readonly tasks: number
  readonly replicas: number
  /** Milliseconds between two kills. */
  readonly every: number
  /** The most kills. */
  readonly kills: number
  readonly granted: number
}

const pause = (milliseconds: number) => new Promise<void>((resume) => setTimeout(resume, milliseconds))

/** One replica, which is started again after it was killed. */
class ReplicaProcess {
  address: string | undefined
  private child: ChildProcess | undefined
  private isOver = false

  constructor(private readonly args: ReadonlyArray<string>) {}

  start(): Promise<void> {
    return new Promise((listening, failed) => {
      const child = spawn(
        process.execPath,
        [resolve("dist/dubwright.mjs"), "serve", "--port", "0", ...this.args],
        {
          stdio: ["ignore", "pipe", "pipe"]
        }
      )
      this.child = child
      let said = ""
      child.stderr.on("data", (chunk) => (said += String(chunk)))
      child.stdout.on("data", (chunk) => {
        this.address = /^listening (http:\S+)/mu.exec(String(chunk))?.[1] ?? this.address
        if (this.address !== undefined) listening()
      })
      child.once("exit", () => {
        this.address = undefined
        failed(new Error(`the replica ended: ${said}`))
        if (!this.isOver) this.start().catch(() => undefined)
      })
    })
  }

  kill(): void {
    this.address = undefined
    this.child?.kill("SIGKILL")
  }

  end(): void {
    this.isOver = true
    this.kill()
  }
}

/** Runs the plan. Every request goes to a replica chosen at random, and is sent again until it succeeds. */
export const runChaos = async (
  server: PostgresServer,
  { tasks: count, replicas: size, every, kills: most, granted }: ChaosPlan
): Promise<ChaosOutcome> => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-chaos-"))
  const s3 = await S3Server.start()
  Object.assign(process.env, s3.environment)
  const shared = { database: await server.database(), files: "s3://audio/chaos" }
  const config = join(folder, "service.yaml")
  writeFileSync(
    config,
    "audio: { format: wav }\nlimits: { lease: 2 }\nproviders: { provider_fast: { concurrency: 4 } }\n"
  )
  const replicas = Array.from(
    { length: size },
    (_, index) =>
      new ReplicaProcess([
        ...["--data", join(folder, `replica-${index}`), "--config", config, "--quiet"],
        ...["--database", Redacted.value(shared.database), "--files", shared.files]
      ])
  )
  let kills = 0
  let repeated = 0
  const isOver = { value: false }
  try {
    const key = Redacted.value(
      await Effect.runPromise(Keys.createKey(shared, { name: "chaos", credits: granted }))
    )
    await Promise.all(replicas.map((replica) => replica.start()))
    const began = performance.now()
    const killing = (async () => {
      for (let index = 0; !isOver.value && kills < most; index++) {
        await pause(every)
        // At least one replica survives, so even a slow machine makes progress.
        const alive = replicas.filter(({ address }) => address !== undefined)
        const victim = alive[index % alive.length]
        if (isOver.value || victim === undefined || alive.length < 2) continue
        victim.kill()
        kills++
      }
    })()

    /** Sends a request until a replica answers it. Any answer except a success fails the test. */
    const ask = async (method: string, path: string, headers = {}, body?: unknown): Promise<unknown> => {
      for (;;) {
        const alive = replicas.flatMap(({ address }) => address ?? [])
        const address = alive[Math.floor(Math.random() * alive.length)]
        const response =
          address === undefined
            ? undefined
            : await fetch(`${address}${path}`, {
                method,
                headers: { "xi-api-key": key, "content-type": "application/json", ...headers },
                ...(body === undefined ? {} : { body: JSON.stringify(body) })
              }).catch(() => undefined)
        const read = await response?.json().catch(() => undefined)
        if (response?.status === 200 && read !== undefined) return read
        if (response !== undefined && response.status < 500 && response.status !== 200)
          throw new Error(`HTTP ${response.status}: ${JSON.stringify(read)}`)
        repeated++
        await pause(100)
      }
    }
    const line = (index: number) =>
      `Line ${index} of the long and stormy night at sea, told by those who were there. `
    const one = async (index: number): Promise<void> => {
      const made = await ask(
        "POST",
        "/v1/text-to-speech/fast-en-us",
        { "idempotency-key": `line-${index}` },
        { provider: "provider_fast", text: line(index).repeat(4), voice_name: `line ${index}` }
      )
      for (;;) {
        const task = Object(await ask("GET", `/v1/task/${Object(made).task_id}`, { prefer: "wait=20" }))
        if (task.status === "done" || task.status === "failed") return
      }
    }
    let next = 0
    const client = async (): Promise<void> => {
      for (let index = next++; index < count; index = next++) await one(index)
    }
    await Promise.all(Array.from({ length: 24 }, client))
    isOver.value = true
    const seconds = (performance.now() - began) / 1000
    await killing

    const tasks: Array<Task> = []
    for (let page = 1; ; page++) {
      const read = Schema.decodeUnknownSync(TaskPage)(await ask("GET", `/v1/tasks?page=${page}&limit=100`))
      tasks.push(...read.tasks)
      if (!read.has_more) break
    }
    const credits = Schema.decodeUnknownSync(Credits)(await ask("GET", "/v1/credits"))
    const database = new URL(Redacted.value(shared.database)).pathname.slice(1)
    const [sum] = await server.run("SELECT SUM(attempts)::INTEGER AS claims FROM tasks", database)
    const files = [...s3.objects.keys()].filter((name) => name.endsWith(".wav")).length
    return { tasks, credits, kills, repeated, claims: Number(sum?.["claims"]), files, seconds }
  } finally {
    isOver.value = true
    for (const replica of replicas) replica.end()
    await s3.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
