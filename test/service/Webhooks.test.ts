/** Webhooks of tasks: signed, tried again, kept over a restart, and never sent into a private network. */
import { createHmac } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import { createServer as createTcpServer, type Socket } from "node:net"
import { Schema } from "effect"
import Sqlite from "better-sqlite3"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { Task } from "../../src/contract/Task.ts"
import { ask, create, ended, refusalOf, type Started, startService } from "./start.ts"

const closing: Array<() => unknown> = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface Received {
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** A server that collects webhooks. It answers with the given statuses in turn, the last one from then on. */
const receiver = async (...statuses: ReadonlyArray<number>) => {
  const received: Array<Received> = []
  const waiting: Array<() => void> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece))
    request.on("end", () => {
      received.push({ headers: request.headers, body })
      const status = statuses[Math.min(received.length, statuses.length) - 1] ?? 200
      response.writeHead(status, { location: "http://127.0.0.1:1/" }).end()
      for (const resume of waiting.splice(0)) resume()
    })
  })
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume))
  closing.push(() => server.close())
  const bound = server.address()
  const port = typeof bound === "object" && bound !== null ? bound.port : 0
  const count = async (least: number) => {
    while (received.length < least) await new Promise<void>((resume) => waiting.push(resume))
  }
  return { url: `http://127.0.0.1:${port}/hook?token=1`, received, count }
}

const start = async (config: Parameters<typeof startService>[0] = {}, dataDir?: string): Promise<Started> => {
  const service = await startService({ webhooks: { privateAddresses: true }, ...config }, dataDir)
  closing.push(service.stop)
  return service
}

const body = { provider: "provider_fast", text: "Words." }
const secretIn = Schema.decodeUnknownSync(Schema.Struct({ secret: Schema.String }))
const eventIn = Schema.decodeUnknownSync(
  Schema.parseJson(Schema.Struct({ type: Schema.String, timestamp: Schema.String, data: Task }))
)

/** The check that docs/service.md describes. */
const isGenuine = ({ headers, body }: Received, secret: string): boolean => {
  const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  return headers["webhook-signature"] === `v1,${createHmac("sha256", key).update(signed).digest("base64")}`
}

test("a task is posted when it has ended, with a signature over id, time and body", async () => {
  const [service, hook] = [await start(), await receiver(200)]
  const { secret } = secretIn((await ask(service.address, service.key, "GET", "/v1/webhooks/secret")).body)
  const { task_id } = await create(service, service.key, "fast-en-us", { ...body, webhook_url: hook.url })
  await hook.count(1)
  const [received] = hook.received
  if (received === undefined) throw new Error("nothing received")
  expect(isGenuine(received, secret)).toBe(true)
  expect(isGenuine({ ...received, body: received.body.replace("done", "lost") }, secret)).toBe(false)
  expect(isGenuine({ ...received, headers: { ...received.headers, "webhook-timestamp": "1" } }, secret)).toBe(
    false
  )
  const { type, data } = eventIn(received.body)
  expect([type, data.task_id, data.status]).toEqual(["task.done", task_id, "done"])
  expect((await fetch(data.audio_url ?? "")).status).toBe(200)
  expect(JSON.stringify(received)).not.toContain(service.key)
  const failing = await create(service, service.key, "fast-en-us", {
    ...body,
    text: "…",
    webhook_url: hook.url
  })
  await hook.count(2)
  expect(eventIn(hook.received[1]?.body)).toMatchObject({
    type: "task.failed",
    data: { task_id: failing.task_id, error: { code: "nothing_to_say" } }
  })
  // Another account has another secret.
  const other = await ask(service.address, await service.newKey(), "GET", "/v1/webhooks/secret")
  expect(secretIn(other.body).secret).not.toBe(secret)
})

test("a webhook that fails is tried again, also after a restart, until it succeeds once", async () => {
  const hook = await receiver(500, 302, 200)
  const first = await start()
  const { task_id } = await create(first, first.key, "fast-en-us", { ...body, webhook_url: hook.url })
  await hook.count(1)
  const database = new Sqlite(join(first.dataDir, "service.sqlite"))
  closing.push(() => database.close())
  const pending = () => database.prepare("SELECT attempts FROM webhooks WHERE task_id = ?").all(task_id)
  while (JSON.stringify(pending()) === '[{"attempts":0}]')
    await new Promise((resume) => setTimeout(resume, 20))
  await first.close()
  expect(pending()).toEqual([{ attempts: 1 }])
  // Ends the webhook's pause.
  database.prepare("UPDATE webhooks SET due_at = 0").run()
  await start({}, first.dataDir)
  await hook.count(2)
  while (JSON.stringify(pending()) === '[{"attempts":1}]')
    await new Promise((resume) => setTimeout(resume, 20))
  database.prepare("UPDATE webhooks SET due_at = 0").run()
  await hook.count(3)
  while (pending().length > 0) await new Promise((resume) => setTimeout(resume, 20))
  expect(new Set(hook.received.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([task_id]))
})

test("private addresses are refused, and a task without them costs nothing", async () => {
  const service = await start({ webhooks: {} })
  const key = await service.newKey(100)
  for (const url of [
    "http://127.0.0.1:9/",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://169.254.169.254/latest/meta-data",
    "http://2130706433/",
    "http://localhost/",
    "http://user:pw@192.0.2.1/",
    "file:///etc/passwd",
    "no URL"
  ]) {
    const answer = await ask(service.address, key, "POST", "/v1/text-to-speech/fast-en-us", {
      ...body,
      webhook_url: url
    })
    expect(refusalOf(answer), url).toEqual([422, "webhook_refused", "webhook_url"])
  }
  expect((await ask(service.address, key, "GET", "/v1/credits")).body).toMatchObject({
    credits: 100,
    reserved: 0
  })
})

test("a host that does not answer delays neither other accounts nor other hosts, and is not asked for each task", async () => {
  const service = await start()
  const held: Array<Socket> = []
  const silent = createTcpServer((socket) => held.push(socket.on("error", () => undefined)))
  await new Promise<void>((resume) => silent.listen(0, "127.0.0.1", resume))
  closing.push(() => silent.close())
  const bound = silent.address()
  const port = typeof bound === "object" && bound !== null ? bound.port : 0
  const database = new Sqlite(join(service.dataDir, "service.sqlite"))
  closing.push(() => database.close())
  const rows = (where: string) =>
    database.prepare(`SELECT attempts, due_at FROM webhooks WHERE due_at IS NOT NULL AND ${where}`).all()
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((resume) => setTimeout(resume, 20))
  }
  const failing = { ...body, text: "…", webhook_url: `http://127.0.0.1:${port}/` }
  for (let count = 0; count < 12; count++) await create(service, service.key, "fast-en-us", failing)
  await until(() => rows("attempts = 0").length === 12 && held.length >= 8)
  const hook = await receiver(200)
  for (const key of [service.key, await service.newKey()])
    await create(service, key, "fast-en-us", { ...body, webhook_url: hook.url })
  await hook.count(2)
  expect(held).toHaveLength(8)
  for (const socket of held) socket.destroy()
  await until(() => rows("attempts = 1").length >= 8)
  // The others wait as long as the host's failed ones.
  expect([rows("attempts = 1").length, rows("attempts = 0 AND due_at > 0").length]).toEqual([8, 4])
})

test("a create that fails counts as several requests", async () => {
  const service = await start({ limits: { requestsPerSecond: 0.1 } })
  const hook = await receiver(200)
  await create(service, service.key, "fast-en-us", { ...body, text: "…", webhook_url: hook.url })
  await hook.count(1)
  const { headers } = await ask(service.address, service.key, "GET", "/v1/credits")
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(10)
})

test("a host's name is looked up when its webhook is sent, not by the create", async () => {
  const log: Array<string> = []
  const service = await startService({}, undefined, (line) => log.push(line))
  closing.push(service.stop)
  await create(service, service.key, "fast-en-us", { ...body, webhook_url: "http://nobody.invalid/" })
  while (!log.some((line) => line.includes("nobody.invalid does not resolve")))
    await new Promise((resume) => setTimeout(resume, 20))
})

test("a webhook that the settings no longer allow is not sent", async () => {
  const hook = await receiver(500, 200)
  const first = await start()
  const { task_id } = await create(first, first.key, "fast-en-us", { ...body, webhook_url: hook.url })
  await ended(first, first.key, task_id)
  await hook.count(1)
  await first.close()
  const database = new Sqlite(join(first.dataDir, "service.sqlite"))
  closing.push(() => database.close())
  database.prepare("UPDATE webhooks SET due_at = 0, attempts = 7").run()
  await start({ webhooks: {} }, first.dataDir)
  while (database.prepare("SELECT 1 FROM webhooks").all().length > 0)
    await new Promise((resume) => setTimeout(resume, 20))
  expect(hook.received).toHaveLength(1)
})
