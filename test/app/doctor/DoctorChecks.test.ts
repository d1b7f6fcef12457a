import { it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { folderCheck, nodeCheck } from "../../../src/app/doctor/DoctorChecks.ts"

test("accepts Node 20.19 and later", () => {
  const states = ["18.20.4", "20.18.1", "20.19.0", "22.0.0", "24.3.0"].map(
    (version) => nodeCheck(version).state
  )
  expect(states).toEqual(["wrong", "wrong", "well", "well", "well"])
})

describe("the state folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "doctor-"))

  it.effect("may exist, or be created later", () =>
    Effect.gen(function* () {
      expect((yield* folderCheck(folder)).state).not.toBe("wrong")
      const deeper = yield* folderCheck(join(folder, "a", "b"))
      expect(deeper.found).toMatch(/will be created; [\d.]+ GB free/u)
    })
  )

  it.effect("must not be a file; the check says how to fix it", () =>
    Effect.gen(function* () {
      const file = join(folder, "file")
      writeFileSync(file, "")
      const check = yield* folderCheck(join(file, "state"))
      expect([check.state, check.remedy !== undefined]).toEqual(["wrong", true])
    })
  )
})
