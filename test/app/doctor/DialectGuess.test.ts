/** The names by which a service answers, found in its answers about one task. */
import { expect, test } from "vitest"
import { dialectSeen, idGuesses, type SeenTask } from "../../../src/app/doctor/DialectGuess.ts"
import { audioGuesses } from "../../../src/gateway/exchange/ResponseReading.ts"

const sound = "https://cdn.example/sounds/77.mp3"
const seen: SeenTask = {
  id: "t-000077",
  create: { task_id: "t-000077" },
  looks: [
    { task_id: "t-000077", status: "processing" },
    { task_id: "t-000077", status: "done", audio_url: sound }
  ],
  row: { task_id: "t-000077", voice_name: "dw-0123456789ab probe" },
  audio: sound,
  text: "OK.",
  label: "dw-0123456789ab probe"
}
const pending = { status: "processing" }

test.each<readonly [string, Partial<SeenTask>, unknown]>([
  ["the interface", {}, "default"],
  [
    "names of its relatives",
    { create: { data: { jobId: "t-000077" } }, row: { jobId: "t-000077" } },
    "default"
  ],
  ["a state in numbers", { looks: [{ state: 1 }, { state: 2, url: sound }] }, { states: { done: ["2"] } }],
  [
    "a done word of its own",
    { looks: [pending, { status: "Fertig", url: sound }] },
    { states: { done: ["fertig"] } }
  ],
  [
    "a done task whose url is a page",
    { looks: [pending, { status: "done", url: "/jobs/77", voice: { cut: "/cuts/77" } }], audio: "/cuts/77" },
    { fields: { audio: ["voice.cut"] } }
  ],
  [
    "a message that changes beside the state",
    {
      looks: [
        { message: "working", mood: "busy" },
        { message: "here it is", mood: "glad", cut: sound }
      ]
    },
    { states: { done: ["glad"] }, fields: { state: ["mood"] } }
  ],
  [
    "a progress in an envelope of its own",
    { looks: [{ now: { pct: 5 } }, { now: { pct: "100%" }, url: sound }] },
    { fields: { progress: ["now.pct"] } }
  ],
  [
    "transcripts of its own",
    { looks: [pending, { status: "done", audio_url: sound, captions: "/77.srt", words: "/77.json?x=1" }] },
    { fields: { srt: ["captions"], json: ["words"] } }
  ],
  [
    "an id and a text of its own, in the history alone",
    { row: { ticket: "t-000077", about: { words: "OK." } } },
    { fields: { id: ["ticket"], text: ["about.words"] } }
  ]
])("finds %s", (_, different, setting) => {
  expect(dialectSeen(undefined, { ...seen, ...different })).toEqual({ setting, isRead: true })
})

test("adds to the dialect that the manifest has", () => {
  const create = { reply: { ticket: "t-000077" } }
  expect(dialectSeen("genmax", { ...seen, create }).setting).toEqual({
    like: "genmax",
    fields: { id: ["reply.ticket"] }
  })
  const before = { states: { done: ["glad"] }, fields: { id: ["number"] } } as const
  expect(dialectSeen(before, { ...seen, create }).setting).toEqual({
    states: { done: ["glad"] },
    fields: { id: ["reply.ticket", "number"] }
  })
})

test("says if no dialect reads the answers", () => {
  expect(dialectSeen(undefined, { ...seen, create: [["t-000077"], ["x"]] }).isRead).toBe(false)
  expect(dialectSeen(undefined, { ...seen, audio: undefined, looks: [{ status: "done" }] }).isRead).toBe(
    false
  )
})

test("guesses ids: a UUID or an opaque text, and numbers with a telling name", () => {
  const guesses = (create: unknown) => idGuesses(create, ["v1", "OK."]).map(({ path }) => path)
  const uuid = "0d1f4bd0-1c40-4b4e-9f5a-2f1b7a3d9c11"
  expect(
    guesses({ reply: { ticket: uuid }, trace_id: uuid, voice: "v1", at: "2030-01-01T00:00:00Z" })
  ).toEqual(["reply.ticket"])
  expect(guesses({ orderNumber: 48213, eta: 5, characters: 3, credits: 100000, status: "queued" })).toEqual([
    "orderNumber"
  ])
  expect(guesses({ a: "zx-9981-ab", b: uuid, link: "https://x.example/zx-9981-ab", list: [uuid] })).toEqual([
    "b",
    "a"
  ])
  expect(guesses({ message: "your job is in line", ok: true })).toEqual([])
  expect(guesses("zx-9981-ab")).toEqual([])
})

test("guesses audio: addresses that are no page, transcript, picture or the task itself", () => {
  const look = {
    links: { self: "/v1/task/t1", next: "https://x.example/v1/task/t1", docs: "/docs.html" },
    srt: "/t1.srt",
    cover: "/t1.png",
    preview_url: "/hello.mp3",
    place: "/files/77",
    takes: [{ href: "/t1.wav" }]
  }
  expect(audioGuesses(look, "t1").map(({ path }) => path)).toEqual(["takes[].href", "place"])
})
