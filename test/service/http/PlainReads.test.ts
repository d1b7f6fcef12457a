/** Reads that are answered without the router have the router's responses, whole and byte for byte. */
import { Effect, Redacted } from "effect"
import { beforeAll, afterAll, describe, expect, test, vi } from "vitest"
import * as Keys from "../../../src/service/accounts/KeyManagement.ts"
import { SettledResponse } from "../../../src/service/http/SettledResponse.ts"
import { send } from "../raw.ts"
import { create, ended, type Started, startService } from "../start.ts"

/** A plain read ends a response with its body. The router adds a function to call, or sends the body before. */
const ends = vi.spyOn(SettledResponse.prototype, "end")

let service: Started
let done: string
let waiting: string
const keys = new Map<string, string>()
const newKey = (options: Omit<Keys.KeyOptions, "name">) =>
  Effect.runPromise(Effect.map(Keys.createKey(service.dataDir, { name: "test", ...options }), Redacted.value))

beforeAll(async () => {
  service = await startService({ audio: { format: "wav" } })
  keys.set("unlimited", service.key)
  const { account } = (await Effect.runPromise(Keys.listKeys(service.dataDir))).at(-1) ?? { account: 0 }
  const day = 86_400_000
  keys.set(
    "limited",
    await newKey({
      account,
      requestsPerSecond: 100_000,
      creditsPerDay: 500,
      expiresAt: new Date(Date.now() + day)
    })
  )
  const fast = { provider: "provider_fast", text: "Words." }
  done = (await create(service, service.key, "fast-en-us", { ...fast, voice_name: "Tom" })).task_id
  waiting = (await create(service, service.key, "fast-en-us", { ...fast, text: "…" })).task_id
  for (const task of [done, waiting]) await ended(service, service.key, task)
})
afterAll(async () => {
  ends.mockRestore()
  await service.stop()
})

const read = async (target: string, key: string | undefined, more = "") => {
  ends.mockClear()
  const head = `${target.startsWith("/") ? `GET ${target}` : target} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n`
  const answer = await send(service.address, [
    `${head}${key === undefined ? "" : `xi-api-key: ${key}\r\n`}${more}\r\n`
  ])
  const headers = [...(answer?.headers ?? [])].map(([name, value]) => [
    name,
    // They change with the time and the number of requests.
    name === "date" ? "" : name === "ratelimit" ? value.replaceAll(/\d+/gu, "0") : value
  ])
  return {
    answer: { ...answer, headers },
    isRouted: !ends.mock.calls.some(
      (words) => words.length === 1 && (typeof words[0] === "string" || Buffer.isBuffer(words[0]))
    )
  }
}

/** A preference that the service does not know: the router answers, as without it. */
const byRouter = "Prefer: respond-async\r\n"

describe.each(["unlimited", "limited"])("with key %s", (name) => {
  test.each([
    "/v1/task/DONE",
    "/v1/task/FAILED",
    "/v1/tasks",
    "/v1/tasks?limit=1",
    "/v1/tasks?page=2&limit=1",
    "/v1/tasks?page=9&search=x",
    "/v1/credits",
    "/v1/providers",
    "/v1/health-check",
    "/v1/models",
    "/v1/models?provider=provider_fast",
    "/v1/voices?search=vi&limit=2",
    "/v1/voices?provider=provider_fast&page=2"
  ])("GET %s", async (path) => {
    const url = path.replace("DONE", done.toUpperCase()).replace("FAILED", waiting)
    // The router makes checks of engines and the disk that are due.
    const plain = await vi.waitFor(
      async () => {
        const found = await read(url, keys.get(name))
        expect(found.isRouted).toBe(false)
        return found
      },
      { timeout: 60_000 }
    )
    const other = await read(url, keys.get(name), byRouter)
    expect([other.isRouted, plain.answer.status]).toEqual([true, 200])
    expect(plain.answer).toEqual(other.answer)
  })
})

test("GET a file", async () => {
  const url = await urlOf(done)
  const plain = await read(url, undefined)
  const other = await read(url, undefined, "Range: lines=1-2\r\n")
  expect([plain.isRouted, other.isRouted, plain.answer.status]).toEqual([false, true, 200])
  expect(plain.answer).toEqual(other.answer)
})

test("leaves other requests of files to the router", async () => {
  const long = "Many words, ".repeat(40)
  const { task_id: longer } = await create(service, service.key, "fast-en-us", {
    provider: "provider_fast",
    text: long
  })
  await ended(service, service.key, longer)
  const url = await urlOf(done)
  const gone = (await urlOf(longer)).replace("wav", "srt")
  const found = []
  for (const [target, more] of [
    [await urlOf(longer)],
    [`HEAD ${url}`],
    [url, "If-None-Match: *\r\n"],
    [url, "Range: bytes=0-9\r\n"],
    [url.replace(/.(?=\/[^/]*$)/u, (end) => (end === "A" ? "B" : "A"))],
    [gone]
  ] as const) {
    const { answer, isRouted } = await read(target, undefined, more)
    found.push([answer.status, isRouted])
  }
  expect(found).toEqual([200, 200, 304, 206, 404, 404].map((status) => [status, true]))
})

const urlOf = async (task: string): Promise<string> => {
  const { audio_url: url = "" } = await ended(service, service.key, task)
  return new URL(url).pathname
}

test.each([
  ["/v1/tasks?limit=0", 400],
  ["/v1/tasks?limit=1&limit=2", 400],
  ["/v1/tasks?limit=%31", 200],
  ["/v1/voices?search=a+b", 200],
  ["/v1/models?provider=none", 422],
  ["/v1/tasks/", 200],
  ["/v1/task/00000000-0000-4000-8000-000000000000", 404],
  ["HEAD /v1/credits", 200],
  ["POST /v1/credits", 405],
  ["/v1/webhooks/secret", 200]
])("leaves %s to the router", async (target, status) => {
  const { answer, isRouted } = await read(target, service.key)
  expect([answer.status, isRouted]).toEqual([status, true])
})

test("leaves other keys to the router", async () => {
  const weak = "an_imported_key"
  await Effect.runPromise(Keys.importKey(service.dataDir, Redacted.make(weak), { name: "weak" }))
  const rejected = [await newKey({ scopes: ["create"] }), await newKey({ credits: 1 })]
  const revoked = (await Effect.runPromise(Keys.listKeys(service.dataDir))).at(-1)
  await Effect.runPromise(Keys.revokeKey(service.dataDir, String(revoked?.id)))
  const found = []
  for (const key of [undefined, "", "wrong", weak, ...rejected]) {
    const { answer, isRouted } = await read("/v1/credits", key)
    found.push([answer.status, isRouted])
  }
  expect(found).toEqual([401, 401, 401, 200, 403, 401].map((status) => [status, true]))
})

test("a read that is over the limit is counted once, and rejected by the router", async () => {
  const key = await newKey({ requestsPerSecond: 0.1 })
  const first = await read("/v1/credits", key)
  const second = await read("/v1/credits", key)
  expect([first.answer.status, first.isRouted]).toEqual([200, false])
  expect([second.answer.status, second.isRouted]).toEqual([429, true])
  expect(second.answer.headers).toContainEqual(["ratelimit", '"key";r=0;t=0'])
})

test("counts its responses", async () => {
  const before = await counted()
  await read("/v1/credits", service.key)
  await read("/v1/credits", service.key, byRouter)
  expect(await counted()).toBe(before + 2)
})

const counted = async (): Promise<number> => {
  const page = await (await fetch(`${service.address}/metrics`)).text()
  return Number(/method="GET",path="\/v1\/credits",status="200"\} (\d+)/u.exec(page)?.[1] ?? 0)
}
