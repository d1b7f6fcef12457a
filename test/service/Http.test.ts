/** The running service over HTTP, on points that the public interface leaves open and the contract specifies. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Schema } from "effect"
import { builtInProviders, knownProviders } from "../../src/domain/speech/ProviderProfile.ts"
import { Health } from "../../src/contract/Account.ts"
import { ProviderList, VoicePage } from "../../src/contract/ProviderCatalogue.ts"
import { TaskPage, Transcript } from "../../src/contract/Task.ts"
import { ask, create, ended, refusalOf, type Started, startService } from "./start.ts"

const english =
  "The quick brown fox jumps over the lazy dog. It was not amused, and neither was anybody who watched it."

let service: Started
beforeAll(async () => {
  service = await startService({ audio: { format: "wav" } })
})
afterAll(() => service.stop())

const get = (path: string, key: string | undefined = service.key) => ask(service.address, key, "GET", path)
const remove = (key: string, body: unknown) => ask(service.address, key, "DELETE", "/v1/task/delete", body)

describe("keys", () => {
  test("missing, unknown and revoked keys are rejected", async () => {
    expect(refusalOf(await ask(service.address, undefined, "GET", "/v1/credits"))).toEqual([
      401,
      "key_missing",
      "xi-api-key"
    ])
    expect(refusalOf(await get("/v1/credits", `nativeapikey_${"x".repeat(43)}`))).toEqual([
      401,
      "key_unknown",
      "xi-api-key"
    ])
  })

  test("another account's task is not found", async () => {
    const other = await service.newKey()
    const { task_id } = await create(service, service.key, "fast-en-us", {
      provider: "provider_fast",
      text: "Mine."
    })
    await ended(service, service.key, task_id)
    const stolen = await get(`/v1/task/${task_id}`, other)
    const unknown = await get(`/v1/task/${crypto.randomUUID()}`, other)
    expect(stolen.status).toBe(404)
    expect(stolen.body).toEqual(unknown.body)
    const deleted = await remove(other, { task_id })
    expect(deleted.status).toBe(404)
    expect(deleted.body).toEqual((await remove(other, { task_id: crypto.randomUUID() })).body)
    expect((await get("/v1/tasks", other)).body).toMatchObject({ tasks: [], total: 0 })
    expect((await get(`/v1/task/${task_id}`)).status).toBe(200)
  })
})

describe("tasks", () => {
  test("credits are reserved, then spent, exactly", async () => {
    const key = await service.newKey(1_000)
    const { task_id, credits } = await create(service, key, "aria", {
      provider: "provider_expressive",
      text: english
    })
    expect(credits).toBe(english.length * 2)
    await ended(service, key, task_id)
    expect((await get("/v1/credits", key)).body).toEqual({
      credits: 1_000 - credits,
      unlimited: false,
      used: credits,
      reserved: 0
    })
    const short = await ask(service.address, key, "POST", "/v1/text-to-speech/aria", {
      provider: "provider_expressive",
      text: english.repeat(5)
    })
    expect(refusalOf(short)).toEqual([402, "credits_short", undefined])
  })

  test("history pages list each task once, newest first", async () => {
    const key = await service.newKey()
    const made: Array<string> = []
    for (let index = 0; index < 7; index++) {
      const { task_id } = await create(service, key, "fast-en-us", {
        provider: "provider_fast",
        text: `${index}`,
        voice_name: `label ${index}`
      })
      made.unshift(task_id)
    }
    const decode = Schema.decodeUnknownSync(TaskPage)
    const pages = []
    for (const page of [1, 2, 3, 4])
      pages.push(decode((await get(`/v1/tasks?page=${page}&limit=3`, key)).body))
    expect(pages.flatMap(({ tasks }) => tasks.map((task) => task.task_id))).toEqual(made)
    expect(pages.map(({ has_more, total, limit }) => [has_more, total, limit])).toEqual([
      [true, 7, 3],
      [true, 7, 3],
      [false, 7, 3],
      [false, 7, 3]
    ])
    expect(pages[0]?.tasks[0]?.voice_name).toBe("label 6")
  })

  test("transcripts match the audio", async () => {
    const { task_id } = await create(service, service.key, "aria", {
      provider: "provider_expressive",
      text: english,
      with_transcript: true
    })
    const task = await ended(service, service.key, task_id)
    const json: unknown = await (await fetch(task.json_url ?? "")).json()
    const transcript = Schema.decodeUnknownSync(Transcript)(json)
    expect(transcript.words.map(({ text }) => text).join(" ")).toBe(english)
    expect(transcript.sentences.length).toBe(2)
    expect(transcript.duration).toBe(task.duration)
    const wav = new Uint8Array(await (await fetch(task.audio_url ?? "")).arrayBuffer())
    const view = new DataView(wav.buffer)
    const rate = view.getUint32(24, true)
    expect((wav.length - 44) / 2 / rate).toBeCloseTo(task.duration ?? 0, 3)
    // The pause between two sentences is almost silent.
    const [first, second] = transcript.sentences
    const at = Math.round((((first?.end ?? 0) + (second?.start ?? 0)) / 2) * rate)
    const samples = Array.from({ length: 200 }, (_, index) =>
      Math.abs(view.getInt16(44 + (at + index) * 2, true))
    )
    expect(Math.max(...samples)).toBeLessThan(1_000)
  })

  test("equal requests return equal bytes", async () => {
    const bytes = []
    for (let round = 0; round < 2; round++) {
      const { task_id } = await create(service, service.key, "vi-anna", {
        provider: "provider_native",
        text: "Ngày 5/6/2024, lúc 7h30, anh Nam mua 3 kg cam ở TP.HCM với giá 120.000đ; thật là rẻ quá so với tháng trước!"
      })
      const task = await ended(service, service.key, task_id)
      bytes.push(Buffer.from(await (await fetch(task.audio_url ?? "")).arrayBuffer()).toString("base64"))
    }
    expect(bytes[0]).toBe(bytes[1])
    expect(bytes[0]?.length).toBeGreaterThan(100_000)
  })

  test("speed scales the duration", async () => {
    const lengths = []
    for (const speed of [1, 2]) {
      const { task_id } = await create(service, service.key, "en-anna", {
        provider: "provider_native",
        text: english,
        speed
      })
      lengths.push((await ended(service, service.key, task_id)).duration ?? 0)
    }
    expect((lengths[0] ?? 0) / (lengths[1] ?? 1)).toBeGreaterThan(1.5)
  })

  test("a text with nothing to say fails with a reason and costs nothing", async () => {
    const key = await service.newKey(100)
    const { task_id } = await create(service, key, "fast-en-us", { provider: "provider_fast", text: "…" })
    const task = await ended(service, key, task_id)
    expect(task).toMatchObject({ status: "failed", error: { code: "nothing_to_say" } })
    expect((await get("/v1/credits", key)).body).toMatchObject({ credits: 100, used: 0, reserved: 0 })
  })

  test("deleting removes record and files, and is idempotent", async () => {
    const { task_id } = await create(service, service.key, "fast-en-us", {
      provider: "provider_fast",
      text: "Soon gone."
    })
    const { audio_url = "" } = await ended(service, service.key, task_id)
    expect((await fetch(audio_url)).status).toBe(200)
    expect((await remove(service.key, { task_id: task_id.toUpperCase() })).body).toEqual({
      task_id,
      deleted: true
    })
    expect((await remove(service.key, { task_id })).body).toEqual({ task_id, deleted: false })
    expect((await get(`/v1/task/${task_id}`)).status).toBe(404)
    expect((await fetch(audio_url)).status).toBe(404)
    expect(readdirSync(join(service.dataDir, "files"), { recursive: true }).join()).not.toContain(task_id)
  })
})

describe("files", () => {
  let audio = ""
  let whole = new Uint8Array()
  beforeAll(async () => {
    const { task_id } = await create(service, service.key, "fast-en-us", {
      provider: "provider_fast",
      text: "A file to take apart."
    })
    audio = (await ended(service, service.key, task_id)).audio_url ?? ""
    whole = new Uint8Array(await (await fetch(audio)).arrayBuffer())
  })

  test("are served whole without a key, with type, length and ETag", async () => {
    const answer = await fetch(audio, { method: "HEAD" })
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toBe("audio/wav")
    expect(answer.headers.get("content-length")).toBe(String(whole.length))
    expect(answer.headers.get("accept-ranges")).toBe("bytes")
    const same = await fetch(audio, { headers: { "if-none-match": answer.headers.get("etag") ?? "" } })
    expect(same.status).toBe(304)
  })

  test("are served in ranges", async () => {
    const range = async (header: string, more: Readonly<Record<string, string>> = {}) => {
      const answer = await fetch(audio, { headers: { range: header, ...more } })
      return {
        status: answer.status,
        range: answer.headers.get("content-range"),
        bytes: new Uint8Array(await answer.arrayBuffer())
      }
    }
    expect(await range("bytes=4-7")).toEqual({
      status: 206,
      range: `bytes 4-7/${whole.length}`,
      bytes: whole.slice(4, 8)
    })
    expect(await range("bytes=-3")).toEqual({
      status: 206,
      range: `bytes ${whole.length - 3}-${whole.length - 1}/${whole.length}`,
      bytes: whole.slice(-3)
    })
    expect(await range(`bytes=${whole.length}-`)).toMatchObject({
      status: 416,
      range: `bytes */${whole.length}`
    })
    expect(await range("bytes=0-1", { "if-range": '"another"' })).toMatchObject({ status: 200, bytes: whole })
  })

  test.each([
    ["another signature", (path: string) => path.replace(/-[^/]{32}\//u, `-${"A".repeat(32)}/`)],
    ["a later expiry", (path: string) => path.replace(/\/files\/[0-9a-z]+-/u, "/files/zzzzzzz-")],
    ["another name", (path: string) => path.replace(/\.wav$/u, ".srt")],
    ["an encoded path traversal", (path: string) => path.replace(/[^/]+$/u, "..%2f..%2fservice.sqlite")],
    ["a plain path traversal", (path: string) => `${path}/../../../secret`],
    ["a null byte", (path: string) => `${path}%00`],
    ["no token", () => "/files/x/service.sqlite"]
  ])("are not found under %s", async (_, changed) => {
    const { pathname } = new URL(audio)
    const answer = await get(changed(pathname))
    expect(answer.status).toBe(404)
    expect(refusalOf(answer)[1]).toMatch(/^(file|path)_unknown$/u)
  })
})

describe("the public pages", () => {
  test("describe every endpoint, and load nothing", async () => {
    const document = (await get("/openapi.json", undefined)).body
    expect(Object.keys(Object(document).paths)).toEqual(
      expect.arrayContaining([
        "/v1/health-check",
        "/v1/credits",
        "/v1/providers",
        "/v1/models",
        "/v1/voices",
        "/v1/text-to-speech/{voice_id}",
        "/v1/task/{task_id}",
        "/v1/tasks",
        "/v1/task/delete"
      ])
    )
    expect(JSON.stringify(document)).not.toContain("HttpApiDecodeError")
    const page = await (await fetch(`${service.address}/docs`)).text()
    expect(page).toContain("POST /v1/text-to-speech/{voice_id}")
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|src=/u)
  })

  test("include metrics in Prometheus format", async () => {
    const page = await (await fetch(`${service.address}/metrics`)).text()
    expect(page).toMatch(/^dubwright_tasks_total\{provider="provider_fast",status="done"\} [1-9]/mu)
    expect(page).toMatch(
      /^dubwright_requests_total\{method="GET",path="\/v1\/task\/:task_id",status="200"\} /mu
    )
    for (const line of page.trimEnd().split("\n")) {
      expect(line).toMatch(
        /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-0-9.e+]+)$/u
      )
    }
  })

  test("report the health of each engine and the disk", async () => {
    const health = Schema.decodeUnknownSync(Health)((await get("/v1/health-check")).body)
    expect(health).toMatchObject({ status: "ok", disk: { writable: true } })
    expect(health.providers.map(({ provider, ready }) => [provider, ready])).toEqual(
      knownProviders.map((provider) => [provider, true])
    )
  })
})

describe("the catalogue", () => {
  test("gives each provider its features", async () => {
    const { providers } = Schema.decodeUnknownSync(ProviderList)((await get("/v1/providers")).body)
    expect(
      providers.map(({ provider, features }) => [
        provider,
        features.transcript,
        features.srt_input,
        features.min_characters
      ])
    ).toEqual(
      Object.entries(builtInProviders).map(
        ([id, { transcript = "none", srtInput = false, minChars = 0 }]) => [
          id,
          transcript,
          srtInput,
          minChars
        ]
      )
    )
  })

  test("lists every voice once across all pages", async () => {
    const decode = Schema.decodeUnknownSync(VoicePage)
    const ids: Array<string> = []
    for (let page = 1; ; page++) {
      const { voices, has_more } = decode((await get(`/v1/voices?limit=100&page=${page}`)).body)
      ids.push(...voices.map(({ voice_id }) => voice_id))
      if (!has_more) break
    }
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThan(150)
  })

  test("rejects unknown providers and invalid pages", async () => {
    expect(refusalOf(await get("/v1/models?provider=x"))).toEqual([422, "provider_unknown", "provider"])
    expect(refusalOf(await get("/v1/voices?limit=101"))).toEqual([400, "parameter_invalid", "limit"])
    for (const field of ["limit", "search", "provider"]) {
      const twice = await get(`/v1/voices?${field}=1&${field}=2`)
      expect(refusalOf(twice)).toEqual([400, "parameter_invalid", field])
      expect(twice.body).toMatchObject({ message: `${field}: must be given only once` })
    }
    expect(refusalOf(await get("/v1/tasks?page=0"))).toEqual([400, "parameter_invalid", "page"])
    for (const number of [
      "x",
      "",
      "0x10",
      "1e1",
      "1.0",
      "+1",
      "-1",
      "%201",
      "1_0",
      "0b1",
      "1?x",
      "%D9%A3",
      "9".repeat(400)
    ]) {
      const answer = await get(`/v1/tasks?page=${number}`)
      expect([number, ...refusalOf(answer)]).toEqual([number, 400, "parameter_invalid", "page"])
      expect(answer.body).toMatchObject({ message: "page: expected a whole number from 1 to 1000000" })
    }
  })

  test("reads a query in one way, however it is spelled", async () => {
    const pages = await Promise.all(
      ["limit=1&page=2", "limit=%31&page=%32", "page=2&limit=1&x=?&y", "&page=2&&limit=1"].map(
        async (query) => (await get(`/v1/voices?${query}`)).body
      )
    )
    expect(pages[0]).toMatchObject({ page: 2, limit: 1 })
    expect(new Set(pages.map((page) => JSON.stringify(page))).size).toBe(1)
    for (const mark of ["?", "%3F", "#"]) {
      const { body } = await get(`/v1/voices?search=anna${mark}`)
      expect([mark, body]).toMatchObject([mark, { total: mark === "#" ? expect.any(Number) : 0 }])
    }
  })
})
