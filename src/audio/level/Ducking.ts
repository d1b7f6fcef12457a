/** How far another sound is lowered while someone speaks, as a gain for each millisecond. */
import { type Millis, millis } from "../../domain/time/Units.ts"

/** How far a sound is lowered, and how gently. */
export interface Duck {
  /** Decibels by which it is lowered while someone speaks: 1 to 40. */
  readonly amount: number
  /** How long it takes to fade down, before the voice begins, and up again, after it has ended: 1 ms to 3 s. */
  readonly fade: Millis
}

/** Ducking that suits speech over music and effects. */
export const usualDuck: Duck = { amount: 12, fade: millis(300) }

/** From when to when someone speaks. */
export interface SpokenSpan {
  readonly start: Millis
  readonly end: Millis
}

/**
 * How long a sound is up at least before it is lowered again, in milliseconds: a shorter swell would be heard as
 * pumping.
 */
const leastUp = 400

/**
 * The gains of the milliseconds from `from` up to, not including, `to`, block by block. They fall and rise evenly in
 * decibels, and stay down in pauses that are too short to fade up, be up and fade down again.
 */
export function* gainsUnder(
  spoken: ReadonlyArray<SpokenSpan>,
  duck: Duck,
  { from, to }: { readonly from: number; readonly to: number }
): Generator<Float32Array> {
  const passages = passagesOf(spoken, 2 * duck.fade + leastUp)
  for (let at = from; at < to; at += blockLength) {
    const gains = new Float32Array(Math.min(blockLength, to - at)).fill(1)
    for (const passage of passages) lower(gains, at, passage, duck)
    yield gains
  }
}

const blockLength = 65_536

/** What is spoken with only short pauses between, in order. */
const passagesOf = (spoken: ReadonlyArray<SpokenSpan>, pause: number): ReadonlyArray<SpokenSpan> => {
  const passages: Array<SpokenSpan> = []
  for (const { start, end } of [...spoken].sort((one, other) => one.start - other.start)) {
    const last = passages.at(-1)
    if (last === undefined || start - last.end >= pause) passages.push({ start, end })
    else if (end > last.end) passages[passages.length - 1] = { start: last.start, end }
  }
  return passages
}

const lower = (
  gains: Float32Array,
  from: number,
  { start, end }: SpokenSpan,
  { amount, fade }: Duck
): void => {
  const last = Math.min(from + gains.length, end + fade)
  for (let at = Math.max(from, start - fade); at < last; at++) {
    const away = Math.max(start - at, at - end, 0)
    gains[at - from] = 10 ** ((amount * (away / fade - 1)) / 20)
  }
}
