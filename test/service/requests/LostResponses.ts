/** Speaks a batch while a proxy in front of the service cuts off the response to every create. */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, request as send } from "node:http"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { writeScene } from "../../hostile/Command.ts"
import { ask, startService } from "../start.ts"

/** What happened to a batch. */
export interface LossyOutcome {
  readonly exit: number | null
  /** Responses to creates that were cut off. */
  readonly lost: number
  /** Requests that list tasks. */
  readonly history: number
  /** The account's tasks and credits. */
  readonly tasks: unknown
  readonly credits: unknown
  /** SHA-256 of the delivered WAV file. */
  readonly wav: string
}

/** A proxy that counts requests. With `cuts`, it ends the connection instead of the first response to each create. */
const startProxy = async (target: string, cuts: boolean) => {
  const cut = new Set<string>()
  const counts = { lost: 0, history: 0 }
  const server = createServer((request, response) => {
    const { method, url = "/", headers } = request
    if (method === "GET" && /^\/v1\/tasks(?:\?|$)/u.test(url)) counts.history++
    const forwarded = send(`${target}${url}`, { method, headers }, (answer) => {
      const key = String(headers["idempotency-key"])
      if (cuts && method === "POST" && answer.statusCode === 200 && !cut.has(key)) {
        // The task is made and charged, but its id is lost.
        cut.add(key)
        counts.lost++
        answer.resume()
        return void response.destroy()
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    forwarded.on("error", () => response.destroy())
    response.on("close", () => forwarded.destroy())
    request.pipe(forwarded)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    address: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    counts,
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** Runs the same batch with and without losses, each with an account of its own, and returns both outcomes. */
export const runLossy = async (
  lines: number
): Promise<{ readonly lossy: LossyOutcome; readonly calm: LossyOutcome }> => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-lossy-"))
  writeScene(folder, lines)
  const service = await startService({ providers: { provider_fast: { concurrency: 2 } } })
  const run = async (name: string, cuts: boolean): Promise<LossyOutcome> => {
    const proxy = await startProxy(service.address, cuts)
    const key = await service.newKey(10_000_000)
    try {
      const words = ["run", join(folder, "scene.srt"), "--base-url", proxy.address, "--quiet"]
      const voice = ["--provider", "provider_fast", "--voice", "fast-en-us"]
      const where = ["--state", join(folder, name), "--out", join(folder, `out-${name}`)]
      const child = spawn(process.execPath, [resolve("dist/dubwright.mjs"), ...words, ...voice, ...where], {
        env: { ...process.env, DUBWRIGHT_API_KEY: key },
        stdio: ["ignore", "ignore", "inherit"]
      })
      const [exit] = await once(child, "close")
      const read = async (path: string) => Object((await ask(service.address, key, "GET", path)).body)
      const wav = readFileSync(join(folder, `out-${name}`, "scene/scene.wav"))
      return {
        exit,
        ...proxy.counts,
        tasks: (await read("/v1/tasks?limit=1")).total,
        credits: await read("/v1/credits"),
        wav: createHash("sha256").update(wav).digest("hex")
      }
    } finally {
      proxy.stop()
    }
  }
  try {
    return { calm: await run("calm", false), lossy: await run("lossy", true) }
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
