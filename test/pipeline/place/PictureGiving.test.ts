/** The picture gives way only to lines that do not fit otherwise, on whole frames and within its limits. */
import { describe, expect, it } from "@effect/vitest"
import { Array, FastCheck as fc } from "effect"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import { Clip, Segment } from "../../../src/domain/speech/Clip.ts"
import { Line, Slot } from "../../../src/domain/speech/Line.ts"
import { FitLimits, type PictureLimits } from "../../../src/domain/speech/Placement.ts"
import { LineRef, makeUtterance, UtteranceUse } from "../../../src/domain/speech/Utterance.ts"
import { frameRateNamed, type FrameRateName } from "../../../src/domain/time/FrameRate.ts"
import { addedTime, lengthenedTime, soundPauses } from "../../../src/domain/time/PictureStretch.ts"
import { frames, Lufs, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { ProviderId, SpeakerName, VoiceId } from "../../../src/domain/values/Ids.ts"
import { placeLines } from "../../../src/pipeline/place/LinePlacement.ts"
import { placeWithPicture } from "../../../src/pipeline/place/PictureGiving.ts"

const limits = FitLimits.make({ maxSpeed: 1.3, hardMaxSpeed: 1.6, early: millis(300), late: millis(500) })
const casting = Casting.make({ provider: ProviderId.make("provider_fast"), voice: VoiceId.make("v") })
const rate = SampleRate.make(24_000)

interface Said {
  readonly speaker: string
  readonly pause: number
  readonly slot: number
  readonly length: number
}

/** A job whose lines follow one another, each `pause` after the end of the one before. */
const jobOf = (said: ReadonlyArray<Said>, picture: PictureLimits, name: FrameRateName = "25") => {
  let at = 0
  const parts = said.map(({ speaker, pause, slot, length }, place) => {
    const start = at + pause
    at = start + slot
    const cue = place + 1
    const use = UtteranceUse.make({
      utterance: makeUtterance(casting, "text", `words ${cue}`, [`words ${cue}`]),
      lines: [LineRef.make({ cue, part: 0 })]
    })
    const { key } = use.utterance
    const held = frames(24 * length)
    const segments = Array.make(
      Segment.make({ from: frames(0), to: held, loudness: Lufs.make(-20), peak: 0.5 })
    )
    return {
      line: Line.make({
        cue,
        part: 0,
        said: `words ${cue}`,
        speaker: SpeakerName.make(speaker),
        slot: Slot.make({ start: millis(start), end: millis(start + slot) }),
        casting
      }),
      use,
      clip: Clip.make({ key, rate, frames: held, checksum: "", cut: "whole", segments })
    }
  })
  const frameRate = frameRateNamed(name)
  return {
    lines: parts.map(({ line }) => line),
    uses: parts.map(({ use }) => use),
    clips: new Map(parts.map(({ clip }) => [clip.key, clip])),
    limits,
    picture,
    film: { frameRate, pictures: Math.ceil(((at + 2_000) * frameRate.rate.value) / 1_000) },
    horizon: millis(at + 2_000)
  }
}

const said = fc.record({
  speaker: fc.constantFrom("A", "B"),
  pause: fc.constantFrom(0, 40, 400, 3_000),
  slot: fc.integer({ min: 400, max: 3_000 }),
  length: fc.integer({ min: 200, max: 6_000 })
})
const script = fc.array(said, { minLength: 1, maxLength: 12 })
const names: ReadonlyArray<FrameRateName> = ["23.976", "25", "29.97", "60"]
const rates = fc.constantFrom(...names)
const modes: ReadonlyArray<PictureLimits["mode"]> = ["hold", "slow"]
const unlimited: PictureLimits = { mode: "hold", maxHold: millis(30_000), minPictureSpeed: 0.8 }

describe("a picture that gives way", () => {
  it.prop("holds until every line fits", [script, rates], ([lines, name]) => {
    const job = jobOf(lines, unlimited, name)
    const { placements, stretches } = placeWithPicture(job)
    for (const { flags } of placements)
      expect(flags.filter((flag) => flag === "fast" || flag === "overrun" || flag === "cut")).toEqual([])
    const perFrame = 1_000 / job.film.frameRate.rate.value
    for (const { from, to, added } of stretches) {
      expect(from).toBe(to)
      for (const time of [to, added])
        expect(Math.abs(time - Math.round(time / perFrame) * perFrame)).toBeLessThan(0.51)
      expect(to).toBeLessThanOrEqual(job.horizon - perFrame / 2)
    }
    // What fits is not held, and the film never waits for longer than all speech lasts.
    const before = new Map(placeLines(job).map(({ lines: [{ cue }], flags }) => [cue, flags]))
    if (![...before.values()].some((flags) => flags.some((flag) => flag !== "early" && flag !== "late")))
      expect(stretches).toEqual([])
    const spoken = lines.reduce((sum, { length }) => sum + length, 0)
    expect(addedTime(stretches)).toBeLessThanOrEqual(spoken)
  })

  it.prop("keeps its limits", [script, fc.constantFrom(...modes), rates], ([lines, mode, name]) => {
    const job = jobOf(lines, { mode, maxHold: millis(700), minPictureSpeed: 0.8 }, name)
    const { placements, stretches } = placeWithPicture(job)
    stretches.forEach(({ from, to, added }, at) => {
      expect(added).toBeLessThanOrEqual(700)
      if (mode === "slow") {
        expect((to - from) / (to - from + added)).toBeGreaterThanOrEqual(0.8 - 0.002)
        expect(from).toBeGreaterThanOrEqual(stretches[at - 1]?.to ?? 0)
      }
    })
    const held = placements.flatMap(({ flags, lines: [{ cue }] }) => (flags.includes("held") ? [cue] : []))
    expect([...held].sort()).toEqual([...new Set(stretches.map(({ cue }) => cue))].sort())
    // Times keep their order, and the film's sound is silent for as long as the picture is longer.
    const times = Array.range(0, 60).map((step) =>
      lengthenedTime(stretches, Math.round((job.horizon * step) / 60))
    )
    for (const [at, time] of times.entries()) expect(time).toBeGreaterThanOrEqual(times[at - 1] ?? 0)
    expect(times.at(-1)).toBe(job.horizon + addedTime(stretches))
    expect(soundPauses(stretches).reduce((sum, { length }) => sum + length, 0)).toBe(addedTime(stretches))
  })

  it("keeps a film whose lines fit as it is, also without limits", () => {
    const job = jobOf([{ speaker: "A", pause: 0, slot: 2_000, length: 2_000 }], unlimited)
    expect(placeWithPicture(job).stretches).toEqual([])
    const long = jobOf([{ speaker: "A", pause: 0, slot: 1_000, length: 4_000 }], unlimited)
    expect(placeWithPicture({ ...long, picture: undefined })).toEqual({
      placements: placeLines(long),
      stretches: []
    })
  })
})
