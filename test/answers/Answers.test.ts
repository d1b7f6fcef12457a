/** Whatever shape a service's answers have: each line is paid for once, and is spoken or says why not. */
import { expect, it } from "@effect/vitest"
import { babble } from "../hostile/Babble.ts"
import { Effect } from "effect"
import { type Made, type Reply, type Shape, speakAt } from "./AnswerWorld.ts"

const address = ({ id }: Made) => `/audio/${id}.wav`
const row = ({ id, text, label, voice, madeAt }: Made) => ({
  task_id: id,
  voice_name: label,
  status: "done",
  provider: "provider_fast",
  voice_id: voice,
  characters: Array.from(text).length,
  created_at: new Date(madeAt).toISOString()
})

/** A service of the interface: tasks are done after two looks. */
const plain: Shape = {
  name: "plain",
  create: (_, make) => ({ body: { task_id: make().id } }),
  look: (task, _, looks) =>
    looks < 2
      ? { body: { task_id: task.id, status: "processing", voice_name: task.label } }
      : { body: { task_id: task.id, status: "done", voice_name: task.label, audio_url: address(task) } },
  list: (tasks) => ({ body: { tasks: tasks.map(row) } })
}

const spoken = (shape: Shape) =>
  it.effect(shape.name, () =>
    Effect.gen(function* () {
      const end = yield* speakAt(shape, { lines: 4 })
      expect({ states: end.states, paid: end.paid.length }, end.messages.join("\n")).toEqual({
        states: ["fetched", "fetched", "fetched", "fetched"],
        paid: 4
      })
    })
  )

const idNames = ["taskId", "job_id", "jobId", "request_id", "requestId", "projectExportId"]
for (const name of idNames)
  for (const wrap of [
    (fields: object) => fields,
    (data: object) => ({ code: 200, message: "ok", data }),
    (result: object) => ({ success: true, result })
  ])
    spoken({
      ...plain,
      name: `reads the id in ${JSON.stringify(wrap({ [name]: "…" }))}`,
      create: (_, make) => ({ body: wrap({ [name]: make().id }) }),
      list: (tasks) => ({
        body: { tasks: tasks.map(({ id, label }) => ({ [name]: id, voice_name: label })) }
      })
    })

for (const [name, audio] of Object.entries({
  output_uri: (task: Made) => ({ output_uri: address(task) }),
  "metadata.output_uri": (task: Made) => ({ metadata: { output_uri: address(task) } }),
  "metadata.all_audio_urls": (task: Made) => ({ metadata: { all_audio_urls: [address(task)] } }),
  "an audio_url in a list": (task: Made) => ({ audio_url: [address(task)] }),
  "result as a text": (task: Made) => ({ result: address(task) }),
  audioUrl: (task: Made) => ({ audioUrl: address(task) }),
  audio_link: (task: Made) => ({ audio_link: address(task) }),
  url: (task: Made) => ({ url: address(task) }),
  "data.metadata.audio_url": (task: Made) => ({
    data: { status: "done", metadata: { audio_url: address(task) } }
  })
}))
  for (const state of [{ status: "completed" }, { state: "SUCCESS" }, { progress: 100 }])
    spoken({
      ...plain,
      name: `reads the audio in ${name} with ${JSON.stringify(state)}`,
      look: (task, _, looks) => ({
        body: looks < 2 ? { id: task.id, status: "doing" } : { id: task.id, ...state, ...audio(task) }
      })
    })

spoken({
  ...plain,
  name: "reads JSON after a byte order mark",
  create: (_, make) => ({ body: `\uFEFF{"task_id":"${make().id}"}` })
})

spoken({
  ...plain,
  name: "speaks at a genmax service",
  dialect: "genmax",
  body: { quality: "{language}" },
  create: ({ fields, path }, make) =>
    path === "/v1/text-to-speech/v1" && "voice_settings" in fields === false
      ? { status: 202, body: { id: make().id, status: "pending" } }
      : { status: 400, body: { message: "unknown field" } },
  look: (task, _, looks) => ({
    body:
      looks < 2
        ? { id: task.id, status: "processing" }
        : { id: task.id, status: "completed", result: { audio_url: address(task) } }
  })
})

spoken({
  ...plain,
  name: "speaks at a v3 service, with a form and no label",
  dialect: "v3",
  create: ({ fields, path }, make) =>
    path === "/v3/text-to-speech" && fields["voice_id"] === "provider_fast_v1"
      ? { body: { success: true, task_id: make().id, ec_remain_credits: 12 } }
      : { status: 400, body: { message: "voice_id is required" } },
  look: (task, _, looks) => ({
    body: {
      id: task.id,
      status: looks < 2 ? "doing" : "done",
      metadata: looks < 2 ? {} : { audio_url: address(task) }
    }
  })
})

spoken({
  ...plain,
  name: "backs off from a 401 for a key that was accepted before",
  create: ({ attempt, now }, make) =>
    attempt > 1 && attempt < 5 && now < 60_000
      ? { status: 401, body: { message: "unauthorized" } }
      : { body: { task_id: make().id } }
})

for (const lag of [12, 25, 40])
  spoken({
    ...plain,
    name: `waits for a task that is unknown for ${lag} s, though it is listed`,
    look: (task, now, looks) =>
      now - task.madeAt < lag * 1000
        ? { status: 404, body: { message: "no such task" } }
        : plain.look(task, now, looks)
  })

for (const [name, written] of Object.entries({ empty: 0, "cut off in its header": 30 }))
  spoken({
    ...plain,
    name: `waits for a file that is ${name} until it is written`,
    fetch: ({ text, madeAt }, now) => ({
      body: babble(text).subarray(0, now - madeAt < 10_000 ? written : undefined)
    })
  })

spoken({
  ...plain,
  name: "finds a lost create by its text, voice, length and time if the history has no labels",
  create: ({ attempt }, make) => {
    const { id } = make()
    return attempt === 1 ? "reset" : { body: { task_id: id } }
  },
  look: (task, _, looks) => ({
    body: looks < 2 ? { status: "doing" } : { status: "done", audio_url: address(task) }
  }),
  list: (tasks) => ({
    body: {
      tasks: tasks.map(({ id, text, voice, madeAt }) => ({
        task_id: id,
        text: text.slice(0, 1000),
        text_length: text.length,
        voice,
        created_at: new Date(madeAt).toISOString()
      }))
    }
  })
})

const bare = (tasks: ReadonlyArray<Made>) => ({
  body: {
    tasks: tasks.map(({ id, madeAt }) => ({ task_id: id, created_at: new Date(madeAt).toISOString() }))
  }
})
const uuid = (at: number) => `00000000-0000-4000-8000-00000000000${at}`

// Shapes besides the interface's. No history says which task is whose.
for (const [name, reply] of Object.entries<(id: string) => Reply>({
  "in envelopes of any name": (id) => ({ body: { d: { createTask: { id } } } }),
  "in a list": (id) => ({ body: { tasks: [{ id }] } }),
  "in a list of ids": (id) => ({ body: { task_ids: [id] } }),
  "under any name of an id": (id) => ({ body: { trace_id: "r-1", voice_id: "v1", conversion_id: id } }),
  "in place of the data": (id) => ({ body: { code: 0, msg: "success", data: id } }),
  "as the whole body": (id) => ({ body: `${id}\n` }),
  "in Location": (id) => ({ status: 202, body: "", headers: { location: `/v1/task/${id}` } }),
  "in the Location of a 303": (id) => ({ status: 303, body: "", headers: { location: `/v1/task/${id}/` } }),
  "in JSON in a text": (id) => ({ body: JSON.stringify(JSON.stringify({ task_id: id })) }),
  "in JSON text in data": (id) => ({ body: { code: 0, data: JSON.stringify({ task_id: id }) } }),
  "in JSON after a warning": (id) => ({ body: `<b>Warning</b>: x in y<br />\n{"task_id":"${id}"}` }),
  "in a call": (id) => ({ body: `callback({"task_id":"${id}"});` }),
  "in the last of several lines": (id) => ({ body: `{"event":"accepted"}\n{"task_id":"${id}"}\n` }),
  "in a conflict": (id) => ({ status: 409, body: { message: "duplicate", task_id: id } }),
  "in a failure": (id) => ({ status: 500, body: { error: "the queue is slow", task_id: id } })
}))
  spoken({
    ...plain,
    name: `reads the id ${name}`,
    create: (_, make) => reply(make().id),
    idOf: uuid,
    list: bare
  })

for (const [busy, done] of [
  ["處理中", "完成"],
  ["not_done", "Done."],
  ["JOB_RUNNING", "JOB_STATE_SUCCEEDED"],
  [1, 2],
  [false, true]
] as const)
  spoken({
    ...plain,
    name: `tells the state ${done} from ${busy}`,
    look: (task, _, looks) => ({
      body: looks < 3 ? { state: busy, url: "/v1/task" } : { state: done, url: address(task) }
    })
  })

for (const [name, audio] of Object.entries<(task: Made) => object>({
  "under a name of its own": (task) => ({ assets: { mp3: [{ signed: address(task) }] } }),
  "in an object": (task) => ({ audio: { href: address(task) } }),
  "beside a page": (task) => ({ url: "/page", file_link: address(task) }),
  "as base64": ({ text }) => ({ audio_content: Buffer.from(babble(text)).toString("base64") }),
  "as a data URL": ({ text }) => ({
    audio_url: `data:audio/wav;base64,${Buffer.from(babble(text)).toString("base64")}`
  })
}))
  spoken({
    ...plain,
    name: `reads the audio ${name}`,
    look: (task, _, looks) => ({
      body: looks < 2 ? { status: "doing" } : { id: task.id, done: true, ...audio(task) }
    })
  })

spoken({
  ...plain,
  name: "finds a task by its label if it is listed under another id than the create's",
  create: (_, make) => ({ body: { request_id: `r-${make().id}` } })
})

spoken({
  ...plain,
  name: "waits for an address that comes 20 s after the state",
  look: (task, now) => ({
    body: { status: "done", audio_url: now - task.madeAt > 20_000 ? address(task) : null }
  })
})

spoken({
  ...plain,
  name: "waits for a task that is refused as not ready",
  look: (task, now, looks) =>
    now - task.madeAt < 20_000
      ? { status: 409, body: { message: "the task is not ready yet" } }
      : plain.look(task, now, looks)
})

spoken({
  ...plain,
  name: "asks the history after a 503 that does not say when to return",
  create: ({ attempt }, make) => {
    const { id } = make()
    return attempt < 2 ? { status: 503, body: "busy" } : { body: { task_id: id } }
  }
})

/** Forty tasks of another day, the oldest first: a service that lists twenty, whatever page is asked for. */
const earlier = (now: number) =>
  Array.from({ length: 40 }, (_, at) => ({
    ...row({
      id: `old-${at}`,
      text: "old",
      label: `dw-${String(at).padStart(12, "0")} old`,
      voice: "v1",
      madeAt: now
    }),
    created_at: new Date(now - (45 - at) * 3_600_000).toISOString()
  }))
for (const [name, more] of Object.entries<object>({
  "a cursor": { next_cursor: "20" },
  "a link": { links: { next: "/v1/tasks?offset=20" } },
  "a total": { total: 41 },
  nothing: {}
}))
  it.effect(`does not take a part of the history for all of it, if ${name} says that there is more`, () =>
    Effect.gen(function* () {
      const list = (tasks: ReadonlyArray<Made>, now: number) => ({
        body: { tasks: [...earlier(now), ...tasks.map(row)].slice(0, 20), ...more }
      })
      const create = (_: unknown, make: () => Made): Reply => (make(), "reset")
      const end = yield* speakAt({ ...plain, name, create, list }, { lines: 1 })
      expect([end.paid.length, end.states]).toEqual([1, ["failed"]])
    })
  )

it.effect("does not take a history in another time zone for one without the task", () =>
  Effect.gen(function* () {
    const zoned = (madeAt: number) => new Date(madeAt - 8 * 3_600_000).toISOString()
    const list = (tasks: ReadonlyArray<Made>, now: number, page?: number) => ({
      body: {
        tasks: [
          ...tasks.map((task) => ({ ...row(task), created_at: zoned(task.madeAt) })).reverse(),
          ...earlier(now).reverse()
        ].slice((page ?? 1) * 2 - 2, (page ?? 1) * 2)
      }
    })
    const create = ({ attempt }: { readonly attempt: number }, make: () => Made): Reply => {
      const { id } = make()
      return attempt === 0 ? "reset" : { body: { task_id: id } }
    }
    const end = yield* speakAt({ ...plain, create, list })
    expect(end.paid.length).toBe(4)
  })
)

it.effect("does not pay again for audio of which nothing was ever readable", () =>
  Effect.gen(function* () {
    const end = yield* speakAt({
      ...plain,
      fetch: () => ({ body: new Uint8Array([0x50, 0x4b, 3, 4, 20, 0, 0, 0]) })
    })
    expect(end.paid.length).toBe(4)
    expect(end.reasons[0]).toContain("found no sound")
  })
)

/** Shapes that cannot be read: few creates, then the run stops and says what it saw. */
const unread = {
  "an id under an unknown name": (make: () => Made) => ({ body: { synthesisRef: make().id } }),
  HTML: (make: () => Made) => ({ body: `<html>made ${make().id}</html>` }),
  "audio bytes": (make: () => Made) => (
    make(),
    { body: new Uint8Array([0xff, 0xfb, 0x90, 0x44, 0, 1, 2, 3]) }
  ),
  "an empty object": (make: () => Made) => (make(), { body: {} }),
  "an empty body": (make: () => Made) => (make(), { body: "" })
}
for (const [name, create] of Object.entries(unread))
  for (const [kind, list] of Object.entries({
    "the same rows": (tasks: ReadonlyArray<Made>) => ({
      body: { tasks: tasks.map(({ id }) => ({ synthesisRef: id })) }
    }),
    "no rows": () => ({ body: { tasks: [] } }),
    "no list": () => ({ body: { ok: true } })
  }))
    it.effect(
      `creates at most three tasks if creates are answered with ${name} and the history with ${kind}`,
      () =>
        Effect.gen(function* () {
          const shape: Shape = { ...plain, name, create: (_, make) => create(make), list }
          const end = yield* speakAt(shape, { lines: 6, concurrency: 6 })
          expect(end.paid.length).toBeLessThanOrEqual(3)
          expect(new Set(end.paid.map(({ text }) => text)).size).toBe(end.paid.length)
          expect(end.created).toBe(end.paid.length)
          expect(end.halt).toContain("looked for task_id, job_id")
          if (name === "audio bytes") expect(end.halt).toContain("(binary data)")
          // A second night pays for no line again.
          const again = yield* speakAt(shape, { lines: 6, concurrency: 6, runs: 2 })
          expect(new Set(again.paid.map(({ text }) => text)).size).toBe(again.paid.length)
        })
    )

it.effect("adopts the task of a create that names none, if the history lists its label", () =>
  Effect.gen(function* () {
    const end = yield* speakAt({ ...plain, create: (_, make) => (make(), { body: {} }) })
    expect({ states: new Set(end.states), paid: end.paid.length }).toEqual({
      states: new Set(["fetched"]),
      paid: 4
    })
  })
)

it.effect(
  "fails a done task without an address after five looks, names its fields, and does not create again",
  () =>
    Effect.gen(function* () {
      const shape: Shape = {
        ...plain,
        look: (task) => ({ body: { task_id: task.id, status: "done", outcome: 7 } })
      }
      const end = yield* speakAt(shape, { runs: 2 })
      expect(end.paid.length).toBe(4)
      expect(new Set(end.states)).toEqual(new Set(["failed"]))
      expect(end.reasons[0]).toContain("its fields are task_id, status, outcome")
      expect(end.seconds).toBeLessThan(120)
    })
)

for (const body of [
  { success: false, message: "voice is not allowed" },
  { ok: false, message: "voice is not allowed" },
  { status: 0, message: "voice is not allowed" },
  { code: 1203, message: "voice is not allowed" },
  { success: false, request_id: "r-1", message: "voice is not allowed" }
])
  it.effect(`takes ${JSON.stringify(body)} for a refusal`, () =>
    Effect.gen(function* () {
      let sent = 0
      const end = yield* speakAt({ ...plain, create: () => (sent++, { body }) })
      expect(sent).toBe(4)
      expect(end.reasons[0]).toContain("voice is not allowed")
      expect(end.seconds).toBeLessThan(10)
    })
  )

it.effect("stops at once if the first call is answered with 401", () =>
  Effect.gen(function* () {
    const end = yield* speakAt({ ...plain, create: () => ({ status: 401, body: { message: "bad key" } }) })
    expect(end.halt).toContain("rejected the key")
    expect(end.seconds).toBeLessThan(10)
  })
)

it.effect("reports a task that stays pending, and ends at its deadline", () =>
  Effect.gen(function* () {
    const end = yield* speakAt(
      { ...plain, look: (task) => ({ body: { task_id: task.id, status: "processing" } }) },
      { lines: 2 }
    )
    expect(end.paid.length).toBe(2)
    expect(end.seconds).toBeLessThan(17 * 60)
    expect(end.messages.filter((message) => message.includes("far longer than usual"))).toHaveLength(1)
    expect(
      end.messages.some((message) =>
        message.includes("was not done within 900 s: its last answer says processing")
      )
    ).toBe(true)
  })
)

for (const [name, shape] of Object.entries<Partial<Shape>>({
  "one task id for all lines": {
    create: (_, make) => {
      make()
      return { body: { task_id: "task-1" } }
    }
  },
  "labels of another line": {
    look: (task) => ({
      body: { task_id: task.id, status: "done", voice_name: "dw-0123456789ab x", audio_url: address(task) }
    })
  },
  "one audio file for all lines": { fetch: () => ({ body: babble("The very same words, always.") }) }
}))
  it.effect(`refuses ${name}`, () =>
    Effect.gen(function* () {
      const end = yield* speakAt({ ...plain, ...shape, name })
      expect(end.states.filter((state) => state === "fetched").length).toBeLessThanOrEqual(1)
      expect(end.reasons[0]).toContain("the service mixes up lines")
      expect(new Set(end.paid.map(({ text }) => text)).size).toBe(end.paid.length)
    })
  )
