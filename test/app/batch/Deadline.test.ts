import { describe, expect, it } from "vitest"
import { nextAt } from "../../../src/app/batch/Deadline.ts"

const six = { hours: 6, minutes: 0 }

describe("a deadline", () => {
  it.each([
    [new Date(2026, 10, 21, 1, 30), new Date(2026, 10, 21, 6, 0)],
    [new Date(2026, 10, 21, 6, 0), new Date(2026, 10, 22, 6, 0)],
    [new Date(2026, 11, 31, 23, 59, 59), new Date(2027, 0, 1, 6, 0)]
  ])("from %s is the next occurrence of the time of day", (now, then) => {
    expect(nextAt(six, now)).toEqual({ at: then.getTime(), words: "06:00" })
  })
})
