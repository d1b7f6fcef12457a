/** Thousands of different sentences of a few words. */

const parts = [
  ["The captain", "Nobody", "My sister", "The old man", "Anna", "The ferry", "Her brother", "A stranger"],
  ["saw", "heard", "passed", "found", "left", "knew", "forgot", "painted"],
  [
    "the bridge",
    "the lamps",
    "a blue jug",
    "the harbour",
    "that letter",
    "the mill",
    "seven boats",
    "the gate"
  ],
  ["before six", "on Thursday", "in the rain", "by the river", "this morning", "without a word", "at night"]
] as const

/** The sentence of a number; those below 3,584 differ. */
export const sentenceAt = (number: number): string => {
  let rest = number
  const words = parts.map((choices) => {
    const word = choices[rest % choices.length]
    rest = Math.floor(rest / choices.length)
    return word
  })
  return `${words.join(" ")}.`
}
