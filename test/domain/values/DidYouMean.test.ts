import { expect, it } from "@effect/vitest"
import { nearestName } from "../../../src/domain/values/DidYouMean.ts"

it("is offered for a slip, in whatever case, and for nothing else", () => {
  expect(
    ["voise", "VOICE", "vo", "provider_nativ", "zzzzzz"].map((typed) =>
      nearestName(typed, ["video", "voice", "provider_native"])
    )
  ).toEqual(["voice", "voice", undefined, "provider_native", undefined])
  expect(nearestName("voice", [])).toBe(undefined)
  expect(nearestName("id", ["fit"]), "no letter of it is left").toBe(undefined)
})
