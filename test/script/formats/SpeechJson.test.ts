/** Speech recognizers' JSON as subtitles. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { readScript } from "../../../src/script/ScriptFile.ts"
import { isSpeechJson } from "../../../src/script/formats/SpeechJson.ts"

const read = (text: string) => readScript(new TextEncoder().encode(text), "talk.json")
const script = (text: string) => Either.getOrThrowWith(read(text), (rejected) => new Error(rejected.message))
const cues = (text: string) => {
  const found = script(text)
  return found._tag === "Subtitle"
    ? found.cues.map((cue) => [cue.index, cue.start, cue.end, cue.speaker, cue.text])
    : []
}

const spoken = [
  [1, 0, 2500, undefined, "Xin chào."],
  [2, 2500, 6020, undefined, "We meet\nagain."]
]

/** Each recognizer's output for the same two segments. */
const shapes: Readonly<Record<string, unknown>> = {
  "openai-whisper": {
    text: " Xin chào. We meet\nagain.",
    segments: [
      {
        ...{ id: 0, seek: 0, start: 0.0, end: 2.5, text: " Xin chào.", tokens: [50364, 1], temperature: 0.0 },
        words: [{ word: " Xin", start: 0.0, end: 1.1, probability: 0.9 }]
      },
      { id: 1, seek: 0, start: 2.5, end: 6.02, text: " We meet\nagain.", tokens: [50464], avg_logprob: -0.3 }
    ],
    language: "vi"
  },
  "whisper.cpp": {
    systeminfo: "AVX = 1",
    model: { type: "base" },
    result: { language: "vi" },
    transcription: [
      {
        timestamps: { from: "00:00:00,000", to: "00:00:02,500" },
        offsets: { from: 0, to: 2500 },
        text: " Xin chào.",
        tokens: [{ text: "Xin", offsets: { from: 0, to: 800 }, id: 1, p: 0.8 }]
      },
      {
        timestamps: { from: "00:00:02,500", to: "00:00:06,020" },
        offsets: { from: 2500, to: 6020 },
        text: " We meet\nagain."
      }
    ]
  },
  "faster-whisper's segments in a list": [
    { start: 0, end: 2.5, text: " Xin chào.", words: null },
    { start: 2.5, end: 6.02, text: " We meet\nagain.", words: null }
  ],
  "utterances in milliseconds": {
    utterances: [
      { start: 0, end: 2500, text: " Xin chào." },
      { start: 2500, end: 6020, text: " We meet\nagain." }
    ]
  },
  "a Hugging Face pipeline": {
    text: "Xin chào. We meet\nagain.",
    chunks: [
      { timestamp: [0, 2.5], text: " Xin chào." },
      { timestamp: [2.5, 6.02], text: " We meet\nagain." }
    ]
  }
}

describe("a recognizer's JSON", () => {
  for (const [name, value] of Object.entries(shapes))
    it(`of ${name} is parsed, on one line or several, with letters escaped or not`, () => {
      const plain = JSON.stringify(value)
      const escaped = plain.replace(/à/gu, "\\u00e0")
      for (const text of [plain, JSON.stringify(value, null, 2), escaped]) {
        expect(cues(text)).toEqual(spoken)
        expect(script(text).notices).toEqual([])
        expect(isSpeechJson(text)).toBe(true)
      }
    })

  it("of WhisperX keeps its speakers, and may contain NaN", () => {
    const text =
      '{"segments": [{"start": 0.1, "end": 1.2, "text": " Hi.", "speaker": "SPEAKER_00", "score": NaN},' +
      ' {"start": 1.5, "end": NaN, "text": " Hello.", "speaker": "SPEAKER_01"}], "word_segments": []}'
    expect(cues(text)).toEqual([
      [1, 100, 1200, "SPEAKER_00", "Hi."],
      [2, 1500, 1500, "SPEAKER_01", "Hello."]
    ])
  })

  it("gives each cue its line in the file", () => {
    const found = script(JSON.stringify(shapes["openai-whisper"], null, 2))
    expect(found._tag === "Subtitle" ? found.cues.map((cue) => cue.line) : []).toEqual([9, 29])
  })

  it("reports the words of a segment without a start time", () => {
    const text = '{"segments": [{"start": null, "text": "Lost."}, {"start": 1, "end": 2, "text": "Said."}]}'
    expect(cues(text)).toEqual([[2, 1000, 2000, undefined, "Said."]])
    expect(script(text).notices.map((notice) => notice.message)).toEqual([
      'skipped segment 1, which has no start time: "Lost."'
    ])
  })

  it("is distinguished from a manifest and from other JSON", () => {
    const others = [
      '{"jobs": [{"input": "a.srt"}], "segments": [{"start": 0, "text": "x"}]}',
      "[]",
      "{}",
      '{"segments": []}',
      '[{"text": "no times"}]',
      "words"
    ]
    for (const text of others) expect(isSpeechJson(text), text).toBe(false)
    expect(Either.getOrThrow(Either.flip(read('{"a": 1}'))).message).toBe(
      'talk.json:1: "{"a": 1}": no transcript with times found in the JSON; expected Whisper output such as ' +
        '{ "segments": [{ "start": 0, "end": 2.5, "text": "Hello" }] }; fix it or convert it to SRT'
    )
  })
})
