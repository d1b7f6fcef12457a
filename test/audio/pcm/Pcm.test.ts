import { describe, expect, it } from "vitest"
import { fromInt16, toInt16 } from "../../../src/audio/pcm/Pcm.ts"

describe("16-bit samples", () => {
  it("all round-trip", () => {
    const all = Int16Array.from({ length: 65_536 }, (_, i) => i - 32_768)
    expect(toInt16(fromInt16(all))).toEqual(all)
  })

  it("are clamped and rounded to nearest", () => {
    const floats = Float32Array.of(1, -1, 2, -2, Number.NaN, 1.4 / 32_768, -1.6 / 32_768)
    expect([...toInt16(floats)]).toEqual([32_767, -32_768, 32_767, -32_768, 0, 1, -2])
  })
})
