/**
 * Random requests, valid and invalid, generated from the contract's schemas: no internal error, no hang, every refusal
 * as documented. DUBWRIGHT_RANDOM_REQUESTS sets their number. A failing run prints the seed that repeats it.
 */
import { Agent, request } from "node:http"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { OpenApi } from "@effect/platform"
import { Arbitrary, FastCheck as fc, Schema } from "effect"
import { Credits, Health } from "../../src/contract/Account.ts"
import { ModelList, ProviderList, VoicePage } from "../../src/contract/ProviderCatalogue.ts"
import { refusalStatus } from "../../src/contract/Errors.ts"
import { CreateTask, Deleted, DeleteTask, Task, TaskPage, TaskReference } from "../../src/contract/Task.ts"
import { ErrorResponse } from "../../src/service/http/ErrorResponse.ts"
import { openApiDocument } from "../../src/service/http/OpenApiDocument.ts"
import { openAiPaths, pathIn, patternOf } from "../../src/service/http/RoutePatterns.ts"
import { type Started, startService } from "./start.ts"

const count = Number(process.env["DUBWRIGHT_RANDOM_REQUESTS"] ?? 10_000)

let service: Started
const agent = new Agent({ keepAlive: true, maxSockets: 20 })
beforeAll(async () => {
  service = await startService({ audio: { format: "wav" }, limits: { queue: 50, bodyBytes: 20_000 } })
})
afterAll(async () => {
  agent.destroy()
  await service.stop()
})

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

const voices = ["vi-anna", "en-bo", "aria", "fast-en-us", "fast-vi", "lc-vi", "os-kal", "nobody"]
const providers = [
  "provider_expressive",
  "provider_fast",
  "provider_native",
  "provider_lowcost",
  "provider_opensource"
]

/** Mostly usual values, with one in five odd. */
const mostly = <A>(usual: fc.Arbitrary<A>, odd: fc.Arbitrary<A>): fc.Arbitrary<A> =>
  fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: odd })

const anyText = fc.string({ unit: "binary", maxLength: 200 })
/** Path segments that fetch can send; Hostile.test.ts covers the rest with raw sockets. */
const segment = fc.oneof(
  anyText.map((text) => encodeURIComponent(Buffer.from(text).toString())),
  fc.stringMatching(/^[!$-.0-9:;=@A-Z_a-z~%]{0,30}$/u),
  // Harmless once decoded; an error or another path if decoded twice or used as a key.
  fc.constantFrom("%25", "%25zz", "%252e%252e%252f", "%2e%2e%2f", "%00", "__proto__", "constructor")
)

const task = fc.record(
  {
    text: mostly(
      fc.oneof(
        fc.lorem({ maxCount: 20 }),
        anyText,
        fc.constant("1\n00:00:01,000 --> 00:00:02,000\nXin chào.\n")
      ),
      fc.constant("a".repeat(30_000))
    ),
    provider: mostly(fc.constantFrom(...providers), anyText),
    model_id: mostly(fc.constantFrom("m1", "fast-1", "flite-1"), anyText),
    voice_name: anyText,
    with_transcript: fc.boolean(),
    export_srt: fc.boolean(),
    speed: mostly(fc.double({ min: 0.5, max: 2, noNaN: true }), fc.double()),
    vol: mostly(fc.double({ min: 0.1, max: 2, noNaN: true }), fc.double()),
    pitch: mostly(fc.double({ min: -12, max: 12, noNaN: true }), fc.double())
  },
  { requiredKeys: ["text", "provider"] }
)

const bytes = (value: unknown) => JSON.stringify(value) ?? ""

const speech = fc.record(
  {
    model: mostly(fc.constantFrom("tts-1", "flite-1"), anyText),
    input: mostly(fc.constantFrom("Words.", "", "…"), anyText),
    voice: mostly(fc.constantFrom("os-kal", "alloy"), fc.oneof(anyText, fc.record({ id: anyText }))),
    response_format: mostly(fc.constantFrom("wav", "flac"), anyText),
    speed: mostly(fc.double({ min: 0.25, max: 4, noNaN: true }), fc.double()),
    stream_format: fc.constantFrom("audio", "sse")
  },
  { requiredKeys: ["model", "input"] }
)

const body = fc.oneof(
  { weight: 1, arbitrary: speech.map(bytes) },
  { weight: 4, arbitrary: task.map(bytes) },
  { weight: 2, arbitrary: Arbitrary.make(CreateTask).map(bytes) },
  { weight: 1, arbitrary: Arbitrary.make(DeleteTask).map(bytes) },
  { weight: 1, arbitrary: fc.jsonValue().map(bytes) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(task, fc.constantFrom("text", "provider", "speed", "voice_name"), fc.jsonValue())
      .map(([sound, field, odd]) => bytes({ ...sound, [field]: odd }))
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  { weight: 1, arbitrary: fc.constant(undefined) }
)

const query = fc
  .array(
    fc.tuple(
      mostly(fc.constantFrom("page", "limit", "provider", "search"), segment),
      mostly(fc.oneof(fc.nat({ max: 120 }).map(String), fc.constantFrom(...providers)), segment)
    ),
    { maxLength: 3 }
  )
  .map((pairs) =>
    pairs.length === 0 ? "" : `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`
  )

const target = fc.oneof(
  {
    weight: 6,
    arbitrary: mostly(fc.constantFrom(...voices), segment).map(
      (voice) => ["POST", `/v1/text-to-speech/${voice}`] as const
    )
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("health-check", "credits", "providers", "models", "voices", "tasks"), query)
      .map(([name, asked]) => ["GET", `/v1/${name}${asked}`] as const)
  },
  { weight: 2, arbitrary: mostly(fc.uuid(), segment).map((id) => ["GET", `/v1/task/${id}`] as const) },
  { weight: 2, arbitrary: fc.constant(["DELETE", "/v1/task/delete"] as const) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom("GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"),
        fc.array(segment, { maxLength: 4 })
      )
      .map(([method, parts]) => [method, `/${parts.join("/")}`] as const)
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(["PUT", "/v1/tasks"] as const, ["POST", "/v1/credits"] as const)
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      segment.map((id) => ["GET", `/v1/models/${id}`] as const),
      fc.constant(["POST", openAiPaths.speech] as const)
    )
  },
  {
    weight: 1,
    arbitrary: fc.tuple(segment, segment).map(([token, name]) => ["GET", `/files/${token}/${name}`] as const)
  }
)

const headerValue = fc.stringMatching(/^[ -~]{0,40}$/u)

const sent: fc.Arbitrary<Sent> = fc
  .record({
    target,
    body,
    key: mostly(fc.constant("own"), headerValue),
    type: mostly(fc.constant("application/json"), headerValue),
    more: fc.dictionary(
      fc.constantFrom(
        "accept",
        "range",
        "if-none-match",
        "cookie",
        "content-encoding",
        "x-forwarded-for",
        "authorization"
      ),
      headerValue,
      { maxKeys: 2 }
    )
  })
  .map(({ target: [method, path], body: content, key, type, more }) => ({
    method,
    path,
    headers: { ...more, "content-type": type, "xi-api-key": key },
    body: method === "GET" || method === "HEAD" ? undefined : content
  }))

interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

const ask = ({ method, path, headers, body: content }: Sent): Promise<Got> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.address)
    const asked = request(
      {
        agent,
        hostname,
        port,
        method,
        path,
        timeout: 20_000,
        headers: {
          ...headers,
          "xi-api-key": headers["xi-api-key"] === "own" ? service.key : (headers["xi-api-key"] ?? ""),
          ...(content === undefined ? {} : { "content-length": Buffer.byteLength(content) })
        }
      },
      (answer) => {
        const chunks: Array<Buffer> = []
        answer.on("data", (chunk: Buffer) => chunks.push(chunk))
        answer.on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString("utf8")
          })
        )
        answer.on("error", reject)
      }
    )
    asked.on("timeout", () => asked.destroy(new Error("no answer within 20 seconds")))
    asked.on("error", reject)
    asked.end(content)
  })

const { paths } = openApiDocument()
const refusalIn = Schema.decodeUnknownSync(Schema.parseJson(ErrorResponse))
const successes = Schema.decodeUnknownSync(
  Schema.parseJson(
    Schema.Union(Health, Credits, ProviderList, ModelList, VoicePage, TaskReference, Task, TaskPage, Deleted)
  ),
  { onExcessProperty: "error" }
)

const examined = async (each: Sent): Promise<number> => {
  const got = await ask(each)
  const where = `${each.method} ${each.path} → ${got.status} ${got.body.slice(0, 300)}`
  expect(got.status, where).not.toBe(500)
  const pattern = patternOf(pathIn(each.path)).replace(/:([a-z_]+)/gu, "{$1}")
  const operation = Object.entries(paths[pattern] ?? {}).find(
    ([method]) => method === each.method.toLowerCase()
  )
  if (operation !== undefined) {
    const documented: OpenApi.OpenApiSpecResponse | undefined = operation[1].responses[got.status]
    expect(documented, where).toBeDefined()
    if (documented?.content !== undefined && got.body !== "")
      expect(Object.keys(documented.content), where).toContain(got.headers["content-type"])
  }
  if (each.method === "HEAD") return got.status
  if (got.status >= 400 && /^\/v1\/(?:audio|models)\//u.test(pathIn(each.path))) {
    expect(JSON.parse(got.body), where).toMatchObject({ error: { message: expect.any(String) } })
  } else if (got.status >= 400) {
    const refusal = refusalIn(got.body)
    expect(refusalStatus[refusal._tag], where).toBe(got.status)
    expect(got.headers["content-type"], where).toBe("application/json")
    expect(refusal.message, where).not.toBe("")
    if (got.status === 429 || got.status === 503)
      expect(Number(got.headers["retry-after"]), where).toBeGreaterThan(0)
  } else if (each.path.startsWith("/v1/") && !/^\/v1\/(?:audio|models)\//u.test(each.path)) {
    successes(got.body)
  }
  return got.status
}

test(`${count} random requests`, { timeout: 60_000 + count * 60 }, async () => {
  const seen = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(sent, { minLength: 20, maxLength: 20 }), async (some) => {
      for (const status of await Promise.all(some.map(examined)))
        seen.set(status, (seen.get(status) ?? 0) + 1)
    }),
    { numRuns: Math.ceil(count / 20), endOnFailure: true }
  )
  // Some requests are accepted, and others are rejected for every kind of reason.
  for (const status of [200, 400, 401, 404, 405, 413, 422]) expect(seen.get(status) ?? 0).toBeGreaterThan(0)
})
