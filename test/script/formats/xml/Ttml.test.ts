/** TTML, IMSC, EBU-TT-D, iTT and DAPT as subtitles. */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"

import { type ReadOptions, readScript } from "../../../../src/script/ScriptFile.ts"

const encoded = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = (text: string, options: ReadOptions = {}, file = "a.ttml") =>
  readScript(encoded(text), file, options)
const script = (text: string, options: ReadOptions = {}) => {
  const found = Either.getOrThrowWith(read(text, options), (rejected) => new Error(rejected.message))
  if (found._tag !== "Subtitle") throw new Error("expected a subtitle")
  return found
}
const cues = (text: string, options: ReadOptions = {}) =>
  script(text, options).cues.map(({ start, end, text, speaker }) =>
    speaker === undefined ? [start, end, text] : [start, end, text, speaker]
  )
const message = (text: string, file = "a.ttml") =>
  Either.getOrThrow(Either.flip(read(text, {}, file))).message

const names =
  'xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" ' +
  'xmlns:tts="http://www.w3.org/ns/ttml#styling" xmlns:ttm="http://www.w3.org/ns/ttml#metadata"'
const ttml = (body: string, attributes = "", head = ""): string =>
  `<?xml version="1.0"?>\n<tt ${names} ${attributes}>\n<head>${head}</head>\n<body>${body}</body></tt>`
const timed = (begin: string, end: string, attributes = ""): string =>
  ttml(`<div><p begin="${begin}" end="${end}">Mind the step.</p></div>`, attributes)

it("TTML text that only looks like markup stays, and whole tags that were escaped are dropped", () => {
  const said = (text: string) => cues(ttml(`<div><p begin="1s" end="2s">${text}</p></div>`))[0]?.[2]
  expect(said("<![CDATA[a < b]]>, so b &lt;c and I &lt;3 you")).toBe("a < b, so b <c and I <3 you")
  expect(said("&lt;i&gt;Mind&lt;/i&gt; &lt;font color='red'&gt;the&lt;/font&gt; step.")).toBe(
    "Mind the step."
  )
})

describe("TTML times", () => {
  const times: ReadonlyArray<
    readonly [begin: string, end: string, attributes: string, at: number, to: number]
  > = [
    ["00:00:01.500", "00:00:02", "", 1500, 2000],
    ["1.5s", "2500ms", "", 1500, 2500],
    ["0.5m", "0.01h", "", 30_000, 36_000],
    ["00:00:01:15", "00:00:02:00", "", 1500, 2000],
    ["00:00:01:12", "60f", 'ttp:frameRate="24"', 1500, 2500],
    ["24f", "48f", 'ttp:frameRate="24" ttp:frameRateMultiplier="1000 1001"', 1001, 2002],
    [
      "00:10:00:00",
      "00:10:02:00",
      'ttp:timeBase="smpte" ttp:frameRate="30" ttp:dropMode="dropNTSC"',
      599_999,
      602_001
    ],
    ["15000000t", "20000000t", 'ttp:tickRate="10000000"', 1500, 2000],
    ["00:00:01:10.1", "2s", 'ttp:frameRate="25" ttp:subFrameRate="2"', 1420, 2000],
    [
      "00:10:00;00",
      "00:10:01;00",
      'ttp:timeBase="smpte" ttp:frameRate="30" ttp:frameRateMultiplier="1000 1001" ttp:dropMode="dropNTSC"',
      599_999,
      601_000
    ],
    [
      "00:10:00:00",
      "00:10:01:00",
      'ttp:timeBase="smpte" ttp:frameRate="30" ttp:frameRateMultiplier="1000 1001"',
      600_600,
      601_601
    ]
  ]
  for (const [begin, end, attributes, at, to] of times)
    it(`${begin} to ${end} ${attributes}`, () => {
      const [cue] = cues(timed(begin, end, attributes))
      expect(cue?.[2]).toBe("Mind the step.")
      expect(Math.abs(Number(cue?.[0]) - at)).toBeLessThanOrEqual(1)
      expect(Math.abs(Number(cue?.[1]) - to)).toBeLessThanOrEqual(1)
    })

  it("nests in parallel, and cuts children at the ends of their parents", () => {
    const body = `<div begin="10s" end="20s"><p begin="1s" end="3s">One</p><p begin="8s" end="15s">Two</p>
      <p begin="12s" end="14s">Never</p></div>`
    const found = script(ttml(body))
    expect(found.cues.map(({ start, end, text }) => [start, end, text])).toEqual([
      [11_000, 13_000, "One"],
      [18_000, 20_000, "Two"]
    ])
    expect(found.notices.map((notice) => notice.message)).toEqual([
      "skipped 1 paragraph outside the times of the elements around them"
    ])
  })

  it("show text from when a set makes it visible, in an element that hides it", () => {
    const text = '<span><set begin="1s" end="2s" tts:visibility="visible"/>Hi.</span>'
    expect(cues(ttml(`<div><p begin="1s" end="5s" tts:visibility="hidden">${text}</p></div>`))).toEqual([
      [2000, 3000, "Hi."]
    ])
  })
  it("leave out a leader before a whole hour", () => {
    const at = (begin: string, end: string) => `<p begin="${begin}" end="${end}">${begin}</p>`
    const smpte = 'ttp:timeBase="smpte" ttp:frameRate="25"'
    const film = at("10:00:05:00", "10:00:06:00") + at("10:20:00:00", "10:20:01:00")
    expect(
      cues(ttml(`<div>${at("09:59:30:00", "09:59:32:00")}${film}</div>`, smpte))[0]?.slice(0, 2)
    ).toEqual([5000, 6000])
  })
  it("keep the space between the words of a sequence", () => {
    const words = '<span dur="1s">Mind</span> <span dur="1s">the step.</span>'
    expect(cues(ttml(`<div><p begin="1s" timeContainer="seq">${words}</p></div>`))).toEqual([
      [1000, 3000, "Mind the step."]
    ])
  })
  it("nests in sequence", () => {
    const body = `<div timeContainer="seq"><p begin="1s" dur="2s">One</p><p begin="1s" dur="2s">Two</p></div>`
    expect(cues(ttml(body))).toEqual([
      [1000, 3000, "One"],
      [4000, 6000, "Two"]
    ])
  })

  it("reads lyrics whose nested times count from the start of the file", () => {
    const body = `<div begin="20s" end="30s"><p begin="20s" end="25s">One</p><p begin="25s" end="30s">Two</p></div>`
    expect(cues(ttml(body))).toEqual([
      [20_000, 25_000, "One"],
      [25_000, 30_000, "Two"]
    ])
  })

  it("joins words that appear one by one, and separates spans that are far apart", () => {
    const span = (begin: number, end: number, text: string) =>
      `<span begin="${begin}s" end="${end}s">${text}</span>`
    expect(cues(ttml(`<div><p>${span(1, 5, "Mind ")}${span(2, 5, "the step.")}</p></div>`))).toEqual([
      [1000, 5000, "Mind the step."]
    ])
    expect(cues(ttml(`<div><p>${span(1, 2, "One")}${span(4, 5, "Two")}</p></div>`))).toEqual([
      [1000, 2000, "One"],
      [4000, 5000, "Two"]
    ])
  })

  it("ignores an unreadable end, and says so", () => {
    const found = script(timed("1s", "soon"))
    expect(found.cues[0]?.text).toBe("Mind the step.")
    expect(found.notices[0]?.message).toContain('ignored the time "soon"')
  })
})

describe("the programme's start", () => {
  it("is a whole hour before the first time of day", () => {
    expect(cues(timed("12:00:01.5", "12:00:02", 'ttp:timeBase="clock"'))).toEqual([
      [1500, 2000, "Mind the step."]
    ])
  })
  const smpte = 'ttp:timeBase="smpte" ttp:frameRate="25"'
  const late = timed("10:00:01:00", "10:00:02:00", smpte)
  it("is a whole hour of timecodes", () => {
    expect(cues(late)).toEqual([[1000, 2000, "Mind the step."]])
    expect(script(late).notices[0]?.message).toContain("times are counted from 10:00:00")
  })
  it("is set by the job", () => {
    expect(cues(late, { start: "09:59:59:00" })).toEqual([[2000, 3000, "Mind the step."]])
    expect(cues(late, { start: "00:00:00:00" })[0]?.[0]).toBe(36_001_000)
    expect(Either.isLeft(read(late, { start: "ten" }))).toBe(true)
  })
  it("is not guessed for media times", () => {
    expect(cues(timed("10:00:01", "10:00:02"))[0]?.[0]).toBe(36_001_000)
  })
  it("is what EBU-TT states", () => {
    const head = "<metadata><m:documentStartOfProgramme>10:00:00:00</m:documentStartOfProgramme></metadata>"
    const body = `<div><p begin="10:00:01.000" end="10:00:02.000">Hi.</p></div>`
    expect(cues(ttml(body, "", head))).toEqual([[1000, 2000, "Hi."]])
  })
})

it("one of several TTML versions of a text is read, if it is in the job's language", () => {
  const version = (language: string, ...texts: ReadonlyArray<string>) =>
    `<div xml:lang="${language}">${texts.map((text, at) => `<p begin="${at}s" end="${at + 1}s">${text}</p>`).join("")}</div>`
  const both = ttml(version("en", "Mind the step.", "Bye.") + version("de", "Vorsicht.", "Ade."))
  expect(cues(both, { language: "de" }).map((cue) => cue[2])).toEqual(["Vorsicht.", "Ade."])
  expect(cues(both, { language: "vi" })).toHaveLength(4)
  const scenes = ttml(version("en", "Mind the step.", "Bye.") + version("de", "Vorsicht."))
  expect(cues(scenes, { language: "de" })).toHaveLength(3)
})

describe("what TTML says", () => {
  const paragraph = (inside: string, attributes = "", head = "") =>
    cues(ttml(`<div><p begin="1s" end="2s" ${attributes}>${inside}</p></div>`, "", head)).map((cue) =>
      cue.slice(2)
    )

  it("collapses spaces, breaks lines, and keeps spaces if told to", () => {
    expect(paragraph("Mind\n   the<br/>\n step.")).toEqual([["Mind the\nstep."]])
    expect(paragraph("Mind\nthe step.", 'xml:space="preserve"')).toEqual([["Mind\nthe step."]])
  })
  it("leaves out ruby, metadata and other namespaces", () => {
    const ruby =
      '<span tts:ruby="container"><span tts:ruby="base">利用</span><span tts:ruby="text">りよう</span></span>'
    expect(paragraph(ruby)).toEqual([["利用"]])
    expect(
      paragraph("<metadata><ttm:desc>door</ttm:desc></metadata>Hi.<x:y xmlns:x='urn:x'>no</x:y>")
    ).toEqual([["Hi."]])
  })
  it("leaves out hidden text", () => {
    expect(
      paragraph('Hi. <span tts:display="none">no</span><span tts:visibility="hidden">no</span>')
    ).toEqual([["Hi."]])
    const head = '<styling><style xml:id="a" tts:display="none"/><style xml:id="b" style="a"/></styling>'
    expect(paragraph('Hi. <span style="b">no</span>', "", head)).toEqual([["Hi."]])
  })
  it("shows text from when it is set visible", () => {
    const body = `<div><p begin="1s" end="9s" tts:display="none"><set begin="2s" tts:display="auto"/>Hi.</p></div>`
    expect(cues(ttml(body))).toEqual([[3000, 9000, "Hi."]])
  })
  const agents =
    '<metadata><ttm:agent xml:id="a" type="character"><ttm:name type="full">Anna Berg</ttm:name><ttm:name type="alias">ANNA</ttm:name></ttm:agent></metadata>'
  it("names speakers by their aliases", () => {
    expect(paragraph("Hi.", 'ttm:agent="a"', agents)).toEqual([["Hi.", "ANNA"]])
    expect(paragraph("Hi.", 'ttm:agent="bo"')).toEqual([["Hi.", "bo"]])
  })
  it("marks sounds, music and lyrics by their roles", () => {
    expect(paragraph("door slams", 'ttm:role="sound"')).toEqual([["[door slams]"]])
    expect(paragraph("slow waltz", 'ttm:role="music"')).toEqual([["♪ slow waltz ♪"]])
    const lyrics = script(ttml('<div><p begin="1s" end="2s" ttm:role="lyrics">La</p></div>'))
    expect(lyrics.cues[0]?.sung).toBe(true)
  })
})

describe("DAPT", () => {
  const dapt =
    'xml:lang="en" xmlns:daptm="http://www.w3.org/ns/ttml/profile/dapt#metadata" daptm:scriptType="translatedTranscript" ttp:contentProfiles="http://www.w3.org/ns/ttml/profile/dapt1.0/content"'
  const event = (represents: string, inside: string) =>
    `<div begin="1s" end="2s" daptm:represents="${represents}">${inside}</div>`
  const both = event("audio.dialogue", '<p xml:lang="fr">Bonjour.</p><p xml:lang="en">Hello.</p>')
  it("speaks one of several languages", () => {
    expect(cues(ttml(both, dapt))).toEqual([[1000, 2000, "Hello."]])
    expect(cues(ttml(both, dapt), { language: "fr-CA" })).toEqual([[1000, 2000, "Bonjour."]])
  })
  it("treats sounds and on-screen text of a dialogue script as descriptions", () => {
    const body = both + event("audio.nonDialogueSounds", "<p>door</p>") + event("visual.text", "<p>Exit</p>")
    expect(cues(ttml(body, dapt)).map((cue) => cue[2])).toEqual(["Hello.", "[door]", "[Exit]"])
  })
  it("speaks everything in an audio description", () => {
    expect(cues(ttml(event("visual.nonText", "<p>She rows.</p>"), dapt))[0]?.[2]).toBe("She rows.")
  })
})

describe("unusable XML", () => {
  it("is rejected by name", () => {
    expect(message("<?xml version='1.0'?>\n<html><p>Hi</p></html>")).toContain("found a web page")
    expect(message(ttml("<div/>"))).toContain("no text to speak")
    expect(message(ttml('<div begin="1s" smpte:backgroundImage="a.png"/>'))).toContain("images, not text")
    expect(
      message('<!DOCTYPE tt [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><tt><body><p>&b;</p></body></tt>')
    ).toContain("declares XML entities")
  })
  it("is read up to the fault, whose line is reported", () => {
    const found = script(timed("1s", "2s").replace("</div>", "<p begin='3s'>Fish & chips"))
    expect(found.cues.map((cue) => cue.text)).toEqual(["Mind the step.", "Fish & chips"])
    expect(found.notices[0]?.line).toBe(4)
  })
  it("in a declared legacy encoding is decoded by it", () => {
    const text = timed("1s", "2s").replace('"1.0"?', '"1.0" encoding="iso-8859-5"?').replace("Mind", "\xb0")
    const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0))
    const found = Either.getOrThrow(readScript(bytes, "a.ttml"))
    expect(found._tag === "Subtitle" ? found.cues[0]?.text : "").toBe("А the step.")
  })
  it("nested too deeply, or with styles in circles, ends", () => {
    const circle = '<styling><style xml:id="a" style="b a b"/><style xml:id="b" style="a b a"/></styling>'
    expect(cues(ttml('<div><p begin="1s" style="a b">Hi.</p></div>', "", circle))[0]?.[2]).toBe("Hi.")
    expect(message(ttml(`${"<div>".repeat(50_000)}x`)).length).toBeLessThan(500)
  })
  it("never crashes, however damaged", () => {
    const whole = ttml(
      '<div begin="1s" timeContainer="seq"><p begin="1s" dur="2s" ttm:agent="a">Hi <span tts:display="none">x</span><br/>you</p></div>',
      'ttp:frameRate="25"',
      '<layout><region xml:id="r"><style tts:opacity="0"/></region></layout>'
    )
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(20), fc.string({ maxLength: 5 }), (at, length, put) => {
        const found = read(whole.slice(0, at) + put + whole.slice(at + length))
        if (Either.isLeft(found)) expect(found.left.message).not.toBe("")
      }),
      { numRuns: 500 }
    )
  })
})

it("times survive being written and read", () => {
  const stretch = fc.tuple(fc.nat(86_000_000), fc.integer({ min: 1, max: 10_000 }))
  fc.assert(
    fc.property(fc.array(stretch, { minLength: 1, maxLength: 5 }), (stretches) => {
      const body = stretches.map(
        ([at, length]) => `<p begin="${at}ms" end="${(at + length) / 1000}s">Hi.</p>`
      )
      const sorted = [...stretches].sort((a, b) => a[0] - b[0])
      expect(cues(ttml(`<div>${body.join("")}</div>`))).toEqual(
        sorted.map(([at, length]) => [at, at + length, "Hi."])
      )
    })
  )
})
