/** Exit codes of failures. Code 2 promises that nothing was sent. */
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { exitCodeFor } from "../../src/app/ExitCodes.ts"
import { StateUnusable } from "../../src/store/state/StateErrors.ts"

const { literals } = StateUnusable.fields.reason

test("a state folder that fails during a run does not end with the code of bad usage", () => {
  const codes = (hasBegun: boolean | undefined) =>
    literals.map((reason) => {
      const failure = new StateUnusable({ folder: "/state", reason, detail: "", hasBegun })
      return [reason, exitCodeFor(failure).code]
    })
  expect(codes(true)).toEqual(literals.map((reason) => [reason, 3]))
  // No space is left by a run that has written.
  const before = literals.map((reason) => [reason, reason === "full" ? 3 : 2])
  expect([codes(false), codes(undefined)]).toEqual([before, before])
})

test("the manual says so", () => {
  const manual = readFileSync("docs/tables.md", "utf8")
  const row = (code: number) => new RegExp(`^\\| ${code} \\| (.*) \\|$`, "mu").exec(manual)?.[1]
  expect(row(2)).toBe("bad usage, or an unusable manifest or input; nothing was sent")
  expect(row(3)).toContain("the state folder or a fleet's Redis failed during the run")
})
