import { describe, expect, it } from "vitest"
import { FastCheck as fc } from "effect"
import { countCharacters, forecastLine } from "../../../src/pages/data/LineForecast.ts"

const room = { start: 10, end: 12, tail: 0.5, pace: 50, speed: 1, maxSpeed: 1.3 }

describe("the forecast of a line", () => {
  it("counts characters as they are sent: runs of spaces once, emoji once", () => {
    expect(countCharacters("  Wait \n there 🚢 ")).toBe(12)
  })

  it("compares the speech with the slot and the time after it", () => {
    // 2.5 s at 50 ms a character hold 50 characters, at 1.3 times the speed 65.
    expect(forecastLine("x".repeat(50), room)).toEqual({ characters: 50, fitting: 65, speed: 1, fits: true })
    expect(forecastLine("x".repeat(75), room)).toEqual({
      characters: 75,
      fitting: 65,
      speed: 1.5,
      fits: false
    })
    expect(forecastLine("x".repeat(75), { ...room, speed: 1.5 })?.speed).toBe(1)
  })

  it("has no forecast for a line without time", () => {
    expect(forecastLine("Wait.", { ...room, end: 9 })).toBeUndefined()
  })

  it("fits a text exactly if its length is at most the number of characters that fit", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.double({ min: 0.2, max: 20, noNaN: true }),
        fc.double({ min: 20, max: 200, noNaN: true }),
        (length, seconds, pace) => {
          const forecast = forecastLine("x".repeat(length), { ...room, end: 10 + seconds, tail: 0, pace })
          expect(forecast?.fits).toBe(length <= (forecast?.fitting ?? 0))
        }
      )
    )
  })
})
