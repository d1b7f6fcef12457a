/** Numbers that a translator or an export wrote before each text: `#1: Hello`. They are no speech. */

const numbering = /^\s*(#\s?)?[[(]?(\d{1,5})(?:\s*[\]):.：–—-]{1,2}(?!\d)|(?=\n))\s*/u

/** Number of texts from which numbers without a `#` are numbering, if nearly all texts have one. */
const enough = 3

/** Removes the numbers if they count the texts: each has its own number, or its position. */
export const withoutNumbering = (
  texts: ReadonlyArray<string>,
  numbers: ReadonlyArray<number>
): ReadonlyArray<string> => {
  const found = texts.map((text) => numbering.exec(text))
  const counts = (match: RegExpExecArray | null, i: number): boolean =>
    match !== null && (Number(match[2]) === numbers[i] || Number(match[2]) === i + 1)
  const hashed = found.flatMap((match, i) => (match?.[1] === undefined ? [] : [counts(match, i)]))
  const plain = found.filter(counts).length
  return (hashed.length > 0 && hashed.every((right) => right)) ||
    (plain >= enough && plain >= 0.8 * texts.length)
    ? texts.map((text, i) => (counts(found[i] ?? null, i) ? text.replace(numbering, "") : text))
    : texts
}
