import { describe, expect, it } from "@effect/vitest"
import { coresIn } from "../../src/ffmpeg/Scheduling.ts"

describe("coresIn", () => {
  it.each([
    ["0-3", [0, 1, 2, 3]],
    ["0", [0]],
    ["2,5-7, 64", [2, 5, 6, 7, 64]],
    ["", []],
    ["all", []]
  ])("reads %j", (list, cores) => {
    expect(coresIn(list)).toEqual(cores)
  })
})
