import { expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { Task, TaskPage } from "../../../src/contract/Task.ts"
import { ModelList, ProviderList, VoicePage } from "../../../src/contract/ProviderCatalogue.ts"
import { Credits, Health } from "../../../src/contract/Account.ts"
import {
  creditsOf,
  healthOf,
  idIn,
  modelListOf,
  providersOf,
  taskOf,
  taskPageOf,
  voicePageOf,
  wordsIn
} from "../../../src/gateway/exchange/ResponseReading.ts"

const id = "8d7f9a52-0c3e-4b5e-9f5e-2f4f3f0e8a11"
const other = "8d7f9a52-0c3e-4b5e-9f5e-2f4f3f0e8a12"
const blank = { provider: "", model_id: "", voice_id: "", characters: 0, credits: -1, created_at: "" }

it("reads a task wherever its fields are", () => {
  const fields = { task_id: id, audio_url: "https://a/b.mp3" }
  const expected = { ...blank, task_id: id, status: "done", audio_url: "https://a/b.mp3" }
  for (const answer of [
    fields,
    { data: fields },
    { task: fields, success: true },
    { result: fields },
    { task_id: id, metadata: { audio_url: "https://a/b.mp3" } },
    { id: "request-7", data: { id, audio_url: "https://a/b.mp3" } }
  ])
    expect(Schema.decodeUnknownSync(Task)(taskOf(answer))).toEqual(expected)
})

it("reads an audio URL as done, words of failure as failed, and any other word as waiting", () => {
  const statuses = (
    [
      ["done", "https://a"],
      ["brewing", "https://a"],
      ["done", undefined],
      ["COMPLETED", ""],
      ["queued", undefined],
      ["", undefined],
      ["FAILED", undefined],
      ["Error", "https://a"],
      ["cancelled", undefined],
      ["expired", null]
    ] as const
  ).map(([status, audio_url]) => taskOf({ task_id: id, status, audio_url })["status"])
  expect(statuses).toEqual([
    "done",
    "done",
    "processing",
    "processing",
    "queued",
    "processing",
    "failed",
    "failed",
    "failed",
    "failed"
  ])
  expect(taskOf({ id, state: "failed", error: { message: "no voice" } })["error"]).toEqual({
    code: "failed",
    message: "no voice"
  })
  const told = { code: "nothing_to_say", message: "no words" }
  expect(taskOf({ data: { id, status: "failed", error: told } })["error"]).toEqual(told)
})

it("reads the status of the task, not of the request", () => {
  const failed = { task_id: id, state: "failed", error_message: "no voice today" }
  for (const answer of [
    { status: "success", message: "ok", data: failed },
    { status: 200, code: 0, message: "ok", result: failed }
  ])
    expect(taskOf(answer)).toMatchObject({
      status: "failed",
      error: { code: "failed", message: "no voice today" }
    })
  expect(taskOf({ status: "failed", data: { task_id: id } })["status"]).toBe("failed")
})

it("accepts a task id of any form", () => {
  const page = Schema.decodeUnknownSync(TaskPage)(
    taskPageOf({ tasks: [{ task_id: 1001 }, { task_id: " old-7 " }, { task_id: " " }, { task_id: id }] })
  )
  expect(page.tasks.map((task) => task.task_id)).toEqual(["1001", "old-7", id])
})

it("reads a response without a list as no history, not as an empty one", () => {
  const decode = Schema.decodeUnknownEither(TaskPage)
  const empty = [{ tasks: [] }, { data: { items: [] } }, { tasks: null }, { total: 0 }, []]
  const none = [{ message: "come back" }, {}, null, "", { success: true }]
  expect(empty.map((answer) => decode(taskPageOf(answer))._tag)).toEqual(empty.map(() => "Right"))
  expect(none.map((answer) => decode(taskPageOf(answer))._tag)).toEqual(none.map(() => "Left"))
})

it("uses the requested id if a response does not repeat it", () => {
  expect(taskOf({ status: "processing" }, id)["task_id"]).toBe(id)
})

it("does not read a response without an id as a task", () => {
  expect([{ error: "database is down" }, { data: { task_id: id } }].map((answer) => idIn(answer))).toEqual([
    undefined,
    id
  ])
})

it("reads bare and named lists, and drops entries without an id", () => {
  const entries = [{ task_id: id }, { id: other }, { state: "lost" }]
  for (const answer of [
    entries,
    { tasks: entries },
    { data: entries },
    { data: { items: entries } },
    { history: entries }
  ]) {
    const page = Schema.decodeUnknownSync(TaskPage)(taskPageOf(answer))
    expect(page.tasks.map((task) => task.task_id)).toEqual([id, other])
    expect(page.has_more).toBe(true)
    expect(taskPageOf(answer)?.unread).toBe(1)
  }
  expect(taskPageOf([])?.has_more).toBe(false)
  expect(taskPageOf({ tasks: entries, has_more: false })?.has_more).toBe(false)
})

it("reads catalogues with few fields", () => {
  expect(
    Schema.decodeUnknownSync(VoicePage)(
      voicePageOf({ voices: [{ id: "v1", gender: "FEMALE", language: "vi" }] })
    ).voices
  ).toEqual([
    { voice_id: "v1", name: "v1", provider: "", languages: ["vi"], gender: "female", description: "" }
  ])
  expect(
    Schema.decodeUnknownSync(ModelList)(modelListOf(["m1", { model_id: "m2", name: "Two" }])).models.map(
      (model) => model.name
    )
  ).toEqual(["m1", "Two"])
  expect(
    Schema.decodeUnknownSync(ProviderList)({
      providers: providersOf({ data: ["provider_fast"] }).providers.map(({ listed }) => listed)
    }).providers[0]
  ).toMatchObject({
    provider: "provider_fast",
    available: true
  })
  for (const answer of [{ credits: 12.5 }, { data: { balance: "12.5" } }, 12.5])
    expect(Schema.decodeUnknownSync(Credits)(creditsOf(answer)).credits).toBe(12.5)
  expect(
    ["ok", "UP", "degraded", "draining"].map(
      (status) => Schema.decodeUnknownSync(Health)(healthOf({ status })).status
    )
  ).toEqual(["ok", "ok", "degraded", "draining"])
  expect(Schema.decodeUnknownSync(Health)(healthOf(null)).status).toBe("ok")
})

it("finds the message in an error body of any shape", () => {
  const bodies = [
    "plain",
    { message: "plain" },
    { error: "plain" },
    { error: { message: "plain" } },
    { detail: [{ msg: "plain" }] },
    { data: { error_message: "plain" } },
    { errors: { message: "plain" } }
  ]
  expect(bodies.map(wordsIn)).toEqual(bodies.map(() => "plain"))
  expect([null, 7, "", {}, []].map(wordsIn)).toEqual([undefined, undefined, undefined, undefined, undefined])
})
