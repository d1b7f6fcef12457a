/** A review's page learns that a job's sound was replaced, once for each version. */
import { linkSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { makeSoundCounts } from "../../../src/app/review/ReviewWork.ts"

const folder = mkdtempSync(join(tmpdir(), "dubwright-sounds-"))
afterAll(() => rmSync(folder, { recursive: true }))

test("counts each file that takes the sound's place, but neither links to it nor the moment between two files", () => {
  const [sound, next] = [join(folder, "film.wav"), join(folder, "next.wav")]
  const counts = makeSoundCounts()
  expect(counts.of("film")).toBe(0)
  writeFileSync(sound, "first")
  counts.watch("film", sound)
  expect(counts.of("film")).toBe(0)
  writeFileSync(next, "again")
  renameSync(next, sound)
  // The count is the same whoever asks, and however often.
  counts.watch("film", sound)
  expect([counts.of("film"), counts.of("film")]).toEqual([1, 1])
  linkSync(sound, join(folder, "link.wav"))
  expect(counts.of("film")).toBe(1)
  renameSync(sound, next)
  expect(counts.of("film")).toBe(1)
  renameSync(next, sound)
  expect(counts.of("film")).toBe(1)
  expect(counts.of("trailer")).toBe(0)
})
