/** Which of a sentence's phones belong to which word, by laying them against the words' own phones. */
import type { Span } from "./EngineProtocol.ts"

/** A phone as spoken, in milliseconds. */
export interface TimedPhone {
  readonly phone: string
  readonly start: number
  readonly end: number
}

/** The phone of silence. */
const pause = "pau"

/**
 * When each word is heard, given the phones spoken and each word's phones when it is listed alone. In a sentence some
 * phones change ("the" before a vowel, "a", a swallowed "t"), so the cheapest alignment is taken: equal phones cost
 * nothing, a vowel for another vowel little, a phone added or dropped more. A word of which nothing is left has null.
 */
export const alignPhones = (
  spoken: ReadonlyArray<TimedPhone>,
  words: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<Span | null> => {
  const heard = spoken.filter(({ phone }) => phone !== pause)
  const expected = words.flatMap((phones, word) => phones.map((phone) => ({ phone, word })))
  const steps = cheapest(
    heard.map(({ phone }) => phone),
    expected.map(({ phone }) => phone)
  )
  const spans: Array<Span | null> = words.map(() => null)
  for (const [at, toward] of steps) {
    const sound = heard[at]
    const word = expected[toward]?.word
    if (sound === undefined || word === undefined) continue
    const span = spans[word]
    spans[word] = { start: span?.start ?? sound.start, end: sound.end }
  }
  return spans
}

/** Pairs of positions, one for each heard phone: the expected phone that it stands for, or is nearest to. */
const cheapest = (
  heard: ReadonlyArray<string>,
  expected: ReadonlyArray<string>
): ReadonlyArray<readonly [number, number]> => {
  const width = expected.length + 1
  const costs = new Float64Array((heard.length + 1) * width)
  const cost = (row: number, column: number): number => costs[row * width + column] ?? Infinity
  for (let row = 0; row <= heard.length; row++) {
    for (let column = 0; column <= expected.length; column++) {
      if (row === 0 || column === 0) costs[row * width + column] = row + column
      else {
        costs[row * width + column] = Math.min(
          cost(row - 1, column - 1) + difference(heard[row - 1], expected[column - 1]),
          cost(row - 1, column) + 1,
          cost(row, column - 1) + 1
        )
      }
    }
  }
  const pairs: Array<readonly [number, number]> = []
  let row = heard.length
  let column = expected.length
  while (row > 0) {
    const here = cost(row, column)
    const paired =
      column > 0 && here === cost(row - 1, column - 1) + difference(heard[row - 1], expected[column - 1])
    if (paired) pairs.push([--row, --column])
    else if (column > 0 && here === cost(row, column - 1) + 1) column--
    // A phone that was added belongs with what stands before it.
    else pairs.push([--row, Math.max(0, column - 1)])
  }
  return pairs.reverse()
}

const difference = (one: string | undefined, other: string | undefined): number => {
  if (one === other) return 0
  if (one === undefined || other === undefined) return 2
  return isVowel(one) === isVowel(other) ? (isVowel(one) ? 0.5 : 0.9) : 1.8
}

const isVowel = (phone: string): boolean => /^[aeiou]/u.test(phone)
