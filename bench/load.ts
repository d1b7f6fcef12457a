/**
 * Load test of the service: clients call a mix of endpoints, each as fast as it gets responses. The baseline is a bare
 * node:http handler that gets the same requests from the same client. Everything runs on this machine.
 *
 *     node bench/run.mjs load [seconds] [clients]
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command, createKey, startServer } from "./shared/service.ts"

const seconds = Number(process.argv[2] ?? 60)
const clients = Number(process.argv[3] ?? 200)
interface Client {
  readonly address: URL
  readonly key: string
  readonly agent: Agent
  /** Tasks created by this run, to be read and deleted. */
  readonly tasks: Array<string>
  /** Audio URLs returned so far. */
  readonly audio: Array<string>
}

interface Got {
  readonly status: number
  readonly body: string
}

const ask = (client: Client, method: string, path: string, body?: string): Promise<Got> =>
  new Promise((settled, failed) => {
    const asked = request(
      {
        agent: client.agent,
        hostname: client.address.hostname,
        port: client.address.port,
        method,
        path,
        headers: {
          "xi-api-key": client.key,
          ...(body === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
        }
      },
      (answer) => {
        const chunks: Array<Buffer> = []
        answer.on("data", (chunk: Buffer) => chunks.push(chunk))
        answer.on("end", () =>
          settled({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString("latin1") })
        )
      }
    )
    asked.on("error", failed)
    asked.end(body)
  })

const one = <A>(from: ReadonlyArray<A>): A | undefined => from[Math.floor(Math.random() * from.length)]

/** Sends one request of the mix, chosen by a number from 0 to 1. */
const step = async (client: Client, chosen: number): Promise<readonly [name: string, status: number]> => {
  const task = one(client.tasks)
  if (chosen < 0.04 || task === undefined) {
    const body = JSON.stringify({ provider: "provider_fast", text: `Load ${Math.random()}.` })
    const got = await ask(client, "POST", "/v1/text-to-speech/fast-en-us", body)
    const made = /"task_id":"([^"]+)"/u.exec(got.body)?.[1]
    if (made !== undefined && client.tasks.push(made) > 2_000) client.tasks.shift()
    return ["create", got.status]
  }
  if (chosen < 0.05) {
    client.tasks.splice(client.tasks.indexOf(task), 1)
    const { status } = await ask(client, "DELETE", "/v1/task/delete", JSON.stringify({ task_id: task }))
    return ["delete", status]
  }
  const audio = one(client.audio)
  if (chosen < 0.08 && audio !== undefined) {
    const { status } = await ask(client, "GET", audio)
    return ["file", status]
  }
  if (chosen < 0.16) return ["tasks", (await ask(client, "GET", "/v1/tasks?limit=20")).status]
  if (chosen < 0.22) return ["voices", (await ask(client, "GET", "/v1/voices?limit=20&search=vi")).status]
  if (chosen < 0.27) return ["credits", (await ask(client, "GET", "/v1/credits")).status]
  if (chosen < 0.31) return ["models", (await ask(client, "GET", "/v1/models")).status]
  if (chosen < 0.34) return ["providers", (await ask(client, "GET", "/v1/providers")).status]
  if (chosen < 0.36) return ["health", (await ask(client, "GET", "/v1/health-check")).status]
  const got = await ask(client, "GET", `/v1/task/${task}`)
  const shown = /"audio_url":"http:\/\/[^/]+([^"]+)"/u.exec(got.body)?.[1]
  if (shown !== undefined && client.audio.push(shown) > 200) client.audio.shift()
  return ["task", got.status]
}

interface Outcome {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly statuses: ReadonlyMap<string, number>
  readonly peakMegabytes: number
  readonly errors: number
}

const load = async (client: Client, pid: number): Promise<Outcome> => {
  const times: Array<number> = []
  const statuses = new Map<string, number>()
  let errors = 0
  const began = performance.now()
  const until = began + seconds * 1000
  const work = async (): Promise<void> => {
    while (performance.now() < until) {
      const start = performance.now()
      try {
        const [name, status] = await step(client, Math.random())
        const label = `${name} ${status}`
        statuses.set(label, (statuses.get(label) ?? 0) + 1)
      } catch {
        errors++
      }
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: clients }, work))
  const sorted = Float64Array.from(times).sort()
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
  return {
    perSecond: (times.length / (performance.now() - began)) * 1000,
    p50: at(0.5),
    p99: at(0.99),
    statuses,
    peakMegabytes: peakOf(pid),
    errors
  }
}

/** Returns the peak memory of a process, if the system reports it. */
const peakOf = (pid: number): number => {
  try {
    return Number(/VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

const clientAt = (address: string, key: string): Client => ({
  address: new URL(address),
  key,
  agent: new Agent({ keepAlive: true, maxSockets: clients }),
  tasks: [],
  audio: []
})

/** Answers every request with the JSON of a task: the cost of node:http itself. */
const bare = `
const body = JSON.stringify({ task_id: "00000000-0000-4000-8000-000000000000", status: "done", provider: "provider_fast",
  model_id: "fast-1", voice_id: "fast-en-us", characters: 30, credits: 15, created_at: new Date().toISOString(),
  completed_at: new Date().toISOString(), duration: 1.5, audio_url: "http://127.0.0.1/files/" + "x".repeat(120) })
require("node:http").createServer((request, response) => {
  request.on("data", () => {})
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    response.end(body)
  })
}).listen(0, "127.0.0.1", function () { console.log("listening http://127.0.0.1:" + this.address().port) })`

const told = (name: string, outcome: Outcome): void => {
  const failures = [...outcome.statuses].filter(
    ([label]) => / 5\d\d$/u.test(label) && !label.endsWith(" 503")
  )
  console.log(
    `${name}: ${outcome.perSecond.toFixed(0)} requests/s, p50 ${outcome.p50.toFixed(1)} ms, p99 ${outcome.p99.toFixed(1)} ms, ` +
      `peak ${outcome.peakMegabytes.toFixed(0)} MB, ${outcome.errors} connection errors, ${failures.length === 0 ? "no" : JSON.stringify(failures)} 5xx`
  )
  console.log(
    `  ${[...outcome.statuses]
      .sort()
      .map(([label, count]) => `${label}: ${count}`)
      .join(", ")}`
  )
}

const folder = mkdtempSync(join(tmpdir(), "dubwright-load-"))
try {
  const floor = await startServer(["-e", bare])
  told("node:http", await load(clientAt(floor.address, "none"), floor.child.pid ?? 0))
  floor.child.kill("SIGKILL")

  const service = await startServer([command, "serve", "--port", "0", "--data", folder, "--quiet"])
  told(
    "service",
    await load(clientAt(service.address, await createKey(folder, "load")), service.child.pid ?? 0)
  )
  const ended = new Promise((resume) => service.child.once("exit", resume))
  const metrics = await (await fetch(`${service.address}/metrics`)).text()
  const spoken = /^dubwright_tasks_total\{.*status="done"\} (\d+)$/mu.exec(metrics)?.[1] ?? 0
  console.log(`  tasks spoken meanwhile: ${spoken}`)
  service.child.kill("SIGTERM")
  console.log(`the service exited with ${String(await ended)}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
