/** What happens to tasks when engines fail, limits are reached or the service stops. */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, request as forward, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, test, vi } from "vitest"
import { Effect, Logger, LogLevel, Redacted, Schema } from "effect"
import { TaskPage } from "../../src/contract/Task.ts"
import * as Keys from "../../src/service/accounts/KeyManagement.ts"
import { embedded } from "../../src/service/Service.ts"
import { wavHeader } from "../../src/audio/formats/WavHeader.ts"
import { Frames, SampleRate } from "../../src/domain/time/Units.ts"
import type { ServiceConfig } from "../../src/service/config/ServiceConfig.ts"
import { ask, create, ended, refusalOf, runtime, type Started, startService } from "./start.ts"

const started: Array<Started> = []
const proxies: Array<Server> = []
const start = async (
  config: ServiceConfig,
  dataDir?: string,
  log?: (line: string) => void
): Promise<Started> => {
  const service = await startService({ audio: { format: "wav" }, ...config }, dataDir, log)
  started.push(service)
  return service
}
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const service of started.splice(0)) await service.stop()
  for (const proxy of proxies.splice(0)) proxy.close().closeAllConnections()
})

/** Disables the providers that a test does not need. */
const nothingElse: ServiceConfig["providers"] = {
  provider_expressive: { enabled: false },
  provider_native: { enabled: false },
  provider_lowcost: { enabled: false },
  provider_opensource: { enabled: false }
}

/** A provider whose engine is a small program: it runs the given statements, then writes 0.1 s of audio. */
const programmed = (statements: string, more: ServiceConfig["limits"] = {}): ServiceConfig => ({
  limits: more,
  engines: {
    program: {
      kind: "command",
      program: process.execPath,
      args: [
        "-e",
        `(async () => { ${statements}; process.stdout.write(Buffer.alloc(4800, 1)) })().catch(() => process.exit(1))`
      ],
      rawRate: SampleRate.make(24_000),
      voices: [{ id: "one" }],
      timeout: 10
    }
  },
  providers: {
    ...nothingElse,
    provider_fast: { engine: "program", voicePrefix: "fast-", concurrency: 1 }
  }
})

/** 0.1 s of audio. */
const tenth = {
  rate: SampleRate.make(24_000),
  channels: 1,
  encoding: "int16",
  frames: Frames.make(2_400)
} as const

const body = { provider: "provider_fast", text: "Words." }

const balance = async ({ address }: Pick<Started, "address">, key: string) =>
  (await ask(address, key, "GET", "/v1/credits")).body

const history = async ({ address }: Started, key: string) =>
  Schema.decodeUnknownSync(TaskPage)((await ask(address, key, "GET", "/v1/tasks")).body).tasks

describe("an engine", () => {
  test("that fails is retried, then the task fails and costs nothing", async () => {
    const service = await start(programmed("throw 1", { attempts: 2 }))
    const key = await service.newKey(100)
    const { task_id } = await create(service, key, "fast-one", body)
    const task = await ended(service, key, task_id)
    expect(task).toMatchObject({
      status: "failed",
      error: {
        code: "engine_crashed",
        message: "the speech engine crashed on this text; change the text, or use another voice"
      }
    })
    expect(task.audio_url).toBeUndefined()
    expect(await balance(service, key)).toMatchObject({ credits: 100, used: 0, reserved: 0 })
  })

  test("that does not exist makes its provider unavailable, and only the log says why", async () => {
    const config = programmed("")
    const log: Array<string> = []
    const service = await start(
      {
        ...config,
        engines: {
          program: { kind: "command", program: "no-such-program-here", args: [], voices: [{ id: "one" }] }
        }
      },
      undefined,
      (line) => log.push(line)
    )
    const answer = await ask(service.address, service.key, "POST", "/v1/text-to-speech/fast-one", body)
    expect(refusalOf(answer).slice(0, 2)).toEqual([503, "engine_unavailable"])
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
    const health = await ask(service.address, service.key, "GET", "/v1/health-check")
    expect(health.body).toMatchObject({
      status: "degraded",
      providers: [{ provider: "provider_fast", ready: false, reason: "its engine is unavailable" }]
    })
    expect(log.filter((line) => line.includes("no-such-program-here")).length).toBe(1)
  })

  test("that takes too long times out", async () => {
    const service = await start(
      programmed("await new Promise(() => setInterval(() => {}, 1000))", { taskTimeout: 1 })
    )
    const { task_id } = await create(service, service.key, "fast-one", body)
    expect(await ended(service, service.key, task_id)).toMatchObject({
      status: "failed",
      error: { code: "timeout" }
    })
  })
})

test("retries a busy engine after its Retry-After", async () => {
  let quietFrom: number | undefined
  const busy = createServer((request, response) => {
    request.resume()
    quietFrom ??= request.method === "POST" ? performance.now() + 1_900 : undefined
    if (request.method === "GET" || performance.now() >= (quietFrom ?? 0)) {
      response.end(Buffer.concat([wavHeader(tenth), Buffer.alloc(4_800, 1)]))
    } else response.writeHead(429, { "retry-after": "2" }).end()
  })
  await new Promise<void>((listening) => busy.listen(0, "127.0.0.1", listening))
  const address = busy.address()
  const service = await start({
    limits: { attempts: 2 },
    engines: {
      busy: {
        kind: "openai",
        baseUrl: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
        model: "m",
        voices: [{ id: "one" }]
      }
    },
    providers: { ...nothingElse, provider_fast: { engine: "busy", voicePrefix: "fast-" } }
  })
  const { task_id } = await create(service, service.key, "fast-one", body)
  expect((await ended(service, service.key, task_id)).status).toBe("done")
  busy.close()
  busy.closeAllConnections()
})

describe("a limit", () => {
  const hanging = "await new Promise((resume) => setTimeout(resume, 60000))"

  test("of the queue returns 429", async () => {
    const service = await start(programmed(hanging, { queue: 2, drain: 0 }))
    const post = () => ask(service.address, service.key, "POST", "/v1/text-to-speech/fast-one", body)
    const statuses = []
    for (let index = 0; index < 5; index++) statuses.push((await post()).status)
    expect(statuses.slice(-1)).toEqual([429])
    const refused = await post()
    expect(refusalOf(refused).slice(0, 2)).toEqual([429, "queue_full"])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    const [newest, ...earlier] = await history(service, service.key)
    const queued = (await ask(service.address, service.key, "GET", `/v1/task/${newest?.task_id ?? ""}`)).body
    expect(queued).toMatchObject({ status: "queued", queue_position: 2 })
    expect(queued).not.toHaveProperty("queue_seconds")
    const oldest = earlier.at(-1)
    expect(oldest?.status).toBe("processing")
    const busy = await ask(service.address, service.key, "DELETE", "/v1/task/delete", {
      task_id: oldest?.task_id
    })
    expect(refusalOf(busy)).toEqual([409, "task_under_way", "task_id"])
  })

  test("of the queue is shared by the accounts with queued tasks", async () => {
    const service = await start(programmed(hanging, { queue: 4, drain: 0 }))
    const other = await service.newKey()
    const post = async (key: string) =>
      (await ask(service.address, key, "POST", "/v1/text-to-speech/fast-one", body)).status
    let taken = 0
    while ((await post(service.key)) === 200) taken++
    expect(taken).toBeGreaterThanOrEqual(4)
    expect([await post(other), await post(other), await post(other)]).toEqual([200, 200, 429])
    expect(await post(service.key)).toBe(429)
  })

  test("of requests per second applies to each account separately", async () => {
    const service = await start({ ...programmed(""), limits: { requestsPerSecond: 0.5 } })
    const ask5 = async (key: string) => {
      const answers = []
      for (let index = 0; index < 6; index++)
        answers.push(await ask(service.address, key, "GET", "/v1/credits"))
      return answers
    }
    const answers = await ask5(service.key)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
    expect(answers.slice(-1).map(refusalOf)).toEqual([[429, "rate_limited", undefined]])
    expect((await ask(service.address, await service.newKey(), "GET", "/v1/credits")).status).toBe(200)
  })

  test("of the audio that an account keeps returns 402", async () => {
    const service = await start(programmed("", { accountBytes: 1 }))
    const answer = await ask(service.address, service.key, "POST", "/v1/text-to-speech/fast-one", body)
    expect(refusalOf(answer)).toEqual([402, "storage_full", undefined])
  })

  test("of the disk returns 503", async () => {
    const service = await start(programmed("", { freeDisk: 1_000_000_000_000 }))
    const answer = await ask(service.address, service.key, "POST", "/v1/text-to-speech/fast-one", body)
    expect(refusalOf(answer).slice(0, 2)).toEqual([503, "disk_full"])
  })
})

describe("a service that stops", () => {
  test("rejects new tasks, still answers, and finishes the in-flight task", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "dubwright-drain-"))
    const config = programmed("await new Promise((resume) => setTimeout(resume, 1500))", { drain: 20 })
    const service = await start(config, dataDir)
    const first = await create(service, service.key, "fast-one", body)
    const second = await create(service, service.key, "fast-one", body)
    while ((await history(service, service.key)).every(({ status }) => status === "queued")) continue
    const closed = service.close()
    const refused = await ask(service.address, service.key, "POST", "/v1/text-to-speech/fast-one", body)
    expect(refusalOf(refused).slice(0, 2)).toEqual([503, "draining"])
    expect((await ask(service.address, service.key, "GET", "/v1/health-check")).body).toMatchObject({
      status: "draining"
    })
    await closed
    await expect(fetch(service.address)).rejects.toThrow()
    const again = await start(config, dataDir)
    const tasks = await history(again, service.key)
    expect(tasks.find((task) => task.task_id === first.task_id)?.status).toBe("done")
    // The queued task waited for the next service and did not delay the shutdown of this one.
    expect(tasks.find((task) => task.task_id === second.task_id)?.status).not.toBe("done")
    expect((await ended(again, service.key, second.task_id)).status).toBe("done")
  })

  test("locks its data folder against a second service", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "dubwright-lock-"))
    await start(programmed(""), dataDir)
    await expect(start(programmed(""), dataDir)).rejects.toThrow(`another service uses this data folder`)
    rmSync(dataDir, { recursive: true, force: true })
  })
})

test("logs JSON records without texts or keys", async () => {
  const lines: Array<string> = []
  const dataDir = mkdtempSync(join(tmpdir(), "dubwright-log-"))
  const service = await startService({ audio: { format: "wav" } }, dataDir, (line) => lines.push(line))
  started.push(service)
  const secret = "zebrafish"
  for (const text of [`The ${secret} swims.`, "…"]) {
    const { task_id } = await create(service, service.key, "fast-en-us", {
      provider: "provider_fast",
      text,
      voice_name: secret
    })
    await ended(service, service.key, task_id)
  }
  await ask(service.address, `wrong-${secret}`, "GET", "/v1/credits")
  await ask(service.address, service.key, "POST", `/v1/text-to-speech/${secret}`, {
    provider: secret,
    text: secret
  })
  const records = lines.map((line): unknown => JSON.parse(line))
  expect(records).toContainEqual(
    expect.objectContaining({
      message: "task done",
      annotations: expect.objectContaining({ provider: "provider_fast", seconds: expect.any(Number) })
    })
  )
  expect(records).toContainEqual(
    expect.objectContaining({
      message: "request",
      annotations: expect.objectContaining({ path: "/v1/credits", status: 401 })
    })
  )
  expect(lines.join("\n")).not.toContain(secret)
  expect(lines.join("\n")).not.toContain(service.key)
})

test("an embedded service keeps its tasks, changes its key and is in no key list", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "dubwright-embedded-"))
  const run = <A>(use: (address: string, key: string) => Promise<A>) =>
    embedded({ dataDir }).pipe(
      Effect.flatMap(({ address, key }) => Effect.promise(() => use(address, Redacted.value(key)))),
      Effect.scoped,
      Logger.withMinimumLogLevel(LogLevel.None),
      (effect) => runtime.runPromise(effect)
    )
  const [first, task] = await run(async (address, key) => {
    const service = { address }
    const { task_id } = await create(service, key, "fast-en-us", body)
    const done = await ended(service, key, task_id)
    expect(new URL(done.audio_url ?? "").pathname).toMatch(/\.wav$/u)
    expect(await balance(service, key)).toMatchObject({ unlimited: true })
    return [key, task_id]
  })
  await run(async (address, key) => {
    expect((await ask(address, first, "GET", "/v1/credits")).status).toBe(401)
    expect((await ask(address, key, "GET", `/v1/task/${task}`)).status).toBe(200)
  })
  expect(await Effect.runPromise(Keys.listKeys(dataDir))).toEqual([])
  rmSync(dataDir, { recursive: true, force: true })
})

test("deletes finished tasks, their files and URLs after the retention time", async () => {
  const service = await start({ keep: { days: 0.00002, addressHours: 0.0001 } })
  const { task_id } = await create(service, service.key, "fast-en-us", body)
  const { audio_url = "" } = await ended(service, service.key, task_id)
  while ((await fetch(audio_url)).status === 200) continue
  while ((await history(service, service.key)).length > 0) continue
  expect((await ask(service.address, service.key, "GET", `/v1/task/${task_id}`)).status).toBe(404)
})

describe("an upstream service", () => {
  const chained = (upstream: Started, timeout = 600): ServiceConfig => ({
    limits: { drain: 0 },
    engines: {
      behind: {
        kind: "upstream",
        baseUrl: upstream.address,
        keyVariable: "UPSTREAM_KEY",
        provider: "provider_native",
        timeout
      }
    },
    providers: {
      ...nothingElse,
      provider_fast: { enabled: false },
      provider_native: { engine: "behind", voicePrefix: "far-" }
    }
  })

  /** Starts a proxy before an upstream service that refuses requests, or loses their responses. Returns its address. */
  const between = async (
    upstream: Started,
    fateOf: (request: IncomingMessage) => "pass" | "refuse" | "lose"
  ): Promise<string> => {
    const { hostname: host, port } = new URL(upstream.address)
    const proxy = createServer((request, response) => {
      const fate = fateOf(request)
      if (fate === "refuse") return void response.writeHead(401).end()
      const { method, headers, url: path } = request
      request.pipe(
        forward({ host, port, path, method, headers }, (answer) => {
          if (fate === "lose") return void response.destroy()
          response.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.pipe(response)
        }).on("error", () => response.destroy())
      )
    })
    proxies.push(proxy)
    await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening))
    const address = proxy.address()
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
  }

  /** An upstream service with one program as its engine. */
  const behind = (statements: string): ServiceConfig => ({
    ...programmed(statements, { attempts: 1 }),
    providers: {
      ...nothingElse,
      provider_fast: { enabled: false },
      provider_native: { engine: "program", voicePrefix: "" }
    }
  })

  const far = {
    provider: "provider_native",
    text: "A text of its own, with more than a hundred characters, so that it goes to the other service just as it is."
  }

  test("speaks with its voices, short texts included, and reports timings", async () => {
    const upstream = await start({})
    vi.stubEnv("UPSTREAM_KEY", upstream.key)
    const service = await start(chained(upstream))
    const { task_id } = await create(service, service.key, "far-en-anna", {
      provider: "provider_native",
      text: "1\n00:00:01,000 --> 00:00:02,000\nHello there.\n\n2\n00:00:01,500 --> 00:00:03,000\nGoodbye.\n",
      export_srt: true,
      speed: 1.2
    })
    const task = await ended(service, service.key, task_id)
    expect(task.status).toBe("done")
    const srt = await (await fetch(task.srt_url ?? "")).text()
    expect(srt).toMatch(/^1\n00:00:01,\d{3} --> 00:00:01,\d{3}\nHello there\.\n\n2\n00:00:0[12],\d{3} --> /u)
    expect((await history(upstream, upstream.key)).length).toBe(2)
  })

  test("speaks a task even if its history could not be read at first", async () => {
    const upstream = await start({})
    let refused = false
    const address = await between(upstream, (request) => {
      if (refused || request.url?.startsWith("/v1/tasks") !== true) return "pass"
      refused = true
      return "refuse"
    })
    vi.stubEnv("UPSTREAM_KEY", upstream.key)
    const service = await start(chained({ ...upstream, address }))
    const { task_id } = await create(service, service.key, "far-en-anna", {
      provider: "provider_native",
      text: "1\n00:00:01,000 --> 00:00:02,000\nHello there.\n"
    })
    expect((await ended(service, service.key, task_id)).status).toBe("done")
    expect(refused).toBe(true)
  })

  test("is not paid twice for a task that an earlier process had created", async () => {
    const upstream = await start(behind("await new Promise((resume) => setTimeout(resume, 1500))"))
    vi.stubEnv("UPSTREAM_KEY", upstream.key)
    const dataDir = mkdtempSync(join(tmpdir(), "dubwright-chain-"))
    const service = await start(chained(upstream), dataDir)
    const { task_id } = await create(service, service.key, "far-one", far)
    while ((await history(upstream, upstream.key)).length === 0) continue
    await service.close()
    const again = await start(chained(upstream), dataDir)
    expect((await ended(again, service.key, task_id)).status).toBe("done")
    expect((await history(upstream, upstream.key)).length).toBe(1)
  })

  test("is not paid twice for a task that is slower than the engine's timeout", async () => {
    const upstream = await start(behind("await new Promise((resume) => setTimeout(resume, 1500))"))
    vi.stubEnv("UPSTREAM_KEY", upstream.key)
    // As many attempts as a busy machine needs.
    const service = await start({ ...chained(upstream, 1), limits: { drain: 0, attempts: 100 } })
    const { task_id } = await create(service, service.key, "far-one", far)
    expect((await ended(service, service.key, task_id)).status).toBe("done")
    expect((await history(upstream, upstream.key)).length).toBe(1)
  })

  test("is not paid twice for a task of which only its own history knows", async () => {
    const upstream = await start(behind(""))
    vi.stubEnv("UPSTREAM_KEY", upstream.key)
    let creates = 0
    let refused = false
    const address = await between(upstream, ({ method, url }) => {
      if (method === "POST") return creates++ === 0 ? "lose" : "pass"
      if (refused || creates === 0 || url?.startsWith("/v1/tasks") !== true) return "pass"
      refused = true
      return "refuse"
    })
    const service = await start(chained({ ...upstream, address }))
    const { task_id } = await create(service, service.key, "far-one", far)
    expect((await ended(service, service.key, task_id)).status).toBe("done")
    // A key that is rejected after it was accepted is a request to wait: the history is read again, and has the task.
    expect([creates, refused, (await history(upstream, upstream.key)).length]).toEqual([1, true, 1])
  })

  test("gets another task if the first one fails", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dubwright-chain-"))
    const failed = JSON.stringify(join(folder, "failed"))
    const upstream = await start(
      behind(
        `const fs = require("node:fs"); if (!fs.existsSync(${failed})) { fs.writeFileSync(${failed}, ""); throw 1 }`
      )
    )
    vi.stubEnv("UPSTREAM_KEY", upstream.key)
    const service = await start(chained(upstream))
    const { task_id } = await create(service, service.key, "far-one", far)
    expect((await ended(service, service.key, task_id)).status).toBe("done")
    expect((await history(upstream, upstream.key)).map(({ status }) => status)).toEqual(["done", "failed"])
    rmSync(folder, { recursive: true })
  })
})
