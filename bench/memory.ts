/**
 * Memory of the service after many tasks. Each task is created and polled, and its audio fetched, as clients do. Prints
 * resident memory, in MB, at ten points. It should not grow after the first.
 *
 *     node bench/run.mjs memory [tasks]
 */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const tasks = Number(process.argv[2] ?? 100_000)
/** Concurrent clients, each with one task in flight. */
const clients = 8

const command = fileURLToPath(new URL("../../../dist/dubwright.mjs", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "dubwright-memory-"))
const data = join(folder, "data")
const config = join(folder, "service.yaml")
// WAV measures the service instead of an encoder. Tasks expire within minutes, as they otherwise would within a month.
writeFileSync(
  config,
  "audio: { format: wav }\nlimits: { requestsPerSecond: 100000, freeDisk: 0 }\nkeep: { days: 0.002 }\n"
)
const key = spawnSync(process.execPath, [command, "keys", "create", "--data", data, "--name", "bench"], {
  encoding: "utf8"
}).stdout.trim()
const service = spawn(
  process.execPath,
  [command, "serve", "--port", "0", "--data", data, "--config", config, "--quiet"],
  { stdio: ["ignore", "pipe", "inherit"] }
)
const address = await new Promise<string>((listening) =>
  createInterface(service.stdout).once("line", (line) => listening(line.replace("listening ", "")))
)

const resident = (): number =>
  Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${service.pid}/status`, "utf8"))?.[1] ?? 0) / 1024

const ask = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
  const response = await fetch(address + path, {
    method,
    headers: { "xi-api-key": key, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const answer: unknown = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
  return Object.fromEntries(Object.entries(answer ?? {}))
}

/** An eSpeak NG voice: it speaks such a line in milliseconds. */
const { voices } = await ask("GET", "/v1/voices?provider=provider_fast&limit=1")
const voice = Array.isArray(voices) ? String(voices[0].voice_id) : ""

let made = 0
let nextPoint = tasks / 10
const begun = performance.now()
const client = async (): Promise<void> => {
  while (made < tasks) {
    const number = ++made
    // Every hundredth line goes to Flite, whose WebAssembly module is the largest thing that the service loads.
    const [id, provider] = number % 100 === 0 ? ["os-slt", "provider_opensource"] : [voice, "provider_fast"]
    const { task_id } = await ask("POST", `/v1/text-to-speech/${id}`, {
      text: `Yes, ${number % 97}.`,
      provider
    })
    for (;;) {
      const { status, audio_url } = await ask("GET", `/v1/task/${String(task_id)}`)
      if (status === "failed") throw new Error("a task failed")
      if (typeof audio_url === "string") {
        await (await fetch(audio_url)).arrayBuffer()
        break
      }
      await new Promise((ready) => setTimeout(ready, 25))
    }
    if (number >= nextPoint) {
      nextPoint += tasks / 10
      const seconds = (performance.now() - begun) / 1000
      console.log(`${number} tasks, ${seconds.toFixed(0)} s: ${resident().toFixed(0)} MB`)
    }
  }
}
await Promise.all(Array.from({ length: clients }, client))
service.kill("SIGTERM")
await new Promise((ended) => service.once("exit", ended))
rmSync(folder, { recursive: true, force: true })
