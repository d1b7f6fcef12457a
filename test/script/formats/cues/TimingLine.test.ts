import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { clockTime } from "../../../../src/exports/text/Subtitles.ts"
import { parseTiming } from "../../../../src/script/formats/cues/TimingLine.ts"

const times = (line: string, style: "srt" | "vtt" | "sbv" = "srt") => {
  const timing = parseTiming(line, style)
  return timing.kind === "time" ? [timing.start, timing.end] : timing.kind
}

describe("parseTiming", () => {
  it.prop("parses what clockTime formats", [fc.nat(4e8), fc.nat(4e8)], ([start, end]) => {
    expect(times(`${clockTime(start, ",")} --> ${clockTime(end, ",")}`)).toEqual([start, end])
  })

  it("parses times in every unambiguous spelling", () => {
    expect(times("00:00:01,000 --> 00:00:02,500")).toEqual([1000, 2500])
    expect(times("  0:01:02.5-->0:01:03  ")).toEqual([62_500, 63_000])
    expect(times("00:00:01,000 -> 00:00:02,000")).toEqual([1000, 2000])
    expect(times("00:00:01;000 --> 00:00:02;500")).toEqual([1000, 2500])
    expect(times("00:00:01,000 → 00:00:02,000")).toEqual([1000, 2000])
    expect(times("00: 00: 01, 500 --> 00: 00: 02, 750")).toEqual([1500, 2750])
    expect(times("01:02,000 --> 01:03,000")).toEqual([62_000, 63_000])
    expect(times("00:00:01,000 --> 00:00:02,000 X1:10 X2:20 Y1:30 Y2:40")).toEqual([1000, 2000])
    expect(times("００：００：０１，０００ --> ００：００：０２，０００")).toEqual([1000, 2000])
    for (const line of [
      "\u202b00:00:01,000 --> 00:00:02,000\u202c",
      "\u200f00:00:01,000\u200e --> \u200e00:00:02,000",
      "\ufeff00:00:01,000 --> 00:00:02,000",
      "٠٠:٠٠:٠١,٠٠٠ --> ٠٠:٠٠:٠٢,٠٠٠",
      "۰۰:۰۰:۰۱,۰۰۰ --> ۰۰:۰۰:۰۲,۰۰۰",
      "00:00:01,000 --&gt; 00:00:02,000",
      "00:00:01,000 \u2010\u2010> 00:00:02,000",
      "00:00:01,000 \u2212\u2212> 00:00:02,000"
    ])
      expect(times(line), line).toEqual([1000, 2000])
    expect(times("0:00:01.500000 --> 0:00:02.250000")).toEqual([1500, 2250])
    expect(times("00:01.000 --> 00:02.000 align:start", "vtt")).toEqual([1000, 2000])
    expect(times("0:00:01.000,0:00:02.000", "sbv")).toEqual([1000, 2000])
    expect(times("00:00:01,000 00:00:02,000")).toEqual([1000, 2000])
    expect(times("-00:00:01,000 --> 00:00:02,000")).toEqual([0, 2000])
  })

  it("parses what programs that round up or print floats write", () => {
    expect(times("00:00:00,1000 --> 00:00:02,1000")).toEqual([1000, 3000])
    expect(times("00:00:00,1000 --> 00:00:02,500")).toEqual([1000, 2500])
    expect(times("00:00:00.1000 --> 00:00:02.2500")).toEqual([100, 2250])
    expect(times("00:00:60,000 --> 00:01:60,000")).toEqual([60_000, 120_000])
    expect(times("00:59:60,000 --> 00:60:02,000")).toEqual([3_600_000, 3_602_000])
    expect(times("00:01.1000 --> 00:60.000", "vtt")).toEqual([2000, 60_000])
    expect(times("00:00:01.0000 --> 00:00:02.2499", "vtt")).toEqual([1000, 2250])
    expect(times("00:01.000000 --> 00:02.2495", "vtt")).toEqual([1000, 2250])
    expect(times("00:00:01,249.0999999 --> 00:00:04,999.9999")).toEqual([1249, 5000])
    expect(times("0:00:01.1000,0:00:04.2499999", "sbv")).toEqual([2000, 4250])
  })

  it("parses damaged arrows, separators and signs", () => {
    for (const arrow of ["==>", "=>", "--›", "- ->", "->>", "-->>", "－－＞", "—>", "⇒", "->", "--&gt;"])
      expect(times(`00:00:01,000 ${arrow} 00:00:02,000`), arrow).toEqual([1000, 2000])
    for (const arrow of [
      ">",
      "＞",
      "»",
      "--)",
      "--]",
      "--﹥",
      "→→",
      "—→",
      "--≥",
      "-->>>",
      "&#45;&#45;&#62;",
      "&rarr;",
      "&#8594;",
      "&minus;&mdash;&gt;",
      "--\\>",
      "---------->",
      "hasta el"
    ])
      for (const style of ["srt", "vtt"] as const)
        expect(times(`00:00:01,000 ${arrow} 00:00:02,000`, style), arrow).toEqual([1000, 2000])
    for (const comma of ["，", "،", "٫", "٬", "、", "﹐"])
      expect(times(`00:00:01${comma}000 --> 00:00:02${comma}000`), comma).toEqual([1000, 2000])
    expect(times("00﹕00﹕01,000 --> 00﹕00﹕02,000")).toEqual([1000, 2000])
    expect(times("00:00:01 > 00:00:02")).toBe("unreadable")
    expect(times("00：00：01。000 －－＞ 00：00：02。000")).toEqual([1000, 2000])
    expect(times("00:00:01,000 bis 00:00:02,000")).toEqual([1000, 2000])
    expect(times("00:00:-1,000 --> 00:00:02,000")).toEqual([0, 2000])
    for (const minus of ["\u2212", "\u2013"])
      expect(times(`${minus}00:00:01,000 --> 00:00:02,000`)).toEqual([0, 2000])
    expect(times("10:30 => 11:45")).toBe("none")
  })

  it("reads misspelled times, and says how", () => {
    const colons = "read the signs between hours, minutes and seconds as colons"
    const zero = 'read the letter "O" in a time as 0'
    const lines: Readonly<Record<string, string>> = {
      "00.00.01,000 --> 00.00.02,500": colons,
      "00.00.01.000 --> 00.00.02.500": colons,
      "0.0.1,000 -> 0.0.2,500": colons,
      "00:00:01,000 --> 00.00.02,500": colons,
      "00:00.01,000 --> 00.00:02,500": colons,
      "00;00;01,000 --> 00;00;02,500": colons,
      "0O:00:01,000 --> 00:00:02,500": zero,
      "OO:OO:O1,OOO --> OO:OO:O2,5OO": zero,
      "0o:00:01.o00 --> 00:00:02.5": zero,
      "00:00:01,000 ==> 00:00:02,5O0 X1:10": zero,
      "00:00:0l,000 --> 00:00:02,500": 'read the letter "I" or "l" in a time as 1',
      "00:00:01 000 --> 00:00:02 500": "read the space in a time as a comma"
    }
    for (const [line, repair] of Object.entries(lines))
      for (const style of ["srt", "vtt", "sbv"] as const)
        expect(parseTiming(line, style), line).toEqual({
          kind: "time",
          start: 1000,
          end: 2500,
          repair,
          words: ""
        })
    for (const line of ["Go to OO:1 --> now", "1O:30 - 11:45"]) expect(times(line), line).toBe("none")
  })

  it("distinguishes an unreadable time line from text", () => {
    for (const line of [
      "00:00:61,000 --> 00:01:02,000",
      "00:00:01,000 -->",
      "--> 00:00:01,000",
      "00:00:01,000 →to: 00:00:02,000",
      "00:00:01,249.09 --> 00:00:02,251,7"
    ])
      expect(times(line), line).toBe("unreadable")
    for (const line of ["00:00:01.000 ... 00:00:02.000", "10:30 sharp --> go", "Go --> 1:xx", "-->"])
      expect(times(line, "vtt"), line).toBe("unreadable")
    expect(times("00:00:01:12 --> 00:00:02:03")).toBe("frames")
    for (const line of [
      "At 10:30 --> go",
      "10:30 -> 11:45",
      "12",
      "He said 00:01 --> twice",
      "→ next",
      "9:58.32 against 10:02.11",
      "08:00 or 09:00"
    ])
      expect(times(line), line).toBe("none")
    for (const line of ["a --> b", "At 10:30 --> go", "Take 2 --> right", "foo-->"])
      expect(times(line, "vtt"), line).toBe("none")
  })

  it("reads times without an arrow, and a space in place of the comma", () => {
    for (const style of ["srt", "vtt"] as const)
      for (const line of [
        "00:00:01.000 00:00:02.000",
        "00:00:01 000 --> 00:00:02 000",
        "00:01 000 --> 00:02.000",
        "00:00:01,000 --> 00:00:02 000"
      ])
        expect(times(line, style), line).toEqual([1000, 2000])
  })
})
