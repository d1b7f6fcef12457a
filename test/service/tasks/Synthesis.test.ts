/** Synthesis of plain texts and SRTs: audio, timings and captions. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { joinedInt16 } from "../../../src/audio/formats/Int16.ts"
import { Frames, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { type Engine, SpeechFailed } from "../../../src/engines/Engine.ts"
import { makeFliteEngine } from "../../../src/engines/local/FliteEngine.ts"
import { lazySpeechAligner } from "../../../src/engines/local/alignment/LazyAligner.ts"
import type { ServedModel, ServedVoice } from "../../../src/service/catalogue/Catalogue.ts"
import {
  blocksOf,
  maxBlock,
  synthesizeTask,
  type SpeakingOrder
} from "../../../src/service/tasks/Synthesis.ts"
import { runtime } from "../start.ts"
import { captionsOf, taskJson, taskSrt } from "../../../src/service/tasks/TaskTranscript.ts"

const rate = SampleRate.make(8_000)

/** An engine that speaks each character for 10 ms as samples of 1; "-" has nothing to say. */
const ticking: Engine = {
  name: "ticking",
  controls: ["rate"],
  voices: Effect.succeed([]),
  check: Effect.void,
  speak: ({ text }) =>
    text === "-"
      ? Effect.fail(new SpeechFailed({ engine: "ticking", reason: "nothing-to-say", detail: "-" }))
      : Effect.succeed({
          _tag: "Pcm",
          rate,
          samples: new Int16Array(text.length * 80).fill(1),
          words: [],
          sentences: [{ text, start: millis(0), end: millis(text.length * 10) }]
        })
}

const model: ServedModel = {
  rate: 1,
  pitch: 0,
  wire: {
    model_id: "m",
    name: "m",
    provider: "p",
    description: "",
    languages: [],
    credits_per_character: 1
  }
}
const voice: ServedVoice = {
  rate: 1,
  pitch: 0,
  volume: 1,
  behind: ["v"],
  speakerOf: () => ({ voice: "v" }),
  wire: { voice_id: "v", name: "v", provider: "p", languages: [], description: "" }
}
const order = (text: string, input: "text" | "srt"): SpeakingOrder => ({
  voice,
  model,
  text,
  input,
  speed: 1,
  vol: 1,
  pitch: 0,
  timed: false
})

const clock = (position: number) =>
  `00:00:${String(Math.floor(position / 1000)).padStart(2, "0")},${String(position % 1000).padStart(3, "0")}`

const spoken = (text: string, input: "text" | "srt") =>
  Effect.flatMap(lazySpeechAligner, (aligner) => synthesizeTask(ticking, order(text, input), aligner)).pipe(
    Effect.scoped,
    Effect.provide(runtime)
  )

it.scopedLive("finds the words of an engine that reports none, if their times are wanted", () =>
  Effect.gen(function* () {
    const flite = yield* makeFliteEngine({ size: 1 })
    const mute: Engine = {
      ...flite,
      speak: (request) =>
        Effect.map(flite.speak(request), (speech) => ({ ...speech, words: [], sentences: [] }))
    }
    const text = "The ferry has left. Nobody told the captain."
    const aligner = yield* lazySpeechAligner
    const spoken = (engine: Engine, timed: boolean) =>
      synthesizeTask(
        engine,
        {
          ...order(text, "text"),
          voice: { ...voice, speakerOf: () => ({ voice: "rms", language: "en" }) },
          timed
        },
        aligner
      )
    const own = yield* spoken(flite, true)
    const found = yield* spoken(mute, true)
    expect(found.words.map((word) => word.text)).toEqual(own.words.map((word) => word.text))
    expect(found.captions.map((caption) => caption.text)).toEqual([
      "The ferry has left.",
      "Nobody told the captain."
    ])
    const off = found.words.map(({ start }, index) => Math.abs(start - (own.words[index]?.start ?? 0)))
    expect(Math.max(...off)).toBeLessThan(120)
    expect((yield* spoken(mute, false)).words).toEqual([])
  }).pipe(Effect.provide(runtime))
)

const whole = (blocks: Iterable<Int16Array>): ReadonlyArray<number> =>
  [...blocks].flatMap((block) => [...block])

describe("speak", () => {
  it.effect("speaks each entry at its start, or when the previous one has ended", () =>
    Effect.gen(function* () {
      const said = yield* spoken(
        [
          `1\n${clock(100)} --> ${clock(150)}\naaaaaaaaaa`,
          `2\n${clock(150)} --> ${clock(160)}\nbb`,
          `3\n${clock(500)} --> ${clock(600)}\nc`
        ].join("\n\n"),
        "srt"
      )
      expect(said.captions).toEqual([
        { text: "aaaaaaaaaa", start: 100, end: 200 },
        { text: "bb", start: 200, end: 220 },
        { text: "c", start: 500, end: 510 }
      ])
      expect(said.frames).toBe(510 * 8)
      expect(taskSrt(said.captions).split("\n\n")[1]).toBe("2\n00:00:00,200 --> 00:00:00,220\nbb")
    })
  )

  it.effect("leaves entries with nothing to say silent, and fails if all are", () =>
    Effect.gen(function* () {
      const heading = `1\n${clock(0)} --> ${clock(50)}\n`
      const said = yield* spoken(`${heading}a-\n\n2\n${clock(50)} --> ${clock(60)}\nb\n`, "srt")
      expect(said.captions.map(({ text }) => text)).toEqual(["a-", "b"])
      const failure = yield* Effect.flip(spoken("-", "text"))
      expect(failure).toMatchObject({ _tag: "SpeechFailed", reason: "nothing-to-say" })
    })
  )

  it.effect.prop(
    "never cuts, never overlaps, and yields exactly the reported number of samples",
    [
      fc.array(
        fc.record({ gap: fc.integer({ min: 0, max: 400 }), length: fc.integer({ min: 1, max: 30 }) }),
        { minLength: 1, maxLength: 8 }
      )
    ],
    ([entries]) =>
      Effect.gen(function* () {
        let at = 0
        const text = entries
          .map(({ gap, length }, index) => {
            at += gap
            return `${index + 1}\n${clock(at)} --> ${clock(at + 1)}\n${"a".repeat(length)}\n`
          })
          .join("\n")
        const said = yield* spoken(text, "srt")
        const samples = whole(blocksOf(said))
        expect(samples.length).toBe(said.frames)
        expect(samples.reduce((sum, sample) => sum + sample, 0)).toBe(
          entries.reduce((sum, { length }) => sum + length * 80, 0)
        )
        let start = 0
        let end = 0
        entries.forEach(({ gap, length }, index) => {
          start += gap
          const heard = said.captions[index]
          expect(heard?.start).toBe(Math.max(start, end))
          end = Math.max(start, end) + length * 10
          expect(heard?.end).toBe(end)
        })
      }),
    { fastCheck: { numRuns: 30 } }
  )
})

it("no block exceeds the maximum, however long a run is", () => {
  const samples = Int16Array.from({ length: 3 * maxBlock + 5 }, (_, index) => index % 1_000)
  const blocks = [
    ...blocksOf({
      rate: SampleRate.make(8_000),
      runs: [{ at: Frames.make(maxBlock + 7), samples }],
      frames: Frames.make(5 * maxBlock),
      sentences: [],
      words: [],
      captions: []
    })
  ]
  expect(blocks.every(({ length }) => length > 0 && length <= maxBlock)).toBe(true)
  const all = joinedInt16(blocks)
  expect(all.length).toBe(5 * maxBlock)
  expect(all.subarray(maxBlock + 7, maxBlock + 7 + samples.length)).toEqual(samples)
})

describe("transcripts", () => {
  const words = Array.from({ length: 40 }, (_, index) => ({
    text: `word${index}`,
    start: millis(index * 100),
    end: millis(index * 100 + 90)
  }))
  const sentence = {
    text: words.map(({ text }) => text).join(" "),
    start: millis(0),
    end: millis(3_990)
  }

  it("split long sentences between words", () => {
    const captions = captionsOf([sentence], words)
    expect(captions.map(({ text }) => text).join(" ")).toBe(sentence.text)
    expect(captions.every(({ text }) => text.length <= 84)).toBe(true)
    expect(captions[0]?.start).toBe(0)
    expect(captions.at(-1)?.end).toBe(3_990)
    expect(captionsOf([sentence], [])).toEqual([sentence])
  })

  it("report times in seconds", () => {
    expect(
      JSON.parse(taskJson({ duration: millis(4_000), sentences: [sentence], words: words.slice(0, 1) }))
    ).toEqual({
      duration: 4,
      sentences: [{ text: sentence.text, start: 0, end: 3.99 }],
      words: [{ text: "word0", start: 0, end: 0.09 }]
    })
  })
})

it.scoped("a tone in brackets goes to the engines that take tones, and is not spoken", () =>
  Effect.gen(function* () {
    const told: Array<unknown> = []
    const listening = (takesTone: boolean): Engine => ({
      ...ticking,
      takesTone,
      speak: (request) => {
        told.push([request.tone, request.text])
        return ticking.speak(request)
      }
    })
    const srt = "1\n00:00:00,000 --> 00:00:01,000\n[very sad] Two.\n"
    const aligner = yield* lazySpeechAligner
    yield* synthesizeTask(listening(true), order("[whispers] One.", "text"), aligner)
    const { captions } = yield* synthesizeTask(listening(true), order(srt, "srt"), aligner)
    yield* synthesizeTask(listening(false), order("[whispers] Three.", "text"), aligner)
    expect(captions.map(({ text }) => text)).toEqual(["Two."])
    expect(told).toEqual([
      ["whispers", "One."],
      ["very sad", "Two."],
      [undefined, "[whispers] Three."]
    ])
  }).pipe(Effect.provide(runtime))
)

it.scoped("an SRT's entry is spoken with the entries around it as context", () =>
  Effect.gen(function* () {
    const contexts: Array<unknown> = []
    const listening: Engine = {
      ...ticking,
      speak: (request) => {
        contexts.push([request.before, request.text, request.after])
        return ticking.speak(request)
      }
    }
    const srt = ["One.", "Two.", "Three."]
      .map((text, index) => `${index + 1}\n00:00:0${index},000 --> 00:00:0${index},900\n${text}\n`)
      .join("\n")
    const aligner = yield* lazySpeechAligner
    yield* synthesizeTask(listening, order(srt, "srt"), aligner)
    yield* synthesizeTask(listening, order("Alone.", "text"), aligner)
    expect(contexts).toEqual([
      [undefined, "One.", "Two."],
      ["One.", "Two.", "Three."],
      ["Two.", "Three.", undefined],
      [undefined, "Alone.", undefined]
    ])
  }).pipe(Effect.provide(runtime))
)
