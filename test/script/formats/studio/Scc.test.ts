/** Scenarist closed captions, encoded here. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { cuesIn, noticesIn, rejectionOf } from "./studio.ts"

/** Sets a byte's top bit so that its parity is odd. */
const odd = (byte: number): number =>
  byte.toString(2).replaceAll("0", "").length % 2 === 1 ? byte : byte | 0x80
const hex = (first: number, second: number): string =>
  [first, second].map((byte) => odd(byte).toString(16).padStart(2, "0")).join("")
const control = (first: number, second: number): string => `${hex(first, second)} ${hex(first, second)}`
const text = (words: string): string =>
  Array.from({ length: Math.ceil(words.length / 2) }, (_, at) =>
    hex(words.charCodeAt(at * 2), words.charCodeAt(at * 2 + 1) || 0)
  ).join(" ")
const scc = (...lines: ReadonlyArray<readonly [time: string, ...codes: ReadonlyArray<string>]>): string =>
  ["Scenarist_SCC V1.0", ...lines.map(([time, ...codes]) => `${time}\t${codes.join(" ")}`)].join("\n\n")

const [load, show, clear, erase] = [
  control(0x14, 0x20),
  control(0x14, 0x2f),
  control(0x14, 0x2c),
  control(0x14, 0x2e)
]
const [row14, row15] = [control(0x14, 0x50), control(0x14, 0x70)]
const second = 1001

const near = (found: ReturnType<typeof cuesIn>) =>
  found.map(([start, end, words]) => [
    Math.round(Number(start) / 500) / 2,
    Math.round(Number(end) / 500) / 2,
    words
  ])

describe("SCC", () => {
  it("reads pop-on captions from when they are shown to when they are cleared", () => {
    const file = scc(
      ["00:00:01:00", load, erase, row14, text("Mind the"), row15, text("step.")],
      ["00:00:02:00", show],
      ["00:00:04:00", clear]
    )
    expect(cuesIn("a.scc", file)).toEqual([[2 * second, 4 * second, "Mind the\nstep."]])
  })
  it("leaves out data services between captions", () => {
    const data = [hex(0x01, 0x03), hex(0x41, 0x42)]
    const ended = [load, erase, row15, text("Hi"), ...data, hex(0x0f, 0x1d), text(" you"), show]
    const resumed = [load, erase, row15, text("Hi"), ...data, control(0x14, 0x20), text(" you"), show]
    for (const codes of [ended, resumed])
      expect(cuesIn("a.scc", scc(["00:00:01:00", ...codes], ["00:00:03:00", clear]))[0]?.[2]).toBe("Hi you")
  })
  it("follows the clock in drop-frame timecode", () => {
    const file = scc(["00:10:00;00", load, row15, text("Hi."), show], ["00:10:02;00", clear])
    expect(near(cuesIn("a.scc", file))).toEqual([[600, 602, "Hi."]])
    const adobe = scc(["00;10;00;00", load, row15, text("Hi."), show], ["00;10;02;00", clear])
    expect(cuesIn("a.scc", adobe)).toEqual(cuesIn("a.scc", file))
  })
  it("speaks each line of roll-up captions once", () => {
    const roll = control(0x14, 0x26)
    const next = control(0x14, 0x2d)
    const file = scc(
      ["00:00:01:00", roll, next, row15, text("One line")],
      ["00:00:03:00", roll, next, row15, text("and more")],
      ["00:00:05:00", clear]
    )
    expect(cuesIn("a.scc", file).map((cue) => cue[2])).toEqual(["One line", "and more"])
  })
  it("reads paint-on captions as they are written", () => {
    const paint = control(0x14, 0x29)
    const file = scc(["00:00:01:00", paint, row15, text("Now.")], ["00:00:03:00", clear])
    expect(near(cuesIn("a.scc", file))).toEqual([[1, 3, "Now."]])
  })
  it("reads special and extended characters, italics as spaces, and backspaces", () => {
    const file = scc(
      [
        "00:00:01:00",
        load,
        row15,
        hex(0x11, 0x37),
        text(" e"),
        hex(0x12, 0x21),
        text("l*"),
        control(0x11, 0x2e),
        text("x"),
        control(0x14, 0x21),
        show
      ],
      ["00:00:02:00", clear]
    )
    expect(cuesIn("a.scc", file)[0]?.[2]).toBe("♪ Élá")
  })
  it("ignores the other channel, unless only that has captions", () => {
    const other = [control(0x1c, 0x20), control(0x1c, 0x70), text("Hola."), control(0x1c, 0x2f)]
    const both = scc(["00:00:01:00", load, row15, text("Hello."), show, ...other], ["00:00:03:00", clear])
    expect(cuesIn("a.scc", both).map((cue) => cue[2])).toEqual(["Hello."])
    expect(cuesIn("a.scc", scc(["00:00:01:00", ...other])).map((cue) => cue[2])).toEqual(["Hola."])
  })
  it("reports lines without a timecode, and files without captions", () => {
    const file = `${scc(["00:00:01:00", load, row15, text("Hi."), show])}\nsoon 9420`
    expect(noticesIn("a.scc", file)[0]).toContain('4: skipped "soon 9420"')
    expect(rejectionOf("a.scc", "Scenarist_SCC V1.0\n")).toContain("no caption with text found")
  })
  it("never crashes on any codes", () => {
    const code = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16).padStart(4, "0"))
    fc.assert(
      fc.property(fc.array(code, { maxLength: 60 }), (codes) => {
        const file = scc(["00:00:01:00", load, row15, text("Hi."), show, ...codes])
        expect(cuesIn("a.scc", file)[0]?.[2]).toContain("Hi.")
      }),
      { numRuns: 300 }
    )
  })
})
