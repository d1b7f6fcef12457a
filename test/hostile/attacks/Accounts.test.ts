/** Attacks on accounts: overspending in parallel, deletes that race with speech, forged URLs of files, keys in URLs. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { ask, create, ended, type Started, startService } from "../../service/start.ts"

const lines: Array<string> = []
let service: Started
beforeAll(async () => {
  service = await startService({ audio: { format: "wav" } }, undefined, (line) => lines.push(line))
})
afterAll(() => service.stop())

const body = { provider: "provider_fast", text: "Words." }
const post = (key: string) => ask(service.address, key, "POST", "/v1/text-to-speech/fast-en-us", body)

test("500 parallel creates spend a small balance to the unit, and never more", async () => {
  const key = await service.newKey(31)
  const answers = await Promise.all(Array.from({ length: 500 }, () => post(key)))
  const taken = answers.filter(({ status }) => status === 200)
  // Each costs 3 credits.
  expect(taken).toHaveLength(10)
  expect(answers.filter(({ status }) => status === 402)).toHaveLength(490)
  const page = await ask(service.address, key, "GET", "/v1/tasks?limit=100")
  expect(page.body).toMatchObject({ total: 10 })
  for (const { body } of taken) {
    const id = JSON.stringify(body).match(/[0-9a-f-]{36}/u)?.[0] ?? ""
    expect((await ended(service, key, id)).status).toBe("done")
  }
  expect((await ask(service.address, key, "GET", "/v1/credits")).body).toMatchObject({
    credits: 1,
    used: 30,
    reserved: 0
  })
})

test("deletes that race with reads and speech cost what was spoken, and nothing else", async () => {
  const key = await service.newKey(10_000)
  const tasks = await Promise.all(Array.from({ length: 25 }, () => create(service, key, "fast-en-us", body)))
  const answers = await Promise.all(
    tasks.flatMap(({ task_id }) => [
      ask(service.address, key, "DELETE", "/v1/task/delete", { task_id }),
      ask(service.address, key, "GET", `/v1/task/${task_id}`),
      ask(service.address, key, "DELETE", "/v1/task/delete", { task_id })
    ])
  )
  expect(answers.filter(({ status }) => ![200, 404, 409].includes(status))).toEqual([])
  let left = 0
  for (const { task_id } of tasks) {
    const { status } = await ask(service.address, key, "GET", `/v1/task/${task_id}`)
    if (status === 404) continue
    left++
    expect((await ended(service, key, task_id)).status).toBe("done")
  }
  const { body: credits } = await ask(service.address, key, "GET", "/v1/credits")
  expect(credits).toMatchObject({ reserved: 0 })
  const used = Number(/"used":(\d+)/u.exec(JSON.stringify(credits))?.[1])
  // Deleted while they were queued: free. Spoken first: paid for.
  expect(used % 3).toBe(0)
  expect(used).toBeGreaterThanOrEqual(3 * left)
  expect(used).toBeLessThanOrEqual(75)
  expect((await ask(service.address, key, "GET", "/v1/tasks")).body).toMatchObject({ total: left })
})

test("file URLs cannot be guessed, changed, or used for other files", async () => {
  const [key, other] = [service.key, await service.newKey()]
  const [mine, theirs] = await Promise.all(
    [key, other].map(async (each) =>
      ended(service, each, (await create(service, each, "fast-en-us", body)).task_id)
    )
  )
  const url = new URL(mine?.audio_url ?? "")
  const [, , token = "", name = ""] = url.pathname.split("/")
  const theirName = new URL(theirs?.audio_url ?? "").pathname.split("/")[3] ?? ""
  const theirToken = new URL(theirs?.audio_url ?? "").pathname.split("/")[2] ?? ""
  // At least 128 bits beside the time of expiry.
  expect(token.length).toBeGreaterThanOrEqual(32)
  const attempts = [
    ...Array.from({ length: token.length }, (_, at) => {
      const changed = token[at] === "0" ? "1" : "0"
      return `/files/${token.slice(0, at)}${changed}${token.slice(at + 1)}/${name}`
    }),
    ...Array.from({ length: token.length }, (_, length) => `/files/${token.slice(0, length)}/${name}`),
    `/files/${token}/${theirName}`,
    `/files/${theirToken}/${name}`,
    `/files/${token}/${name.replace(".wav", ".json")}`,
    ...[
      "../../secret",
      "../secret",
      "..%2f..%2fsecret",
      "%2e%2e%2fservice.sqlite",
      "..%5csecret",
      "%00",
      `${name}%00.mp3`
    ].map((trick) => `/files/${token}/${trick}`),
    "/files/../secret",
    "/files/%2e%2e/secret"
  ]
  const found: Array<string> = []
  for (const path of attempts) {
    const response = await fetch(`${service.address}${path}`)
    await response.arrayBuffer()
    if (response.status !== 404) found.push(`${response.status} ${path}`)
  }
  expect(found).toEqual([])
  expect((await fetch(url)).status).toBe(200)
  expect((await ask(service.address, other, "GET", `/v1/task/${mine?.task_id ?? ""}`)).status).toBe(404)
})

test("keys are in no log and no file of the service, also if a client puts them into a URL", async () => {
  const { address, dataDir, key } = service
  const guess = "sk-a-guessed-key-0123456789"
  for (const name of ["xi-api-key", "api_key", "key"])
    expect((await ask(address, undefined, "GET", `/v1/credits?${name}=${key}`)).body).toMatchObject({
      code: "key_missing"
    })
  expect((await fetch(`${address}/${key}`, { headers: { referer: `${address}/?${key}` } })).status).toBe(404)
  expect((await ask(address, guess, "GET", "/v1/credits")).status).toBe(401)
  const metrics = await (await fetch(`${address}/metrics`)).text()
  const files = readdirSync(dataDir, { recursive: true, encoding: "utf8" })
    .map((file) => join(dataDir, file))
    .filter((file) => statSync(file).isFile())
  expect(lines.some((line) => line.includes("/v1/credits"))).toBe(true)
  const places = [lines.join("\n"), metrics, ...files.map((file) => readFileSync(file, "latin1"))]
  for (const secret of [key, guess]) expect(places.filter((text) => text.includes(secret))).toEqual([])
})

test("file URLs expire, while their file is kept", async () => {
  const { task_id } = await create(service, service.key, "fast-en-us", body)
  const { audio_url = "" } = await ended(service, service.key, task_id)
  const get = async (url: string): Promise<number> => {
    const response = await fetch(url)
    await response.arrayBuffer()
    return response.status
  }
  expect(await get(audio_url)).toBe(200)
  // A URL is valid for a day, and at most a tenth longer.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 27 * 3_600_000 })
  try {
    expect(await get(audio_url)).toBe(404)
    const again = await ended(service, service.key, task_id)
    expect(await get(again.audio_url ?? "")).toBe(200)
  } finally {
    vi.useRealTimers()
  }
})

test("a request for many overlapping ranges gets the file once", async () => {
  const { task_id } = await create(service, service.key, "fast-en-us", body)
  const { audio_url = "" } = await ended(service, service.key, task_id)
  const whole = (await (await fetch(audio_url)).arrayBuffer()).byteLength
  for (const ranges of [Array.from({ length: 1_000 }, () => "0-"), ["0-1", "1-2"], ["0-", "-1"]]) {
    const response = await fetch(audio_url, { headers: { range: `bytes=${ranges.join(",")}` } })
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, whole])
  }
})
