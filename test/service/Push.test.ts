/** Clients learn of a task's end without polling: by a read that waits, or by events. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { Schema } from "effect"
import { Task } from "../../src/contract/Task.ts"
import { ask, create, refusalOf, type Started, startService } from "./start.ts"

let service: Started
beforeAll(async () => {
  service = await startService({ limits: { streams: 2 } })
})
afterAll(() => service.stop())

const hello = { provider: "provider_fast", text: "Hello there, and good morning." }
const headersOf = (key: string) => ({ "xi-api-key": key })
const decode = Schema.decodeUnknownSync(Schema.parseJson(Task))

/** Reads events until a task has ended, or the stream closes. */
const followed = async (
  path: string,
  key: string,
  started: () => Promise<unknown> = async () => undefined
) => {
  const response = await fetch(`${service.address}${path}`, { headers: headersOf(key) })
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/u)
  await started()
  let text = ""
  const decoder = new TextDecoder()
  const seen: Array<Task> = []
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const events = text.split("\n\n")
    text = events.pop() ?? ""
    for (const event of events) {
      const data = /^event: task\ndata: (.+)$/u.exec(event)?.[1]
      if (data !== undefined) seen.push(decode(data))
    }
    if (seen.at(-1)?.status === "done") break
  }
  return seen
}

test("a read with Prefer: wait returns when the task has ended", async () => {
  const { task_id: id } = await create(service, service.key, "fast-en-us", hello)
  const response = await fetch(`${service.address}/v1/task/${id}`, {
    headers: { ...headersOf(service.key), prefer: "respond-async, wait=30" }
  })
  expect(response.headers.get("preference-applied")).toBe("wait=30")
  expect(Schema.decodeUnknownSync(Task)(await response.json())).toMatchObject({ task_id: id, status: "done" })
})

test("a task's events end with its end", async () => {
  const { task_id: id } = await create(service, service.key, "fast-en-us", hello)
  const seen = await followed(`/v1/task/${id}/events`, service.key)
  expect(seen.at(-1)).toMatchObject({ task_id: id, status: "done" })
  const statuses = seen.map(({ status }) => status)
  expect(statuses).toEqual([...new Set(statuses)])
  // The task of another account is unknown.
  const other = await ask(service.address, await service.newKey(), "GET", `/v1/task/${id}/events`)
  expect(refusalOf(other)).toEqual([404, "task_unknown", "task_id"])
})

test("an account's events contain its own tasks only", async () => {
  const key = await service.newKey()
  let own = ""
  const seen = await followed("/v1/tasks/events", key, async () => {
    await create(service, service.key, "fast-en-us", hello)
    own = (await create(service, key, "fast-en-us", hello)).task_id
  })
  expect(new Set(seen.map(({ task_id }) => task_id))).toEqual(new Set([own]))
  expect(seen.at(-1)?.audio_url).toContain(own)
})

test("an account has a limit of open streams; those that close make room", async () => {
  const key = await service.newKey()
  const open = async (path = "/v1/tasks/events") => {
    const left = new AbortController()
    const response = await fetch(`${service.address}${path}`, {
      headers: headersOf(key),
      signal: left.signal
    })
    return { response, leave: () => left.abort() }
  }
  const first = await open()
  const second = await open()
  expect([first.response.status, second.response.status]).toEqual([200, 200])
  const { task_id: id } = await create(service, key, "fast-en-us", hello)
  for (const path of ["/v1/tasks/events", `/v1/task/${id}/events`]) {
    const third = await ask(service.address, key, "GET", path)
    expect(refusalOf(third)).toEqual([429, "streams_full", undefined])
    expect(third.headers.get("retry-after")).toBe("10")
  }
  second.leave()
  let again = await open()
  while (again.response.status === 429) again = await open()
  expect(again.response.status).toBe(200)
  first.leave()
  again.leave()
})
