import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { createServer as createTcpServer } from "node:net"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { Casting } from "../../src/domain/speech/Casting.ts"
import { ModelId, ProviderId, TaskId, VoiceId } from "../../src/domain/values/Ids.ts"
import { markerOf } from "../../src/domain/task/TaskMarker.ts"
import { profileOf } from "../../src/domain/speech/ProviderProfile.ts"
import { makeUtterance } from "../../src/domain/speech/Utterance.ts"
import { Gateway } from "../../src/gateway/Gateway.ts"
import { composeCreate } from "../../src/gateway/requests/NamedCreate.ts"
import { ServiceAddress } from "../../src/gateway/exchange/ServiceAddress.ts"
import { HttpTransport } from "../../src/gateway/exchange/HttpTransport.ts"
import type { DoneTask } from "../../src/gateway/exchange/TaskSnapshot.ts"

const secret = "nativeapikey_a-b.c123"
const id = "8d7f9a52-0c3e-4b5e-9f5e-2f4f3f0e8a11"

interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly key: unknown
  readonly body: string
}

/** A server with scripted responses, and the requests that it received. */
const server = (handle: (request: Seen, response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const seen: Array<Seen> = []
      const listener = createServer((request: IncomingMessage, response) => {
        let body = ""
        request.on("data", (piece) => (body += String(piece)))
        request.on("end", () => {
          const one = { method: request.method, url: request.url, key: request.headers["xi-api-key"], body }
          seen.push(one)
          handle(one, response)
        })
      })
      await new Promise<void>((ready) => listener.listen(0, "127.0.0.1", ready))
      const address = listener.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      return { seen, url: `http://127.0.0.1:${port}`, listener }
    }),
    ({ listener }) =>
      Effect.promise(() => {
        listener.closeAllConnections()
        return new Promise((closed) => listener.close(closed))
      })
  )

/** A server that answers each request with the same bytes and closes the connection. */
const rawServer = (answer: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const listener = createTcpServer((socket) => {
          socket.on("error", () => undefined)
          socket.once("data", () => socket.end(answer))
        })
        await new Promise<void>((ready) => listener.listen(0, "127.0.0.1", ready))
        return listener
      }),
      (listener) => Effect.sync(() => listener.close())
    ),
    (listener) => {
      const bound = listener.address()
      return `http://127.0.0.1:${typeof bound === "object" && bound !== null ? bound.port : 0}`
    }
  )

const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {}
) => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

const through = <A, E>(
  url: string,
  work: (gateway: Gateway) => Effect.Effect<A, E>,
  patience: Partial<ServiceAddress["Type"]> = {}
) =>
  Effect.flatMap(Gateway, work).pipe(
    Effect.provide(
      Gateway.Default.pipe(
        Layer.provide(HttpTransport.Default),
        Layer.provide(
          Layer.succeed(ServiceAddress, {
            baseUrl: new URL(url),
            key: Redacted.make(secret),
            answerWithin: "10 seconds",
            audioWithin: "10 seconds",
            ...patience
          })
        )
      )
    )
  )

const native = ProviderId.make("provider_native")
const casting = Casting.make({
  provider: native,
  voice: VoiceId.make("a voice/ü"),
  model: ModelId.make("m1"),
  speed: 1.2
})
const utterance = makeUtterance(casting, "srt", "1\n00:00 --> 00:01\nHello.\n", ["Hello."])

const done = (audio: string): DoneTask => ({
  _tag: "Done",
  task: TaskId.make(id),
  audio,
  srt: undefined,
  json: undefined,
  label: undefined,
  seconds: undefined,
  took: undefined,
  engine: undefined
})

it.scopedLive("sends the fields that the interface defines, with the key in its header", () =>
  Effect.gen(function* () {
    const service = yield* server((_, response) => json(response, 202, { data: { task_id: id, cost: 3 } }))
    const accepted = yield* through(`${service.url}/base/`, (gateway) =>
      gateway.submit(composeCreate(utterance, "ep01 #1", profileOf(native)))
    )
    expect(accepted).toEqual({ task: id, credits: 3 })
    expect(service.seen.map((one) => ({ ...one, body: JSON.parse(one.body) }))).toEqual([
      {
        method: "POST",
        url: "/base/v1/text-to-speech/a%20voice%2F%C3%BC",
        key: secret,
        body: {
          text: utterance.text,
          provider: "provider_native",
          voice_name: "ep01 #1",
          model_id: "m1",
          export_srt: true,
          speed: 1.2
        }
      }
    ])
  })
)

it.scopedLive("distinguishes refusals, rate limits and service failures", () =>
  Effect.gen(function* () {
    const answers: ReadonlyArray<readonly [number, unknown, Record<string, string>, object]> = [
      [
        400,
        { message: "voice_id is bad" },
        {},
        { _tag: "Refused", reason: "rules", words: "voice_id is bad (HTTP 400)" }
      ],
      [401, "", {}, { _tag: "Refused", reason: "key", words: "HTTP 401" }],
      [402, {}, {}, { _tag: "Refused", reason: "credits" }],
      [403, { detail: "quota exceeded" }, {}, { _tag: "Refused", reason: "credits" }],
      [400, { message: "Tài khoản không đủ tín dụng" }, {}, { _tag: "Refused", reason: "credits" }],
      [404, {}, {}, { _tag: "Refused", reason: "unknown" }],
      [413, { error: "at most 2,500 characters" }, {}, { _tag: "Refused", reason: "too-long", max: 2_500 }],
      [422, { error: "text is too long" }, {}, { _tag: "Refused", reason: "too-long" }],
      [429, {}, { "retry-after": "7" }, { _tag: "SlowDown", retryAfter: 7_000 }],
      [429, {}, {}, { _tag: "SlowDown", words: "HTTP 429" }],
      // An exhausted account, as OpenAI, ElevenLabs and others report it.
      [
        429,
        {
          error: {
            message: "You exceeded your current quota, please check your plan and billing details.",
            type: "insufficient_quota",
            code: "insufficient_quota"
          }
        },
        {},
        { _tag: "Refused", reason: "credits" }
      ],
      [
        429,
        { error: { code: "insufficient_quota" } },
        { "retry-after": "20" },
        { _tag: "Refused", reason: "credits", words: "insufficient_quota (HTTP 429)" }
      ],
      [429, { code: "insufficient_credits" }, {}, { _tag: "Refused", reason: "credits" }],
      [429, { error: { code: "quota_exceeded" } }, {}, { _tag: "Refused", reason: "credits" }],
      [429, { error: "Billing hard limit has been reached" }, {}, { _tag: "Refused", reason: "credits" }],
      [
        401,
        { detail: { status: "quota_exceeded", message: "This request exceeds your quota of 10000." } },
        {},
        { _tag: "Refused", reason: "credits" }
      ],
      // A rate limit that is called a quota.
      [
        429,
        { error: "rate limit quota exceeded, retry in 20s" },
        { "retry-after": "20" },
        { _tag: "SlowDown", retryAfter: 20_000 }
      ],
      [429, { error: { code: "quota_exceeded" } }, { "retry-after": "20" }, { _tag: "SlowDown" }],
      [
        429,
        { error: { code: "quota_exceeded", message: "60 requests per minute" } },
        {},
        { _tag: "SlowDown" }
      ],
      [
        429,
        {
          error: {
            code: 429,
            status: "RESOURCE_EXHAUSTED",
            message:
              "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute' of the project."
          }
        },
        {},
        { _tag: "SlowDown" }
      ],
      [
        429,
        {
          error: {
            status: "RESOURCE_EXHAUSTED",
            message: "You exceeded your current quota, please check your plan and billing details.",
            details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "20s" }]
          }
        },
        {},
        { _tag: "SlowDown" }
      ],
      [503, "", { "retry-after": "7" }, { _tag: "SlowDown", retryAfter: 7_000 }],
      // Of a proxy, which may say so after the task was made.
      [503, "<h1>Busy</h1>", {}, { _tag: "InvalidResponse", words: "Busy (HTTP 503)" }],
      [500, "", {}, { _tag: "InvalidResponse", words: "HTTP 500" }],
      [504, "", {}, { _tag: "InvalidResponse" }],
      [200, "<html>Sign in</html>", {}, { _tag: "UnreadableCreate", words: "Sign in" }],
      [200, { ok: true }, {}, { _tag: "UnreadableCreate", words: '{"ok":true}' }],
      // Some services report failures only in the body.
      [
        200,
        { success: false, error: "insufficient credits" },
        {},
        { _tag: "Refused", reason: "credits", words: "insufficient credits (HTTP 200)" }
      ],
      [200, { code: 422, message: "no such words" }, {}, { _tag: "Refused", reason: "rules" }],
      [200, { ok: false, message: "Invalid API key" }, {}, { _tag: "Refused", reason: "key" }],
      [200, { success: false, message: "text too long" }, {}, { _tag: "Refused", reason: "too-long" }],
      [200, { error: { message: "rate limit reached" } }, { "retry-after": "7" }, { _tag: "SlowDown" }],
      [
        200,
        { error: "database is down" },
        {},
        { _tag: "InvalidResponse", words: "database is down (HTTP 200)" }
      ],
      [200, { message: "come back" }, {}, { _tag: "UnreadableCreate", words: '{"message":"come back"}' }]
    ]
    let next = 0
    const service = yield* server((_, response) => {
      const [status, body, headers] = answers[next++] ?? [500, "", {}]
      json(response, status, body, headers)
    })
    for (const [, , , expected] of answers) {
      const fault = yield* through(service.url, (gateway) =>
        Effect.flip(gateway.submit(composeCreate(utterance, "l", profileOf(native))))
      )
      expect(fault).toMatchObject(expected)
    }
    expect(service.seen.length).toBe(answers.length)
  })
)

it.scopedLive("distinguishes a failed task from a failed poll", () =>
  Effect.gen(function* () {
    const failed = { id, state: "failed", error_message: "no voice today" }
    const answers: ReadonlyArray<readonly [unknown, object]> = [
      [
        { success: false, data: failed },
        { _tag: "GivenUp", words: "no voice today" }
      ],
      [
        { ...failed, task_id: id, code: 422 },
        { _tag: "GivenUp", words: "no voice today" }
      ],
      [
        { success: false, code: 404, message: "no such task" },
        { _tag: "Vanished", task: id }
      ],
      [{ success: false, data: null, message: "one moment" }, { _tag: "InvalidResponse" }]
    ]
    let next = 0
    const service = yield* server((_, response) => json(response, 200, answers[next++]?.[0]))
    for (const [, expected] of answers) {
      const sight = yield* through(service.url, (gateway) => Effect.merge(gateway.look(TaskId.make(id))))
      expect(sight).toMatchObject(expected)
    }
  })
)

it.scopedLive("distinguishes an unreachable service from one that does not respond", () =>
  Effect.gen(function* () {
    const submit = (gateway: Gateway) =>
      Effect.flip(gateway.submit(composeCreate(utterance, "l", profileOf(native))))
    const closed = yield* Effect.scoped(
      Effect.map(
        server(() => {}),
        ({ url }) => url
      )
    )
    expect(yield* through(closed, submit)).toMatchObject({ _tag: "Unreachable" })
    const silent = yield* server(() => {})
    expect(yield* through(silent.url, submit, { answerWithin: "300 millis" })).toMatchObject({
      _tag: "InvalidResponse",
      words: "no response within 300ms"
    })
    const rude = yield* server((_, response) => response.destroy())
    expect(yield* through(rude.url, submit)).toMatchObject({ _tag: "InvalidResponse" })
    expect([silent.seen.length, rude.seen.length]).toEqual([1, 1])
  })
)

/** Requests by name, given the gateway and the service's URL. */
const abortable: Readonly<
  Record<string, (gateway: Gateway, url: string) => Effect.Effect<unknown, unknown>>
> = {
  create: (gateway) => gateway.submit(composeCreate(utterance, "scene #1", profileOf(native))),
  read: (gateway) => gateway.look(TaskId.make(id)),
  catalogue: (gateway) => gateway.reads.voices({}),
  download: (gateway, url) => gateway.fetch(done(`${url}/audio`), 10)
}

it.scopedLive.each(Object.keys(abortable))("aborts a %s whose fiber is interrupted", (kind) =>
  Effect.gen(function* () {
    const arrived = yield* Deferred.make<void>()
    const closed = yield* Deferred.make<void>()
    const service = yield* server((_, response) => {
      response.once("close", () => Deferred.unsafeDone(closed, Effect.void))
      Deferred.unsafeDone(arrived, Effect.void)
    })
    const interrupted = (gateway: Gateway) =>
      Effect.gen(function* () {
        const looking = yield* Effect.fork(abortable[kind]?.(gateway, service.url) ?? Effect.void)
        yield* Deferred.await(arrived)
        yield* Fiber.interrupt(looking)
        yield* Deferred.await(closed)
      })
    yield* through(service.url, interrupted, { answerWithin: "1 minute" })
  })
)

it.scopedLive("keeps the connections of 200 requests in flight, and uses them again", () =>
  Effect.gen(function* () {
    const inFlight = 200
    const held: Array<ServerResponse> = []
    let connections = 0
    const service = yield* server((_, response) => {
      if (held.push(response) === inFlight)
        for (const each of held.splice(0)) json(each, 200, { task_id: id, status: "processing" })
    })
    service.listener.on("connection", () => connections++)
    const looks = (gateway: Gateway) =>
      Effect.replicateEffect(gateway.look(TaskId.make(id)), inFlight, { concurrency: "unbounded" })
    yield* through(service.url, (gateway) => Effect.repeatN(looks(gateway), 5), { answerWithin: "1 minute" })
    expect(service.seen.length).toBe(6 * inFlight)
    // A connection becomes free a moment after its response. Until then, the next request may open another one.
    expect(connections).toBeLessThanOrEqual(2 * inFlight)
  })
)

it.scopedLive("removes the key from the service's messages", () =>
  Effect.gen(function* () {
    const service = yield* server((_, response) =>
      json(response, 401, { message: `no\nsuch key ${secret}!` })
    )
    const fault = yield* through(service.url, (gateway) => Effect.flip(gateway.look(TaskId.make(id))))
    expect(fault.message).toBe("the service rejected the key: no such key [key]! (HTTP 401)")
  })
)

it.scopedLive("removes the key from whatever a message repeats of a response", () =>
  Effect.gen(function* () {
    const host = `${secret}.example`
    const service = yield* server(({ url }, response) =>
      url === "/v1/credits"
        ? json(response, 307, "", { location: `https://${host}/` })
        : json(response, 200, { id, status: "failed", error: { message: `no ${secret}` }, engine: secret })
    )
    const fault = yield* through(service.url, (gateway) => Effect.flip(gateway.balance))
    expect(fault.message).toContain("it redirects to https://[key].example, where")
    const failed = yield* through(service.url, (gateway) => gateway.look(TaskId.make(id)))
    expect(failed).toMatchObject({ _tag: "GivenUp", words: "no [key]" })
  })
)

it.scopedLive("follows redirects within its own origin, and never sends the key elsewhere", () =>
  Effect.gen(function* () {
    const elsewhere = yield* server((_, response) => json(response, 200, { task_id: id }))
    const service = yield* server(({ url }, response) =>
      url === "/moved/v1/credits"
        ? json(response, 200, { credits: 5 })
        : json(response, 307, "", {
            location: url === "/v1/credits" ? "/moved/v1/credits" : `${elsewhere.url}${url ?? ""}`
          })
    )
    expect((yield* through(service.url, (gateway) => gateway.reads.credits)).credits).toBe(5)
    const fault = yield* through(service.url, (gateway) =>
      Effect.flip(gateway.submit(composeCreate(utterance, "l", profileOf(native))))
    )
    expect(fault.message).toContain(`it redirects to ${elsewhere.url}, where the key is not sent`)
    expect(elsewhere.seen).toEqual([])
  })
)

it.scopedLive("fetches audio from any host, with the key only for its own origin", () =>
  Effect.gen(function* () {
    const sound = Buffer.from("RIFFsound")
    const elsewhere = yield* server((_, response) => response.end(sound))
    const service = yield* server(({ url }, response) =>
      url === "/away" ? json(response, 302, "", { location: `${elsewhere.url}/audio` }) : response.end(sound)
    )
    for (const place of ["/audio", `${service.url}/away`, `${elsewhere.url}/audio`]) {
      const fetched = yield* through(service.url, (gateway) => gateway.fetch(done(place), 10))
      expect(fetched).toEqual({ audio: new Uint8Array(sound), transcript: undefined })
    }
    expect(service.seen.map((one) => one.key)).toEqual([secret, secret])
    expect(elsewhere.seen.map((one) => one.key)).toEqual([undefined, undefined])
  })
)

it.scopedLive("ends a chain of redirects of audio, and sends the key to its own origin only", () =>
  Effect.gen(function* () {
    const elsewhere = yield* server(({ url }, response) =>
      json(response, 302, "", { location: `${service.url}${url}` })
    )
    const service = yield* server(({ url }, response) =>
      json(response, 302, "", { location: url === "/own" ? "/own" : `${elsewhere.url}${url}` })
    )
    for (const place of ["/own", "/round"]) {
      const fault = yield* through(service.url, (gateway) => Effect.flip(gateway.fetch(done(place), 10)))
      expect(fault).toMatchObject({ _tag: "NoAudio", reason: "address", words: "too many redirects" })
    }
    expect(service.seen.map(({ key }) => key)).toEqual(Array(9).fill(secret))
    expect(elsewhere.seen.map(({ key }) => key)).toEqual(Array(3).fill(undefined))
  })
)

it.scopedLive("decompresses unrequested encodings, up to the size limit", () =>
  Effect.gen(function* () {
    const sound = Buffer.from("RIFFsound")
    const packings: ReadonlyArray<readonly [string, (body: Buffer) => Buffer]> = [
      ["gzip", gzipSync],
      ["deflate", deflateSync],
      ["BR", brotliCompressSync],
      // A store that declares an encoding for a body that is not compressed.
      ["gzip", (body) => body]
    ]
    let encoding = ""
    let body: Buffer = Buffer.alloc(0)
    const service = yield* server((_, response) => {
      response.writeHead(200, { "content-encoding": encoding })
      response.end(body)
    })
    for (const [name, pack] of packings) {
      encoding = name
      body = pack(sound)
      const fetched = yield* through(service.url, (gateway) => gateway.fetch(done("/audio"), 10))
      expect(fetched).toEqual({ audio: new Uint8Array(sound), transcript: undefined })
      body = pack(Buffer.from(JSON.stringify({ task_id: id })))
      const accepted = yield* through(service.url, (gateway) =>
        gateway.submit(composeCreate(utterance, "l", profileOf(native)))
      )
      expect(accepted.task).toBe(id)
    }
    encoding = "gzip"
    body = gzipSync(Buffer.alloc(32 * 1024 * 1024))
    // The length only: a failed test prints what it got instead.
    const fault = yield* through(service.url, (gateway) =>
      Effect.flip(Effect.map(gateway.fetch(done("/audio"), 10), ({ audio }) => audio.length))
    )
    expect(fault).toMatchObject({ _tag: "NoAudio", reason: "too-large" })
  })
)

it.scopedLive("retries audio no sooner than Retry-After, given in seconds or as a date", () =>
  Effect.gen(function* () {
    const until = Math.ceil(Date.now() / 1000 + 2) * 1000
    let again = 0
    const service = yield* server(({ url }, response) => {
      if (url === "/busy") response.writeHead(503, { "retry-after": new Date(until).toUTCString() }).end()
      else if (url === "/fresh") response.end("ID3 sound")
      else {
        again = Date.now()
        json(response, 200, { id, audio_url: "/fresh" })
      }
    })
    const said: Array<string> = []
    yield* through(service.url, (gateway) =>
      gateway.fetch(done("/busy"), 10, (words) => Effect.sync(() => said.push(words)))
    )
    expect(again).toBeGreaterThanOrEqual(until)
    expect(said.length).toBe(1)
    expect(said[0]).toMatch(/^the audio's URL returned HTTP 503; waits \d s, as the service asks$/u)
  })
)

it.scopedLive("rejects URLs that are not http or https, and audio that is too large", () =>
  Effect.gen(function* () {
    const service = yield* server((_, response) => {
      const piece = Buffer.alloc(1024 * 1024, 1)
      const pour = (): void => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once("drain", pour)
      }
      pour()
    })
    const fault = (place: string) =>
      through(service.url, (gateway) => Effect.flip(gateway.fetch(done(place), 10)), {
        audioWithin: "30 seconds"
      })
    expect(yield* fault("file:///etc/passwd")).toMatchObject({ _tag: "NoAudio", reason: "address" })
    expect(yield* fault("/endless")).toMatchObject({ _tag: "NoAudio", reason: "too-large" })
    expect(service.seen.length).toBe(1)
  })
)

it.scopedLive("does not retry at once if audio trickles", () =>
  Effect.gen(function* () {
    const service = yield* server((_, response) => {
      const drip = setInterval(() => response.write("R"), 20)
      response.once("close", () => clearInterval(drip))
    })
    const fault = yield* through(service.url, (gateway) => Effect.flip(gateway.fetch(done("/slow"), 10)), {
      audioWithin: "1 second"
    })
    expect(fault).toMatchObject({ _tag: "InvalidResponse", words: "the audio did not arrive within 1s" })
    expect(service.seen.length).toBe(1)
  })
)

const patient = { audioWithin: "1 minute", stallWithin: "200 millis" } as const

it.scopedLive("asks for a fresh URL, and reports it, if audio stalls, trickles or never begins", () =>
  Effect.gen(function* () {
    const service = yield* server(({ url }, response) => {
      if (url === `/v1/task/${id}`) return json(response, 200, { id, audio_url: "/fresh" })
      if (url === "/fresh") return response.end("ID3 sound")
      if (url === "/stalled") return response.write("ID3")
      if (url === "/silent") return
      const drip = setInterval(() => response.write("R"), 20)
      response.once("close", () => clearInterval(drip))
    })
    for (const place of ["/trickling", "/stalled", "/silent"]) {
      const told: Array<string> = []
      const stalled = (words: string) => Effect.sync(() => void told.push(words))
      const fetched = yield* through(
        service.url,
        (gateway) => gateway.fetch(done(place), 10, stalled),
        patient
      )
      expect({ audio: Buffer.from(fetched.audio).toString(), told }).toEqual({
        audio: "ID3 sound",
        told: ["the audio stalled: less than 2 kB/s for 200ms"]
      })
    }
  })
)

it.scopedLive("fails, so that others can go on, if audio stalls every time", () =>
  Effect.gen(function* () {
    const service = yield* server(({ url }, response) => {
      if (url === `/v1/task/${id}`) json(response, 200, { id, audio_url: "/again" })
    })
    const fault = yield* through(
      service.url,
      (gateway) => Effect.flip(gateway.fetch(done("/never"), 10)),
      patient
    )
    expect(fault).toMatchObject({
      _tag: "InvalidResponse",
      words: "the audio stalled: less than 2 kB/s for 200ms"
    })
    expect(service.seen.filter(({ url }) => !url?.startsWith("/v1/")).length).toBe(3)
  })
)

it.scopedLive("accepts audio that arrives slowly but steadily", () =>
  Effect.gen(function* () {
    const service = yield* server((_, response) => {
      let pieces = 0
      const flow = setInterval(() => {
        response.write(Buffer.alloc(1_000, 1))
        if (++pieces === 40) {
          clearInterval(flow)
          response.end()
        }
      }, 20)
    })
    const fetched = yield* through(service.url, (gateway) => gateway.fetch(done("/slow"), 10), {
      ...patient,
      stallWithin: "400 millis"
    })
    expect(fetched.audio.length).toBe(40_000)
    expect(service.seen.length).toBe(1)
  })
)

it.scopedLive("asks the task for a fresh URL if its URL is stale", () =>
  Effect.gen(function* () {
    const service = yield* server(({ url }, response) => {
      if (url === "/stale") json(response, 403, "expired")
      else if (url === "/page") json(response, 200, "<html>Sign in</html>")
      else if (url === `/v1/task/${id}`) json(response, 200, { id, audio_url: "/fresh", json_url: "/words" })
      else response.end(url === "/fresh" ? "ID3 sound" : "{}")
    })
    for (const place of ["/stale", "/page"]) {
      const fetched = yield* through(service.url, (gateway) => gateway.fetch(done(place), 10))
      expect({ ...fetched, audio: Buffer.from(fetched.audio).toString() }).toEqual({
        audio: "ID3 sound",
        transcript: { format: "json", text: "{}" }
      })
    }
  })
)

/** A history of this many tasks, newest first, with the paging of common services. */
const history = (count: number, base: 0 | 1, largest: number, says: object = {}) => {
  const tasks = Array.from({ length: count }, (_, i) => ({
    task_id: `8d7f9a52-0c3e-4b5e-9f5e-${String(i).padStart(12, "0")}`,
    voice_name: `ep01 #${i} ·${markerOf(utterance.key, i + 1)}`,
    created_at: new Date(Date.UTC(2030, 0, 1) - i * 60_000).toISOString(),
    status: "done"
  }))
  return server(({ url }, response) => {
    const query = new URL(url ?? "/", "http://s").searchParams
    const limit = Number(query.get("limit") ?? largest)
    if (limit > largest) return json(response, 422, { message: `limit: at most ${largest}` })
    const page = query.has("page") ? Number(query.get("page")) - base : 0
    json(response, 200, { data: tasks.slice(page * limit, (page + 1) * limit), ...says })
  })
}

for (const base of [0, 1] as const)
  it.scopedLive(`walks the whole history if pages count from ${base}`, () =>
    Effect.gen(function* () {
      const service = yield* history(45, base, 20)
      const walk = yield* through(service.url, (gateway) => gateway.history(0))
      expect(walk.tasks.length).toBe(45)
      expect(walk.echoes).toBe(true)
      expect(walk.find(markerOf(utterance.key, 45))?.task).toBe("8d7f9a52-0c3e-4b5e-9f5e-000000000044")
      expect(walk.find(markerOf(utterance.key, 46))).toBe(undefined)
    })
  )

it.scopedLive("distinguishes a truncated walk from a complete one", () =>
  Effect.gen(function* () {
    const wholeOf = (count: number) =>
      Effect.gen(function* () {
        const service = yield* history(count, 1, 1)
        return (yield* through(service.url, (gateway) => gateway.history(0))).isWhole
      })
    expect([yield* wholeOf(40), yield* wholeOf(1_100)]).toEqual([true, false])
  })
)

it.scopedLive("ends a walk through a history without end before it fills the memory", () =>
  Effect.gen(function* () {
    const label = "x".repeat(1_500_000)
    let made = 0
    const service = yield* server((_, response) =>
      json(response, 200, {
        tasks: Array.from({ length: 10 }, () => ({ task_id: `task-${made++}`, voice_name: label })),
        has_more: true
      })
    )
    const walk = yield* through(service.url, (gateway) => gateway.history(0), { answerWithin: "1 minute" })
    expect(walk.isWhole).toBe(false)
    expect(service.seen.length).toBeLessThan(10)
  })
)

it.scopedLive("ends a response of 100 MB, or with a false length", () =>
  Effect.gen(function* () {
    let sent = 0
    const service = yield* server((_, response) => {
      const pour = (): void => {
        while (!response.destroyed && sent < 100e6 && response.write("[".repeat(1e6))) sent += 1e6
        if (!response.destroyed) response.once("drain", pour)
      }
      pour()
    })
    const patience = { answerWithin: "1 minute" } as const
    const failed = (url: string) => through(url, (gateway) => Effect.flip(gateway.balance), patience)
    expect((yield* failed(service.url)).message).toContain("a response of more than 16 MB")
    expect(sent).toBeLessThan(50e6)
    for (const [length, words] of [
      ["1000000000000", /a response of more than 16 MB/u],
      ["3", /not JSON: \{"c/u],
      ["30", /other side closed|terminated/u],
      ["-1", /content-length/iu],
      ["0x1", /content-length/iu],
      ["13\r\ncontent-length: 14", /content-length/iu],
      ["13\r\ntransfer-encoding: chunked", /transfer-encoding|chunk|content-length/iu]
    ] as const) {
      const liar = yield* rawServer(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n{"credits":5}`)
      expect((yield* failed(liar)).message, length).toMatch(words)
    }
  })
)

it.scopedLive("walks no further back than the lost create", () =>
  Effect.gen(function* () {
    const service = yield* history(500, 1, 100)
    const walk = yield* through(service.url, (gateway) => gateway.history(Date.UTC(2030, 0, 1) - 30 * 60_000))
    expect(walk.tasks.length).toBe(100)
    expect(service.seen.length).toBe(1)
  })
)

it.scopedLive("shares walks between concurrent calls", () =>
  Effect.gen(function* () {
    const service = yield* history(10, 1, 100)
    yield* through(service.url, (gateway) =>
      Effect.forEach(Array.from({ length: 20 }), () => gateway.history(0), { concurrency: "unbounded" })
    )
    // A walk reads the first page and one more, which is the same or empty.
    expect(service.seen.length).toBeLessThanOrEqual(8)
  })
)
