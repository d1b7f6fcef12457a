/** Reads texts by their characters: a season has millions of characters, but few different ones. */

/** Calls `visit` with each code point of a text. */
export const forEachPoint = (text: string, visit: (point: number) => void): void => {
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at) ?? 0
    visit(point)
    if (point > 0xffff) at++
  }
}

const unknown = -0x8000

/**
 * Returns a function of code points that calls `of` once for each character of the basic plane. Numbers must be above
 * -32,768 and below 32,768.
 */
export const characterTable = (of: (character: string) => number): ((point: number) => number) => {
  const known = new Int16Array(0x10000).fill(unknown)
  return (point) => {
    const before = known[point] ?? unknown
    if (before !== unknown) return before
    const found = of(String.fromCodePoint(point))
    known[point] = found
    return found
  }
}
