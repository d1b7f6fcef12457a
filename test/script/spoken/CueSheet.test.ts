import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { Cue, Subtitle } from "../../../src/domain/speech/Cue.ts"
import { millis } from "../../../src/domain/time/Units.ts"
import { cueSheetOf, withSheet } from "../../../src/script/spoken/CueSheet.ts"
import { spokenWords } from "../../../src/script/spoken/SpokenWords.ts"

const sheet = (text: string) => cueSheetOf(new TextEncoder().encode(text), "cast.csv")
const rows = (text: string) => Either.getOrThrowWith(sheet(text), (rejected) => new Error(rejected.message))

describe("cueSheetOf", () => {
  it("parses cues, settings and skipped cues", () => {
    expect(
      rows('cues,speaker,voice,speed,skip\n"1-3, 7",ANNA,vi-anna,1.1,\n\n9,"BO ""B""",,,no\n10-11,,,,yes\n')
    ).toEqual([
      {
        cues: [
          [1, 3],
          [7, 7]
        ],
        overrides: { speaker: "ANNA", voice: "vi-anna", speed: 1.1 },
        skip: false
      },
      { cues: [[9, 9]], overrides: { speaker: 'BO "B"' }, skip: false },
      { cues: [[10, 11]], overrides: {}, skip: true }
    ])
  })

  it("accepts semicolons or tabs as the separator, and treats the others as text", () => {
    const expected = [{ cues: [[1, 2]], overrides: { speaker: "A, B" }, skip: false }]
    expect(rows("cues;speaker\r\n1-2;A, B\r\n")).toEqual(expected)
    expect(rows("\ufeffcues\tspeaker\n1-2\tA, B")).toEqual(expected)
  })

  it("keeps quotes inside a field, and accepts spaces around quoted fields", () => {
    expect(rows('cues,speaker\n1,BO "B"\n "2" , "CY, D" \n').map(({ overrides }) => overrides)).toEqual([
      { speaker: 'BO "B"' },
      { speaker: "CY, D" }
    ])
  })

  it("reports every fault with its line", () => {
    const message = (text: string) => Either.getOrThrow(Either.flip(sheet(text))).message
    expect(message("cue,spaeker\n1,x")).toBe(
      'cast.csv:1: "cue": is not a cue sheet column; use some of cues, speaker, voice, provider, model, speed, vol, pitch, tone, skip\n' +
        'cast.csv:1: "spaeker": is not a cue sheet column; use some of cues, speaker, voice, provider, model, speed, vol, pitch, tone, skip\n' +
        'cast.csv:1: "cue,spaeker": the first line must name the columns, including "cues"'
    )
    expect(message('cues,speed,skip\nfive,1,\n"3\n-1",fast,maybe\n4-2,,\n1,1,no,more\n').split("\n")).toEqual(
      [
        'cast.csv:2: "five": expected cue numbers such as 12, 12-40 or 1-3, 7',
        'cast.csv:3: "3 -1": expected cue numbers such as 12, 12-40 or 1-3, 7',
        'cast.csv:3: "fast": speed: "fast" is not a number above zero',
        'cast.csv:3: "maybe": expected yes or no in the skip column',
        'cast.csv:5: "4-2": expected cue numbers such as 12, 12-40 or 1-3, 7',
        'cast.csv:6: "1,1,no,more": has more fields than the 3 columns named in the first line'
      ]
    )
    const quote = "expected a quoted field to end with a quote and a separator"
    expect(message('cues,speaker\n1,BO\n2,"ANNA\n3,CY\n')).toBe(`cast.csv:3: "2,"ANNA 3,CY": ${quote}`)
    expect(message('cues,speaker\n1,"BO" B\n')).toBe(`cast.csv:2: "1,"BO" B": ${quote}`)
    expect(message("")).toBe("cast.csv:1: the file is empty; expected cues or text")
  })
})

describe("withSheet", () => {
  it("gives cues their speakers and settings; inline directives take precedence", () => {
    const words = spokenWords(
      Subtitle.make({
        format: "srt",
        notices: [],
        cues: ["One.", "{speed: 2}Two.", "- Three.\n- BO: Four.", "[wind]", "Five."].map((text, i) =>
          Cue.make({ index: i + 1, start: millis(i * 1000), end: millis(i * 1000 + 900), text, line: i + 1 })
        )
      }),
      {},
      []
    ).cues
    const dressed = withSheet(words, rows("cues,speaker,speed,skip\n1-3,ANNA,1.1,\n3,,1.3,\n4-5,,,yes\n"))
    expect(
      dressed.map((cue) =>
        "parts" in cue ? cue.parts.map((part) => [part.speaker, part.said, part.overrides]) : cue.skipped
      )
    ).toEqual([
      [["ANNA", "One.", { speed: 1.1 }]],
      [["ANNA", "Two.", { speed: 2 }]],
      [
        ["ANNA", "Three.", { speed: 1.3 }],
        ["ANNA", "Four.", { speed: 1.3 }]
      ],
      "sound-effect",
      "excluded"
    ])
  })
})
