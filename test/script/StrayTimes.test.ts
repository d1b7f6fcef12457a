/** Times without arrows, as in SBV, in every format that may contain them; and stray times within a cue's text. */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { readScript } from "../../src/script/ScriptFile.ts"
import { spokenWords } from "../../src/script/spoken/SpokenWords.ts"

const read = (file: string, text: string) => readScript(new TextEncoder().encode(text), file)
const script = (file: string, text: string) =>
  Either.getOrThrowWith(read(file, text), (rejected) => new Error(rejected.message))
const message = (file: string, text: string) => Either.getOrThrow(Either.flip(read(file, text))).message
const notices = (file: string, text: string) => script(file, text).notices.map((notice) => notice.message)

/** Start, end and spoken text of each cue. */
const said = (file: string, text: string) => {
  const found = script(file, text)
  const words = spokenWords(found, {}, []).cues
  return found._tag === "Subtitle"
    ? found.cues.map((cue, i) => {
        const of = words[i]
        return [
          cue.start,
          cue.end,
          of !== undefined && "parts" in of ? of.parts.map((part) => part.said).join("|") : undefined
        ]
      })
    : []
}

const two = (value: number): string => String(value).padStart(2, "0")

/** A time in hundredths of a second, in the spellings of exporters. */
const clock = (hundredths: number, digits: number, hours: string): string => {
  const seconds = Math.floor(hundredths / 100)
  const fraction = String((hundredths % 100) * 10).padStart(3, "0")
  const written = digits === 3 ? fraction : fraction.slice(0, 2)
  return `${hours}:${two(Math.floor(seconds / 60))}:${two(seconds % 60)}.${written}`
}

describe("times separated by a comma", () => {
  it("of a YouTube export are parsed from .srt and .sbv, and from other extensions", () => {
    const text = "0:00:01.479,0:00:06.028\nHello\nthere\n\n0:00:06.028,0:00:09.100\nfriend\n"
    for (const file of ["a.srt", "a.sbv", "a.sub", "a.txt", "a.vtt"]) {
      expect(said(file, text), file).toEqual([
        [1479, 6028, "Hello there"],
        [6028, 9100, "friend"]
      ])
      expect(notices(file, text)).toEqual([])
    }
  })

  it.prop(
    "are parsed with any width of hours and fractions, line ends, byte order marks and numbers",
    [
      fc.array(fc.integer({ min: 0, max: 300_000 }), { minLength: 1, maxLength: 6 }),
      fc.constantFrom("a.srt", "a.sbv", "a.sub", "a.txt"),
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.constantFrom("", "\ufeff"),
      fc.constantFrom(2, 3),
      fc.constantFrom("0", "00"),
      fc.constantFrom(",", ", ", " , "),
      fc.boolean()
    ],
    ([starts, file, lineEnd, mark, digits, hours, comma, numbered]) => {
      const ordered = [...new Set(starts)].sort((a, b) => a - b)
      const lines = ordered.flatMap((start, i) => [
        ...(numbered ? [String(i + 1)] : []),
        clock(start, digits, hours) + comma + clock(start + 90, digits, hours),
        `word${i}[br]more`,
        ""
      ])
      expect(said(file, mark + lines.join(lineEnd))).toEqual(
        ordered.map((start, i) => [start * 10, (start + 90) * 10, `word${i} more`])
      )
    }
  )

  it("of SubViewer are parsed after its header", () => {
    const text =
      "[INFORMATION]\n[TITLE]x\n[END INFORMATION]\n[SUBTITLE]\n[COLF]&HFFFFFF,[STYLE]no,[SIZE]18\n" +
      "00:04:35.03,00:04:38.82\nSit down...\n\n00:05:00.19,00:05:03.47\nM. Franklin,[br]are you crazy?\n"
    expect(said("a.sub", text)).toEqual([
      [275_030, 278_820, "Sit down..."],
      [300_190, 303_470, "M. Franklin, are you crazy?"]
    ])
  })

  it("without fractions are parsed if both have hours", () => {
    expect(said("a.sbv", "0:00:01,0:00:06\nHello\n")).toEqual([[1000, 6000, "Hello"]])
    expect(said("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nAt\n10:30,11:45\n")).toEqual([
      [1000, 2000, "At 10:30,11:45"]
    ])
  })
})

describe("a time inside a cue", () => {
  const cue = (text: string): string => `1\n00:00:01,000 --> 00:00:04,000\n${text}\n`

  it("that has a start and an end begins a cue, with or without an arrow", () => {
    const lines = [
      "00:00:05,000 --> 00:00:06,000",
      "0:00:05.000,0:00:06.000",
      "0:00:05.00,0:00:06.00",
      "00:00:05,000 - 00:00:06,000",
      "00:00:05,000 00:00:06,000",
      "00:00:05,000 to 00:00:06,000",
      "2 00:00:05,000 --> 00:00:06,000",
      "2个 00:00:05,000 --> 00:00:06,000",
      "- 00:00:05,000 --> 00:00:06,000",
      "**00:00:05,000 --> 00:00:06,000**",
      "<00:00:05,000 --> 00:00:06,000>",
      '"00:00:05,000 --> 00:00:06,000",',
      "00:00:05,000 --> 00:00:06,000\\"
    ]
    for (const line of lines)
      expect(said("a.srt", cue(`Hello\n${line}\nfriend`)), line).toEqual([
        [1000, 4000, "Hello"],
        [5000, 6000, "friend"]
      ])
  })

  it("that is damaged begins a cue that is lost, and no time is spoken", () => {
    const lines = [
      "00h00m05s000 --> 00h00m06s000",
      "00\\:00\\:05,000 --> 00\\:00\\:06,000",
      "(00:00:05,000) --> (00:00:06,000)",
      "00 00 05 000 --> 00 00 06 000",
      "5,000 --> 6,000"
    ]
    for (const line of lines) {
      const text = `${cue("Hello")}\n${line}\nfriend\n`
      expect(said("a.srt", text), line).toEqual([[1000, 4000, "Hello"]])
      expect(notices("a.srt", text), line).toEqual([
        `skipped "${line} friend": expected a time line such as 00:01:02,500 --> 00:01:04,000`
      ])
    }
  })

  it("that is alone or next to words is dropped with a notice, and no word is lost", () => {
    const texts = [
      ["Hello\n00:00:05,000\nfriend", "00:00:05,000"],
      ["Hello\n[00:00:05.5]\nfriend", "[00:00:05.5]"],
      ["Hello\n00:00:05\nfriend", "00:00:05"],
      ["Hello 00:00:05,000 --> 00:00:06,000\nfriend", "00:00:05,000 --> 00:00:06,000"],
      ["Hello (00:00:05,000 --> 00:00:06,000) friend", "(00:00:05,000 --> 00:00:06,000)"]
    ] as const
    for (const [text, time] of texts) {
      expect(said("a.srt", cue(text)), text).toEqual([[1000, 4000, "Hello friend"]])
      expect(notices("a.srt", cue(text))).toEqual([`a time inside the cue's text is not spoken: "${time}"`])
    }
    expect(said("a.vtt", `WEBVTT\n\n00:01.000 --> 00:04.000\nHello\n00:05.000\nfriend\n`)).toEqual([
      [1000, 4000, "Hello friend"]
    ])
  })

  it("that is spoken stays", () => {
    const texts = [
      "See you at\n10:30",
      "From 10:30 - 11:45\nwe play",
      "He ran 9:58.32 today",
      "10:30\n- 11:45"
    ]
    for (const text of texts) expect(notices("a.srt", cue(text)), text).toEqual([])
    expect(said("a.srt", cue("It ended\n3:1\nfor them"))).toEqual([[1000, 4000, "It ended 3:1 for them"]])
  })

  it("that marks a word in WebVTT is markup, without a notice", () => {
    expect(notices("a.vtt", "WEBVTT\n\n00:00.000 --> 00:04.000\n<00:00:00.500>\nHello\n")).toEqual([])
  })
})

describe("a subtitle without times", () => {
  it("is rejected with that reason, and with what to do", () => {
    const needed = "add a time line such as 00:01:02,500 --> 00:01:04,000 above each cue's text"
    expect(message("a.srt", "Hello there\n\nMore text.\n")).toBe(
      `a.srt:1: "Hello there": the file has no times: ${needed}, or save it as .txt to have it read aloud without a timeline`
    )
    expect(message("a.srt", "1\nHello there\n\n2\nMore text.\n")).toBe(
      `a.srt:1: "1": the file has no times: ${needed}, or save it, without the cues' numbers, as .txt to have it read aloud without a timeline`
    )
  })

  it("is rejected with the first line that contains a time", () => {
    const line = '"00:00:01 5 --> 00:00:03 2 Hello": expected a time line such as 00:01:02,500'
    expect(message("a.srt", "1\n00:00:01 5 --> 00:00:03 2\nHello\n")).toContain(`a.srt:2: ${line}`)
    expect(message("a.vtt", "WEBVTT\n\nHello\n\n10:30 sharp\n")).toContain('a.vtt:5: "10:30 sharp": no cue')
  })

  it("is empty if it is a WebVTT file of comments", () => {
    expect(said("a.vtt", "WEBVTT\n\nNOTE no cue yet\n\nSTYLE\n::cue { color: red }\n")).toEqual([])
  })
})
