/** OpenAI's own SDK and curl use the service as a drop-in for OpenAI's speech endpoint. */
import { execFile } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { readdirSync } from "node:fs"
import { Socket } from "node:net"
import { promisify } from "node:util"
import { Schema } from "effect"
import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { TaskPage } from "../../../src/contract/Task.ts"
import { ask, type Started, startService } from "../start.ts"

let service: Started
let client: OpenAI
const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${service.address}/v1`, maxRetries: 0 })
beforeAll(async () => {
  service = await startService()
  client = clientOf(service.key)
})
afterAll(() => service.stop())

const input = "Good evening. The train leaves at nine."
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
const speak = async (more: Partial<OpenAI.Audio.SpeechCreateParams> = {}) =>
  bytesOf(await client.audio.speech.create({ model: "tts-1", voice: "alloy", input, ...more }))

describe("the SDK", () => {
  test.each([
    ["mp3", /^(?:ID3|\xff[\xe0-\xff])/u],
    ["opus", /^OggS/u],
    ["aac", /^\xff[\xf0-\xff]/u],
    ["flac", /^fLaC/u],
    ["wav", /^RIFF....WAVE/su],
    ["pcm", /^(?!RIFF)/u]
  ] as const)("gets %s", async (response_format, start) => {
    const sound = await speak({ response_format })
    expect(sound.length).toBeGreaterThan(5_000)
    expect(sound.subarray(0, 16).toString("latin1")).toMatch(start)
  })

  test("gets faster and slower speech, from voices with and without a speed control", async () => {
    const lengthOf = async (more: object) => (await speak({ response_format: "pcm", ...more })).length
    for (const more of [{}, { voice: "fast-en-us" }]) {
      const usual = await lengthOf(more)
      expect((await lengthOf({ ...more, speed: 2 })) / usual).toBeCloseTo(0.5, 1)
      expect((await lengthOf({ ...more, speed: 0.25 })) / usual).toBeCloseTo(4, 0)
    }
  })

  test("gets each of OpenAI's voices, different ones for men and women, and ours by id and name", async () => {
    const names = [
      "alloy",
      "ash",
      "ballad",
      "coral",
      "echo",
      "fable",
      "nova",
      "onyx",
      "sage",
      "shimmer",
      "verse"
    ]
    const sounds = await Promise.all(names.map((voice) => speak({ voice, response_format: "pcm" })))
    expect(new Set(sounds.map((sound) => sound.toString("base64"))).size).toBeGreaterThan(1)
    expect(await speak({ voice: "fast-en-us", model: "gpt-4o-mini-tts", instructions: "Calm." })).not.toEqual(
      ""
    )
  })

  test("gets events", async () => {
    const response = await client.audio.speech.create({
      ...{ model: "tts-1", voice: "alloy", input, response_format: "wav", stream_format: "sse" }
    })
    const events = (await response.text())
      .split("\n\n")
      .filter((event) => event.startsWith("data: "))
      .map((event) => JSON.parse(event.slice(6)))
    expect(events.at(-1)).toMatchObject({ type: "speech.audio.done", usage: { input_tokens: input.length } })
    const deltas = events.slice(0, -1).map(({ audio }) => Buffer.from(audio, "base64"))
    expect(Buffer.concat(deltas).subarray(0, 4).toString()).toBe("RIFF")
  })

  test("lists models and reads one, and pays with the account's credits", async () => {
    const listed = await client.models.list()
    const ids = listed.data.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(["tts-1", "expressive-calm"]))
    expect(await client.models.retrieve("expressive-calm")).toMatchObject({ owned_by: "provider_expressive" })
    // The service's own clients still get its own list.
    expect((await ask(service.address, service.key, "GET", "/v1/models")).body).toHaveProperty("models")
    const key = await service.newKey(1_000)
    await clientOf(key).audio.speech.create({ model: "expressive-calm", voice: "nova", input })
    expect((await ask(service.address, key, "GET", "/v1/credits")).body).toMatchObject({
      credits: 1_000 - 2 * input.length
    })
  })

  test("gets its own error classes", async () => {
    await expect(
      clientOf("wrong-key").audio.speech.create({ model: "tts-1", voice: "alloy", input })
    ).rejects.toThrow(OpenAI.AuthenticationError)
    await expect(speak({ voice: "nobody" })).rejects.toThrow(/unknown voice "nobody"/u)
    await expect(speak({ model: "gpt-9" })).rejects.toThrow(OpenAI.NotFoundError)
    await expect(speak({ input: "" })).rejects.toThrow(OpenAI.UnprocessableEntityError)
    await expect(speak({ speed: 9 })).rejects.toThrow(OpenAI.BadRequestError)
    const poor = clientOf(await service.newKey(0))
    await expect(poor.audio.speech.create({ model: "tts-1", voice: "alloy", input })).rejects.toMatchObject({
      status: 402,
      code: "insufficient_quota"
    })
  })
})

test("every error under OpenAI's paths has OpenAI's shape and names", async () => {
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" }
    const answer = await fetch(`${service.address}${path}`, { headers, ...init })
    return [answer.status, await answer.json()] as const
  }
  const speech = (body: unknown) =>
    ask("/v1/audio/speech", { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) })
  const right = { model: "tts-1", voice: "alloy", input }
  const type = "invalid_request_error"
  for (const [answer, status, param, code] of [
    [await speech({ ...right, input: "a\u0000" }), 400, "input", "field_invalid"],
    [await speech({ ...right, input: "" }), 422, "input", "text_empty"],
    [await speech({ ...right, input: "a".repeat(100_001) }), 413, "input", "text_too_long"],
    [await speech({ ...right, voice: "nobody" }), 404, "voice", "voice_unknown"],
    [await speech({ ...right, speed: 9 }), 400, "speed", "field_invalid"],
    [await speech("{"), 400, null, "body_unreadable"],
    [await ask("/v1/audio/speech"), 405, null, "method_unknown"],
    [await ask("/v1/audio/transcriptions"), 404, null, "path_unknown"],
    [await ask("/v1/models/none"), 404, "model", "model_unknown"],
    [await ask("/v1/models", { headers: { authorization: "Bearer x" } }), 401, null, "invalid_api_key"]
  ] as const) {
    expect(answer).toEqual([status, { error: { message: expect.any(String), type, param, code } }])
    if (param !== null)
      expect(answer[1]).toMatchObject({ error: { message: expect.stringContaining(`${param}: `) } })
  }
})

test("curl gets speech", async () => {
  const body = JSON.stringify({ model: "tts-1", voice: "nova", input, response_format: "wav" })
  const { stdout } = await promisify(execFile)(
    "curl",
    ["-sf", `${service.address}/v1/audio/speech`, "-H", `Authorization: Bearer ${service.key}`].concat([
      ...["-H", "Content-Type: application/json", "-d", body]
    ]),
    { encoding: "buffer", maxBuffer: 1e8 }
  )
  expect(stdout.subarray(0, 4).toString()).toBe("RIFF")
})

describe("responses that nobody reads", () => {
  const long = {
    model: "tts-1",
    voice: "fast-en-us",
    input: "The train leaves at nine. ".repeat(60),
    speed: 0.25
  }
  const post = (
    body: object,
    {
      key = service.key,
      name = "",
      signal
    }: { readonly key?: string; readonly name?: string; readonly signal?: AbortSignal } = {}
  ) =>
    fetch(`${service.address}/v1/audio/speech`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...(name === "" ? {} : { "idempotency-key": name })
      },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal })
    })
  const processes = () => process.getActiveResourcesInfo().filter((each) => each === "ProcessWrap").length

  test("hold no process, and each format of a task is converted once", async () => {
    const leaving = new AbortController()
    const formats = ["opus", "wav", "pcm", "flac"]
    let most = 0
    const counting = setInterval(() => (most = Math.max(most, processes())), 5)
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        post({ ...long, response_format: formats[index % 4] }, { name: "once", signal: leaving.signal })
      )
    )
    clearInterval(counting)
    expect(processes()).toBe(0)
    expect(most).toBeLessThanOrEqual(2)
    const tasks = new Set(answers.map(({ headers }) => headers.get("x-task-id") ?? ""))
    const [taskId = ""] = tasks
    expect([tasks.size, new Set(answers.map(({ status }) => status))]).toEqual([1, new Set([200])])
    leaving.abort()
    const kept = readdirSync(`${service.dataDir}/files/${taskId.slice(0, 2)}/${taskId}`)
    expect(kept.sort()).toEqual(
      ["0.25.flac", "0.25.opus", "0.25.pcm", "0.25.wav", "mp3"].map((ending) => `${taskId}.${ending}`)
    )
    // Another speed would be another file: it is another request.
    expect((await post({ ...long, speed: 0.5 }, { name: "once" })).status).toBe(422)
  })

  test("end after a minute, and are limited for each account before anything is paid for", async () => {
    const sockets: Array<Socket> = []
    const note = (message: unknown) => {
      if (message instanceof Object && "socket" in message && message.socket instanceof Socket)
        sockets.push(message.socket)
    }
    const limited = await startService({ limits: { streams: 1 } })
    subscribe("http.server.request.start", note)
    const speak = (body: object) =>
      fetch(`${limited.address}/v1/audio/speech`, {
        method: "POST",
        headers: { authorization: `Bearer ${limited.key}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    try {
      const unread = await speak({ ...long, response_format: "pcm" })
      expect(sockets.map(({ timeout }) => timeout)).toEqual([30_000])
      const second = await speak(long)
      expect([second.status, await second.json()]).toMatchObject([429, { error: { code: "streams_full" } }])
      const { body } = await ask(limited.address, limited.key, "GET", "/v1/tasks")
      expect(body).toMatchObject({ total: 1 })
      const [task] = Schema.decodeUnknownSync(TaskPage)(body).tasks
      await fetch(task?.audio_url ?? "")
      expect(sockets.at(-1)?.timeout).toBeLessThanOrEqual(30_000)
      // As after a minute without reading.
      sockets[0]?.emit("timeout")
      await expect(unread.arrayBuffer()).rejects.toThrow("terminated")
      const room = async (): Promise<number> => {
        const { status } = await speak({ ...long, input })
        return status === 429 ? room() : status
      }
      expect(await room()).toBe(200)
    } finally {
      unsubscribe("http.server.request.start", note)
      await limited.stop()
    }
  })
})
