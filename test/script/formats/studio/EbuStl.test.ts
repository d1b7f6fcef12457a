/** EBU STL files, built here block by block. */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { frameRateNamed } from "../../../../src/domain/time/FrameRate.ts"
import { readScript } from "../../../../src/script/ScriptFile.ts"
import { cuesIn, noticesIn, rejectionOf } from "./studio.ts"

interface Block {
  readonly number?: number
  readonly from: ReadonlyArray<number>
  readonly to: ReadonlyArray<number>
  readonly text: ReadonlyArray<number> | string
  readonly extension?: number
  readonly cumulative?: number
  readonly comment?: boolean
}

const codes = (text: string): ReadonlyArray<number> => Array.from(text, (char) => char.charCodeAt(0))

const stl = (
  blocks: ReadonlyArray<Block>,
  { rate = "25", table = "00", start = "00000000" } = {}
): Uint8Array => {
  const bytes = new Uint8Array(1024 + 128 * blocks.length).fill(0x20, 0, 1024)
  bytes.set(codes(`850STL${rate}.011${table}`))
  bytes.set(codes(start), 256)
  blocks.forEach((block, at) => {
    const { number = at, from, to, text, extension = 0xff, cumulative = 0, comment = false } = block
    const base = 1024 + at * 128
    bytes.set(
      [0, number & 255, number >> 8, extension, cumulative, ...from, ...to, 20, 2, comment ? 1 : 0],
      base
    )
    bytes.fill(0x8f, base + 16, base + 128)
    bytes.set(typeof text === "string" ? codes(text) : text, base + 16)
  })
  return bytes
}

const second = (at: number) => [0, 0, at, 0]
const one = (text: ReadonlyArray<number> | string, options = {}) =>
  cuesIn("a.stl", stl([{ from: second(1), to: [0, 0, 2, 12], text }], options))

describe("EBU STL", () => {
  it("reads rows, colours as spaces, and accents before letters", () => {
    expect(one([...codes("Caf"), 0xc2, 0x65, 0x8a, 0x8a, 0x0d, 0x03, ...codes("noir"), 0x0a, 0x0a])).toEqual([
      [1000, 2480, "Café\nnoir"]
    ])
    expect(one([0xcf, 0x73, 0xf9, 0xfb, 0xd5])[0]?.[2]).toBe("šøß♪")
  })
  it("reads other alphabets by the header", () => {
    expect(one([0xb4, 0xd0], { table: "01" })[0]?.[2]).toBe("Да")
    expect(one([0xe1, 0xe2], { table: "03" })[0]?.[2]).toBe("αβ")
  })
  it("reads text in another encoding than its header's, if the job says so", () => {
    const file = stl([{ from: second(1), to: second(2), text: [...codes("caf"), 0xe9] }])
    expect(cuesIn("a.stl", file)).toEqual([[1000, 2000, "cafØ"]])
    expect(cuesIn("a.stl", file, { encoding: "windows-1252" })).toEqual([[1000, 2000, "café"]])
  })
  it("counts frames at the header's rate, or at the job's", () => {
    const file = stl([{ from: second(1), to: [0, 0, 1, 15], text: "Hi." }], { rate: "30" })
    expect(cuesIn("a.stl", file)).toEqual([[1000, 1500, "Hi."]])
    const ntsc = stl([{ from: second(1), to: [0, 0, 1, 15], text: "Hi." }], { rate: "29" })
    expect(cuesIn("a.stl", ntsc)).toEqual([[1001, 1502, "Hi."]])
    expect(cuesIn("a.stl", file, { frameRate: "29.97" })).toEqual([[1001, 1502, "Hi."]])
    expect(cuesIn("a.stl", file, { filmRate: frameRateNamed("29.97df") })).toEqual([[1001, 1502, "Hi."]])
    expect(cuesIn("a.stl", file, { filmRate: frameRateNamed("25") })).toEqual([[1000, 1500, "Hi."]])
  })
  it("joins extension blocks, and leaves out comments and user data", () => {
    const times = { from: second(1), to: second(2) }
    const file = stl([
      { ...times, number: 1, extension: 0, text: "One " },
      { ...times, number: 1, text: "two" },
      { ...times, number: 2, text: "note", comment: true },
      { ...times, number: 3, extension: 0xfe, text: "data" }
    ])
    expect(cuesIn("a.stl", file)).toEqual([[1000, 2000, "One two"]])
  })
  it("speaks the parts of a set that builds up one after another", () => {
    const end = second(9)
    const file = stl([
      { from: second(1), to: end, text: "A", cumulative: 1 },
      { from: second(2), to: end, text: "B", cumulative: 2 },
      { from: second(3), to: end, text: "C", cumulative: 3 }
    ])
    expect(cuesIn("a.stl", file)).toEqual([
      [1000, 2000, "A"],
      [2000, 3000, "B"],
      [3000, 9000, "C"]
    ])
  })
  it("counts times from the programme's start", () => {
    const late = { from: [10, 0, 1, 0], to: [10, 0, 2, 0], text: "Hi." }
    expect(cuesIn("a.stl", stl([late], { start: "10000000" }))).toEqual([[1000, 2000, "Hi."]])
    expect(cuesIn("a.stl", stl([late]))).toEqual([[1000, 2000, "Hi."]])
    expect(
      cuesIn("a.stl", stl([{ ...late, from: second(1), to: second(2) }], { start: "10000000" }))[0]?.[0]
    ).toBe(1000)
  })
  it("leaves out a zero subtitle and blocks with invalid times", () => {
    const file = stl([
      { from: second(0), to: [0, 0, 0, 8], text: [...codes("Title: Harbour"), 0x8a, ...codes("Lang: en")] },
      { from: [99, 0, 0, 0], to: second(2), text: "lost" },
      { from: second(3), to: second(4), text: "Hi." }
    ])
    expect(cuesIn("a.stl", file)).toEqual([[3000, 4000, "Hi."]])
    expect(noticesIn("a.stl", file)[1]).toBe('2: skipped "lost": the block\'s time code is invalid')
  })
  it("without text is rejected", () => {
    expect(rejectionOf("a.stl", stl([]))).toBe("a.stl:1: the EBU STL file has no subtitle with text")
  })
  it("without a valid time is rejected", () => {
    const file = stl([{ from: [99, 0, 0, 0], to: second(2), text: "lost" }])
    expect(rejectionOf("a.stl", file)).toContain('a.stl:1: "lost": no block has a valid time code')
  })
  it("never crashes, however damaged", () => {
    const whole = stl([{ from: second(1), to: second(2), text: "Hello" }])
    fc.assert(
      fc.property(fc.nat(whole.length), fc.uint8Array({ maxLength: 30 }), (at, put) => {
        const damaged = Uint8Array.from([...whole.subarray(0, at), ...put])
        expect(Either.isEither(readScript(damaged, "a.stl"))).toBe(true)
      }),
      { numRuns: 200 }
    )
  })
})
