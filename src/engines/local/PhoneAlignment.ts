/** Aligns a sentence's spoken phones with each word's own phones, to find the words' times. */
import type { Span } from "./EngineProtocol.ts"

/** A phone as spoken, in milliseconds. */
export interface TimedPhone {
  readonly phone: string
  readonly start: number
  readonly end: number
}

/** Flite's phone for silence. */
const pause = "pau"

/**
 * Returns each word's time, given the spoken phones and each word's phones in isolation. Some phones change within a
 * sentence ("the" before a vowel, "a", a dropped "t"), so this takes the cheapest alignment. Equal phones cost nothing,
 * a vowel for another vowel little, an added or dropped phone more. A word without any phones has null.
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

/** Returns a pair of indexes per heard phone: its own, and that of the expected phone it matches or follows. */
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
    // An added phone belongs to the expected phone before it.
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
