/** Where cues belong whose sound does not show it: the gaps of the other cues decide. */
import { expect, it } from "@effect/vitest"
import { jointChances } from "../../../src/audio/sync/SpeechOnsets.ts"
import { randomOf } from "../signals.ts"

const reach = 35
const shifts = 2 * reach + 1

/** Cues with these gaps, moved at random. Every third has no sound that shows where it belongs. */
const movedCues = (gapOf: (random: () => number) => number) => {
  const random = randomOf(4)
  let at = 100
  return Array.from({ length: 90 }, (_, cue) => {
    const move = Math.round(60 * (random() - 0.5))
    const start = at + move
    const end = start + 100 + Math.round(200 * random())
    at = end - move + Math.round(gapOf(random))
    const isClear = cue % 3 < 2
    const chances = new Float64Array(shifts).fill(isClear ? 1e-4 : 1 / shifts)
    if (isClear) chances[reach - move] = 1
    return { start, end, move, isClear, chances }
  })
}

/** The unclear cues' chances of belonging within 6 steps of where they were. */
const chancesOfTruth = (cues: ReturnType<typeof movedCues>): ReadonlyArray<number> => {
  const joint = jointChances(
    cues,
    cues.map(({ chances }) => chances)
  )
  return cues.flatMap(({ move, isClear }, cue) =>
    isClear
      ? []
      : [joint[cue]!.slice(Math.max(0, reach - move - 6), reach - move + 7).reduce((a, b) => a + b, 0)]
  )
}

it("finds where cues belong if the subtitle always has the same gaps", () => {
  for (const chance of chancesOfTruth(movedCues(() => 4))) expect(chance).toBeGreaterThan(0.8)
})

it("stays unsure if gaps differ", () => {
  for (const chance of chancesOfTruth(movedCues((random) => 190 * random()))) expect(chance).toBeLessThan(0.8)
})
