/** `doctor --probe`: the dialect that it finds makes a run pass, and nothing is paid for twice. */
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { runHere } from "../app/cli/inProcess.ts"
import { emptyFolder } from "../app/process.ts"
import { bytesOf, type Made, repliesOf, type Shape } from "./AnswerWorld.ts"

const servers: Array<() => void> = []
afterAll(() => {
  for (const close of servers) close()
})

/** Serves a shape over HTTP. */
const served = async (shape: Shape) => {
  const made: Array<Made> = []
  const replyTo = repliesOf(shape, made)
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece))
    request.on("end", () => {
      const reply = replyTo({ method: request.method ?? "", path: request.url ?? "", body }, Date.now())
      const { status = 200, body: sent } = typeof reply === "string" ? { status: 500, body: "" } : reply
      response.writeHead(status).end(bytesOf(sent))
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  servers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { made, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` }
}

const address = ({ id }: Made) => `/audio/${id}.wav`
const env = { DUBWRIGHT_API_KEY: "nativeapikey_probe" }
const probe = (...words: ReadonlyArray<string>) => ["doctor", "--probe", ...words]

/** A service of the interface: tasks are done at the third look. */
const plain: Shape = {
  name: "of the interface",
  create: (_, make) => ({ body: { task_id: make().id } }),
  look: (task, _, looks) => ({
    body:
      looks < 3
        ? { task_id: task.id, status: "processing" }
        : { task_id: task.id, status: "done", audio_url: address(task) }
  }),
  list: (tasks) => ({ body: { tasks: tasks.map(({ id, label }) => ({ task_id: id, voice_name: label })) } })
}

const shapes: ReadonlyArray<readonly [Shape, object]> = [
  [
    {
      name: "with everything in an envelope of its own, and the id as a ticket",
      create: (_, make) => ({ body: { id: "request-0001", reply: { ticket: make().id, eta: 4 } } }),
      look: (task, _, looks) => ({
        body: {
          reply: {
            ticket: task.id,
            ...(looks < 3 ? { status: "processing" } : { status: "done", audio_url: address(task) })
          }
        }
      }),
      list: (tasks) => ({
        body: { items: tasks.map(({ id, label, text }) => ({ ticket: id, marked: label, said: text })) }
      })
    },
    {
      fields: {
        id: ["ticket", "reply.ticket"],
        text: ["said"]
      }
    }
  ],
  [
    {
      ...plain,
      name: "with the audio under a name of its own, in a list",
      look: (task, _, looks) => ({
        body: {
          id: task.id,
          links: { self: `http://127.0.0.1/v1/task/${task.id}`, docs: "/docs/index.html" },
          ...(looks < 3
            ? { status: "queued" }
            : { status: "done", takes: [{ href: address(task) }, { href: "/audio/all.wav" }] })
        }
      })
    },
    { fields: { audio: ["takes", "href"] } }
  ],
  [
    {
      ...plain,
      name: "with a state of its own, beside that of the request",
      look: (task, _, looks) => ({
        body: {
          status: "success",
          phase: looks < 3 ? "brewing" : "poured",
          ...(looks < 3 ? {} : { url: address(task) })
        }
      })
    },
    { states: { done: ["poured"] }, fields: { state: ["phase"] } }
  ],
  [
    {
      ...plain,
      name: "with a progress only",
      look: (task, _, looks) => ({
        body: { id: task.id, share_done: looks * 30 + 10, cup: looks < 3 ? "" : address(task) }
      })
    },
    { fields: { progress: ["share_done"] } }
  ]
]

describe.each(shapes)("a service $name", (shape, dialect) => {
  test("is read by the dialect that is found", async () => {
    const { made, url } = await served(shape)
    const cwd = emptyFolder()
    const manifest = (setting?: unknown) =>
      JSON.stringify({
        service: { baseUrl: url, dialect: setting },
        defaults: { provider: "provider_fast", voice: "v1", language: "en" },
        jobs: [{ input: "line.srt", outputs: ["wav"] }]
      })
    writeFileSync(join(cwd, "film.json"), manifest())
    writeFileSync(
      join(cwd, "line.srt"),
      "1\n00:00:01,000 --> 00:00:04,000\nThe harbour is quiet.\n\n2\n00:00:05,000 --> 00:00:09,000\nWe leave at dawn.\n"
    )
    const found = await runHere(probe("film.json", "--yes"), { cwd, env })
    expect([found.code, made.length], found.stdout + found.stderr).toEqual([0, 1])
    const pasted: unknown = JSON.parse(`{${found.stdout.slice(found.stdout.indexOf('"dialect"'))}}`)
    expect(pasted).toEqual({ dialect })

    writeFileSync(join(cwd, "film.json"), manifest(dialect))
    const ran = await runHere(["run", "film.json"], { cwd, env })
    const texts = made.map(({ text }) => text).sort()
    expect([ran.code, texts], ran.stderr).toEqual([0, ["OK.", "The harbour is quiet.", "We leave at dawn."]])
    const { tasks } = JSON.parse(readFileSync(join(cwd, "out/run.json"), "utf8"))
    expect(tasks).toMatchObject({ created: 2, retried: 0, failed: 0 })
  })
})

const voice = ["--voice", "v1", "--provider", "provider_fast"]

test("without a terminal, nothing is created unless --yes is given", async () => {
  const { made, url } = await served(plain)
  const { code, stderr } = await runHere(probe("--base-url", url, ...voice), { env })
  expect([code, made]).toEqual([2, []])
  expect(stderr).toContain("The probe creates one task, for an unknown price: 3 characters, voice v1")
  expect(stderr).toContain("pass --yes to create it")
})

test.each([
  ["a page", "<html><body>Welcome to the studio</body></html>", "Welcome to the studio"],
  ["nothing", "", "it is empty"],
  ["fields without an id", { note: "thank you", eta: 5 }, "\n    note = thank you\n    eta = 5\n"]
])(
  "a create that is answered with %s is not sent again, and what was looked for is said",
  async (_, body, shown) => {
    const { made, url } = await served({ ...plain, create: (_, make) => (make(), { body }) })
    const { code, stdout } = await runHere(probe("--base-url", url, "--yes", ...voice), { env })
    expect([code, made.length]).toEqual([3, 1])
    expect(stdout).toContain(shown)
    expect(stdout).toContain("looked for task_id, job_id")
  }
)

test("a refused create is not sent again, and the refusal is shown", async () => {
  let creates = 0
  const { url } = await served({
    ...plain,
    create: () => {
      creates++
      return { status: 400, body: { message: "language_code is required" } }
    }
  })
  const { code, stdout } = await runHere(probe("--base-url", url, "--yes", ...voice), { env })
  expect([code, creates]).toEqual([3, 1])
  expect(stdout).toContain("language_code is required (HTTP 400); nothing was created")
})

test("prints the findings and a dialect in YAML, and a failure of the task", async () => {
  const good = await served({
    ...plain,
    list: (tasks) => ({ body: { tasks: tasks.map(({ id }) => ({ task_id: id })) } })
  })
  const found = await runHere(probe("--base-url", good.url, "--yes", ...voice), { env })
  expect(found.stdout.slice(found.stdout.indexOf("✓ Task id"))).toMatch(
    new RegExp(
      [
        "✓ Task id +task-1, at task_id",
        "✓ States +processing, then done",
        "✓ Audio +at audio_url, \\d+ bytes of wav",
        "✓ Transcript +not offered",
        "✓ Credits +not stated for the task; balance 100000 before, 100000 after",
        "✓ History +one task: its order is unknown",
        "✓ Label +not echoed",
        "✓ Text +not echoed",
        "✓ Idempotency +not stated; not tried, because that would cost another create",
        "✓ Dialect +for the manifest, under service:",
        "  dialect: default\n$"
      ].join("\n"),
      "u"
    )
  )
  const bad = await served({
    ...plain,
    look: ({ id }) => ({ body: { task_id: id, status: "failed", error: { message: "no such voice" } } })
  })
  const { code, stdout } = await runHere(probe("--base-url", bad.url, "--yes", ...voice), { env })
  expect([code, bad.made.length]).toEqual([3, 1])
  expect(stdout).toContain("✗ Audio         task task-1: the task failed: no such voice")
})
