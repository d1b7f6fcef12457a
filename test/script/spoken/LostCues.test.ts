import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import type { TextSettings } from "../../../src/domain/manifest/ScriptSettings.ts"
import { lexiconOf } from "../../../src/script/spoken/Lexicon.ts"
import { cueSheetOf, withSheet } from "../../../src/script/spoken/CueSheet.ts"
import { readScript } from "../../../src/script/ScriptFile.ts"
import { spokenWords } from "../../../src/script/spoken/SpokenWords.ts"
import type { CueWords } from "../../../src/script/spoken/CueWords.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const script = (file: string, text: string) =>
  Either.getOrThrowWith(readScript(bytes(text), file), (rejected) => new Error(rejected.message))

/** The result for each cue: index, line, and its words or why it was skipped or lost. */
const told = (cue: CueWords) => [
  cue.cue,
  cue.line,
  "parts" in cue
    ? cue.parts.map(({ said }) => said).join(" / ")
    : "why" in cue
      ? `lost: ${cue.why}`
      : cue.skipped
]
const words = (file: string, text: string, settings: TextSettings = {}) =>
  spokenWords(script(file, text), settings, Either.getOrThrow(lexiconOf([])))
const of = (file: string, text: string, settings?: TextSettings) => words(file, text, settings).cues.map(told)

const first = "1\n00:00:01,000 --> 00:00:02,000\nOne\n\n"
const last = "3\n00:00:05,000 --> 00:00:06,000\nThree\n"
const expected = "expected a time line such as 00:01:02,500 --> 00:01:04,000"

describe("a cue that cannot be read", () => {
  it("is lost if its time line is broken, and keeps its number", () => {
    expect(of("a.srt", `${first}2\n00:00:xx,000 --> 00:00:04,000\nTwo\n\n${last}`)).toEqual([
      [1, 2, "One"],
      [2, 6, `lost: "00:00:xx,000 --> 00:00:04,000 Two": ${expected}`],
      [3, 10, "Three"]
    ])
  })

  it("is lost if it has no time line, also at the start of the file", () => {
    expect(of("a.srt", `${first}2\nTwo\n\n${last}`)).toEqual([
      [1, 2, "One"],
      [2, 5, 'lost: "2 Two": expected a time line below the cue\'s number'],
      [3, 9, "Three"]
    ])
    expect(of("a.srt", `1\nOne\n\n${last}`)).toEqual([
      [1, 1, 'lost: "1 One": expected a time line below the cue\'s number'],
      [3, 5, "Three"]
    ])
  })

  it("is lost if its time is 99:59:59, or if its words are on its time line", () => {
    expect(of("a.srt", `${first}2\n99:59:59,999 --> 99:59:59,999\nTwo\n\n${last}`)[1]).toEqual([
      2,
      6,
      'lost: "99:59:59,999 --> 99:59:59,999": 99:59:59 marks a cue without a time; give it one'
    ])
    expect(of("a.srt", `${first}2\n00:00:03,000 --> 00:00:04,000 Two\n\n${last}`)).toEqual([
      [1, 2, "One"],
      [2, 6, 'lost: "Two": expected the cue\'s text below its time line'],
      [3, 9, "Three"]
    ])
  })

  it("is lost if its letters were destroyed", () => {
    expect(of("a.srt", "1\n00:00:01,000 --> 00:00:02,000\n\ufffd\ufffd \ufffd\n")).toEqual([
      [
        1,
        2,
        "lost: an earlier conversion destroyed its letters (U+FFFD); use the file from before that conversion"
      ]
    ])
  })

  it("is lost after a blank line within a WebVTT cue, but not before the first cue or in a comment", () => {
    expect(
      of(
        "a.vtt",
        "WEBVTT\n\nnot a cue\nat all\n\nNOTE a --> b\nno cue\n\n00:01.000 --> 00:02.000\nOne\n\nstill\none\n\n00:03.000 --> 00:04.000\nTwo\n"
      )
    ).toEqual([
      [1, 9, "One"],
      [3, 12, 'lost: "still one": a blank line ends a WebVTT cue; expected a time line above this text'],
      [2, 15, "Two"]
    ])
  })

  it("is lost if an ASS event has a broken time, or follows a Format line without the required columns", () => {
    const event = (start: string, text: string) => `Dialogue: 0,${start},0:00:09.00,Default,,0,0,0,,${text}\n`
    const format = "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    expect(
      of(
        "a.ass",
        `[Script Info]\n[Events]\n${format}${event("0:00:01.00", "One")}${event("0:00:xx.00", "Two")}` +
          `${event("0:00:xx.00", "{\\p1}m 0 0 l 1 1{\\p0}")}Dialogue: torn\n` +
          `[Events]\nFormat: Layer, Start, Text\nDialogue: 0,0:00:03.00,Three\n`
      )
    ).toEqual([
      [1, 4, "One"],
      [2, 5, 'lost: "Two": expected start and end times such as 0:00:01.00,0:00:02.50'],
      [3, 6, "empty"],
      [4, 7, 'lost: "torn": expected start and end times such as 0:00:01.00,0:00:02.50'],
      [5, 10, 'lost: "0,0:00:03.00,Three": expected a Format line above it with the columns Start, End, Text']
    ])
  })

  it("is lost in every other format", () => {
    const sami = (...syncs: ReadonlyArray<string>) => `<SAMI><BODY>${syncs.join("\n")}</BODY></SAMI>`
    const ttml = (two: string) =>
      `<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="1s" end="2s">One</p>\n${two}\n` +
      `<p begin="5s" end="6s">Three</p></div></body></tt>`
    const json = (two: string) =>
      `{"segments":[{"start":1,"end":2,"text":"One"},${two},{"start":5,"end":6,"text":"Three"}]}`
    const files: Readonly<Record<string, ReadonlyArray<string>>> = {
      "a.sbv": [
        "0:00:xx.000,0:00:04.500",
        "0:00:03.000,",
        ",0:00:04.500",
        "0:00:03.000",
        "0:0x:03,0:0x:04"
      ].map((time) => `0:00:01.000,0:00:02.000\nOne\n\n${time}\nTwo\n\n0:00:05.000,0:00:06.000\nThree\n`),
      "a.sub": ["{75{100}Two", "75}{100}Two", "{75}{1o0}Two", "{75}Two", "Two"].map(
        (two) => `{1}{1}25\n{25}{50}One\n${two}\n{125}{150}Three\n`
      ),
      "a.mpl": ["[30[40]Two", "[30][4x]Two"].map((two) => `[10][20]One\n${two}\n[50][60]Three\n`),
      "a.lrc": ["[00:0x.00]Two", "00:03.00]Two", "[00:03.00Two"].map(
        (two) => `[00:01.00]One\n[00:02.00]\n${two}\n[00:05.00]Three\n`
      ),
      "a.smi": ["<SYNC Start=soon>", "<SYNC Start=0x10>", "<SYNC Start=>", "<SYNC>"].map((sync) =>
        sami(
          "<SYNC Start=1000><P>One",
          "<SYNC Start=2000><P>&nbsp;",
          `${sync}<P>Two`,
          "<SYNC Start=5000><P>Three"
        )
      ),
      "a.ttml": [
        '<p begin="x" end="4s">Two</p>',
        '<p begin="" end="4s">Two</p>',
        '<p end="4s">Two</p>',
        "<p>Two</p>",
        '<p><span begin="x" end="4s">Two</span></p>'
      ].map(ttml),
      "a.json": [
        '{"start":null,"end":null,"text":"Two"}',
        '{"text":"Two"}',
        '{"start":"x","text":"Two"}'
      ].map(json),
      "a.stl": ["00:00:xx:00 , 00:00:04:00 , Two"].map(
        (two) => `00:00:01:00 , 00:00:02:00 , One\n${two}\n00:00:05:00 , 00:00:06:00 , Three\n`
      ),
      "a.txt": ["00:00:0x:Two", "00:0003:Two"].map(
        (two) => `00:00:01:One\n00:00:02:\n${two}\n00:00:05:Three\n`
      ),
      "a.csv": [`Start,End,Text\n0:00:01,0:00:02,One\n0:0x:03,0:00:04,Two\n0:00:05,0:00:06,Three\n`]
    }
    for (const [file, texts] of Object.entries(files))
      for (const text of texts) {
        const found = script(file, text)
        if (found._tag !== "Subtitle") throw new Error("expected a subtitle")
        const said = [found.cues, found.lost].map((cues) => cues.map((cue) => [cue.start, cue.text]))
        expect(said, text).toEqual([
          [
            [1000, "One"],
            [5000, "Three"]
          ],
          [[2000, "Two"]]
        ])
      }
  })

  it("is lost if it is the first or the second line, in formats that are known by their first lines", () => {
    const files: Readonly<Record<string, ReadonlyArray<string>>> = {
      "a.sub": ["{25{50}Lost", "{75}{100}Two", "{125}{150}Three"],
      "a.mpl": ["[10[20]Lost", "[30][40]Two", "[50][60]Three"],
      "a.txt": ["[1o][20]Lost", "[30][40]Two", "[50][60]Three"],
      "b.txt": ["00:00:0x:Lost", "00:00:03:Two", "00:00:05:Three"],
      "c.txt": ["[00:0x.00]Lost", "[00:03.00]Two", "[00:05.00]Three"],
      "d.txt": ["1.0x\t2.0\tLost", "3.0\t4.0\tTwo", "5.0\t6.0\tThree"],
      "e.txt": [
        "00:00:0x:00 00:00:02:00 Lost",
        "00:00:03:00 00:00:04:00 Two",
        "00:00:05:00 00:00:06:00 Three"
      ]
    }
    for (const [file, [bad = "", two = "", three = ""]] of Object.entries(files))
      for (const [lines, line] of [
        [[bad, two, three], 1],
        [[two, bad, three], 2]
      ] as const) {
        const found = script(file, `${lines.join("\n")}\n`)
        if (found._tag !== "Subtitle") throw new Error(`${file}: expected a subtitle`)
        expect(
          [found.cues, found.lost].map((cues) => cues.map((cue) => [cue.line, cue.text])),
          `${file}: ${lines.join(" ")}`
        ).toEqual([
          [
            [line === 1 ? 2 : 1, "Two"],
            [3, "Three"]
          ],
          [[line, "Lost"]]
        ])
      }
  })

  it("is lost if an ASS event lacks columns or an SCC line its time, and a misspelled event is read", () => {
    const format = "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    expect(
      of(
        "a.ass",
        `[Events]\n${format}Dialogue: 0,0:00:01.00,0:00:02.00,Default,,One\n` +
          "Dialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0\n" +
          "Dialog: 0,0:00:05.00,0:00:06.00,Default,,0,0,0,,Two\n" +
          "Dialogue 0,0:00:07.00,0:00:08.00,Default,,0,0,0,,Three\n"
      ).map(([, line, said]) => [line, said])
    ).toEqual([
      [
        3,
        'lost: "0,0:00:01.00,0:00:02.00,Default,,One": expected a field for each column of the Format line'
      ],
      [4, "empty"],
      [5, "Two"],
      [6, "Three"]
    ])
    const codes = "9420 9420 9470 9470 c8e5 ecec ef80 942f 942f"
    expect(
      of("a.scc", `Scenarist_SCC V1.0\n\n00:00:01:00\t${codes}\n\n00:00:xx:00\t${codes}\n`).map(
        ([, line]) => line
      )
    ).toEqual([3, 5])
  })

  it("is lost if an ASS line is no event, and is not if it is a comment", () => {
    const format = "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    const event = "0,0:00:01.00,0:00:02.00,Default,,0,0,0,,"
    const lines = [
      `Dialogue：${event}One`,
      "the rest of one",
      `Dialgoue: ${event}Two`,
      `${event}Three`,
      `Diálogo: ${event}Four`,
      `; ${event}Five`,
      `Comment: ${event}Six`,
      "!: Seven"
    ]
    expect(of("a.ass", `[Events]\n${format}${lines.join("\n")}\n`)).toEqual([
      [1, 3, "One"],
      ...[lines[1], lines[2], lines[3], lines[4]].map((line = "", at) => [
        at + 2,
        at + 4,
        `lost: "${line}": expected "Dialogue:" before it`
      ])
    ])
  })

  it("is not lost if it has nothing to speak", () => {
    const broken = (text: string) => `${first}2\n00:00:xx,000 --> 00:00:04,000\n${text}\n\n${last}`
    expect(of("a.srt", broken("[door slams]"))[1]).toEqual([2, 6, "sound-effect"])
    expect(of("a.srt", broken("♪ la la la ♪"))[1]).toEqual([2, 6, "music"])
    expect(of("a.srt", broken("♪ la la la ♪"), { music: "speak" })[1]?.[2]).toContain("lost: ")
    expect(of("a.srt", broken("..."))[1]).toEqual([2, 6, "empty"])
    expect(of("a.srt", broken(""))).toEqual([
      [1, 2, "One"],
      [3, 10, "Three"]
    ])
  })

  it("is lost if its words are on its time line", () => {
    const text = "WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n\n00:03.000 --> as soon as we can\n"
    expect(of("a.vtt", text)[1]?.[2]).toContain("lost: ")
  })

  it("does not take the number of a readable cue", () => {
    const positions = `${first}00:00:xx,000 --> 00:00:04,000\nTwo\n\n00:00:05,000 --> 00:00:06,000\nThree\n`
    expect(of("a.srt", positions).map(([index]) => index)).toEqual([1, 3, 2])
    const twice = `${first}3\n00:00:xx,000 --> 00:00:04,000\nTwo\n\n${last}`
    expect(of("a.srt", twice).map(([index]) => index)).toEqual([1, 4, 3])
  })

  it("changes nothing about the cues around it", () => {
    const lines = [first, "2\n00:00:xx,000 --> 00:00:04,000\nANNA: Two\n\n", last]
    const without = words("a.srt", [lines[0], lines[2]].join(""))
    expect(words("a.srt", lines.join("")).cues.filter((cue) => "parts" in cue)).toEqual(
      without.cues.map((cue) => (cue.line < 5 ? cue : { ...cue, line: cue.line + 4 }))
    )
  })

  it("can be excluded by a cue sheet", () => {
    const sheet = Either.getOrThrow(cueSheetOf(bytes("cues,speaker,skip\n2,,yes\n1-3,ANNA,\n"), "a.csv"))
    const { cues } = words("a.srt", `${first}2\n00:00:xx,000 --> 00:00:04,000\nTwo\n\n${last}`)
    expect(withSheet(cues, sheet).map(told)[1]?.[2]).toContain("lost: ")
    expect(withSheet(cues, sheet.slice(0, 1)).map(told)[1]).toEqual([2, 6, "excluded"])
  })
})
