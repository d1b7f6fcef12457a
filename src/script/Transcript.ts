/** What a service says about when its words are heard, in the shapes that speech services use; and our own words found in it. */
import { Either } from "effect"
import { isNonEmptyReadonlyArray, type NonEmptyReadonlyArray } from "effect/Array"
import { type Millis, millis } from "../domain/Units.ts"
import { aligned } from "./Alignment.ts"
import { readSrtVtt } from "./SrtVtt.ts"

/** A stretch of speech with its time: a word, a character, or a whole segment. */
export interface TranscriptToken {
  readonly text: string
  readonly start: Millis
  readonly end: Millis
}

/**
 * Reads a transcript. SRT gives one token an entry. JSON may be ours, `{ "duration": s, "sentences": [{ text, start, end }], "words": [{ text, start, end }] }`, or
 * any with arrays of objects that hold a text and a time, or of characters beside arrays of their times. The finest times count: characters
 * and words before segments. Seconds and milliseconds are told by the names of the fields, else by which of the two people could speak at.
 */
export const parseTranscript = (
  text: string,
  kind: "srt" | "json"
): Either.Either<ReadonlyArray<TranscriptToken>, string> => {
  if (kind === "srt")
    return Either.mapBoth(readSrtVtt(text.replace(/^\ufeff/u, "").replace(/\r\n?/gu, "\n"), "srt"), {
      onLeft: (faults) => `not an SRT: ${faults[0].expected}`,
      onRight: ({ cues }) =>
        cues
          .filter((cue) => cue.text !== "")
          .map((cue): TranscriptToken => ({ text: cue.text, start: cue.start, end: cue.end }))
    })
  return Either.flatMap(parsedJson(text), (value) => {
    const found = tokensIn(value, 0)
    return found === undefined || found.tokens.length === 0
      ? Either.left("no words with times found in the JSON")
      : Either.right(inMillis(found))
  })
}

/** Where a part of what was said is heard. */
export interface HeardPart {
  readonly start: Millis
  readonly end: Millis
  /** Whether both ends stand at the edge of a token, and not somewhere inside of one that several parts share. */
  readonly exact: boolean
}

/**
 * Finds each part of what was said in a transcript, by aligning the letters of both and not by trust: words may be spelt otherwise, missing or added, and
 * numbers written out. Left where the transcript does not say what was said, or where a part is nowhere in it.
 */
export const alignParts = (
  said: NonEmptyReadonlyArray<string>,
  transcript: ReadonlyArray<TranscriptToken>
): Either.Either<NonEmptyReadonlyArray<HeardPart>, string> => {
  const ours = lettersOf(said)
  const theirs = lettersOf(transcript.map((token) => token.text))
  if (theirs.letters.length === 0) return Either.left("the transcript holds no words")
  const pairs = aligned(ours.letters, theirs.letters)
  const same = pairs.reduce(
    (count, theirsAt, i) =>
      theirsAt >= 0 && ours.letters[i] === theirs.letters[theirsAt] ? count + 1 : count,
    0
  )
  if (same < ours.letters.length * leastAlike)
    return Either.left(
      `the transcript says something else: ${Math.round((100 * same) / Math.max(1, ours.letters.length))} % of the letters agree`
    )
  const parts = partTimes(said.length, ours, theirs, pairs, transcript)
  const lost = parts.findIndex((part) => part === undefined)
  if (lost >= 0) return Either.left(`the transcript does not say "${(said[lost] ?? "").slice(0, 60)}"`)
  const heard = parts.filter((part) => part !== undefined)
  return isNonEmptyReadonlyArray(heard) ? Either.right(heard) : Either.left("nothing was said")
}

/** Fewer letters in common than this, and it is another text. */
const leastAlike = 0.5

interface Letters {
  /** Letters and digits in lower case without marks, one a code unit. */
  readonly letters: string
  /** For each letter the text it comes from. */
  readonly owner: Int32Array
  /** For each text the position of its first letter, and at the end their number. */
  readonly first: Int32Array
}

const lettersOf = (texts: ReadonlyArray<string>): Letters => {
  const first = new Int32Array(texts.length + 1)
  const parts = texts.map((text) =>
    text
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "")
  )
  const letters = parts.join("")
  const owner = new Int32Array(letters.length)
  let at = 0
  parts.forEach((part, i) => {
    first[i] = at
    owner.fill(i, at, at + part.length)
    at += part.length
  })
  first[texts.length] = at
  return { letters, owner, first }
}

/** A token belongs to the part that most of its letters are of; one that parts share is cut in proportion. */
const partTimes = (
  count: number,
  ours: Letters,
  theirs: Letters,
  pairs: Int32Array,
  tokens: ReadonlyArray<TranscriptToken>
): ReadonlyArray<HeardPart | undefined> => {
  const partOfLetter = new Int32Array(theirs.letters.length).fill(-1)
  pairs.forEach((theirsAt, oursAt) => {
    if (theirsAt >= 0) partOfLetter[theirsAt] = ours.owner[oursAt] ?? -1
  })
  const parts: Array<{ start: number; end: number; exact: boolean } | undefined> = new Array(count)
  const extend = (part: number, start: number, end: number, exact: boolean): void => {
    const known = parts[part]
    parts[part] =
      known === undefined
        ? { start, end, exact }
        : { start: Math.min(known.start, start), end: Math.max(known.end, end), exact: known.exact && exact }
  }
  const shares = tokens.map((_, i) =>
    runsOf(partOfLetter.subarray(theirs.first[i] ?? 0, theirs.first[i + 1] ?? 0))
  )
  tokens.forEach((token, i) => {
    const letters = (theirs.first[i + 1] ?? 0) - (theirs.first[i] ?? 0)
    if (letters === 0) return
    const runs = shares[i] ?? []
    const length = token.end - token.start
    for (const run of runs)
      extend(
        run.part,
        token.start + (length * run.from) / letters,
        token.start + (length * run.to) / letters,
        runs.length === 1
      )
    if (runs.length > 0) return
    const part = nearestPart(i, shares, tokens)
    if (part !== undefined) extend(part, token.start, token.end, true)
  })
  return parts.map((part) =>
    part === undefined
      ? undefined
      : { start: millis(part.start), end: millis(Math.max(part.start, part.end)), exact: part.exact }
  )
}

/** Whose a token is that says nothing of ours, such as a word too many: that of the neighbour it stands closer to. */
const nearestPart = (
  at: number,
  shares: ReadonlyArray<ReadonlyArray<{ part: number }>>,
  tokens: ReadonlyArray<TranscriptToken>
): number | undefined => {
  let before = at - 1
  while (before >= 0 && shares[before]?.length === 0) before--
  let behind = at + 1
  while (behind < tokens.length && shares[behind]?.length === 0) behind++
  const [last, next] = [shares[before]?.at(-1)?.part, shares[behind]?.[0]?.part]
  const gapBefore = (tokens[at]?.start ?? 0) - (tokens[at - 1]?.end ?? 0)
  const gapBehind = (tokens[at + 1]?.start ?? 0) - (tokens[at]?.end ?? 0)
  if (last === undefined || next === undefined) return last ?? next
  return gapBehind < gapBefore ? next : last
}

/** Which parts a token's letters are of, in order. A few stray letters at an edge do not make it a shared one. */
const runsOf = (letters: Int32Array): ReadonlyArray<{ part: number; from: number; to: number }> => {
  const count = new Map<number, number>()
  for (const part of letters) if (part >= 0) count.set(part, (count.get(part) ?? 0) + 1)
  const total = [...count.values()].reduce((sum, n) => sum + n, 0)
  const real = [...count].filter(([, n]) => n >= 3 && n > total * 0.12).sort((a, b) => a[0] - b[0])
  if (real.length < 2) {
    const most = [...count].sort((a, b) => b[1] - a[1])[0]
    return most === undefined ? [] : [{ part: most[0], from: 0, to: letters.length }]
  }
  const runs: Array<{ part: number; from: number; to: number }> = []
  real.forEach(([part], i) => {
    const from = i === 0 ? 0 : (runs.at(-1)?.to ?? 0)
    const next = real[i + 1]?.[0]
    const at = next === undefined ? -1 : letters.indexOf(next, from)
    runs.push({ part, from, to: at < 0 ? letters.length : at })
  })
  return runs
}

const parsedJson = (text: string): Either.Either<unknown, string> => {
  const clean = text.replace(/^\ufeff/u, "").trim()
  const whole = Either.try((): unknown => JSON.parse(clean))
  if (Either.isRight(whole)) return Either.right(whole.right)
  // One object a line, as speech marks come.
  return Either.try({
    try: (): unknown =>
      clean
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line): unknown => JSON.parse(line)),
    catch: () => "not JSON"
  })
}

/** Tokens with times in whatever unit they came. */
interface FoundTokens {
  readonly tokens: ReadonlyArray<{ readonly text: string; readonly start: number; readonly end: number }>
  /** Milliseconds in one unit of the times, where the fields' names tell. */
  readonly unit: number | undefined
  /** How fine: characters 3, words 2, anything longer 1. */
  readonly fineness: number
}

const textKeys = [
  "text",
  "word",
  "punctuated_word",
  "value",
  "char",
  "character",
  "token",
  "part",
  "transcript",
  "content"
]
const startKeys = [
  "start",
  "start_time",
  "startTime",
  "start_s",
  "begin",
  "from",
  "t0",
  "offset",
  "time",
  "timestamp",
  "Offset",
  "AudioOffset"
]
const endKeys = ["end", "end_time", "endTime", "end_s", "to", "t1"]
const lengthKeys = ["duration", "length", "Duration"]

const deepest = 6

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The finest tokens anywhere in a value. */
const tokensIn = (value: unknown, depth: number): FoundTokens | undefined => {
  if (depth > deepest) return undefined
  if (Array.isArray(value)) return finest([objectTokens(value), ...nested(value, depth)])
  if (!isRecord(value)) return undefined
  return finest([columnTokens(value), ...nested(Object.values(value), depth)])
}

const nested = (values: ReadonlyArray<unknown>, depth: number): ReadonlyArray<FoundTokens | undefined> => {
  const found = values.filter((value) => typeof value === "object").map((value) => tokensIn(value, depth + 1))
  return [...found, joinedTokens(found)]
}

/** The words of one segment after another, as one list. */
const joinedTokens = (found: ReadonlyArray<FoundTokens | undefined>): FoundTokens | undefined => {
  const lists = found.filter((tokens) => tokens !== undefined)
  const first = lists[0]
  if (first === undefined || lists.length < 2 || lists.length < found.length) return undefined
  const tokens = lists.flatMap((list) => list.tokens)
  const ordered = tokens.every((token, i) => i === 0 || token.start >= (tokens[i - 1]?.start ?? 0))
  return ordered && lists.every((list) => list.unit === first.unit && list.fineness === first.fineness)
    ? { tokens, unit: first.unit, fineness: first.fineness }
    : undefined
}

const finest = (found: ReadonlyArray<FoundTokens | undefined>): FoundTokens | undefined => {
  let best: FoundTokens | undefined
  for (const tokens of found)
    if (
      tokens !== undefined &&
      (best === undefined ||
        lettersIn(tokens) > lettersIn(best) * 1.2 ||
        (tokens.fineness > best.fineness && lettersIn(tokens) > lettersIn(best) * 0.8))
    )
      best = tokens
  return best
}

const lettersIn = (found: FoundTokens): number =>
  found.tokens.reduce((sum, token) => sum + token.text.length, 0)

/** Objects that each hold a text and its time. */
const objectTokens = (values: ReadonlyArray<unknown>): FoundTokens | undefined => {
  const tokens: Array<{ text: string; start: number; end: number }> = []
  let unit: number | undefined
  for (const value of values) {
    if (!isRecord(value)) return undefined
    if (
      value["type"] !== undefined &&
      /^(?:sentence|viseme|ssml|spacing|audio_event)$/u.test(String(value["type"]))
    )
      continue
    const text = firstString(value, textKeys)
    // Speech marks have a time in milliseconds, and start and end as places in the text.
    const mark = value["type"] !== undefined && value["time"] !== undefined
    const start = mark ? timeOf(value["time"]) : firstTime(value, startKeys)
    if (text === undefined || start === undefined) continue
    const end = mark ? undefined : firstTime(value, endKeys)
    const length = firstTime(value, lengthKeys)
    unit ??= mark ? 1 : start.unit
    tokens.push({ text, start: start.time, end: end?.time ?? start.time + (length?.time ?? 0) })
  }
  return tokens.length === 0 ? undefined : { tokens: closed(tokens), unit, fineness: finenessOf(tokens) }
}

/** Characters or words in one array, their times in others. */
const columnTokens = (value: Record<string, unknown>): FoundTokens | undefined => {
  const keys = Object.keys(value)
  const texts = keys.find(
    (key) => /^(?:characters|chars|words|tokens|texts)$/u.test(key) && isStrings(value[key])
  )
  const starts = keys.find((key) => /start/iu.test(key) && isNumbers(value[key]))
  if (texts === undefined || starts === undefined) return undefined
  const ends = keys.find((key) => /end/iu.test(key) && isNumbers(value[key]))
  const lengths = keys.find((key) => /dur|length/iu.test(key) && isNumbers(value[key]))
  const text = stringsOf(value[texts])
  const start = numbersOf(value[starts])
  const end = ends === undefined ? undefined : numbersOf(value[ends])
  const length = lengths === undefined ? undefined : numbersOf(value[lengths])
  if (text.length === 0 || start.length < text.length) return undefined
  const tokens = text.map((word, i) => ({
    text: word,
    start: start[i] ?? 0,
    end: end?.[i] ?? (start[i] ?? 0) + (length?.[i] ?? 0)
  }))
  return { tokens: closed(tokens), unit: unitOfName(starts), fineness: finenessOf(tokens) }
}

/** A token without an end lasts until the next one begins. */
const closed = (
  tokens: ReadonlyArray<{ text: string; start: number; end: number }>
): ReadonlyArray<{ text: string; start: number; end: number }> =>
  tokens.map((token, i) =>
    token.end > token.start
      ? token
      : { ...token, end: Math.max(token.start, tokens[i + 1]?.start ?? token.start) }
  )

const finenessOf = (tokens: ReadonlyArray<{ text: string }>): number => {
  const letters = tokens.reduce((sum, token) => sum + Array.from(token.text.trim()).length, 0) / tokens.length
  return letters <= 1.2 ? 3 : tokens.some((token) => /\S\s+\S/u.test(token.text)) || letters > 16 ? 1 : 2
}

const isStrings = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string")
const isNumbers = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "number")
const stringsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []
const numbersOf = (value: unknown): ReadonlyArray<number> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "number") : []

const firstString = (value: Record<string, unknown>, keys: ReadonlyArray<string>): string | undefined => {
  for (const key of keys) {
    const found = value[key]
    if (typeof found === "string") return found
  }
  return undefined
}

/** A time under one of these names, or under one of them with its unit behind: `start_ms`, `startMs`. */
const firstTime = (
  value: Record<string, unknown>,
  keys: ReadonlyArray<string>
): { readonly time: number; readonly unit: number | undefined } | undefined => {
  for (const key of keys)
    for (const name of [key, `${key}_ms`, `${key}Ms`, `${key}_seconds`, `${key}Seconds`, `${key}_sec`]) {
      const time = timeOf(value[name])
      if (time !== undefined) return { time: time.time, unit: time.unit ?? unitOfName(name) }
    }
  return undefined
}

const unitOfName = (name: string): number | undefined =>
  /(?:_ms|Ms|millis|Millis)/u.test(name)
    ? 1
    : /(?:_s|_sec|_seconds|Seconds)(?:$|_)/u.test(name)
      ? 1000
      : /^(?:Offset|AudioOffset)$/u.test(name)
        ? 1e-4
        : undefined

/** A number; or a text such as "1.5s" or "00:00:01.500". */
const timeOf = (value: unknown): { readonly time: number; readonly unit: number | undefined } | undefined => {
  if (typeof value === "number") return Number.isFinite(value) ? { time: value, unit: undefined } : undefined
  if (typeof value !== "string") return undefined
  const clock = /^(?:(\d+):)?(\d{1,2}):(\d{1,2}(?:[.,]\d+)?)$/u.exec(value)
  if (clock !== null)
    return {
      time: Number(clock[1] ?? 0) * 3600 + Number(clock[2]) * 60 + Number((clock[3] ?? "").replace(",", ".")),
      unit: 1000
    }
  const plain = /^(\d+(?:\.\d+)?)\s*(ms|s)?$/u.exec(value)
  return plain === null
    ? undefined
    : { time: Number(plain[1]), unit: plain[2] === "ms" ? 1 : plain[2] === "s" ? 1000 : undefined }
}

/** Whole milliseconds, never going back. Where no name tells the unit: nobody says more than forty letters a second, or fewer than one. */
const inMillis = ({ tokens, unit }: FoundTokens): ReadonlyArray<TranscriptToken> => {
  const last = tokens.reduce((most, token) => Math.max(most, token.end, token.start), 0)
  const letters = tokens.reduce((sum, token) => sum + token.text.length, 0)
  const whole = tokens.every((token) => Number.isInteger(token.start) && Number.isInteger(token.end))
  const factor = unit ?? (last > 0 && (letters / last > 1 || !whole) ? 1000 : 1)
  let before = 0
  return tokens.map((token) => {
    const start = Math.max(before, token.start * factor)
    const end = Math.max(start, token.end * factor)
    before = start
    return { text: token.text.trim(), start: millis(start), end: millis(end) }
  })
}
