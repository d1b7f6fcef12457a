import { Either, Schema } from "effect"
import { expect, test } from "vitest"
import { JobId } from "../../../src/domain/values/Ids.ts"
import { jobNameFrom } from "../../../src/pipeline/load/JobName.ts"

test.each([
  ["film.vi", "film.vi"],
  ['What? A "film": part 1', "What_ A _film_ part 1"],
  ["two\nlines", "two_lines"],
  [" .hidden. ", "hidden"],
  // Windows reserves these names for devices, with any extension.
  ["con", "_con"],
  ["Aux.vi", "_Aux.vi"],
  ["console", "console"],
  ["\ud835a", "_a"],
  ["n".repeat(240), "n".repeat(120)],
  // Three bytes each: the most that fit in a file name, with room for an extension.
  ["日".repeat(80), "日".repeat(73)],
  ["𝄞".repeat(60), "𝄞".repeat(55)]
])("names the job of file %j %j", (stem, name) => {
  expect(jobNameFrom(stem)).toBe(name)
  expect(Either.isRight(Schema.decodeUnknownEither(JobId)(name))).toBe(true)
})
