/** Replicas of the service over one PostgreSQL database and one S3 bucket. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Effect, Redacted } from "effect"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import * as Keys from "../../../src/service/accounts/KeyManagement.ts"
import type { ServiceConfig } from "../../../src/service/config/ServiceConfig.ts"
import type { SharedStorageUrls } from "../../../src/service/storage/SharedStorageUrls.ts"
import { Service } from "../../conformance/Service.ts"
import { expectConformance } from "../../conformance/Expectation.ts"
import { providerIds, walk } from "../../conformance/Walk.ts"
import { describePostgres } from "../storage/Backends.ts"
import { ask, create, ended, refusalOf, type Started, startService } from "../start.ts"
import { runChaos } from "./Chaos.ts"
import { S3Server } from "../../system/S3Server.ts"

/** Starts replicas for a test over a new database and bucket, and stops them after it. */
const withReplicas = async (
  database: Redacted.Redacted<string>,
  configs: ReadonlyArray<ServiceConfig>,
  use: (replicas: ReadonlyArray<Started>, s3: S3Server, shared: SharedStorageUrls) => Promise<void>
): Promise<void> => {
  const s3 = await S3Server.start()
  Object.assign(process.env, s3.environment)
  const shared = { database, files: "s3://audio/speech/one" }
  const replicas: Array<Started> = []
  try {
    // They start at the same time, and one of them migrates and creates the secret.
    replicas.push(
      ...(await Promise.all(configs.map((config) => startService(config, undefined, undefined, shared))))
    )
    await use(replicas, s3, shared)
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()))
    await s3.stop()
  }
}

/** Waits until a busy machine has started the engine. */
const ready = async (address: string, key: string): Promise<void> => {
  const isReady = (each: { readonly provider: string; readonly ready: boolean }) =>
    each.provider === "provider_fast" && each.ready
  while (!Object((await ask(address, key, "GET", "/v1/health-check")).body).providers.some(isReady))
    await new Promise((resume) => setTimeout(resume, 200))
}

const wav = { audio: { format: "wav" } } as const
const body = { provider: "provider_fast", text: "Words." }

describePostgres("Replicas", (server) => {
  test("that are killed speak and charge each task once", async () => {
    const granted = 1_000_000
    const plan = { tasks: 60, server: server(), every: 1_000, kills: 4, granted }
    const { tasks, credits, files, kills } = await runChaos(plan)
    expect(tasks.filter(({ status }) => status !== "done")).toEqual([])
    expect(new Set(tasks.map((task) => task.voice_name)).size).toBe(60)
    const spent = tasks.reduce((sum, task) => sum + task.credits, 0)
    expect(credits).toEqual({ credits: granted - spent, unlimited: false, used: spent, reserved: 0 })
    expect([tasks.length, files]).toEqual([60, 60])
    expect(kills).toBeGreaterThan(0)
  })

  test("conform to every point of the interface", { timeout: 240_000 }, async () => {
    await withReplicas(await server().database(), [{}, {}, {}], async ([one]) => {
      const service = new Service(one?.address ?? "", one?.key ?? "")
      const findings = await walk(service, { providers: providerIds, patience: 60 }, () => undefined)
      expectConformance(findings)
    })
  })

  test("share keys, tasks, events, files, limits and idempotency keys", async () => {
    await withReplicas(await server().database(), [wav, wav], async (replicas, s3, shared) => {
      const [one, two] = replicas
      if (one === undefined || two === undefined) throw new Error("two replicas")
      const key = await one.newKey(1_000)
      // Either replica may speak the task. The other one learns of its end from the database's notification.
      for (const { address } of replicas) await ready(address, key)
      const { task_id } = await create(one, key, "fast-en-us", body)
      const waited = await fetch(`${two.address}/v1/task/${task_id}`, {
        headers: { "xi-api-key": key, prefer: "wait=30" }
      })
      const task = Object(await waited.json())
      expect(task).toMatchObject({ status: "done", task_id })

      // A URL of one replica is valid at the other, also with ranges; a changed URL is not.
      const url = String(task.audio_url).replace(two.address, one.address)
      const whole = Buffer.from(await (await fetch(url)).arrayBuffer())
      expect(whole.subarray(0, 4).toString()).toBe("RIFF")
      const part = await fetch(url, { headers: { range: "bytes=8-11" } })
      expect([part.status, await part.text()]).toEqual([206, "WAVE"])
      expect((await fetch(url, { method: "HEAD" })).headers.get("content-length")).toBe(String(whole.length))
      expect((await fetch(url.replace(/.\/([^/]+)$/u, "!/$1"))).status).toBe(404)
      expect([...s3.objects.keys()]).toEqual([
        "speech/one/secret",
        `speech/one/files/${task_id}/${task_id}.wav`
      ])

      // OpenAI's route converts a copy of the file.
      const speech = await fetch(`${two.address}/v1/audio/speech`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "tts-1", voice: "nova", input: "Words.", response_format: "wav" })
      })
      expect(
        Buffer.from(await speech.arrayBuffer())
          .subarray(0, 4)
          .toString()
      ).toBe("RIFF")

      // Twenty equal creates at both make one task.
      const send = (address: string) =>
        fetch(`${address}/v1/text-to-speech/fast-en-us`, {
          method: "POST",
          headers: { "xi-api-key": key, "content-type": "application/json", "idempotency-key": "line-1" },
          body: JSON.stringify(body)
        }).then(async (response) => Object(await response.json()).task_id)
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, n) => send((n % 2 === 0 ? one : two).address))
      )
      expect(new Set(made).size).toBe(1)

      // A limit counts the requests to all replicas.
      const limited = Redacted.value(
        await Effect.runPromise(Keys.createKey(shared, { name: "limited", requestsPerSecond: 0.1 }))
      )
      const answers = await Promise.all(
        replicas.map(({ address }) => ask(address, limited, "GET", "/v1/credits"))
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 429])

      // Deleting a task at one replica deletes its files for both.
      await ask(two.address, key, "DELETE", "/v1/task/delete", { task_id })
      expect((await fetch(url)).status).toBe(404)
      expect([...s3.objects.keys()].filter((name) => name.includes(task_id))).toEqual([])
      expect((await ask(one.address, key, "GET", "/v1/task/%00")).status).toBe(404)
      await Effect.runPromise(Keys.revokeKey(shared, "limited"))
      expect(refusalOf(await ask(one.address, limited, "GET", "/v1/credits"))[1]).toBe("key_unknown")
    })
  })

  test("keep their tasks while they drain", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dubwright-drain-"))
    const uses = join(folder, "uses")
    // Notes each use. 5 s are longer than the lease and the time between two searches for the tasks of dead replicas.
    const program = `require("node:fs").appendFileSync(process.argv[1], "use ");
      setTimeout(() => process.stdout.write(Buffer.alloc(4800, 1)), 5_000)`
    const config = {
      ...wav,
      limits: { lease: 3 },
      engines: {
        own: {
          kind: "command",
          program: process.execPath,
          args: ["-e", program, uses],
          rawRate: SampleRate.make(24_000),
          voices: [{ id: "one" }]
        }
      },
      providers: { provider_fast: { engine: "own", voicePrefix: "fast-" } }
    } as const
    await withReplicas(await server().database(), [config], async ([one], _, shared) => {
      if (one === undefined) throw new Error("one replica")
      const { task_id } = await create(one, one.key, "fast-one", body)
      while (!existsSync(uses)) await new Promise((resume) => setTimeout(resume, 20))
      const two = await startService(config, undefined, undefined, shared)
      await one.close()
      expect((await ended(two, one.key, task_id)).status).toBe("done")
      expect(readFileSync(uses, "utf8")).toBe("use ")
      await two.stop()
    })
    rmSync(folder, { recursive: true, force: true })
  })

  test("refuse the files of another service, and speak once S3 is back", async () => {
    const database = await server().database()
    await withReplicas(database, [wav], async ([one], s3, shared) => {
      if (one === undefined) throw new Error("one replica")
      await ready(one.address, one.key)
      const { task_id } = await create(one, one.key, "fast-en-us", body)
      expect((await ended(one, one.key, task_id)).status).toBe("done")
      const other = { ...shared, database: await server().database() }
      const refused = await Effect.runPromise(Effect.flip(Keys.createKey(other, { name: "x" })))
      expect(refused.message).toBe(
        "s3://audio/speech/one: has files of another service; choose another prefix with --files"
      )
      const elsewhere = await Effect.runPromise(
        Effect.flip(Keys.createKey({ ...shared, files: "s3://audio/two" }, { name: "x" }))
      )
      expect(elsewhere.message).toBe(
        's3://audio/two: the object "secret" is missing; restore it, or choose the bucket that has it'
      )
      s3.isDown = true
      expect((await fetch(String((await ended(one, one.key, task_id)).audio_url))).status).toBe(500)
      s3.isDown = false
      expect((await fetch(String((await ended(one, one.key, task_id)).audio_url))).status).toBe(200)
    })
  })
})
