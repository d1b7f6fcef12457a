/**
 * Measures what attacks do to an honest client: response times and the service's memory, before, during and after each
 * attack. The attacker is a separate process. Everything runs on this machine.
 *
 *     node bench/run.mjs attack [seconds of each] [part of an attack's name]
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { command, createKey, startServer } from "../shared/service.ts"
import { attacks, type Target } from "./attacks.ts"

interface Answer {
  readonly status: number
  readonly body: string
}

const agent = new Agent({ keepAlive: true })

const ask = (
  { address, key }: Omit<Target, "audio">,
  method: string,
  path: string,
  body = ""
): Promise<Answer> =>
  new Promise((settled, failed) => {
    const headers = {
      "xi-api-key": key,
      ...(body === ""
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    }
    const sent = request(`${address}${path}`, { method, headers, agent, timeout: 20_000 }, (response) => {
      const pieces: Array<Buffer> = []
      response.on("data", (piece: Buffer) => pieces.push(piece))
      response.on("end", () =>
        settled({ status: response.statusCode ?? 0, body: Buffer.concat(pieces).toString("utf8") })
      )
    })
    sent.on("timeout", () => sent.destroy(new Error("no answer in 20 seconds")))
    sent.on("error", failed)
    sent.end(body)
  })

/**
 * Milliseconds that each request of an honest client took. The client sends 20 a second, even if earlier ones have not
 * ended.
 */
const honest = async (target: Target, task: string, seconds: number) => {
  const times: Array<number> = []
  let failures = 0
  const sent: Array<Promise<void>> = []
  for (let at = 0; at < seconds * 20; at++) {
    const start = performance.now()
    const answered =
      at % 20 === 0
        ? ask(
            target,
            "POST",
            "/v1/text-to-speech/fast-en-us",
            JSON.stringify({ provider: "provider_fast", text: `Honest ${Math.random()}.` })
          )
        : ask(target, "GET", at % 2 === 0 ? "/v1/credits" : `/v1/task/${task}`)
    sent.push(
      answered.then(
        ({ status }) => {
          times.push(performance.now() - start)
          if (status >= 300) failures++
        },
        () => {
          failures++
        }
      )
    )
    await sleep(50)
  }
  await Promise.all(sent)
  const sorted = Float64Array.from(times).sort()
  const of = (share: number): string =>
    `${(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(0)} ms`.padStart(8)
  return { p50: of(0.5), p99: of(0.99), most: of(1), failures }
}

/** Resident memory of the service in megabytes, after it has collected its garbage. */
const memoryOf = async (pid: number): Promise<number> => {
  process.kill(pid, "SIGUSR2")
  await sleep(2_000)
  return Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024
}

/** Lets the service collect its garbage when it is asked to. */
const collecting = ["--expose-gc", "--import", 'data:text/javascript,process.on("SIGUSR2", () => gc())']

const measure = async (seconds: number, part: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-attack-"))
  const { child, address } = await startServer([
    ...collecting,
    command,
    "serve",
    "--port",
    "0",
    "--data",
    folder,
    "--quiet"
  ])
  const pid = child.pid ?? 0
  try {
    const target = { address, key: await createKey(folder, "honest"), audio: "" }
    const attacker = await createKey(folder, "attacker")
    const text = JSON.stringify({ provider: "provider_fast", text: "One long line of speech. ".repeat(100) })
    const { body } = await ask(target, "POST", "/v1/text-to-speech/fast-en-us", text)
    const task = /"task_id":"([^"]+)"/u.exec(body)?.[1] ?? ""
    let audio: string | undefined
    for (let tries = 0; tries < 200 && audio === undefined; tries++) {
      await sleep(100)
      audio = /"audio_url":"([^"]+)"/u.exec((await ask(target, "GET", `/v1/task/${task}`)).body)?.[1]
    }
    if (audio === undefined) throw new Error("the first task was not spoken")
    const row = (name: string, figures: Awaited<ReturnType<typeof honest>>, before: number, after: number) =>
      console.log(
        `${name.padEnd(52)} ${figures.p50} ${figures.p99} ${figures.most}  failed ${`${figures.failures}`.padStart(3)}  ` +
          `memory ${before.toFixed(0)} → ${after.toFixed(0)} MB`
      )
    console.log(`${"".padEnd(52)} ${["p50", "p99", "longest"].map((head) => head.padStart(8)).join(" ")}`)
    const first = await memoryOf(pid)
    row("no attack", await honest(target, task, seconds), first, await memoryOf(pid))
    for (const name of Object.keys(attacks).filter((name) => name.includes(part))) {
      const before = await memoryOf(pid)
      const attack = spawn(
        process.execPath,
        [process.argv[1] ?? "", "attacker", name, JSON.stringify({ address, key: attacker, audio })],
        { stdio: "inherit" }
      )
      await sleep(1_000)
      const figures = await honest(target, task, seconds)
      attack.kill("SIGKILL")
      await sleep(5_000)
      row(name, figures, before, await memoryOf(pid))
    }
  } finally {
    child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  }
}

const [mode = "", name = "", knowledge = ""] = process.argv.slice(2)
if (mode === "attacker") {
  const target: Target = JSON.parse(knowledge)
  attacks[name]?.(target)
} else {
  await measure(Number(mode === "" ? 10 : mode), name)
  process.exit(0)
}
