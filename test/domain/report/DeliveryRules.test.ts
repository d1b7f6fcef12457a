import { expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import {
  besidePicture,
  type DeliveryProfile,
  deliveryProfiles,
  profileNames
} from "../../../src/domain/manifest/DeliveryProfile.ts"
import { judgeSound, type MeasuredSound, rulesFailed } from "../../../src/domain/report/DeliveryRules.ts"

const anyName = fc.constantFrom(...profileNames)

/** A sound that meets a profile. */
const meeting = (profile: DeliveryProfile): MeasuredSound => {
  const level = profile.loudness?.target ?? -20
  return {
    programme: level,
    dialogue: level,
    range: 8,
    truePeak: -7,
    rate: 48_000,
    depth: 24,
    codec: "pcm_s24le",
    channels: profile.channels?.at(-1) ?? 2,
    start: { shown: "01:00:00:00" },
    silence: 2,
    name: "film.wav",
    beyondPicture: 0
  }
}

const failed = (profile: DeliveryProfile, change: Partial<MeasuredSound>) =>
  rulesFailed(judgeSound(profile, { ...meeting(profile), ...change }))

it.prop(
  "a sound within every limit meets the profile, also at the limits",
  {
    name: anyName,
    at: fc.constantFrom(-1, 0, 1),
    off: fc.double({ min: -0.049, max: 0.049, noNaN: true })
  },
  ({ name, at, off }) => {
    const profile = deliveryProfiles[name]
    const { length = besidePicture } = profile
    const { target = 0, tolerance = 0 } = profile.loudness ?? {}
    const level = target + at * tolerance + off
    expect(
      failed(profile, {
        programme: level,
        dialogue: level,
        truePeak: (profile.truePeak ?? 0) + off,
        beyondPicture: at * length
      })
    ).toEqual([])
  }
)

it.prop(
  "one quantity beyond its limit fails its own rule and no other",
  {
    name: anyName,
    beyond: fc.double({ min: 0.051, max: 30, noNaN: true }),
    sign: fc.constantFrom(-1, 1)
  },
  ({ name, beyond, sign }) => {
    const profile = deliveryProfiles[name]
    const { length = besidePicture } = profile
    const { target = 0, tolerance = 0, over = "programme" } = profile.loudness ?? {}
    const level = target + sign * (tolerance + beyond)
    // A loudness without a tolerance is only shown.
    const judged = profile.loudness?.tolerance === undefined ? [] : [`${over} loudness`]
    expect(failed(profile, { [over]: level })).toEqual(judged)
    // The other loudness is only shown.
    expect(failed(profile, { [over === "dialogue" ? "programme" : "dialogue"]: level })).toEqual([])
    expect(failed(profile, { truePeak: (profile.truePeak ?? 0) + beyond })).toEqual(["true peak"])
    expect(failed(profile, { beyondPicture: sign * (length + beyond) })).toEqual(["length"])
    expect(failed({ ...profile, range: 5 }, { range: 5 + beyond })).toEqual(["loudness range"])
  }
)

it("judges rate, depth and channels only where a profile requires them", () => {
  const prime = deliveryProfiles.prime
  expect(failed(prime, { rate: 44_100 })).toEqual(["sample rate"])
  expect(failed(prime, { depth: 16 })).toEqual(["bit depth"])
  expect(failed(prime, { depth: undefined, codec: "aac" })).toEqual(["bit depth"])
  expect(failed(prime, { channels: 1 })).toEqual(["channels"])
  const other = { rate: 44_100, depth: undefined, codec: "aac", channels: 1 }
  expect(failed(deliveryProfiles["ebu-r128"], other)).toEqual([])
})

it("has another target for mono podcasts", () => {
  const { podcast } = deliveryProfiles
  expect(failed(podcast, { channels: 1, programme: -19 })).toEqual([])
  expect(failed(podcast, { channels: 1, programme: -16 })).toEqual(["programme loudness"])
})

it("accepts a Broadcast Wave file's start by each way of counting pictures", () => {
  const profile = { start: "01:00:00" }
  // 01:00:00:00 at 25, at 24000/1001 and 30000/1001, and in drop-frame.
  const reached = [3_600, 3_603.6, (107_892 * 1_001) / 30_000]
  for (const seconds of reached)
    expect(failed(profile, { start: { shown: "01:00:00.000", seconds } })).toEqual([])
  expect(failed(profile, { start: { shown: "01:00:01.000", seconds: 3_601 } })).toEqual(["start"])
  expect(failed(profile, { start: { shown: "01:00:00;00" } })).toEqual([])
  expect(failed(profile, { start: { shown: "01:00:00:01" } })).toEqual(["start"])
  expect(failed(profile, { start: undefined })).toEqual(["start"])
})

it("judges silence, and the whole file name", () => {
  expect(failed({ silence: 2 }, {})).toEqual([])
  expect(failed({ silence: 2 }, { silence: 2.1 })).toEqual(["silence"])
  expect(failed({ name: "film\\.wav" }, {})).toEqual([])
  expect(failed({ name: "film" }, {})).toEqual(["file name"])
})

it("judges everything, and says so, if it is not known where lines are spoken", () => {
  const netflix = deliveryProfiles["netflix-nearfield"]
  const [row] = judgeSound(netflix, { ...meeting(netflix), dialogue: undefined, programme: -20 })
  expect(row).toMatchObject({ rule: "programme loudness", verdict: "fail", found: "-20.0 LUFS" })
  expect(row?.note).toContain("report.json")
})
