/** Vietnamese written out in full. */
import type { Token } from "../Normalise.ts"
import { sayable, spelledNumbers } from "../Sayable.ts"
import type { Word } from "../Words.ts"

export const speakVietnamese = (words: ReadonlyArray<Word>): ReadonlyArray<Token> =>
  words.map(({ gap, original }) => ({ gap, original, spoken: spelledNumbers(sayable(original)) }))
