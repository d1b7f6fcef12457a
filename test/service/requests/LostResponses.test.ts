/** A batch whose creates all lose their responses costs and sounds the same. */
import { expect, test } from "vitest"
import { runLossy } from "./LostResponses.ts"

test("lost responses to creates cost no search, no second charge and no sample", async () => {
  const { calm, lossy } = await runLossy(30)
  expect(calm).toMatchObject({ exit: 0, lost: 0, history: 0, tasks: 30 })
  expect(lossy).toEqual({ ...calm, lost: 30 })
})
