import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { alignParts, parseTranscript, type TranscriptToken } from "../../src/script/Transcript.ts"
import { millis } from "../../src/domain/time/Units.ts"

const tokens = (value: unknown, kind: "srt" | "json" = "json") =>
  Either.getOrThrow(parseTranscript(typeof value === "string" ? value : JSON.stringify(value), kind)).map(
    (token) => [token.text, token.start, token.end]
  )

const two = [
  ["Good", 0, 400],
  ["day", 500, 900]
]

/** Arbitrary JSON, mostly with the field names and values of transcripts in invalid combinations. */
const json = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(
        "Good",
        "day",
        "1.5s",
        "00:00:01,500",
        "word",
        "1e999",
        "",
        null,
        true,
        -1,
        0,
        2,
        1e300,
        1e-320
      ),
      fc.double({ noNaN: true }),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(
        fc.constantFrom(
          ...[
            "text",
            "word",
            "words",
            "type",
            "time",
            "start",
            "start_ms",
            "startTimes",
            "end",
            "Duration",
            "Offset"
          ],
          ...["alternatives", "timestamp", "characters", "ends", "segments", "toString", "__proto__"]
        ),
        tie("value"),
        { maxKeys: 5 }
      )
    )
  }))
  .value.map((value) => JSON.stringify(value).replaceAll('"1e999"', "1e999"))

describe("parseTranscript", () => {
  it("parses our own JSON, preferring words to sentences", () => {
    expect(
      tokens({
        duration: 1.2,
        sentences: [{ text: "Good day", start: 0, end: 0.9 }],
        words: [
          { text: "Good", start: 0, end: 0.4 },
          { text: "day", start: 0.5, end: 0.9 }
        ]
      })
    ).toEqual(two)
    expect(
      tokens({ duration: 1.2, sentences: [{ text: "Good day", start: 0, end: 0.9 }], words: [] })
    ).toEqual([["Good day", 0, 900]])
  })

  it("parses the JSON of other services", () => {
    const columns = {
      characters: ["H", "i", "!"],
      character_start_times_seconds: [0, 0.1, 0.25],
      character_end_times_seconds: [0.1, 0.25, 0.4]
    }
    const letters = [
      ["H", 0, 100],
      ["i", 100, 250],
      ["!", 250, 400]
    ]
    expect(tokens({ audio: "x", alignment: columns, normalized_alignment: null })).toEqual(letters)
    expect(
      tokens({ chars: ["H", "i", "!"], charStartTimesMs: [0, 100, 250], charDurationsMs: [100, 150, 150] })
    ).toEqual(letters)
    expect(
      tokens({
        text: "Good day",
        segments: [
          {
            id: 0,
            start: 0,
            end: 0.4,
            text: " Good",
            words: [{ word: "Good", start: 0, end: 0.4, probability: 1 }]
          },
          {
            id: 1,
            start: 0.5,
            end: 0.9,
            text: " day",
            words: [{ word: "day", start: 0.5, end: 0.9, probability: 1 }]
          }
        ]
      })
    ).toEqual(two)
    expect(
      tokens([
        { text: "Good", startTime: "0s", endTime: "0.400s" },
        { text: "day", startTime: "0.5s", endTime: "0.9s" }
      ])
    ).toEqual(two)
    expect(
      tokens({
        results: {
          words: [
            { punctuated_word: "Good", start_ms: 0, end_ms: 400 },
            { punctuated_word: "day", start_ms: 500, end_ms: 900 }
          ]
        }
      })
    ).toEqual(two)
    expect(
      tokens([
        { value: "Good", start: 0, end: 400 },
        { value: "day", start: 500, end: 900 }
      ])
    ).toEqual(two)
    expect(
      tokens(
        '{"time":0,"type":"sentence","start":0,"end":8,"value":"Good day"}\n{"time":0,"type":"word","start":0,"end":4,"value":"Good"}\n{"time":500,"type":"word","start":5,"end":8,"value":"day"}'
      )
    ).toEqual([
      ["Good", 0, 500],
      ["day", 500, 500]
    ])
  })

  it("parses times as pairs or as nested fields, and nested words", () => {
    const word = (text: string, start_time: string, end_time: string) => ({
      type: "pronunciation",
      alternatives: [{ confidence: "1.0", content: text }],
      start_time,
      end_time
    })
    const stop = { type: "punctuation", alternatives: [{ content: "." }] }
    expect(
      tokens({ results: { items: [word("Good", "0.0", "0.4"), word("day", "0.5", "0.9"), stop] } })
    ).toEqual(two)
    expect(
      tokens({
        text: "Good day",
        chunks: [
          { text: " Good", timestamp: [0, 0.4] },
          { text: " day", timestamp: [0.5, 0.9] }
        ]
      })
    ).toEqual(two)
    expect(
      tokens({
        transcription: [
          {
            timestamps: { from: "00:00:00,000", to: "00:00:00,400" },
            offsets: { from: 0, to: 400 },
            text: " Good"
          },
          {
            timestamps: { from: "00:00:00,500", to: "00:00:00,900" },
            offsets: { from: 500, to: 900 },
            text: " day"
          }
        ]
      })
    ).toEqual(two)
    expect(
      tokens({
        NBest: [
          {
            Words: [
              { Word: "Good", Offset: 0, Duration: 4_000_000 },
              { Word: "day", Offset: 5_000_000, Duration: 4_000_000 }
            ]
          }
        ]
      })
    ).toEqual(two)
    expect(
      tokens([
        { text: "Good", pronounce_text: "Good", time_begin: 0, time_end: 400.25, text_begin: 0, text_end: 4 },
        { text: "day", pronounce_text: "day", time_begin: 500, time_end: 899.75, text_begin: 5, text_end: 8 }
      ])
    ).toEqual(two)
  })

  it("keeps words if one segment has none, and uses each word once", () => {
    const segment = (text: string, start: number, ...words: ReadonlyArray<string>) => ({
      text,
      start,
      end: start + 0.9,
      words: words.map((word, i) => ({ word, start: start + i / 2, end: start + i / 2 + 0.4 }))
    })
    const segments = [
      segment(" Good day.", 0, "Good", "day"),
      segment("♪", 1),
      segment(" Good day.", 2, "Good", "day")
    ]
    expect(tokens({ segments })).toEqual([
      ...two,
      ...two.map(([text, start, end]) => [text, Number(start) + 2000, Number(end) + 2000])
    ])
    const once = [{ text: "Good", start: 0, end: 0.4 }]
    expect(tokens({ sentences: once, words: once })).toEqual([["Good", 0, 400]])
  })

  it("parses SRT, one token per entry", () => {
    expect(
      tokens(
        "\ufeff1\r\n00:00:00,000 --> 00:00:00,400\r\nGood\r\n\r\n2\r\n00:00:00,500 --> 00:00:00,900\r\nday\r\n",
        "srt"
      )
    ).toEqual(two)
  })

  it("says why it fails", () => {
    expect(parseTranscript("<html>", "json")).toEqual(Either.left("the text is not JSON"))
    expect(parseTranscript('{"status":"ok","words":[]}', "json")).toEqual(
      Either.left("no words with times found in the JSON")
    )
    expect(Either.isLeft(parseTranscript("<html>", "srt"))).toBe(true)
    for (const time of ["1e300", "1e13"])
      expect(parseTranscript(`[{"text":"Good","start":0,"end":${time}}]`, "json")).toEqual(
        Either.left("contains impossible times")
      )
  })

  it.prop("terminates on any JSON, with ascending times", [json], ([value]) => {
    const read = parseTranscript(value, "json")
    let before = 0
    if (Either.isRight(read))
      for (const token of read.right) {
        expect([token.start >= before, token.end >= token.start]).toEqual([true, true])
        before = token.start
      }
  })
})

/** Consecutive words, `each` milliseconds per letter, with a gap between parts. */
const spoken = (
  parts: ReadonlyArray<string>,
  each = 60,
  breath = 300
): ReadonlyArray<ReadonlyArray<TranscriptToken>> => {
  let at = 100
  return parts.map((part) => {
    const words = part.split(" ").map((word) => {
      const token = { text: word, start: millis(at), end: millis(at + word.length * each) }
      at += word.length * each + 40
      return token
    })
    at += breath
    return words
  })
}

const times = (parts: ReadonlyArray<ReadonlyArray<TranscriptToken>>) =>
  parts.map((part) => ({ start: part[0]?.start, end: part.at(-1)?.end, exact: true }))

const word = fc.constantFrom(
  "river",
  "ferry",
  "landing",
  "đêm",
  "nay",
  "trời",
  "forty",
  "seven",
  "voilà",
  "вода",
  "night",
  "harbour",
  "again"
)
const part = fc.array(word, { minLength: 2, maxLength: 9 }).map((all) => all.join(" "))
const parts = fc.array(part, { minLength: 1, maxLength: 12 })

const align = (said: ReadonlyArray<string>, transcript: ReadonlyArray<TranscriptToken>) => {
  const [first, ...others] = said
  return alignParts([first ?? "", ...others], transcript)
}

describe("alignParts", () => {
  it.prop("finds every part exactly at its words", [parts], ([said]) => {
    const heard = spoken(said)
    expect(align(said, heard.flat())).toEqual(Either.right(times(heard)))
  })

  it("ignores differences in spelling, case, numbers and punctuation", () => {
    const said = ["At 10:30 we'll meet Dr. Ngo.", "He paid 250 dollars, didn't he?", "Voilà – that is all!"]
    const heard = spoken([
      "at ten thirty we will meet doctor ngo",
      "he paid two hundred fifty dollars did not he",
      "voila that's all"
    ])
    expect(align(said, heard.flat())).toEqual(Either.right(times(heard)))
  })

  it("tolerates missing and extra words", () => {
    const said = ["one river runs here", "two ferries cross it", "three people wait there"]
    const heard = spoken(["one river uh runs here", "two cross it", "well three people really wait there"])
    expect(align(said, heard.flat())).toEqual(Either.right(times(heard)))
  })

  it("works on single letters and on scripts without spaces", () => {
    const said = ["今天天气很好", "我们去码头吧"]
    const letters = Array.from(said.join(""), (text, i) => ({
      text,
      start: millis(i * 200),
      end: millis(i * 200 + 200)
    }))
    expect(align(said, letters)).toEqual(
      Either.right([
        { start: 0, end: 1200, exact: true },
        { start: 1200, end: 2400, exact: true }
      ])
    )
  })

  it("splits a segment that covers several parts, and marks them as inexact", () => {
    const segment = [
      { text: "good evening to you all is anybody there", start: millis(0), end: millis(3300) }
    ]
    expect(align(["Good evening to you all.", "Is anybody there?"], segment)).toEqual(
      Either.right([
        { start: 0, end: 1900, exact: false },
        { start: 1900, end: 3300, exact: false }
      ])
    )
  })

  it("reports the parts that a provider skipped because its voice cannot pronounce them", () => {
    const heard = spoken(["one two three four", "eight nine ten"])
    const [first, last] = times(heard)
    expect(align(["one two three four", "今天", "我们", "eight nine ten"], heard.flat())).toEqual(
      Either.right([first, undefined, undefined, last])
    )
    expect(align(["今天", "one two three four", "eight nine ten", "今天"], heard.flat())).toEqual(
      Either.right([undefined, first, last, undefined])
    )
  })

  it("fails for another text, and if other words replace a part", () => {
    expect(
      align(["Good evening."], [{ text: "xylophone quiz", start: millis(0), end: millis(900) }])
    ).toEqual(Either.left(expect.stringContaining("the transcript does not match the text")))
    expect(
      align(
        ["one two three four five six seven", "%"],
        spoken(["one two three four five six seven", "percent"]).flat()
      )
    ).toEqual(Either.left('the transcript does not contain "%"'))
    expect(align(["x"], [])).toEqual(Either.left("the transcript has no words"))
  })

  it("is fast on long texts", () => {
    const said = Array.from(
      { length: 200 },
      (_, i) => `this is the part with number ${i * 37} of a very long text`
    )
    const heard = spoken(said)
    expect(align(said, heard.flat())).toEqual(Either.right(times(heard)))
  })
})
