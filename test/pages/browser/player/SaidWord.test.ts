import { expect, test } from "vitest"
import { saidWordAt } from "../../../../src/pages/browser/player/SaidWord.ts"

const words = ["We", "walked", "to", "town."]
const cue = { index: 1, start: 1, end: 3, heard: [1, 3], mark: "none" } as const
const marked = (wordStarts?: ReadonlyArray<number>) =>
  [0.9, 1, 1.2, 1.3, 1.9, 2.2, 2.9, 3].map((at) =>
    saidWordAt(wordStarts === undefined ? cue : { ...cue, wordStarts }, words, at)
  )

test("follows the times of the words", () =>
  expect(marked([1.05, 1.25, 2.1, 2.5])).toEqual([-1, 0, 0, 1, 1, 2, 3, -1]))

test("estimates from letters if the times are missing or belong to other words", () => {
  // 2, 6, 2 and 5 letters in two seconds.
  expect(marked()).toEqual([-1, 0, 0, 1, 1, 2, 3, -1])
  expect(marked([1.05])).toEqual(marked())
})

test("marks nothing of a cue that is not heard", () =>
  expect(saidWordAt({ index: 1, start: 1, end: 3, mark: "none" }, words, 2)).toBe(-1))
