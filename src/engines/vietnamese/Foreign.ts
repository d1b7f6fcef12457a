/** Which words of a Vietnamese text are English. */
export const englishWords = (words: ReadonlyArray<string>): ReadonlyArray<boolean> => words.map(() => false)
