import { readFileSync } from "node:fs"
import { cpus } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import { coreIn, coresIn } from "../../../src/ffmpeg/process/JobRunner.ts"

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

describe.skipIf(process.platform !== "linux")("coreIn", () => {
  it("finds the core of a process with any name", () => {
    const stat = readFileSync("/proc/self/stat", "utf8")
    const core = coreIn(stat)
    expect(coresIn(`0-${cpus().length - 1}`)).toContain(core)
    expect(coreIn(stat.replace(/\(.*\)/u, "(a) b (c d)"))).toBe(core)
  })
})
