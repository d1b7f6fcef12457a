/** A create with an idempotency key makes one task and one charge, however often it is sent. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { Schema } from "effect"
import { TaskReference } from "../../src/contract/Task.ts"
import { ask, ended, refusalOf, type Started, startService } from "./start.ts"

let service: Started
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const hello = { provider: "provider_fast", text: "Hello there." }

const create = async (key: string, name: string, body: object = hello, voice = "fast-en-us") => {
  const response = await fetch(`${service.address}/v1/text-to-speech/${voice}`, {
    method: "POST",
    headers: { "xi-api-key": key, "content-type": "application/json", "idempotency-key": name },
    body: JSON.stringify(body)
  })
  const { status, headers } = response
  return { status, headers, body: await response.json(), replayed: headers.get("idempotency-replayed") }
}

const idIn = ({ body }: { readonly body: unknown }) => Schema.decodeUnknownSync(TaskReference)(body).task_id
const creditsOf = async (key: string) => (await ask(service.address, key, "GET", "/v1/credits")).body

test("the same key and body return the same task, which is charged once, even without credits left", async () => {
  const key = await service.newKey(6)
  const first = await create(key, "one")
  expect(first).toMatchObject({ status: 200, replayed: null })
  const task = idIn(first)
  // The order of the fields does not matter.
  const again = await create(key, "one", { text: hello.text, provider: hello.provider })
  expect(again).toMatchObject({ status: 200, replayed: "true", body: first.body })
  await ended(service, key, task)
  expect(idIn(await create(key, "one"))).toBe(task)
  expect(await creditsOf(key)).toMatchObject({ credits: 0, used: 6, reserved: 0 })
  expect(refusalOf(await create(key, "two"))).toEqual([402, "credits_short", undefined])
  // A rejected create leaves its key free.
  expect(refusalOf(await create(key, "two", { ...hello, text: "" }))).toEqual([422, "text_empty", "text"])
})

test("the same key with another body, voice or invalid text is rejected; another account may use it", async () => {
  const key = await service.newKey()
  await create(key, "mine")
  const reused = [422, "idempotency_key_reused", "idempotency-key"]
  expect(refusalOf(await create(key, "mine", { ...hello, text: "Other words." }))).toEqual(reused)
  expect(refusalOf(await create(key, "mine", { ...hello, text: "" }))).toEqual(reused)
  expect(refusalOf(await create(key, "mine", hello, "fast-de"))).toEqual(reused)
  expect(await create(await service.newKey(), "mine")).toMatchObject({ status: 200, replayed: null })
  for (const invalid of ["x".repeat(256), "a b", "\u00e9"])
    expect(refusalOf(await create(key, invalid))[1]).toBe("parameter_invalid")
})

test("concurrent creates with one key make one task", async () => {
  const key = await service.newKey()
  const answers = await Promise.all(Array.from({ length: 40 }, () => create(key, "burst")))
  expect(new Set(answers.map(idIn)).size).toBe(1)
  expect(answers.filter(({ replayed }) => replayed === null).length).toBe(1)
  expect((await ask(service.address, key, "GET", "/v1/tasks")).body).toMatchObject({ total: 1 })
})

test("the service states how long it keeps keys, and documents the header", async () => {
  const health = await ask(service.address, service.key, "GET", "/v1/health-check")
  expect(health.body).toMatchObject({ idempotency: { retention_seconds: 604_800 } })
  const document = JSON.stringify((await ask(service.address, undefined, "GET", "/openapi.json")).body)
  expect(document).toContain('"name":"idempotency-key","in":"header"')
})
