import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import Reference from "smpte-timecode"
import { FrameRate, frameRateNamed, frameRateOf, pictureHolding } from "../../../src/domain/time/FrameRate.ts"
import { ratio } from "../../../src/domain/time/Ratio.ts"
import { millis } from "../../../src/domain/time/Units.ts"
import { pictureOf, timecode } from "../../../src/exports/text/Timecode.ts"
import { rates } from "../timelines/timelines.ts"

const day = (rate: FrameRate): number =>
  Math.round(rate.rate.value * 86_400 * (rate.drop ? 1 : rate.nominal / rate.rate.value))

const anyRate = fc.constantFrom(...rates.map(([, rate]) => rate))
const anyPicture = anyRate.chain((rate) => fc.tuple(fc.constant(rate), fc.nat(Math.floor(day(rate)) - 60)))

describe("timecode", () => {
  it("counts as each rate does", () => {
    const at = (name: Parameters<typeof frameRateNamed>[0], pictures: ReadonlyArray<number>) =>
      pictures.map((picture) => timecode(picture, frameRateNamed(name)))
    expect(at("25", [0, 24, 25, 90_000])).toEqual([
      "00:00:00:00",
      "00:00:00:24",
      "00:00:01:00",
      "01:00:00:00"
    ])
    expect(at("23.976", [23, 24, 86_400])).toEqual(["00:00:00:23", "00:00:01:00", "01:00:00:00"])
    expect(at("60", [59, 60, 216_000])).toEqual(["00:00:00:59", "00:00:01:00", "01:00:00:00"])
    expect(at("29.97", [1_799, 1_800, 108_000])).toEqual(["00:00:59:29", "00:01:00:00", "01:00:00:00"])
    expect(at("29.97df", [1_799, 1_800, 3_597, 3_598, 17_981, 17_982, 107_892])).toEqual([
      "00:00:59;29",
      "00:01:00;02",
      "00:01:59;29",
      "00:02:00;02",
      "00:09:59;29",
      "00:10:00;00",
      "01:00:00;00"
    ])
    expect(at("59.94df", [3_599, 3_600, 35_963, 35_964, 215_784])).toEqual([
      "00:00:59;59",
      "00:01:00;04",
      "00:09:59;59",
      "00:10:00;00",
      "01:00:00;00"
    ])
  })

  it("wraps after a day", () => {
    expect(timecode(24 * 3600 * 25 + 1, frameRateNamed("25"))).toBe("00:00:00:01")
    expect(timecode(2_589_408, frameRateNamed("29.97df"))).toBe("00:00:00;00")
    expect(timecode(2_589_407, frameRateNamed("29.97df"))).toBe("23:59:59;29")
  })

  it.prop("parses back to the same video frame", [anyPicture], ([[rate, picture]]) => {
    expect(pictureOf(timecode(picture, rate), rate)).toEqual(Either.right(picture))
  })

  it.prop("keeps up with the clock in drop-frame", [fc.nat(86_399_000)], ([position]) => {
    for (const name of ["29.97df", "59.94df"] as const) {
      const rate = frameRateNamed(name)
      const [hours = 0, minutes = 0, seconds = 0, count = 0] = timecode(
        pictureHolding(millis(position), rate),
        rate
      )
        .split(/[:;]/u)
        .map(Number)
      const shown = (hours * 60 + minutes) * 60 + seconds + count / rate.nominal
      // Drop-frame timecode drifts by 86 ms per day; within a minute, it lags by up to two numbers.
      expect(Math.abs(shown - position / 1000)).toBeLessThan(0.2)
    }
  })

  it.prop("agrees with another implementation", [anyPicture], ([[rate, picture]]) => {
    const known = [24, 25, 29.97, 30, 50, 59.94, 60] as const
    const named = known.find((value) => Math.abs(value - rate.rate.value) < 0.01) ?? 23.976
    const theirs = new Reference(picture, named, rate.drop)
    expect(timecode(picture, rate).replace(";", ":")).toBe(theirs.toString().replace(";", ":"))
  })
})

describe("pictureOf", () => {
  it("accepts either separator", () => {
    expect(pictureOf("01:00:00:00", frameRateNamed("29.97df"))).toEqual(Either.right(107_892))
    expect(pictureOf(" 01:00:00;00 ", frameRateNamed("25"))).toEqual(Either.right(90_000))
  })

  it("rejects timecodes that do not exist, and states which do", () => {
    const told = (text: string, name: "25" | "29.97df" | "59.94df") =>
      Either.match(pictureOf(text, frameRateNamed(name)), {
        onLeft: ({ message }) => message,
        onRight: String
      })
    expect([
      told("10 o'clock", "25"),
      told("00:00:00:25", "25"),
      told("24:00:00:00", "25"),
      told("00:61:00:00", "25"),
      told("00:01:00;01", "29.97df"),
      told("00:10:00;01", "29.97df"),
      told("00:01:00;03", "59.94df")
    ]).toEqual([
      '"10 o\'clock": expected a timecode in the form HH:MM:SS:FF, such as 01:00:00:00',
      '"00:00:00:25": expected hours up to 23, minutes and seconds up to 59, frames up to 24',
      '"24:00:00:00": expected hours up to 23, minutes and seconds up to 59, frames up to 24',
      '"00:61:00:00": expected hours up to 23, minutes and seconds up to 59, frames up to 24',
      '"00:01:00;01": expected a timecode that exists: drop-frame timecode skips frames 0 to 1 of every minute except each tenth',
      "17983",
      '"00:01:00;03": expected a timecode that exists: drop-frame timecode skips frames 0 to 3 of every minute except each tenth'
    ])
  })
})

describe("FrameRate", () => {
  it("is drop-frame only at 29.97 and 59.94", () => {
    expect(() => FrameRate.make({ rate: ratio(25), drop: true })).toThrow(
      /drop-frame timecode exists only at 29.97 and 59.94/u
    )
    expect(frameRateOf(ratio(25), true)).toEqual(frameRateNamed("25"))
  })
})
