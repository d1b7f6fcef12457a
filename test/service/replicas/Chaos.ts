/**
 * Kills processes of the service at random while clients create tasks, and counts the outcomes of the tasks: replicas
 * over PostgreSQL and S3, or the only process of a service over SQLite and a folder.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import Database from "better-sqlite3"
import { Effect, Redacted, Schema } from "effect"
import { Credits } from "../../../src/contract/Account.ts"
import { type Task, TaskPage } from "../../../src/contract/Task.ts"
import * as Keys from "../../../src/service/accounts/KeyManagement.ts"
import { fileIn } from "../../../src/service/storage/Database.ts"
import type { PostgresServer } from "./PostgresServer.ts"
import { S3Server } from "../../system/S3Server.ts"

/** The outcomes of the tasks. */
export interface ChaosOutcome {
  readonly tasks: ReadonlyArray<Task>
  readonly credits: Credits
  readonly kills: number
  /** Requests that were sent again after no response, or after a status from 500 on. */
  readonly repeated: number
  /** Claims of tasks: each is spoken once, or again after a kill. */
  readonly claims: number
  /** Audio files: objects in the bucket, or files in the data folder. */
  readonly files: number
  readonly seconds: number
}

/** The parameters of a test. */
export interface ChaosPlan {
  readonly tasks: number
  /** The replicas' database server; undefined for one process over SQLite and a folder. */
  readonly server: PostgresServer | undefined
  /** Milliseconds between two kills. */
  readonly every: number
  /** The most kills. */
  readonly kills: number
  readonly granted: number
}

const pause = (milliseconds: number) => new Promise<void>((resume) => setTimeout(resume, milliseconds))

/** One process of the service, which is started again after it was killed. */
class ServiceProcess {
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
        failed(new Error(`the service ended: ${said}`))
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

/** What the processes store their data in, and how to count it. */
interface ChaosStorage {
  readonly place: Keys.KeysPlace
  /** The options of each process. */
  readonly args: ReadonlyArray<ReadonlyArray<string>>
  /** Claims of tasks in the database. */
  readonly claims: () => Promise<number>
  readonly files: () => number
  readonly stop: () => Promise<void>
}

const replicated = async (server: PostgresServer, folder: string): Promise<ChaosStorage> => {
  const s3 = await S3Server.start()
  Object.assign(process.env, s3.environment)
  const place = { database: await server.database(), files: "s3://audio/chaos" }
  const database = Redacted.value(place.database)
  return {
    place,
    args: [0, 1, 2].map((index) => [
      ...["--data", join(folder, `replica-${index}`)],
      ...["--database", database, "--files", place.files]
    ]),
    claims: async () => {
      const [sum] = await server.run(
        "SELECT SUM(attempts)::INTEGER AS claims FROM tasks",
        new URL(database).pathname.slice(1)
      )
      return Number(sum?.["claims"])
    },
    files: () => [...s3.objects.keys()].filter((name) => name.endsWith(".wav")).length,
    stop: () => s3.stop()
  }
}

const alone = (folder: string): ChaosStorage => {
  const data = join(folder, "data")
  return {
    place: data,
    args: [["--data", data]],
    claims: async () => {
      const database = new Database(fileIn(data), { readonly: true })
      try {
        return Number(database.prepare("SELECT SUM(attempts) FROM tasks").pluck().get())
      } finally {
        database.close()
      }
    },
    files: () =>
      readdirSync(data, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".wav")).length,
    stop: async () => {}
  }
}

/** Runs the plan. Every request goes to a process chosen at random, and is sent again until it succeeds. */
export const runChaos = async ({
  tasks: count,
  server,
  every,
  kills: most,
  granted
}: ChaosPlan): Promise<ChaosOutcome> => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-chaos-"))
  const storage = server === undefined ? alone(folder) : await replicated(server, folder)
  const config = join(folder, "service.yaml")
  writeFileSync(
    config,
    "audio: { format: wav }\nlimits: { lease: 2 }\nproviders: { provider_fast: { concurrency: 4 } }\n"
  )
  const processes = storage.args.map((args) => new ServiceProcess([...args, "--config", config, "--quiet"]))
  let kills = 0
  let repeated = 0
  const isOver = { value: false }
  try {
    const key = Redacted.value(
      await Effect.runPromise(Keys.createKey(storage.place, { name: "chaos", credits: granted }))
    )
    await Promise.all(processes.map((one) => one.start()))
    const began = performance.now()
    const killing = (async () => {
      const aliveNow = () => processes.filter(({ address }) => address !== undefined)
      for (let index = 0; !isOver.value && kills < most; index++) {
        // At least one of several replicas survives, and a single process gets its time after each start. So even a
        // slow machine makes progress.
        while (!isOver.value && aliveNow().length < Math.min(2, processes.length)) await pause(50)
        await pause(every)
        const alive = aliveNow()
        const victim = alive[index % alive.length]
        if (isOver.value || victim === undefined || alive.length < Math.min(2, processes.length)) continue
        victim.kill()
        kills++
      }
    })()

    /** Sends a request until a process answers it. Any answer except a success fails the test. */
    const ask = async (method: string, path: string, headers = {}, body?: unknown): Promise<unknown> => {
      for (;;) {
        const alive = processes.flatMap(({ address }) => address ?? [])
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
    return {
      ...{ tasks, credits, kills, repeated, seconds },
      claims: await storage.claims(),
      files: storage.files()
    }
  } finally {
    isOver.value = true
    for (const one of processes) one.end()
    await storage.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
