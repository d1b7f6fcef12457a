/** How a task reports an engine's failure to its owner, and whether it is tried again. */
import { expect, test } from "vitest"
import { lastingFailures } from "../../../src/contract/Task.ts"
import { SpeechFailed } from "../../../src/engines/Engine.ts"
import { verdictOf } from "../../../src/service/tasks/TaskWorkers.ts"

test("an exhausted account fails a task for good, without the account's details", () => {
  const failure = new SpeechFailed({
    engine: "eleven",
    reason: "quota",
    detail: "api.elevenlabs.io: 3 credits left"
  })
  const { code, message, passing } = verdictOf(failure)
  expect([code, passing, message.includes("eleven")]).toEqual(["insufficient_quota", false, false])
  expect(lastingFailures.has(code)).toBe(true)
})
