/** Finds words with times in any speech service's JSON, whatever its structure and field names. */
import { Either } from "effect"
import { fieldsOf, isRecord, spanIn, textIn, unitOfName } from "../formats/JsonFields.ts"

/** Tokens with times in their original unit. */
export interface FoundTokens {
  readonly tokens: ReadonlyArray<{ readonly text: string; readonly start: number; readonly end: number }>
  /** Milliseconds per unit of the times; undefined if the field names do not give it. */
  readonly unit: number | undefined
  /** Granularity: 3 for characters, 2 for words, 1 for anything longer. */
  readonly fineness: number
}

/** Returns the finest tokens in JSON or JSON Lines; fails if the text is not JSON or contains no words with times. */
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
  // JSON Lines, as for speech marks.
  return Either.try({
    try: (): unknown =>
      clean
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line): unknown => JSON.parse(line)),
    catch: () => "the text is not JSON"
  })
}

/** Deepest nesting that is searched. */
const deepest = 12

/** Returns the tokens of a value at any depth, of the finest kind in it: characters, words or segments. */
const tokensIn = (value: unknown, depth: number): FoundTokens | undefined => {
  if (depth > deepest) return undefined
  if (Array.isArray(value)) {
    const found = nested(value, depth)
    return finest([objectTokens(value), ...found, joinedTokens(found)])
  }
  if (!isRecord(value)) return undefined
  return finest([columnTokens(value), ...nested(Object.values(value), depth)])
}

const nested = (values: ReadonlyArray<unknown>, depth: number): ReadonlyArray<FoundTokens> =>
  values.flatMap((value) => {
    const found = typeof value === "object" ? tokensIn(value, depth + 1) : undefined
    return found === undefined ? [] : [found]
  })

/** Concatenates the words of several segments, if they are in order and of the same kind. */
const joinedTokens = (lists: ReadonlyArray<FoundTokens>): FoundTokens | undefined => {
  const first = lists[0]
  if (first === undefined || lists.length < 2) return undefined
  const tokens = lists.flatMap((list) => list.tokens)
  const ordered = tokens.every((token, i) => i === 0 || token.start >= (tokens[i - 1]?.start ?? 0))
  return ordered && lists.every((list) => list.unit === first.unit && list.fineness === first.fineness)
    ? { tokens, unit: first.unit, fineness: first.fineness }
    : undefined
}

const finest = (found: ReadonlyArray<FoundTokens | undefined>): FoundTokens | undefined => {
  let best: FoundTokens | undefined
  let most = 0
  for (const tokens of found) {
    if (tokens === undefined) continue
    const letters = tokens.tokens.reduce((sum, token) => sum + lettersIn(token.text), 0)
    if (
      best !== undefined &&
      letters <= most * 1.2 &&
      (tokens.fineness <= best.fineness || letters <= most * 0.8)
    )
      continue
    best = tokens
    most = letters
  }
  return best
}

const lettersIn = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0

/** Reads an array of objects that each have a text and its time. */
const objectTokens = (values: ReadonlyArray<unknown>): FoundTokens | undefined => {
  const tokens: Array<{ text: string; start: number; end: number }> = []
  let unit: number | undefined
  for (const value of values) {
    if (!isRecord(value)) return undefined
    const fields = fieldsOf(value)
    const type = fields.get("type")?.value
    if (typeof type === "string" && /^(?:sentence|viseme|ssml|spacing|audio_event)$/u.test(type)) continue
    const text = textIn(fields, 0)
    const span = text === undefined ? undefined : spanIn(fields, typeof type === "string", 0)
    if (text === undefined || span === undefined) continue
    unit ??= span.unit
    tokens.push({ text, start: span.start, end: span.end })
  }
  return tokens.length === 0 ? undefined : { tokens: closed(tokens), unit, fineness: finenessOf(tokens) }
}

/** Reads an object with characters or words in one array and their times in others. */
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

/** Extends tokens without an end to the start of the next one. */
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
