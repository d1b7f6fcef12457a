/** Words with times, wherever in a service's JSON they stand and whatever its fields are called. */
import { Either } from "effect"

/** Tokens with times in whatever unit they came. */
export interface FoundTokens {
  readonly tokens: ReadonlyArray<{ readonly text: string; readonly start: number; readonly end: number }>
  /** Milliseconds in one unit of the times, where the fields' names tell. */
  readonly unit: number | undefined
  /** How fine: characters 3, words 2, anything longer 1. */
  readonly fineness: number
}

/** The finest tokens in a JSON text, or in one object a line; left where there is no JSON, or no time in it. */
export const jsonTokens = (text: string): Either.Either<FoundTokens, string> =>
  Either.flatMap(parsedJson(text), (value) => {
    const found = tokensIn(value, 0)
    return found === undefined || found.tokens.length === 0
      ? Either.left("no words with times found in the JSON")
      : Either.right(found)
  })

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
