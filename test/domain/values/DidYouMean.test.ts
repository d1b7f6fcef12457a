import { expect, it } from "@effect/vitest"
import { nearestName } from "../../../src/domain/values/DidYouMean.ts"

it("suggests the nearest name for a typo, ignoring case, and nothing otherwise", () => {
  expect(
    ["voise", "VOICE", "vo", "provider_nativ", "zzzzzz"].map((typed) =>
      nearestName(typed, ["video", "voice", "provider_native"])
    )
  ).toEqual(["voice", "voice", undefined, "provider_native", undefined])
  expect(nearestName("voice", [])).toBe(undefined)
  expect(nearestName("id", ["fit"]), "no letter in common").toBe(undefined)
})
