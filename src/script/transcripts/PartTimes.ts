/** Derives when each part of a text is spoken, from letters aligned with a transcript's timed tokens. */
import { type Millis, millis } from "../../domain/time/Units.ts"

/** The time of a transcript token. */
export interface TimedToken {
  readonly start: Millis
  readonly end: Millis
}

/** When a part is spoken, and whether both ends are at token edges. */
export interface PartTime extends TimedToken {
  readonly exact: boolean
}

/** Texts concatenated into one string of letters. */
export interface Letters {
  /** Letters and digits in lower case, without diacritics; one per UTF-16 unit. */
  readonly letters: string
  /** For each letter, the index of its text. */
  readonly owner: Int32Array
  /** For each text, the position of its first letter; then the total. */
  readonly first: Int32Array
}

/** Extracts the letters and digits of texts, ignoring case and diacritics. */
export const lettersOf = (texts: ReadonlyArray<string>): Letters => {
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
export const partTimes = (
  count: number,
  ours: Letters,
  theirs: Letters,
  pairs: Int32Array,
  tokens: ReadonlyArray<TimedToken>
): ReadonlyArray<PartTime | undefined> => {
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
  tokens: ReadonlyArray<TimedToken>
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
