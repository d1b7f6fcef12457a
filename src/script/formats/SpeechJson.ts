/**
 * Parses speech recognizers' JSON into cues: openai-whisper, whisper.cpp, faster-whisper, WhisperX, stable-ts, the
 * OpenAI API's verbose_json, and Hugging Face pipelines.
 */
import { Either, Schema } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import { Cue, Notice, ScriptFault, Subtitle } from "../../domain/speech/Cue.ts"
import { millis } from "../../domain/time/Units.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { excerpt } from "../markup/CueLines.ts"
import { turnsOfMarkup } from "../markup/CueMarkup.ts"
import { inOrder, cueVoices } from "../markup/CueVoices.ts"
import { longestTime } from "./cues/TimingLine.ts"

const Seconds = Schema.optional(Schema.NullOr(Schema.Number))
const Speaker = Schema.optional(Schema.NullOr(Schema.String))

/** A segment of openai-whisper and compatible tools; times in seconds. */
const Segment = Schema.Struct({ start: Seconds, end: Seconds, text: Schema.String, speaker: Speaker })

/** A segment of whisper.cpp; offsets in milliseconds. */
const Stretch = Schema.Struct({
  offsets: Schema.Struct({ from: Schema.Number, to: Schema.Number }),
  text: Schema.String,
  speaker: Speaker
})

/** A chunk of a Hugging Face pipeline, in seconds; the end is null if the recording stops within a word. */
const Chunk = Schema.Struct({
  timestamp: Schema.Tuple(Schema.NullOr(Schema.Number), Schema.NullOr(Schema.Number)),
  text: Schema.String,
  speaker: Speaker
})

interface Spoken {
  readonly start: number | undefined
  readonly end: number | undefined
  readonly text: string
  readonly speaker: string | undefined
}

const inSeconds = (time: number | null | undefined): number | undefined =>
  time === null || time === undefined ? undefined : time * 1000

/** The keys under which recognizers keep their segments, in order of preference. */
const shapes: ReadonlyArray<
  readonly [key: string, read: (value: unknown) => ReadonlyArray<Spoken> | undefined]
> = [
  ["segments", (value) => segmentsOf(value)],
  ["transcription", (value) => stretchesOf(value)],
  ["speakers", (value) => chunksOf(value)],
  ["chunks", (value) => chunksOf(value)]
]

const segmentsOf = (value: unknown): ReadonlyArray<Spoken> | undefined =>
  decoded(Segment, value)?.map(({ start, end, text, speaker }) => ({
    start: inSeconds(start),
    end: inSeconds(end),
    text,
    speaker: speaker ?? undefined
  }))

const stretchesOf = (value: unknown): ReadonlyArray<Spoken> | undefined =>
  decoded(Stretch, value)?.map(({ offsets, text, speaker }) => ({
    start: offsets.from,
    end: offsets.to,
    text,
    speaker: speaker ?? undefined
  }))

const chunksOf = (value: unknown): ReadonlyArray<Spoken> | undefined =>
  decoded(Chunk, value)?.map(({ timestamp: [start, end], text, speaker }) => ({
    start: inSeconds(start),
    end: inSeconds(end),
    text,
    speaker: speaker ?? undefined
  }))

const decoded = <A, I>(schema: Schema.Schema<A, I>, value: unknown): ReadonlyArray<A> | undefined =>
  Array.isArray(value) && value.length > 0
    ? Either.getOrUndefined(Schema.decodeUnknownEither(Schema.Array(schema))(value))
    : undefined

/** Parses JSON; accepts Python's NaN and Infinity, which are not valid JSON, as null. */
const parsed = (text: string): unknown =>
  Either.getOrUndefined(
    Either.orElse(
      Either.try((): unknown => JSON.parse(text)),
      () =>
        Either.try((): unknown =>
          JSON.parse(text.replace(/([:[,]\s*)(?:NaN|-?Infinity)(?=\s*[,}\]])/gu, "$1null"))
        )
    )
  )

const spokenIn = (text: string): ReadonlyArray<Spoken> | undefined => {
  const value = parsed(text)
  if (Array.isArray(value)) return timed(segmentsOf(value)) ?? timed(chunksOf(value))
  if (typeof value !== "object" || value === null || "jobs" in value) return undefined
  const fields = new Map<string, unknown>(Object.entries(value))
  for (const [key, read] of shapes) {
    const found = timed(read(fields.get(key)))
    if (found !== undefined) return found
  }
  return undefined
}

const timed = (spoken: ReadonlyArray<Spoken> | undefined): ReadonlyArray<Spoken> | undefined =>
  spoken?.some(({ start }) => start !== undefined) === true ? spoken : undefined

/** Whether a JSON text is a transcript with times, as opposed to a manifest. */
export const isSpeechJson = (text: string): boolean => spokenIn(text) !== undefined

/** Parses a file's text: one cue per segment, numbered from 1. Segments without a time are skipped with a notice. */
export const readSpeechJson = (text: string): Either.Either<Subtitle, NonEmptyReadonlyArray<ScriptFault>> => {
  const spoken = spokenIn(text)
  if (spoken === undefined)
    return Either.left([
      ScriptFault.make({
        line: 1,
        found: excerpt(text),
        expected:
          "no transcript with times found in the JSON; expected Whisper output such as " +
          '{ "segments": [{ "start": 0, "end": 2.5, "text": "Hello" }] }; fix it or convert it to SRT'
      })
    ])
  const lineOf = linesIn(text)
  const cues: Array<Cue> = []
  const notices: Array<Notice> = []
  spoken.forEach(({ start, end, text: words, speaker }, i) => {
    const line = lineOf(words)
    if (start === undefined || !(start >= 0 && start < longestTime)) {
      if (words.trim() !== "")
        notices.push(
          Notice.make({
            line,
            message: `skipped segment ${i + 1}, which has no start time: "${excerpt(words)}"`
          })
        )
      return
    }
    const until = end === undefined || !(end > start && end < longestTime) ? start : end
    cues.push(
      Cue.make(
        {
          index: i + 1,
          start: millis(start),
          end: millis(until),
          line,
          ...cueVoices(
            turnsOfMarkup(words.trim()).map((turn) => ({
              ...turn,
              speaker:
                turn.speaker ?? (speaker === undefined || speaker.trim() === "" ? undefined : speaker.trim())
            }))
          )
        },
        skipValidation
      )
    )
  })
  return Either.right(Subtitle.make({ format: "srt", cues: inOrder(cues), notices }))
}

/**
 * Returns a function that finds the line of each text; call it in file order. A text that is not found literally gets
 * the line of the previous one.
 */
const linesIn = (json: string): ((text: string) => number) => {
  // Python escapes all non-ASCII characters by default.
  const escaped = !/[\u0080-\uffff]/u.test(json)
  let at = 0
  let line = 1
  return (text) => {
    const written = JSON.stringify(text)
    const to = json.indexOf(escaped ? inAscii(written) : written, at)
    for (let i = at; i < to; i++) if (json.charCodeAt(i) === 10) line++
    at = Math.max(at, to)
    return line
  }
}

const inAscii = (text: string): string =>
  text.replace(
    /[\u0080-\uffff]/g, // UTF-16 code units, as JSON escapes them
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
