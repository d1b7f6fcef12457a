import { expect, it } from "@effect/vitest"
import { nearest } from "../../../src/domain/values/DidYouMean.ts"

it("is offered for a slip, in whatever case, and for nothing else", () => {
  expect(
    ["voise", "VOICE", "vo", "provider_nativ", "zzzzzz"].map((typed) =>
      nearest(typed, ["video", "voice", "provider_native"])
    )
  ).toEqual(["voice", "voice", undefined, "provider_native", undefined])
  expect(nearest("voice", [])).toBe(undefined)
  expect(nearest("id", ["fit"]), "no letter of it is left").toBe(undefined)
})
