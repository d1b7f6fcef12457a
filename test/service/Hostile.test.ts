/** Malformed and hostile requests: each gets a documented refusal, and the service keeps running. */
import { once } from "node:events"
import { existsSync, readdirSync, readlinkSync } from "node:fs"
import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Schema } from "effect"
import { ErrorResponse } from "../../src/service/http/ErrorResponse.ts"
import { send } from "./raw.ts"
import { ask, create as createTask, ended, type Started, startService } from "./start.ts"

let service: Started
beforeAll(async () => {
  service = await startService({
    audio: { format: "wav" },
    limits: { bodyBytes: 100_000, requestTimeout: 1, queue: 5 }
  })
})
afterAll(async () => {
  // The service still works, whatever was sent.
  expect((await ask(service.address, service.key, "GET", "/v1/health-check")).status).toBe(200)
  await service.stop()
})

const decode = Schema.decodeUnknownSync(Schema.parseJson(ErrorResponse))

const refusal = async (...pieces: ReadonlyArray<string | Uint8Array>) => {
  const answer = await send(service.address, pieces)
  if (answer === undefined) throw new Error("the connection was closed without an answer")
  const { code, field } = decode(answer.body)
  return [answer.status, code, field]
}

/** A create request with a verbatim body; the given headers replace the default ones. */
const create = (
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {}
): ReadonlyArray<string | Uint8Array> => {
  const all = {
    host: "localhost",
    "xi-api-key": service.key,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...headers
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return [`POST /v1/text-to-speech/vi-anna HTTP/1.1\r\n${lines.join("")}\r\n`, body]
}

const json = (value: unknown): string => JSON.stringify(value)
const get = (path: string, ...headers: ReadonlyArray<string>) =>
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`

describe("bodies", () => {
  test.each([
    ["nothing", "", [400, "body_unreadable", "body"]],
    ["invalid JSON", "{text", [400, "body_unreadable", "body"]],
    ["bad UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d), [400, "body_unreadable", "body"]],
    ["UTF-16", Buffer.from('{"text":"a"}', "utf16le"), [400, "body_unreadable", "body"]],
    ["null", "null", [400, "field_invalid", undefined]],
    ["a list", "[]", [400, "field_invalid", undefined]],
    ["an empty object", "{}", [400, "field_invalid", "text"]],
    [
      "a text of the wrong type",
      json({ text: 5, provider: "provider_native" }),
      [400, "field_invalid", "text"]
    ],
    [
      "a speed of the wrong type",
      json({ text: "a", provider: "p", speed: "fast" }),
      [400, "field_invalid", "speed"]
    ],
    [
      "a label that is too long",
      json({ text: "a", provider: "p", voice_name: "a".repeat(201) }),
      [400, "field_invalid", "voice_name"]
    ],
    [
      "a null byte",
      json({ text: `a\u0000${"b".repeat(100)}`, provider: "provider_native" }),
      [400, "field_invalid", "text"]
    ],
    [
      "a lone surrogate",
      `{"text":"\\ud800${"b".repeat(100)}","provider":"provider_native"}`,
      [400, "field_invalid", "text"]
    ],
    ["deeply nested lists", "[".repeat(50_000), [400, "body_unreadable", "body"]],
    ["valid deep nesting", `${"[".repeat(40_000)}${"]".repeat(40_000)}`, [400, "body_unreadable", "body"]],
    ["101 levels", `${"[".repeat(101)}${"]".repeat(101)}`, [400, "body_unreadable", "body"]],
    ["100 levels", `${"[".repeat(100)}${"]".repeat(100)}`, [400, "field_invalid", undefined]],
    [
      "brackets in strings",
      json({ text: 5, provider: `\\"${"[{".repeat(200)}` }),
      [400, "field_invalid", "text"]
    ],
    [
      "a prototype",
      '{"__proto__":{"text":"a","provider":"provider_native"}}',
      [400, "field_invalid", "text"]
    ],
    [
      "more than the limit",
      json({ text: "a".repeat(100_001), provider: "provider_native" }),
      [413, "body_too_large", "body"]
    ],
    [
      "an infinite number",
      '{"text":"a","provider":"provider_native","speed":1e999}',
      [422, "control_out_of_range", "speed"]
    ]
  ])("of %s", async (_, body, expected) => {
    expect(await refusal(...create(body))).toEqual(expected)
  })

  test("that are compressed or of another type are rejected", async () => {
    const body = json({ text: "a", provider: "provider_native" })
    // The second one is valid JSON, so only its header can be the reason.
    for (const sent of [gzipSync(body), body]) {
      expect(await refusal(...create(sent, { "content-encoding": "gzip" }))).toEqual([
        400,
        "body_unreadable",
        "body"
      ])
    }
    for (const type of [
      "text/plain",
      "multipart/form-data; boundary=x",
      "application/x-www-form-urlencoded",
      ""
    ]) {
      expect(await refusal(...create(body, { "content-type": type }))).toEqual([
        400,
        "body_unreadable",
        "body"
      ])
    }
  })

  test("with a huge Content-Length are rejected before they arrive", async () => {
    expect(await refusal(create("", { "content-length": "99999999999" })[0] ?? "")).toEqual([
      413,
      "body_too_large",
      "body"
    ])
  })

  test("without end are rejected at the limit", async () => {
    const [head = ""] = create("", { "content-length": "0" })
    const chunked = String(head).replace("content-length: 0", "transfer-encoding: chunked")
    const chunk = `2000\r\n${"a".repeat(0x2000)}\r\n`
    expect(await refusal(chunked, ...Array.from({ length: 60 }, () => chunk))).toEqual([
      413,
      "body_too_large",
      "body"
    ])
  })

  test("that never arrive time out", async () => {
    const [head = ""] = create("", { "content-length": "500" })
    expect(await refusal(head, '{"text"')).toEqual([408, "request_invalid", undefined])
  })
})

describe("heads", () => {
  test.each([
    ["invalid HTTP", "hello\r\n\r\n", [400, "request_invalid", undefined]],
    ["a bare line break", "GET / HTTP/1.1\nhost: x\n\n", [400, "request_invalid", undefined]],
    [
      "headers that are too long",
      get("/v1/tasks", `x-long: ${"a".repeat(20_000)}`),
      [431, "request_invalid", undefined]
    ],
    [
      "two lengths",
      get("/v1/tasks", "content-length: 1", "content-length: 2"),
      [400, "request_invalid", undefined]
    ],
    [
      "a length and chunks",
      get("/v1/tasks", "content-length: 1", "transfer-encoding: chunked"),
      [400, "request_invalid", undefined]
    ],
    [
      "a header with a control character",
      get("/v1/tasks", "x: a\u0001b"),
      [400, "request_invalid", undefined]
    ],
    ["a key with a line break", get("/v1/tasks", "xi-api-key: a\r\n b"), [400, "request_invalid", undefined]],
    ["an invalid key", get("/v1/tasks", "xi-api-key: ' OR 1=1 --"), [401, "key_unknown", "xi-api-key"]],
    ["two keys", get("/v1/tasks", "xi-api-key: a", "xi-api-key: b"), [401, "key_unknown", "xi-api-key"]],
    [
      "an upgrade",
      get("/v1/tasks", "connection: upgrade", "upgrade: websocket"),
      [401, "key_missing", "xi-api-key"]
    ]
  ])("with %s", async (_, head, expected) => {
    expect(await refusal(head)).toEqual(expected)
  })

  test("that never end time out", async () => {
    expect(await refusal("GET /v1/tasks HTTP/1.1\r\nhost: localhost\r\n")).toEqual([
      408,
      "request_invalid",
      undefined
    ])
  })

  test("with a malicious Host do not leak it into URLs", async () => {
    const answer = await send(service.address, [
      `GET /v1/tasks HTTP/1.1\r\nhost: evil"><script>\r\nxi-api-key: ${service.key}\r\n\r\n`
    ])
    expect(answer?.body ?? "").not.toContain("evil")
  })
})

describe("paths", () => {
  test.each([
    ["/", 404],
    ["//", 404],
    ["/v1", 404],
    ["/V1/credits", 404],
    ["/v1/credits/", 401],
    ["/v2/credits", 404],
    ["/v1/../v1/credits", 404],
    ["/v1/%63redits", 401],
    ["/v1/task/%00", 401],
    ["/v1/task/%zz", 404],
    ["/v1/task/..%2f..%2fsecret", 401],
    ["/v1/task/%ff", 404],
    ["/v1/tasks?page=%zz", 401],
    ["/files/../secret", 404],
    ["/files/%2e%2e/secret", 404],
    ["/files/a/b/c", 404],
    ["/docs/../secret", 404],
    ["http://elsewhere/v1/credits", 401],
    ["*", 404],
    [`/${"a".repeat(10_000)}`, 404]
  ])("%s", async (path, status) => {
    const answer = await send(service.address, [get(path)])
    expect([answer?.status, decode(answer?.body)._tag]).toEqual([
      status,
      status === 404 ? "NotFound" : "Unauthorized"
    ])
  })

  test.each([
    ["%00", 404],
    ["%zz", 404],
    ["..%2f..%2fservice.sqlite", 404],
    ["%ff%fe", 404],
    ["not-a-uuid", 404],
    ["a".repeat(5_000), 404],
    ["'%20OR%201=1", 404]
  ])("task id %s is unknown", async (id, status) => {
    const answer = await send(service.address, [get(`/v1/task/${id}`, `xi-api-key: ${service.key}`)])
    expect([answer?.status, decode(answer?.body)._tag]).toEqual([status, "NotFound"])
  })

  test.each([
    ["POST", "/v1/tasks", "GET, HEAD"],
    ["DELETE", "/v1/task/delete/x", undefined],
    ["PUT", "/v1/task/delete", "GET, HEAD, DELETE"],
    ["GET", "/v1/text-to-speech/vi-anna", "POST"],
    ["TRACE", "/v1/credits", "GET, HEAD"]
  ])("%s %s", async (method, path, allow) => {
    const answer = await send(service.address, [
      `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nxi-api-key: ${service.key}\r\ncontent-length: 0\r\n\r\n`
    ])
    expect([answer?.status, answer?.headers.get("allow")]).toEqual([allow === undefined ? 404 : 405, allow])
    expect(decode(answer?.body)._tag).toBe(allow === undefined ? "NotFound" : "MethodNotAllowed")
  })
})

test("HEAD returns no body", async () => {
  const answer = await fetch(`${service.address}/v1/credits`, {
    method: "HEAD",
    headers: { "xi-api-key": service.key }
  })
  expect([answer.status, await answer.text()]).toEqual([200, ""])
})

test("the service survives clients that disconnect", async () => {
  await Promise.all(
    Array.from({ length: 20 }, () => {
      const abort = new AbortController()
      const asked = fetch(`${service.address}/v1/voices?limit=100`, {
        headers: { "xi-api-key": service.key },
        signal: abort.signal
      }).then(
        () => undefined,
        () => undefined
      )
      setImmediate(() => abort.abort())
      return asked
    })
  )
})

test("an error for an invalid request is never written into the previous response", async () => {
  // Minutes of silence: more than a connection's buffers hold.
  const { task_id } = await createTask(service, service.key, "vi-anna", {
    provider: "provider_native",
    text: "1\n00:05:00,000 --> 00:05:02,000\nXin chào.\n"
  })
  const audio = new URL((await ended(service, service.key, task_id)).audio_url ?? "")
  const socket = connect({ host: audio.hostname, port: Number(audio.port) })
  socket.on("error", () => undefined)
  socket.write(get(audio.pathname))
  await once(socket, "readable")
  socket.write("hello\r\n\r\n")
  const received: Array<Buffer> = []
  socket.on("data", (piece: Buffer) => received.push(piece))
  await once(socket, "close")
  expect(
    Buffer.concat(received)
      .toString("latin1")
      .match(/HTTP\/1\.1 .*/gu)
  ).toEqual(["HTTP/1.1 200 OK"])
})

test("clients that disconnect leave no file open", async (context) => {
  if (!existsSync("/proc/self/fd")) context.skip()
  const { task_id } = await createTask(service, service.key, "fast-vi", {
    provider: "provider_fast",
    text: "Xin chào."
  })
  const audio = new URL((await ended(service, service.key, task_id)).audio_url ?? "")
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      const socket = connect({ host: audio.hostname, port: Number(audio.port) })
      socket.on("error", () => undefined)
      socket.write(get(audio.pathname), () => socket.resetAndDestroy())
      await once(socket, "close")
    })
  )
  const isOpen = (descriptor: string): boolean => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).includes(task_id)
    } catch {
      return false
    }
  }
  // Once one more request is answered, the service has accepted all the earlier ones.
  expect((await fetch(audio)).status).toBe(200)
  while (readdirSync("/proc/self/fd").some(isOpen)) await new Promise((resume) => setTimeout(resume, 50))
})
