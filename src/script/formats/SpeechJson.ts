/**
 * Parses speech recognizers' JSON into cues: openai-whisper, whisper.cpp, faster-whisper, WhisperX, stable-ts, the
 * OpenAI API's verbose_json, Hugging Face pipelines and any list of texts with times.
 */
import { Either } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import {
  Cue,
  LostCue,
  Subtitle,
  noticeAt,
  type Notice,
  faultAt,
  type ScriptFault
} from "../../domain/speech/Cue.ts"
import { millis } from "../../domain/time/Units.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { excerpt } from "../markup/CueLines.ts"
import { inOrder, cueVoices } from "../markup/CueVoices.ts"
import { maxTime, startsBeforeZero } from "./cues/TimingLine.ts"
import { turnsWithin } from "./timed/TimedLines.ts"
import { fieldsOf, isRecord, spanIn, textIn } from "./JsonFields.ts"

interface Spoken {
  /** Milliseconds; undefined if the time is missing or unreadable. */
  readonly start: number | undefined
  readonly end: number | undefined
  readonly text: string
  readonly speaker: string | undefined
}

/** The keys under which recognizers and players keep their segments, in order of preference. */
const lists =
  "segments utterances sentences cues transcription speakers chunks body subtitles captions transcript data result".split(
    " "
  )

/** A median length that is one of milliseconds, not of seconds, if all times are whole numbers. */
const longLength = 200

/** Returns the milliseconds per unit of times whose unit the JSON does not give. */
const unitOf = (spans: ReadonlyArray<{ readonly start: number; readonly end: number }>): number => {
  const lengths = spans.map(({ start, end }) => end - start).sort((a, b) => a - b)
  const isWhole = spans.every(({ start, end }) => Number.isInteger(start) && Number.isInteger(end))
  return isWhole && (lengths[Math.floor(lengths.length / 2)] ?? 0) >= longLength ? 1 : 1000
}

/** Returns the segments of a list; undefined if none has both a text and a time. */
const segmentsOf = (value: unknown): ReadonlyArray<Spoken> | undefined => {
  if (!Array.isArray(value)) return undefined
  const items = value.filter(isRecord).map(fieldsOf)
  const usual = unitOf(items.flatMap((fields) => spanIn(fields, false, 0) ?? []))
  const spoken = items.flatMap((fields): ReadonlyArray<Spoken> => {
    const text = textIn(fields, 0)
    const { start, end, unit = usual } = spanIn(fields, false, 0) ?? {}
    const speaker = fields.get("speaker")?.value
    const name = typeof speaker === "string" && speaker.trim() !== "" ? speaker.trim() : undefined
    return text === undefined
      ? []
      : [{ start: times(start, unit), end: times(end, unit), text, speaker: name }]
  })
  return spoken.some(({ start, text }) => text.trim() !== "" && isTime(start)) ? spoken : undefined
}

const times = (time: number | undefined, unit: number): number | undefined =>
  time === undefined ? undefined : time * unit

const isTime = (time: number | undefined): time is number => time !== undefined && time >= 0 && time < maxTime

/** Finds the segments in a value, down to lists in objects in lists. */
const segmentsIn = (value: unknown, depth = 0): ReadonlyArray<Spoken> | undefined => {
  const own = segmentsOf(value)
  if (own !== undefined || !isRecord(value) || depth > 2 || "jobs" in value) return own
  return lists.reduce<ReadonlyArray<Spoken> | undefined>(
    (found, key) => found ?? segmentsIn(value[key], depth + 1),
    undefined
  )
}

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

/** Whether a JSON text is a transcript with times, as opposed to a manifest. */
export const isSpeechJson = (text: string): boolean => segmentsIn(parsed(text)) !== undefined

/** Parses a file's text: one cue per segment, numbered from 1. Segments without a time are lost. */
export const readSpeechJson = (text: string): Either.Either<Subtitle, NonEmptyReadonlyArray<ScriptFault>> => {
  const spoken = segmentsIn(parsed(text))
  if (spoken === undefined)
    return Either.left([
      faultAt(
        1,
        excerpt(text),
        "no transcript with times found in the JSON; expected Whisper output such as " +
          '{ "segments": [{ "start": 0, "end": 2.5, "text": "Hello" }] }; fix it or convert it to SRT'
      )
    ])
  const lineOf = linesIn(text)
  const cues: Array<Cue> = []
  const lost: Array<LostCue> = []
  const notices: Array<Notice> = []
  let before = millis(0)
  spoken.forEach(({ start, end, text: words, speaker }, i) => {
    const line = lineOf(words)
    const voices = cueVoices(turnsWithin({ speaker, text: words.trim() }))
    const isEarly = start !== undefined && start < 0
    const from = isEarly && isTime(end) ? 0 : start
    if (!isTime(from)) {
      const why = `segment ${i + 1}, which ${isEarly ? "ends before zero" : "has no start time"}: "${excerpt(words)}"`
      if (voices.text !== "")
        lost.push(
          LostCue.make({ index: i + 1, start: before, end: before, line, why, ...voices }, skipValidation)
        )
      return
    }
    if (isEarly) notices.push(noticeAt(line, startsBeforeZero))
    before = millis(isTime(end) && end > from ? end : from)
    cues.push(Cue.make({ index: i + 1, start: millis(from), end: before, line, ...voices }, skipValidation))
  })
  notices.push(...lost.map(({ line, why }) => noticeAt(line, `skipped ${why}`)))
  return Either.right(Subtitle.make({ format: "srt", cues: inOrder(cues), lost, notices }))
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
