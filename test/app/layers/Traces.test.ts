/** Traces and log lines of a run: those of one utterance are found by its key, in the pipeline and in the service. */
import { writeFileSync } from "node:fs"
import { createServer, type Server, type ServerResponse } from "node:http"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { emptyFolder, run, start } from "../process.ts"

/** A span as a collector receives it. */
interface CollectedSpan {
  readonly program: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: Readonly<Record<string, unknown>>
}

const spans: Array<CollectedSpan> = []
const bodies: Array<string> = []
/** Exports of the service that the collector has not answered, and whether it holds back further answers. */
const held: Array<{ readonly body: string; readonly response: ServerResponse }> = []
let isHolding = false
let collector: Server
let endpoint = ""

const valuesOf = (attributes: ReadonlyArray<{ key: string; value: Record<string, unknown> }>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansIn = (body: string): Array<CollectedSpan> => {
  const received: Array<CollectedSpan> = []
  for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans)
    for (const { spans: some } of scopeSpans)
      for (const span of some)
        received.push({
          ...span,
          program: String(valuesOf(resource.attributes)["service.name"]),
          attributes: valuesOf(span.attributes)
        })
  return received
}

beforeAll(async () => {
  collector = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      bodies.push(body)
      const received = spansIn(body)
      if (isHolding && received.some(({ program }) => program === "service"))
        return void held.push({ body, response })
      spans.push(...received)
      response.end("{}")
    })
  })
  // Node's default of five seconds may close a connection between two exports, whose spans are then lost.
  collector.keepAliveTimeout = 60_000
  await new Promise<void>((listening) => collector.listen(0, "127.0.0.1", listening))
  const address = collector.address()
  endpoint = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
})
afterAll(() => collector.close())

/** A folder with a subtitle of two lines. */
const twoLines = (): string => {
  const cwd = emptyFolder()
  const cue = (n: number, words: string) => `${n}\n00:00:0${n},000 --> 00:00:0${n},900\n${words}\n`
  writeFileSync(join(cwd, "café.srt"), `${cue(1, "Here we are.")}\n${cue(4, "At last.")}`)
  return cwd
}

const voice = ["--provider", "provider_opensource", "--voice", "os-slt"]

test("a collector shows every span of each utterance by its key, across pipeline and service", async () => {
  const data = emptyFolder()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: "service" }
  const serving = start(["serve", "--port", "0", "--data", data], { env })
  const url = (await serving.firstLine).replace("listening ", "")
  const { stdout } = await run(["keys", "create", "--name", "a", "--data", data])
  const secret = stdout.trim()
  const { code, stderr } = await run(["run", "café.srt", ...voice, "--base-url", url], {
    cwd: twoLines(),
    env: { ...env, OTEL_SERVICE_NAME: "run", DUBWRIGHT_API_KEY: secret }
  })
  expect(code, stderr).toBe(0)
  // The service is stopped while an export is under way, which the collector then refuses once.
  isHolding = true
  expect((await fetch(`${url}/v1/credits`, { headers: { "xi-api-key": secret } })).status).toBe(200)
  await vi.waitUntil(() => held.length > 0, { timeout: 30_000 })
  serving.child.kill("SIGTERM")
  isHolding = false
  for (const { response } of held) response.writeHead(503).end()
  await serving.ended
  const refused = held.flatMap(({ body }) => spansIn(body))
  expect(refused.filter(({ spanId }) => !spans.some((span) => span.spanId === spanId))).toEqual([])

  const each = spans.filter(({ name }) => name === "UtteranceProcess.processUtterance")
  expect(each.length).toBe(2)
  for (const whole of each) expectSpansOf(whole)
  // Neither the key nor a secret URL is in a trace.
  expect(bodies.filter((body) => body.includes(secret) || body.includes("/files/"))).toEqual([])
})

/** Expects all spans of an utterance, given its first, in one trace. */
const expectSpansOf = (whole: CollectedSpan) => {
  // The search for ffmpeg differs between machines, and only some clips are aligned.
  const found = spans.filter(
    ({ attributes, name }) =>
      attributes["utterance"] === whole.attributes["utterance"] &&
      !/^(FfmpegBinary|SpeechAligner)\./u.test(name)
  )
  expect([...new Set(found.map(({ program, name }) => `${program}: ${name}`))].sort()).toEqual([
    "run: ClipStorage.keepClip",
    "run: HttpTransport.send",
    "run: TaskCreation.sendCreate",
    "run: UtteranceProcess.awaited",
    "run: UtteranceProcess.fetchClip",
    "run: UtteranceProcess.processUtterance",
    "service: Ffmpeg.encode",
    "service: FliteEngine.speak",
    "service: JobRunner.runJob",
    "service: Synthesis.synthesizeTask",
    "service: TaskIntake.take",
    "service: TaskQueue.finish",
    "service: TaskStore.create",
    "service: http.server GET",
    "service: http.server POST",
    "service: sql.execute",
    "service: sql.transaction"
  ])
  expect(new Set(found.map(({ traceId }) => traceId))).toEqual(new Set([whole.traceId]))
  // Except for the first, each span's parent is in the list.
  const ids = new Set(found.map(({ spanId }) => spanId))
  expect(found.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? "")).map(({ name }) => name)).toEqual([
    "UtteranceProcess.processUtterance"
  ])
  expect(found.map(({ attributes: { job, provider, take } }) => ({ job, provider, take }))).toEqual(
    found.map(() => ({ job: "café", provider: "provider_opensource", take: "1" }))
  )
}

test("--log-level debug prints log lines with the job, the utterance, the provider and the task", async () => {
  const cwd = twoLines()
  const { code, stderr } = await run(["run", "café.srt", ...voice, "--embedded", "--log-level", "debug"], {
    cwd
  })
  expect(code, stderr).toBe(0)
  const lines = stderr.split("\n").filter((line) => line.includes("level=DEBUG"))
  for (const message of ["task created", "task done", "clip stored"])
    expect(lines.filter((line) => line.includes(`message="${message}"`)).map(annotationsIn)).toEqual([
      { job: "café", provider: "provider_opensource", take: "1", utterance: "key", task: "id" },
      { job: "café", provider: "provider_opensource", take: "1", utterance: "key", task: "id" }
    ])
  const verbose = await run(["run", "café.srt", ...voice, "--embedded", "--verbose"], { cwd: twoLines() })
  expect(verbose.stderr).not.toContain("level=DEBUG")
})

/** The annotations of a log line, with placeholders for keys and ids. */
const annotationsIn = (line: string) =>
  Object.fromEntries(
    [...line.matchAll(/ (job|utterance|provider|take|task)=(\S+)/gu)].map(([, name = "", value = ""]) => [
      name,
      /^[\da-f]{64}$/u.test(value) ? "key" : /^[\da-f-]{36}$/u.test(value) ? "id" : value
    ])
  )
