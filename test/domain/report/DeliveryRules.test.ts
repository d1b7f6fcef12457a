import { expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import {
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
    truePeak: -3,
    rate: 48_000,
    depth: 24,
    codec: "pcm_s24le",
    channels: 2,
    start: "01:00:00:00",
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
    const { target = 0, tolerance = 0 } = profile.loudness ?? {}
    const level = target + at * tolerance + off
    expect(
      failed(profile, {
        programme: level,
        dialogue: level,
        truePeak: (profile.truePeak ?? 0) + off,
        beyondPicture: at * profile.length
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
    const { target = 0, tolerance = 0, over = "programme" } = profile.loudness ?? {}
    const level = target + sign * (tolerance + beyond)
    expect(failed(profile, { [over]: level })).toEqual([`${over} loudness`])
    // The other loudness is only shown.
    expect(failed(profile, { [over === "dialogue" ? "programme" : "dialogue"]: level })).toEqual([])
    expect(failed(profile, { truePeak: (profile.truePeak ?? 0) + beyond })).toEqual(["true peak"])
    expect(failed(profile, { beyondPicture: sign * (profile.length + beyond) })).toEqual(["length"])
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

it("judges everything, and says so, if it is not known where lines are spoken", () => {
  const netflix = deliveryProfiles["netflix-premix"]
  const [row] = judgeSound(netflix, { ...meeting(netflix), dialogue: undefined, programme: -20 })
  expect(row).toMatchObject({ rule: "programme loudness", verdict: "fail", found: "-20.0 LUFS" })
  expect(row?.note).toContain("report.json")
})
