/** Where speech begins near the cues of a subtitle. */
import { expect, it } from "@effect/vitest"
import { followTolerance, speechOnsets } from "../../../src/audio/sync/SpeechOnsets.ts"
import { randomOf } from "../signals.ts"
import { madeCues, madeTrack } from "./films.ts"

it("finds where speech begins, though cues are up to 0.3 s off, and leaves silent cues alone", () => {
  const spoken = madeCues(3, 80)
  const random = randomOf(5)
  const silent = { start: spoken.at(-1)!.end + 4, end: spoken.at(-1)!.end + 6 }
  const jittered = spoken.map(({ start, end }) => ({ start: start + 0.6 * (random() - 0.5), end }))
  const found = speechOnsets(madeTrack(spoken, 7), [...jittered, silent])
  const misses = spoken.filter(({ start }, k) => Math.abs((found[k] ?? Infinity) - start) > 0.06)
  expect(misses.length).toBeLessThanOrEqual(8)
  expect(found.at(-1)).toBeUndefined()
  for (const [k, { start }] of jittered.entries())
    expect(Math.abs((found[k] ?? start) - start)).toBeLessThanOrEqual(followTolerance + 0.01)
})

it("keeps the order of cues that are near the same beginning", () => {
  const spoken = [1, 3, 5, 9].map((start) => ({ start, end: start + 1 }))
  const cues = [...spoken.slice(0, 3), { start: 5.2, end: 6 }, spoken[3]!]
  const found = speechOnsets(madeTrack(spoken, 1), cues).map((onset, k) => onset ?? cues[k]!.start)
  expect([...found].sort((a, b) => a - b)).toEqual(found)
})
