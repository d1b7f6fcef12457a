/** MicroDVD, MPL2, SubViewer 1, TMPlayer, timecodes in text, Spruce STL, SAMI and LRC. */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { frameRateNamed } from "../../../../src/domain/time/FrameRate.ts"
import { readScript } from "../../../../src/script/ScriptFile.ts"
import { bytesOf, cuesIn, noticesIn, rejectionOf } from "./studio.ts"

describe("MicroDVD", () => {
  const file = "{25}{75}{y:i}Hello|/there\n{100}{}Bye\n"
  it("counts frames at the rate of its first line, of the job, or of film", () => {
    expect(cuesIn("a.sub", `{1}{1}25\n${file}`)).toEqual([
      [1000, 3000, "Hello\nthere"],
      [4000, 4000, "Bye"]
    ])
    expect(cuesIn("a.txt", file, { frameRate: 25 })[0]).toEqual([1000, 3000, "Hello\nthere"])
    expect(cuesIn("a.sub", file)[0]).toEqual([1043, 3128, "Hello\nthere"])
    expect(noticesIn("a.sub", file)[0]).toContain("set frameRate")
    const filmRate = frameRateNamed("25")
    expect(cuesIn("a.sub", file, { filmRate })[0]).toEqual([1000, 3000, "Hello\nthere"])
    expect(noticesIn("a.sub", file, { filmRate })).toEqual([])
    expect(cuesIn("a.sub", file, { filmRate, frameRate: "50" })[0]).toEqual([500, 1500, "Hello\nthere"])
    expect(cuesIn("a.sub", `{1}{1}23.976\n{24000}{24024}Hi`)[0]).toEqual([1_001_000, 1_002_001, "Hi"])
  })
  it("takes slashes around a row for italics, and keeps others", () => {
    expect(cuesIn("a.sub", "{1}{1}25\n{25}{50}/Hello/|24/7|and/or/\n")).toEqual([
      [1000, 2000, "Hello\n24/7\nand/or/"]
    ])
  })
  it("is recognized by its default styles, and reads a rate with its unit", () => {
    expect(cuesIn("a.sub", "{DEFAULT}{C:$0000FF}\n{1}{1}25\n{25}{50}Hi", { frameRate: 25 }).at(-1)).toEqual([
      1000,
      2000,
      "Hi"
    ])
    expect(cuesIn("a.sub", "{1}{1}25fps\n{25}{50}5 < 6, a < b")).toEqual([[1000, 2000, "5 < 6, a < b"]])
  })
  it("reports lines without frames", () => {
    expect(noticesIn("a.sub", `{1}{1}25\n${file}what\n`)[0]).toBe(
      '4: skipped "what": expected a line such as {25}{75}Hello'
    )
    expect(rejectionOf("a.sub", "{1}{1}25\n")).toContain("no line such as {25}{75}Hello found")
  })
})

it("MPL2 counts tenths of a second", () => {
  expect(cuesIn("a.mpl", "[10][25]Hello|/there\n")).toEqual([[1000, 2500, "Hello\nthere"]])
})

describe("Spruce STL", () => {
  const file = "//Font select\n$FontName = Arial\n00:00:01:00 , 00:00:02:12 , ^IHello^I | there\n"
  it("reads timecodes at the job's rate, else at 25", () => {
    expect(cuesIn("a.stl", file)).toEqual([[1000, 2480, "Hello\nthere"]])
    expect(cuesIn("a.stl", file, { frameRate: "24" })).toEqual([[1000, 2500, "Hello\nthere"]])
    expect(cuesIn("a.stl", file, { filmRate: frameRateNamed("24") })).toEqual([[1000, 2500, "Hello\nthere"]])
  })
  it("without timecodes is rejected", () => {
    expect(rejectionOf("a.stl", "Hello")).toContain("expected EBU STL, or Spruce STL")
  })
})

describe("SAMI", () => {
  const sync = (at: number, inside: string) => `<SYNC Start=${at}>${inside}`
  const sami = (...syncs: ReadonlyArray<string>) =>
    `<SAMI><HEAD><TITLE>no</TITLE><STYLE TYPE="text/css"><!--\nP { color: red; }\n.ENCC {Name: English; lang: en-US;}\n` +
    `.FRCC {Name: French; lang: fr-FR;}\n--></STYLE></HEAD><BODY>\n<!-- no -->${syncs.join("\n")}\n</BODY></SAMI>`
  it("reads paragraphs up to the next one, and joins lines in the source", () => {
    const file = sami(
      sync(1000, "<P Class=ENCC>Mind\n  the<br>step &amp; go"),
      sync(2500, "<P Class=ENCC>&nbsp;"),
      sync(4000, '<P Class="ENCC"><font color=red>Bye</font></P></SYNC>')
    )
    expect(cuesIn("a.smi", file)).toEqual([
      [1000, 2500, "Mind the\nstep & go"],
      [4000, 4000, "Bye"]
    ])
  })
  it("reads one language", () => {
    const file = sami(
      sync(1000, "<P Class=ENCC>Hello<P Class=FRCC>Bonjour"),
      sync(2000, "<P Class=ENCC>&nbsp;")
    )
    expect(cuesIn("a.smi", file).map((cue) => cue[2])).toEqual(["Hello"])
    expect(cuesIn("a.smi", file, { language: "fr" }).map((cue) => cue[2])).toEqual(["Bonjour"])
    expect(noticesIn("a.smi", file)[0]).toContain('read the class "encc" of encc, frcc')
  })
  it("chooses a class that is named after the language or its country", () => {
    const captions =
      "<SAMI><SYNC Start=1000><P Class=ENCC>Hi if a < b<P Class=KRCC>안녕<SYNC Start=2000><P>&nbsp;"
    expect(cuesIn("a.smi", captions, { language: "ko" })).toEqual([[1000, 2000, "안녕"]])
    expect(cuesIn("a.smi", captions, { language: "vi" })).toEqual([[1000, 2000, "Hi if a < b"]])
  })
  it("reads speakers from sources", () => {
    expect(cuesIn("a.smi", sami(sync(1000, "<P ID=Source>Anna<P Class=ENCC>Hello")))[0]).toEqual([
      1000,
      1000,
      "Hello",
      "Anna"
    ])
  })
  it("leaves out a tag that is cut off at the end", () => {
    expect(cuesIn("a.smi", "<SAMI><SYNC Start=1000><P Class=ENCC>Hello<SYNC Start=2000><P Class=EN")).toEqual(
      [[1000, 1000, "Hello"]]
    )
  })
  it("reports invalid times, and files without captions", () => {
    expect(noticesIn("a.smi", sami(sync(1000, "<P>Hi"), "<SYNC Start=soon><P>lost"))[0]).toContain(
      '"<SYNC Start=soon>": expected a time'
    )
    expect(rejectionOf("a.smi", sami())).toContain("no caption with text found in the SAMI file")
  })
})

describe("texts with a time before each line", () => {
  const spoken = [
    [1000, 3000, "Hello\nthere"],
    [5000, 7000, "Bye"]
  ]
  const times = "[00:00:01]\nHello|there\n[00:00:03]\n\n[00:00:05]\nBye\n[00:00:07]\n\n"
  it("are read as SubViewer 1, with or without its header", () => {
    const header = "[TITLE]\nFilm\n[DELAY]\n0\n[BEGIN]\n******** START SCRIPT ********\n"
    const file = `${header}${times}[end]\n******** END SCRIPT ********\n`
    expect(cuesIn("a.sub", file)).toEqual(spoken)
    expect(cuesIn("a.txt", file)).toEqual(spoken)
    expect(cuesIn("a.sub", times)).toEqual(spoken)
  })
  it("are read as QuickTime text, with its time scale", () => {
    const file =
      "{QTtext} {font:Arial} {timeScale:30}\n[00:00:01.15]\nHello {bold}you\n[00:00:03.00]\n\n[00:00:04.03]\nBye\n"
    expect(cuesIn("a.txt", file)).toEqual([
      [1500, 3000, "Hello you"],
      [4100, 4100, "Bye"]
    ])
  })
  it("are read as TMPlayer, also in several rows", () => {
    expect(cuesIn("a.txt", "00:00:01:Hello|there\n00:00:03:\n00:00:05:Bye\n00:00:07:\n")).toEqual(spoken)
    expect(cuesIn("a.txt", "00:00:01,1=Hello\n00:00:01,2=there\n00:00:03=\n00:00:05=Bye\n00:00:07=")).toEqual(
      spoken
    )
    expect(cuesIn("a.txt", "00:15:01: hi all\n00:15:09: hello\n")).toEqual([
      ["00:15:01: hi all"],
      ["00:15:09: hello"]
    ])
  })
})

it("two timecodes before each caption are read, on its line or above it", () => {
  const spoken = [
    [1000, 3480, "Hello\nthere"],
    [4000, 5000, "Bye"]
  ]
  expect(cuesIn("a.txt", "1 00:00:01:00 00:00:03:12 Hello\nthere\n2 00:00:04:00 00:00:05:00 Bye\n")).toEqual(
    spoken
  )
  const avid =
    "@ Captions\n<begin subtitles>\n00:00:01:00 00:00:03:12\nHello\nthere\n\n00:00:04:00 00:00:05:00\nBye\n\n"
  expect(cuesIn("a.txt", `${avid}<end subtitles>\n`)).toEqual(spoken)
  expect(cuesIn("a.txt", "00:00:01;00 - 00:00:03;12\nSpeaker 1\nHello\n", { frameRate: 25 })).toEqual([
    [1000, 3480, "Hello", "Speaker 1"]
  ])
  expect(noticesIn("a.txt", avid)[0]).toContain("set frameRate")
})

it("semicolons in timecodes mean drop-frame", () => {
  const filmRate = frameRateNamed("29.97")
  const captions = "00:50:00;00 00:50:02;00 Hello\n00:51:00;02 00:51:01;00 Bye\n"
  const adobe = captions.replaceAll(":", ";")
  const spoken = [
    [2_999_997, 3_001_999, "Hello"],
    [3_060_057, 3_060_991, "Bye"]
  ]
  for (const text of [captions, adobe]) {
    expect(cuesIn("a.txt", text, { filmRate })).toEqual(spoken)
    expect(cuesIn("a.stl", text.replaceAll(/(;\d\d) /gu, "$1 , "), { filmRate })).toEqual(spoken)
    const rows = text.replaceAll(/(;\d\d) /gu, "$1,")
    expect(cuesIn("a.csv", `Start,End,Text\n${rows}`, { filmRate })).toEqual(spoken)
  }
  const premiere = "00;00;01;00 - 00;00;03;12\nSpeaker 1\nHello\n"
  expect(cuesIn("a.txt", premiere, { frameRate: 25 })).toEqual([[1000, 3480, "Hello", "Speaker 1"]])
  expect(cuesIn("a.txt", captions, { frameRate: 25 })[0]).toEqual([3_000_000, 3_002_000, "Hello"])
  const atTen = adobe.replaceAll(/00;5(?=\d;)/gu, "10;0")
  for (const text of [atTen, `Start,End,Text\n${atTen.replaceAll(/(;\d\d) /gu, "$1,")}`])
    expect(cuesIn(text === atTen ? "a.txt" : "a.csv", text, { filmRate })).toEqual([
      [0, 2_002, "Hello"],
      [60_060, 60_994, "Bye"]
    ])
})

it("Audacity labels are read in seconds, without their frequencies", () => {
  expect(cuesIn("a.txt", "1.000000\t2.500000\tHello\n\\\t100\t200\n3,000000\t4,000000\tBye\n")).toEqual([
    [1000, 2500, "Hello"],
    [3000, 4000, "Bye"]
  ])
})

describe("LRC", () => {
  it("reads tags, repeated lines, word times and the offset", () => {
    const file = "[ti:Song]\n[offset:500]\n[00:01.50][00:05.50]La <00:02.00>la\n[00:03.50]\n[00:06.000]Lo\n"
    expect(cuesIn("a.lrc", file)).toEqual([
      [1000, 3000, "La la"],
      [5000, 5500, "La la"],
      [5500, 5500, "Lo"]
    ])
  })
  it("is recognized in a text file", () => {
    expect(cuesIn("a.txt", "[00:01.20]La\n[00:02.20]la\n")).toEqual([
      [1200, 2200, "La"],
      [2200, 2200, "la"]
    ])
  })
  it("without a time is rejected", () => {
    expect(rejectionOf("a.lrc", "La\n")).toContain("expected lines such as [01:02.50]Hello")
  })
})

it("damaged files never crash", () => {
  const wholes = [
    ["a.sub", "{1}{1}25\n{25}{75}Hello|there\n"],
    ["a.smi", "<SAMI><BODY><SYNC Start=1000><P Class=ENCC>Hi<SYNC Start=2000><P>&nbsp;</BODY>"],
    ["a.lrc", "[ti:Song]\n[00:01.50]La\n"],
    ["a.stl", "00:00:01:00 , 00:00:02:12 , Hello\n"]
  ] as const
  fc.assert(
    fc.property(
      fc.constantFrom(...wholes),
      fc.nat(80),
      fc.nat(9),
      fc.string({ maxLength: 6 }),
      ([file, whole], at, cut, put) => {
        const found = readScript(bytesOf(whole.slice(0, at) + put + whole.slice(at + cut)), file)
        if (Either.isLeft(found)) expect(found.left.message).toContain(file)
      }
    ),
    { numRuns: 500 }
  )
})
