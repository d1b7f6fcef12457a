import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { readScript, type ReadOptions } from "../../src/script/ScriptFile.ts"
import { frameRateNamed } from "../../src/domain/time/FrameRate.ts"
import { spokenWords } from "../../src/script/spoken/SpokenWords.ts"

const read = (file: string, text: string) => readScript(new TextEncoder().encode(text), file)
const script = (file: string, text: string) =>
  Either.getOrThrowWith(read(file, text), (rejected) => new Error(rejected.message))
const cues = (file: string, text: string) => {
  const found = script(file, text)
  return found._tag === "Subtitle"
    ? found.cues.map((cue) => [cue.index, cue.start, cue.end, cue.text, cue.line])
    : []
}
const notices = (file: string, text: string) =>
  script(file, text).notices.map((notice) => [notice.line, notice.message])
const message = (file: string, text: string) => Either.getOrThrow(Either.flip(read(file, text))).message

const srt = "3\n00:00:01,000 --> 00:00:02,000\nOne\n\n5\n00:00:03,000 --> 00:00:04,000\nTwo\nlines\n"

describe("readScript", () => {
  it("keeps a file's own cue numbers and the lines of its times", () => {
    expect(cues("a.srt", srt)).toEqual([
      [3, 1000, 2000, "One", 2],
      [5, 3000, 4000, "Two\nlines", 6]
    ])
    expect(notices("a.srt", srt)).toEqual([])
  })

  it("numbers by position if a number is missing or occurs twice", () => {
    expect(cues("a.srt", srt.replace("5\n", "3\n")).map(([index]) => index)).toEqual([1, 2])
    expect(notices("a.srt", srt.replace("5\n", "3\n"))).toEqual([
      [6, "cue number 3 occurs twice; cues are numbered by position instead"]
    ])
    expect(cues("a.srt", srt.replace("5\n", "")).map(([index]) => index)).toEqual([1, 2])
  })

  it("does not take a damaged cue number for speech", () => {
    const rows = {
      "1|#2|3": [],
      "1|2.|[3]": [],
      "१|२|३": [],
      "1个|2个|四": ["1个", 2],
      "1|Dos|3": ["Dos", 0],
      "1 (satu)|2 (dua)|3 (tiga)": ["1 (satu)", 2],
      "①|Cue 2|No. 3": ["①", 2],
      "one|two|three": ["one", 2]
    }
    for (const [numbers, [odd, others]] of Object.entries(rows)) {
      const text = numbers
        .split("|")
        .map((number, i) => `${number}\n00:00:0${i},000 --> 00:00:0${i},500\nWords ${"ABC"[i] ?? ""}.\n`)
        .join("\n")
      expect(
        cues("a.srt", text).map((cue) => cue[3]),
        numbers
      ).toEqual(["Words A.", "Words B.", "Words C."])
      expect(notices("a.srt", text).map((found) => found[1])).toEqual(
        odd === undefined
          ? []
          : [
              `"${odd}" is read as a cue's number, which is not spoken${others === 0 ? "" : `, and ${others} like it`}`
            ]
      )
    }
    const spacings = [
      ["", "", ""],
      ["\n", "\n", "\n"],
      ["\n", "\n", "\n\n"]
    ] as const
    for (const [belowNumber, belowTime, belowText] of spacings) {
      const text = "1|2个|3|4|5|四"
        .split("|")
        .map((number, i) => {
          const time = `00:00:0${i},000 --> 00:00:0${i},500\n`
          return `${number}\n${belowNumber}${time}${belowTime}Words ${i}.\n${belowText}`
        })
        .join("")
      expect(cues("a.srt", text).map((cue) => cue[3])).toEqual([0, 1, 2, 3, 4, 5].map((i) => `Words ${i}.`))
    }
    const unnumbered = "00:00:00,000 --> 00:00:01,000\nTwo\n\n2 men\n00:00:02,000 --> 00:00:03,000\nThree"
    expect(cues("a.srt", srt.replace("5\n", "Not a number.\n")).map((cue) => cue[3])[0]).toContain("Not a")
    expect(cues("a.srt", unnumbered.replace("2 men", "3 men")).map((cue) => cue[3])).toEqual([
      "Two\n\n3 men",
      "Three"
    ])
  })

  it("subtracts the job's start, and counts frames by the job's rate", () => {
    const hours = srt.replaceAll("00:00:0", "01:00:0")
    const times = (text: string, options: ReadOptions, file = "a.srt") =>
      Either.map(readScript(new TextEncoder().encode(text), file, options), (found) =>
        found._tag === "Subtitle" ? found.cues.map(({ start, end }) => [start, end]) : []
      )
    const expected = Either.right([
      [1000, 2000],
      [3000, 4000]
    ])
    expect(times(hours, { start: "01:00:00:00" })).toEqual(expected)
    expect(times(`WEBVTT\n\n${hours.replaceAll(",", ".")}`, { start: "01:00:00:00" }, "a.vtt")).toEqual(
      expected
    )
    const ass =
      "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n" +
      "Dialogue: 0,1:00:01.00,1:00:02.00,Default,,0,0,0,,One\n" +
      "Dialogue: 0,1:00:03.00,1:00:04.00,Default,,0,0,0,,Two\n"
    expect(times(ass, { start: "01:00:00:00" }, "a.ass")).toEqual(expected)
    expect(times(hours, { start: "01:00:00:00", filmRate: frameRateNamed("23.976") })).toEqual(expected)
    expect(times(hours, { filmStart: "01:00:00:00" })).toEqual(expected)
    expect(times(hours, { filmStart: "00:59:59:00" })).toEqual(
      Either.right([
        [2000, 3000],
        [4000, 5000]
      ])
    )
    // A clip's time of day, or a film whose timecode the subtitle does not have.
    for (const filmStart of ["00:00:01:00", "10:00:00:00"])
      expect(times(srt, { filmStart })).toEqual(expected)
    const json =
      '{"segments":[{"start":3601,"end":3602.5,"text":"One"},{"start":3603.5,"end":3604,"text":"Two"}]}'
    expect(times(json, { start: "01:00:00:00" }, "a.json")).toEqual(
      Either.right([
        [1000, 2500],
        [3500, 4000]
      ])
    )
    const frames = "1\n00:00:02:00 --> 00:00:04:13\nOne\n"
    expect(times(frames, { frameRate: "25" })).toEqual(Either.right([[2000, 4520]]))
    expect(times(frames, { frameRate: "24" })).toEqual(Either.right([[2000, 4542]]))
    expect(message("a.srt", frames)).toContain("set frameRate")
  })

  it("reads a negative start as zero with a note, and counts a cue before zero as lost", () => {
    const event = (start: string, end: string, text: string) =>
      `Dialogue: 0,${start},${end},Default,,0,0,0,,${text}\n`
    const p = (begin: string, end: string, text: string) => `<p begin="${begin}" end="${end}">${text}</p>\n`
    const tt = (...ps: ReadonlyArray<string>) =>
      `<tt xmlns="http://www.w3.org/ns/ttml"><body><div>\n${ps.join("")}</div></body></tt>`
    const files = {
      "a.srt":
        "-00:00:01,000 --> 00:00:02,000\nOne\n\n-00:00:05,000 --> -00:00:03,000\nTwo\n\n00:00:03,000 --> 00:00:04,000\nThree\n",
      "a.vtt":
        "WEBVTT\n\n-00:01.000 --> 00:02.000\nOne\n\n-00:05.000 --> -00:03.000\nTwo\n\n00:03.000 --> 00:04.000\nThree\n",
      "a.sbv":
        "-0:00:01.000,0:00:02.000\nOne\n\n-0:00:05.000 --> -0:00:03.000\nTwo\n\n0:00:03.000,0:00:04.000\nThree\n",
      "a.ass":
        "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n" +
        event("-0:00:01.00", "0:00:02.00", "One") +
        event("-0:00:05.00", "-0:00:03.00", "Two") +
        event("0:00:03.00", "0:00:04.00", "Three"),
      "a.ttml": tt(p("-1s", "2s", "One"), p("-5s", "-3s", "Two"), p("3s", "4s", "Three")),
      "b.ttml": tt(
        p("-00:00:01.000", "00:00:02", "One"),
        '<p begin="-00:00:05" dur="2s">Two</p>\n',
        p("00:00:03.000", "00:00:04.000", "Three")
      ),
      "a.lrc": "[-00:05.00]Two\n[-00:01.00]One\n[00:02.00]\n[00:03.00]Three\n[00:04.00]\n",
      "b.lrc": "[offset:+3000]\n[00:01.00]Two\n[00:02.00]One\n[00:05.00]\n[00:06.00]Three\n[00:07.00]\n",
      "a.sub": "{1}{1}25\n{-25}{50}One\n{-125}{-75}Two\n{75}{100}Three\n",
      "a.mpl": "[-10][20]One\n[-50][-30]Two\n[30][40]Three\n",
      "a.smi":
        "<SAMI><BODY><SYNC Start=-5000><P>Two\n<SYNC Start=-3000><P>&nbsp;\n<SYNC Start=-1000><P>One\n" +
        "<SYNC Start=2000><P>&nbsp;\n<SYNC Start=3000><P>Three\n<SYNC Start=4000><P>&nbsp;</BODY></SAMI>",
      "a.json":
        '{"segments":[{"start":-1,"end":2,"text":"One"},{"start":-5,"end":-3,"text":"Two"},{"start":3,"end":4.0,"text":"Three"}]}',
      "a.txt": "-1.0\t2.0\tOne\n-5.0\t-3.0\tTwo\n3.0\t4.0\tThree\n",
      "a.csv": "Start,End,Text\n-0:00:01,0:00:02,One\n-0:00:05,-0:00:03,Two\n0:00:03,0:00:04,Three\n"
    }
    for (const [file, text] of Object.entries(files)) {
      const found = script(file, text)
      if (found._tag !== "Subtitle") throw new Error(`${file}: expected a subtitle`)
      expect(
        [
          found.cues.map((cue) => [cue.start, cue.end, cue.text]),
          found.lost.map((cue) => cue.text),
          found.notices.map(({ message }) => message.replace(/^skipped .*/u, "skipped"))
        ],
        file
      ).toEqual([
        [
          [0, 2000, "One"],
          [3000, 4000, "Three"]
        ],
        ["Two"],
        expect.toSatisfy(
          (said: ReadonlyArray<string>) =>
            [...said].sort().join("; ") === "read a negative start time as zero; skipped"
        )
      ])
    }
  })

  it("sorts cues by start", () => {
    expect(
      cues("a.srt", "1\n00:00:03,000 --> 00:00:04,000\nB\n\n2\n00:00:01,000 --> 00:00:02,000\nA\n")
    ).toEqual([
      [2, 1000, 2000, "A", 6],
      [1, 3000, 4000, "B", 2]
    ])
  })

  it("never takes a cue's text for structure", () => {
    const text = "NOTE this is said\n42\nWEBVTT\nSTYLE"
    expect(cues("a.srt", `1\n00:00:01,000 --> 00:00:02,000\n${text}\n\n\n`)).toEqual([
      [1, 1000, 2000, text, 2]
    ])
    expect(
      cues("a.srt", "00:00:01,000 --> 00:00:02,000\n42\n00:00:03,000 --> 00:00:04,000\n43\n").map(
        (cue) => cue[3]
      )
    ).toEqual(["42", "43"])
  })

  it("continues SRT cues over blank lines, and reports a cue without a time", () => {
    const text =
      "1\n00:00:01,000 --> 00:00:02,000\nOne\n\nstill one\n\n2\nno time\n\n3\n00:00:05,000 --> 00:00:06,000\nThree\n"
    expect(cues("a.srt", text).map((cue) => cue[3])).toEqual(["One\n\nstill one", "Three"])
    expect(notices("a.srt", text)).toEqual([[7, 'skipped a cue without a time line: "2 no time"']])
  })

  it("reports words in place of settings, and a cue that is only a number", () => {
    const behind = "1\n00:00:01,000 --> 00:00:02,000 X1:40 ANNA: Hello there.\n\n2\n"
    expect(cues("a.srt", `${behind}00:00:03,000 --> 00:00:04,000\nTwo\n\n3\n`)).toEqual([
      [2, 3000, 4000, "Two", 5]
    ])
    expect(notices("a.srt", `${behind}00:00:03,000 --> 00:00:04,000\nTwo\n\n3\n`)).toEqual([
      [2, 'skipped text after the time: "X1:40 ANNA: Hello there."; put a cue\'s text below its time line'],
      [8, 'skipped a cue without a time line: "3"']
    ])
    expect(
      notices("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000 align: start line:10%\nOne\n\nTo --> go\n")
    ).toEqual([[6, 'skipped text outside any cue: "To --> go"']])
  })

  it("parses numbers and times with direction marks, as in right-to-left subtitles", () => {
    const marked = srt.replace("5\n", "\u202b5\u202c\n").replace("00:00:03", "\u200f00:00:03")
    expect(cues("a.srt", marked)).toEqual(cues("a.srt", srt))
  })

  it("parses a cue number in other digits, or with a sign such as # or a full stop", () => {
    const numbered = (number: (index: number) => string) =>
      `${number(1)}\n00:00:01,000 --> 00:00:02,000\nOne\n\n${number(2)}\n00:00:03,000 --> 00:00:04,000\n2.\n`
    for (const number of [
      String,
      (index: number) => `#${index}`,
      (index: number) => `${index}.`,
      (index: number) => String.fromCodePoint(0x660 + index),
      (index: number) => String.fromCodePoint(0xff10 + index)
    ]) {
      expect(cues("a.srt", numbered(number)).map(([index, , , text]) => [index, text])).toEqual([
        [1, "One"],
        [2, "2."]
      ])
      expect(notices("a.srt", numbered(number))).toEqual([])
    }
  })

  it("parses bracketed times before the text, as transcribers print them", () => {
    const text = "[00:00:01.000 --> 00:00:02.500]   One\n[00:03.000 --> 00:04.000]  Two\nlines\n"
    for (const file of ["a.txt", "a.srt", "a.vtt"])
      expect(cues(file, text)).toEqual([
        [1, 1000, 2500, "One", 1],
        [2, 3000, 4000, "Two\nlines", 2]
      ])
  })

  it("separates words at form feeds and at other systems' line ends", () => {
    expect(cues("a.srt", srt.replace("Two\nlines", "Two\vand\u0085more\flines")).at(-1)?.[3]).toBe(
      "Two\nand\nmore\nlines"
    )
  })

  it("keeps comparison signs and the text between them", () => {
    expect(cues("a.srt", srt.replace("One", "a < b and c > d")).at(0)?.[3]).toBe("a < b and c > d")
  })

  it("removes terminal control characters from messages", () => {
    expect(message("a.srt", "\u001b[2JHello\u202e")).toBe(
      'a.srt:1: "\ufffd[2JHello": the file has no times: add a time line such as 00:01:02,500 --> 00:01:04,000 above each cue\'s text, or save it as .txt to have it read aloud without a timeline'
    )
  })

  it("ends a WebVTT cue at a blank line, and reports the text outside", () => {
    const text =
      "WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n\nlost\nwords\n\nNOTE fine\n\nname\n00:03.000 --> 00:04.000\nTwo\n"
    expect(cues("a.vtt", text).map((cue) => cue[3])).toEqual(["One", "Two"])
    expect(notices("a.vtt", text)).toEqual([[6, 'skipped text outside any cue: "lost words"']])
  })

  it("keeps a cue that ends before it starts, with a notice", () => {
    const text = "1\n00:00:05,000 --> 00:00:04,000\nBackwards\n"
    expect(cues("a.srt", text)).toEqual([[1, 5000, 5000, "Backwards", 2]])
    expect(notices("a.srt", text)).toEqual([
      [2, "the cue ends before it starts (00:00:05,000 --> 00:00:04,000); its end was ignored"]
    ])
  })

  it("uses the content if it clearly is another format than the extension", () => {
    expect(script("a.txt", srt)._tag).toBe("Subtitle")
    expect(script("a.srt", "WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n")).toMatchObject({ format: "vtt" })
    expect(
      script(
        "a.srt",
        "[Script Info]\n[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,One\n"
      )
    ).toMatchObject({
      format: "ass",
      cues: [{ text: "One" }]
    })
    expect(script("a.sbv", "0:00:01.000,0:00:02.000\nOne[br]two\n")).toMatchObject({
      format: "srt",
      cues: [{ text: "One\ntwo" }]
    })
  })

  it("parses times beyond a day and beyond a hundred hours", () => {
    expect(cues("a.srt", "1\n30:00:00,000 --> 100:00:00,001\nLate\n")).toEqual([
      [1, 108_000_000, 360_000_001, "Late", 2]
    ])
  })

  it("fails with one message line per fault, with file and line", () => {
    expect(message("b/a.srt", "1\n00:00:xx,000 --> 00:00:02,000\nOne\n\n2\n00:00:03,000 -->\nTwo\n")).toBe(
      'b/a.srt:2: "00:00:xx,000 --> 00:00:02,000 One": expected a time line such as 00:01:02,500 --> 00:01:04,000\n' +
        'b/a.srt:6: "00:00:03,000 --> Two": expected a time line such as 00:01:02,500 --> 00:01:04,000'
    )
    expect(message("a.xyz", "words")).toContain('a.xyz:1: "a.xyz": is not a supported file type')
    expect(message("a.srt", "")).toBe("a.srt:1: the file is empty; expected cues or text")
    expect(message("a.ass", "[Script Info]\nTitle: x\n")).toContain("no [Events] section")
    const many = Array.from({ length: 40 }, (_, i) => `${i + 1}\n99:59:59,000 --> 99:59:59,999\nx\n`).join(
      "\n"
    )
    expect(message("a.srt", many).split("\n")).toHaveLength(11)
    expect(message("a.srt", many)).toMatch(/\na\.srt:42: and 30 more like these$/u)
    expect(message("a.srt", many.replace(/99:59:59,\d+/gu, "00:00:01;12")).split("\n")).toHaveLength(11)
  })
})

describe("ASS", () => {
  const file = (events: string): string =>
    `[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n${events}`

  it("keeps commas and names, and drops codes, comments and drawings", () => {
    const text = file(
      [
        "Dialogue: 0,0:00:01.00,0:00:02.50,Default,Anna,0,0,0,,{\\i1}Well{\\i0}, {a comment}yes,\\Nno",
        "Comment: 0,0:00:02.00,0:00:03.00,Default,,0,0,0,,not said",
        "Dialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,{\\p1}m 0 0 l 10 0{\\fscx50} 10 10{\\p0}",
        "Dialogue: 0,0:00:05:25,0:00:06:50,Default,NTP,0,0,0,,{voice: bo, speed: 1.1}With a wish"
      ].join("\n")
    )
    expect(script("a.ass", text)).toMatchObject({
      cues: [
        { index: 1, start: 1000, end: 2500, text: "Well, yes,\nno", speaker: "Anna", line: 6 },
        { index: 2, start: 3000, end: 4000, text: "", line: 8 },
        { index: 3, start: 5250, end: 6500, text: "{voice: bo, speed: 1.1}With a wish", line: 9 }
      ]
    })
  })

  it("reports the missing columns of a Format line", () => {
    const lacking = (format: string) =>
      `[Events]\nFormat: ${format}\n${"Dialogue: 0,0:00:01.00,0:00:02.00,One\n".repeat(50)}`
    expect(message("a.ass", lacking("Layer, Start, Finish, Text"))).toBe(
      'a.ass:2: "Format: Layer, Start, Finish, Text": the Format line of [Events] has no End column; the lines below it cannot be read'
    )
    expect(message("a.ass", lacking(""))).toBe(
      'a.ass:2: "Format:": the Format line of [Events] has no Start or End or Text column; the lines below it cannot be read'
    )
    const late = lacking("Layer, Start, End, Text").replaceAll("0:00:01.00", "soon")
    expect(message("a.ass", late).split("\n")).toHaveLength(11)
    const both = `${lacking("layer, start, end, text")}${lacking("Layer, Start, End").slice("[Events]\n".length)}`
    expect(cues("a.ass", both)).toHaveLength(50)
    expect(notices("a.ass", both)).toEqual([
      [
        53,
        'skipped "Format: Layer, Start, End": the Format line of [Events] has no Text column; the lines below it cannot be read'
      ]
    ])
  })

  it("recognizes songs by their syllable timing and by their effects", () => {
    const events = ["D,,0,0,0,,{\\k20}By {\\kf30}the", "D,,0,0,0,fx,{\\pos(1,2)}By", "D,,0,0,0,,{\\i1}Well"]
    const text = file(events.map((event) => `Dialogue: 0,0:00:01.00,0:00:02.50,${event}`).join("\n"))
    expect(script("a.ass", text)).toMatchObject({
      cues: [{ text: "By the", sung: true }, { text: "By", sung: true }, { text: "Well" }]
    })
    const words = (music: "skip" | "speak") =>
      spokenWords(script("a.ass", text), { music }, []).cues.map((cue) =>
        "skipped" in cue ? cue.skipped : cue.parts[0].said
      )
    expect(words("skip")).toEqual(["music", "music", "Well"])
    expect(words("speak")).toEqual(["By the", "By", "Well"])
  })

  it("skips an event with an unreadable time, and reports it", () => {
    const text = file(
      "Dialogue: 0,soon,later,Default,,0,0,0,,Lost\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,Kept"
    )
    expect(script("a.ass", text)).toMatchObject({ cues: [{ text: "Kept" }] })
    expect(notices("a.ass", text)).toEqual([
      [6, 'skipped "Lost": expected start and end times such as 0:00:01.00,0:00:02.50']
    ])
  })
})

describe("narration", () => {
  const blocks = (file: string, text: string) => {
    const found = script(file, text)
    return found._tag === "Narration" ? found.blocks.map((block) => [block.kind, block.text, block.line]) : []
  }

  it("splits plain text into paragraphs and headings", () => {
    expect(
      blocks(
        "a.txt",
        "The Ferry\n\nIt was late, and the long-\nest day was over.\nNobody spoke.\n\n* * *\n\nThen it came.\n"
      )
    ).toEqual([
      ["heading", "The Ferry", 1],
      ["paragraph", "It was late, and the longest day was over. Nobody spoke.", 3],
      ["paragraph", "Then it came.", 9]
    ])
    expect(blocks("a.txt", "First line.\nSecond line.\n").map(([, text]) => text)).toEqual([
      "First line.",
      "Second line."
    ])
  })

  it("joins lines without a space in scripts without spaces", () => {
    const text = "今天的天气非\n常好，\n我们走吧。\n\nวันนี้อากาศ\nดีมาก\n\n我们 go\nto 码头\n"
    for (const file of ["a.txt", "a.md"])
      expect(blocks(file, text).map(([, words]) => words)).toEqual([
        "今天的天气非常好，我们走吧。",
        "วันนี้อากาศดีมาก",
        "我们 go to 码头"
      ])
  })

  it("converts Markdown to text to be read aloud", () => {
    const text = [
      "---",
      "title: x",
      "---",
      "# The *Ferry*",
      "",
      "It was **late** &amp; [the day](http://example.org/a_(b)) was `over_now`.",
      "Snake_case stays, 2 * 3 * 4 stays, \\*this\\* too.",
      "",
      "- one ![picture](x.png)",
      "- [x] two[^1]",
      "",
      "```js",
      "not.read()",
      "```",
      "",
      "Second",
      "------",
      "> quoted",
      "",
      "| a | b |",
      "|---|---|",
      "| c | d |",
      "",
      "<!-- hidden -->",
      "[^1]: note",
      "[ref]: http://example.org"
    ].join("\n")
    expect(blocks("a.md", text)).toEqual([
      ["heading", "The Ferry", 4],
      ["paragraph", "It was late & the day was over_now. Snake_case stays, 2 * 3 * 4 stays, *this* too.", 6],
      ["paragraph", "one", 9],
      ["paragraph", "two", 10],
      ["heading", "Second", 16],
      ["paragraph", "quoted", 18],
      ["paragraph", "a, b", 20],
      ["paragraph", "c, d", 22]
    ])
    expect(notices("a.md", text)).toEqual([
      [12, "a code block is not read aloud"],
      [25, "a footnote is not read aloud"]
    ])
  })

  it("distinguishes a year from a list number", () => {
    const said = (text: string) => blocks("a.md", text).map(([, words]) => words)
    expect(said("1984. A good year.\n\nIt was in\n14. The house\n1984. Burnt.\n")).toEqual([
      "1984. A good year.",
      "It was in 14. The house 1984. Burnt."
    ])
    expect(said("Three:\n1. one\n2. two\n   goes on\n3) three\n\n10. ten\n")).toEqual([
      "Three:",
      "one",
      "two goes on",
      "three",
      "ten"
    ])
  })

  it("loses no words to a comment, even if it is unclosed", () => {
    const text =
      "<!-- a --> One\n\n<!-- b\nc --> two <!-- d --> three\n\n<style>\np {}\n</style>\nfour\n\n<!-- five\n\nsix\n"
    expect(blocks("a.md", text).map(([, words, line]) => [words, line])).toEqual([
      ["One", 1],
      ["two three", 4],
      ["four", 9],
      ["five", 11],
      ["six", 13]
    ])
    expect(notices("a.md", text)).toEqual([[11, 'unclosed HTML: no "-->" follows; read as text']])
  })

  it("skips a footnote with all its lines, and nothing after it", () => {
    const text =
      "One[^1] two^[in line].\n\n[^1]: A note\nthat goes on.\n\n    And on.\n\n[^b]:Tight\n## Three\n"
    expect(blocks("a.md", text)).toEqual([
      ["paragraph", "One two.", 1],
      ["heading", "Three", 9]
    ])
    expect(notices("a.md", text)).toEqual([
      [3, "a footnote is not read aloud"],
      [8, "a footnote is not read aloud"]
    ])
  })

  it("keeps inline code as text, and reports an unclosed code block", () => {
    expect(blocks("a.md", "```one``` two\n\n```\nthree\n")).toEqual([["paragraph", "one two", 1]])
    expect(notices("a.md", "```one``` two\n\n```\nthree\n")).toEqual([
      [3, "a code block is not read aloud"],
      [3, "unclosed code block: everything below is treated as code"]
    ])
  })

  it("supports table rows without outer bars, wiki links, and backslash line breaks", () => {
    const text = "a | b\n--|--\nc \\| d | e\n\n[[Page|One]] and [[two]]\\\n==three==\n\n> [!note] four\n"
    expect(blocks("a.md", text).map(([, words]) => words)).toEqual([
      "a, b",
      "c | d, e",
      "One and two three",
      "four"
    ])
  })

  it("drops the times of a transcript, and keeps other times as words", () => {
    expect(blocks("a.txt", "0:00\nHello\n0:05\nand welcome.\n\n1:02:03\nBye.\n")).toEqual([
      ["paragraph", "Hello and welcome.", 1],
      ["paragraph", "Bye.", 6]
    ])
    expect(blocks("a.txt", "0:00 Hello\n0:05 and\n0:09 welcome.\n")).toEqual([
      ["paragraph", "Hello and welcome.", 1]
    ])
    expect(notices("a.txt", "0:00 Hello\n0:05 and\n0:09 welcome.\n")).toEqual([
      [1, "the times beside the lines are not read aloud"]
    ])
    const timetable = "10:30 Tea.\n11:15 Rest.\n12:00 Lunch.\n"
    expect(blocks("a.txt", timetable).map(([, words]) => words)).toEqual(timetable.trim().split("\n"))
    expect(notices("a.txt", timetable)).toEqual([])
  })

  it("drops the dates of a chat's messages", () => {
    const text =
      "[12/03/2024, 10:15:32] Anna: Hi there\n\u200e[12/03/2024, 10:16:00] Bo: Hello!\nSecond line\n\n12.03.24, 10:15 AM - Anna: _So_ long\n"
    expect(blocks("a.txt", text)).toEqual([
      ["paragraph", "Hi there", 1],
      ["paragraph", "Hello! Second line", 2],
      ["paragraph", "So long", 5]
    ])
    expect(notices("a.txt", text)).toEqual([[1, "the dates beside the lines are not read aloud"]])
  })

  it("keeps text between two rules, and drops front matter, which has keys", () => {
    expect(blocks("a.md", "---\n\nBetween rules.\n\n---\n\nBehind.\n")).toEqual([
      ["paragraph", "Between rules.", 3],
      ["paragraph", "Behind.", 7]
    ])
    expect(blocks("a.md", "---\ntitle: x\n---\nText.\n")).toEqual([["paragraph", "Text.", 4]])
  })

  it("fails for a text without words", () => {
    expect(message("a.txt", "***\n---\n")).toBe("a.txt:1: no words to speak; expected text in paragraphs")
  })
})
