/** Parses a speech service's transcript (SRT or JSON with times), and finds when each part of our text is spoken. */
import { Either, Schema } from "effect"
import { isNonEmptyReadonlyArray, type NonEmptyReadonlyArray } from "effect/Array"
import { millis, type Millis } from "../domain/time/Units.ts"
import { readSrtVtt } from "./formats/cues/SrtVtt.ts"
import { maxTime } from "./formats/cues/TimingLine.ts"
import { fieldsOf, isRecord, spanIn, textIn, unitOfName } from "./formats/JsonFields.ts"

/** A piece of speech with its time: a character, a word, or a whole segment. */
export interface TranscriptToken {
  readonly text: string
  readonly start: Millis
  readonly end: Millis
}

/**
 * Parses a transcript. SRT gives one token per entry. JSON may be:
 *
 * - our own: `{ "duration": s, "sentences": [{ text, start, end }], "words": [{ text, start, end }] }`
 * - any with arrays of objects that have a text and a time
 * - any with an array of characters next to arrays of their times
 *
 * The finest times are used: those of characters or words rather than of segments. Field names distinguish seconds from
 * milliseconds; without such names, the plausible speech rate decides.
 */
export const parseTranscript = (
  text: string,
  kind: "srt" | "json"
): Either.Either<ReadonlyArray<TranscriptToken>, string> => {
  if (kind === "srt")
    return Either.mapBoth(readSrtVtt(text.replace(/^\ufeff/u, "").replace(/\r\n?/gu, "\n"), "srt"), {
      onLeft: (faults) => `not valid SRT: ${faults[0].expected}`,
      onRight: ({ cues }) =>
        cues
          .filter((cue) => cue.text !== "")
          .map((cue): TranscriptToken => ({ text: cue.text, start: cue.start, end: cue.end }))
    })
  return Either.flatMap(jsonTokens(text), (found) => {
    const tokens = inMillis(found)
    return tokens === undefined ? Either.left("contains impossible times") : Either.right(tokens)
  })
}

/** When a part of the text is spoken. */
export interface HeardPart {
  readonly start: Millis
  readonly end: Millis
  /** Whether both ends are at token edges, not inside a token that several parts share. */
  readonly exact: boolean
}

/**
 * Finds each part of a text in a transcript by aligning letters: words may be spelt differently, missing or added, and
 * numbers written out. A part is undefined if the transcript goes directly from the previous part to the next:
 * providers skip what their voice cannot pronounce. Fails if the transcript is of another text, or has other words
 * instead of a part.
 */
export const alignParts = (
  said: NonEmptyReadonlyArray<string>,
  transcript: ReadonlyArray<TranscriptToken>
): Either.Either<NonEmptyReadonlyArray<HeardPart | undefined>, string> => {
  const ours = lettersOf(said)
  const theirs = lettersOf(transcript.map((token) => token.text))
  if (theirs.letters.length === 0) return Either.left("the transcript has no words")
  const pairs = alignTexts(ours.letters, theirs.letters)
  const same = pairs.reduce(
    (count, theirsAt, i) =>
      theirsAt >= 0 && ours.letters[i] === theirs.letters[theirsAt] ? count + 1 : count,
    0
  )
  if (same < ours.letters.length * minAlike)
    return Either.left(
      `the transcript does not match the text: ${Math.round((100 * same) / Math.max(1, ours.letters.length))} % of the letters agree`
    )
  const parts = partTimes(said.length, ours, theirs, pairs, transcript)
  const lost = parts.findIndex(
    (part, at) => part === undefined && lettersInPlaceOf(at, ours, theirs, pairs) > 0
  )
  if (lost >= 0) return Either.left(`the transcript does not contain "${(said[lost] ?? "").slice(0, 60)}"`)
  return isNonEmptyReadonlyArray(parts) ? Either.right(parts) : Either.left("nothing was said")
}

/** Counts the transcript's letters between the previous part's last aligned letter and the next part's first. */
const lettersInPlaceOf = (part: number, ours: Letters, theirs: Letters, pairs: Int32Array): number => {
  const before = pairs.subarray(0, ours.first[part]).reduce((last, at) => Math.max(last, at), -1)
  const behind = pairs.subarray(ours.first[part + 1]).find((at) => at >= 0)
  return (behind ?? theirs.letters.length) - before - 1
}

/** Least share of letters in common; below, the transcript is of another text. */
const minAlike = 0.5

/**
 * Converts times to whole, non-decreasing milliseconds; undefined if one is impossible. If no field name gives
 * the unit, the speech rate decides: times are seconds if that makes more than one letter per second. Fractional times
 * are also seconds down to one letter in 50 s.
 */
const inMillis = ({ tokens, unit }: FoundTokens): ReadonlyArray<TranscriptToken> | undefined => {
  const last = tokens.reduce((most, token) => Math.max(most, token.end, token.start), 0)
  const letters = tokens.reduce((sum, token) => sum + token.text.length, 0)
  const whole = tokens.every((token) => Number.isInteger(token.start) && Number.isInteger(token.end))
  const rate = letters / last
  const factor = unit ?? (rate > 1 || (!whole && rate > 0.02) ? 1000 : 1)
  if (!tokens.every(({ start, end }) => [start, end].every((time) => isPossible(time * factor))))
    return undefined
  let before = 0
  return tokens.map((token) => {
    const start = Math.max(before, token.start * factor)
    const end = Math.max(start, token.end * factor)
    before = start
    return { text: token.text.trim(), start: millis(start), end: millis(end) }
  })
}

/** Whether milliseconds may be a time in a clip. A few below zero are an encoder's delay. */
const isPossible = (time: number): boolean => time > -50 && time < maxTime

/** Half the band's width in letters: a share of the longer text's length, within these bounds. */
const narrowest = 96
const share = 0.08
const widest = 600

/**
 * Returns for each position of `ours` the aligned position of `theirs`, ascending; -1 if it has no counterpart. Time
 * and memory are proportional to the length times the band's width.
 */
const alignTexts = (ours: string, theirs: string): Int32Array => {
  const [n, m] = [ours.length, theirs.length]
  const pairs = new Int32Array(n).fill(-1)
  if (n === 0 || m === 0) return pairs
  const band = Math.min(widest, Math.max(narrowest, Math.round(Math.max(n, m) * share)))
  const width = 2 * band + 1
  const slope = m / n
  const from = (i: number): number => Math.round(i * slope) - band
  const steps = new Uint8Array((n + 1) * width)
  let before = new Float64Array(width).fill(Infinity)
  let now = new Float64Array(width).fill(Infinity)
  for (let i = 0; i <= n; i++) {
    const start = from(i)
    const shift = i === 0 ? 0 : start - from(i - 1)
    now.fill(Infinity)
    for (let k = 0; k < width; k++) {
      const j = start + k
      if (j < 0 || j > m) continue
      if (i === 0 && j === 0) {
        now[k] = 0
        continue
      }
      const beside =
        i > 0 && j > 0 ? (before[k + shift - 1] ?? Infinity) + cost(ours, i - 1, theirs, j - 1) : Infinity
      const alone = i > 0 ? (before[k + shift] ?? Infinity) + 1 : Infinity
      const added = j > 0 && k > 0 ? (now[k - 1] ?? Infinity) + 1 : Infinity
      const least = Math.min(beside, alone, added)
      now[k] = least
      steps[i * width + k] = least === beside ? step.beside : least === alone ? step.alone : step.added
    }
    ;[before, now] = [now, before]
  }
  let i = n
  let j = m
  while (i > 0 && j > 0) {
    const k = j - from(i)
    const reached = k < 0 || k >= width ? step.alone : (steps[i * width + k] ?? step.alone)
    if (reached === step.beside) {
      pairs[i - 1] = j - 1
      i--
      j--
    } else if (reached === step.alone) i--
    else j--
  }
  return pairs
}

/** How a cell of the table was reached: both letters aligned, one of `ours` skipped, or one of `theirs` skipped. */
const step = { beside: 1, alone: 2, added: 3 } as const

/** A substitution costs 1.6, a little less than a deletion plus an insertion (2). */
const cost = (ours: string, i: number, theirs: string, j: number): number =>
  ours.charCodeAt(i) === theirs.charCodeAt(j) ? 0 : 1.6

/** Texts concatenated into one string of letters. */
interface Letters {
  /** Letters and digits in lower case, without diacritics; one per UTF-16 unit. */
  readonly letters: string
  /** For each letter, the index of its text. */
  readonly owner: Int32Array
  /** For each text, the position of its first letter; then the total. */
  readonly first: Int32Array
}

/** Extracts the letters and digits of texts, ignoring case and diacritics. */
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

/** Returns each part's time: that of the tokens aligned with it. A shared token is split in proportion to letters. */
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
  const nearest = nearestParts(shares, tokens)
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
    const part = nearest[i]
    if (part !== undefined) extend(part, token.start, token.end, true)
  })
  return Array.from(parts, (part) =>
    part === undefined
      ? undefined
      : { start: millis(part.start), end: millis(Math.max(part.start, part.end)), exact: part.exact }
  )
}

/** Returns, for each token without an aligned letter, the part to use: that of the neighbour closer in time. */
const nearestParts = (
  shares: ReadonlyArray<ReadonlyArray<{ part: number }>>,
  tokens: ReadonlyArray<TranscriptToken>
): ReadonlyArray<number | undefined> => {
  const before: Array<number | undefined> = []
  let last: number | undefined
  for (const share of shares) {
    before.push(last)
    last = share.at(-1)?.part ?? last
  }
  const nearest = new Array<number | undefined>(shares.length)
  let next: number | undefined
  for (let at = shares.length - 1; at >= 0; at--) {
    const gapBefore = (tokens[at]?.start ?? 0) - (tokens[at - 1]?.end ?? 0)
    const gapBehind = (tokens[at + 1]?.start ?? 0) - (tokens[at]?.end ?? 0)
    const known = before[at]
    nearest[at] =
      known === undefined || next === undefined ? (known ?? next) : gapBehind < gapBefore ? next : known
    next = shares[at]?.[0]?.part ?? next
  }
  return nearest
}

/** Returns the parts that contain a token's letters, in order. A few stray letters do not make a token shared. */
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

/** Tokens with times in their original unit. */
interface FoundTokens {
  readonly tokens: ReadonlyArray<{ readonly text: string; readonly start: number; readonly end: number }>
  /** Milliseconds per unit of the times; undefined if the field names do not give it. */
  readonly unit: number | undefined
  /** Granularity: 3 for characters, 2 for words, 1 for anything longer. */
  readonly fineness: number
}

/** Returns the finest tokens in JSON or JSON Lines; fails if the text is not JSON or contains no words with times. */
const jsonTokens = (text: string): Either.Either<FoundTokens, string> =>
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
  const columns = Object.entries(value)
  const [text = []] = columns.flatMap(([key, column]) =>
    /^(?:characters|chars|words|tokens|texts)$/u.test(key) && isStrings(column) ? [column] : []
  )
  const numbers = (name: RegExp) =>
    columns.flatMap(([key, column]) => (name.test(key) && isNumbers(column) ? [{ key, column }] : []))[0]
  const [starts, ends, lengths] = [/start/iu, /end/iu, /dur|length/iu].map(numbers)
  if (text.length === 0 || starts === undefined || starts.column.length < text.length) return undefined
  const tokens = text.map((word, i) => {
    const start = starts.column[i] ?? 0
    return { text: word, start, end: ends?.column[i] ?? start + (lengths?.column[i] ?? 0) }
  })
  return { tokens: closed(tokens), unit: unitOfName(starts.key), fineness: finenessOf(tokens) }
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

const isStrings = Schema.is(Schema.Array(Schema.String))
const isNumbers = Schema.is(Schema.NonEmptyArray(Schema.Number))
