/** Ducking: a gain per millisecond that lowers background sound under speech. */
import type { Millis } from "../../domain/time/Units.ts"

/** How far the background is lowered, and how gradually. */
export interface Duck {
  /** Reduction under speech, in decibels: 1 to 40. */
  readonly amount: number
  /** Duration of the fade-out before speech: 1 ms to 3 s. */
  readonly attack: Millis
  /** Duration of the fade-in after speech: 1 ms to 3 s. */
  readonly release: Millis
}

/** A span of time in which someone speaks. */
export interface SpokenSpan {
  readonly start: Millis
  readonly end: Millis
}

/** Shortest time at full level between two fades, in milliseconds; shorter swells would sound like pumping. */
const minUp = 400

/**
 * Yields the gains for the milliseconds in [from, to), block by block. Gains fall and rise along a half cosine in
 * decibels, without corners. They stay down in pauses too short for a fade-in, `minUp`, and a fade-out.
 */
export function* gainsUnder(
  spoken: ReadonlyArray<SpokenSpan>,
  duck: Duck,
  { from, to }: { readonly from: number; readonly to: number }
): Generator<Float32Array> {
  const passages = passagesOf(spoken, duck.release + minUp + duck.attack)
  for (let at = from; at < to; at += blockLength) {
    const gains = new Float32Array(Math.min(blockLength, to - at)).fill(1)
    for (const passage of passages) lower(gains, at, passage, duck)
    yield gains
  }
}

const blockLength = 65_536

/** Merges spans separated by less than `pause` milliseconds; returns them in order. */
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
  { amount, attack, release }: Duck
): void => {
  const last = Math.min(from + gains.length, end + release)
  for (let at = Math.max(from, start - attack); at < last; at++) {
    const away = Math.max((start - at) / attack, (at - end) / release, 0)
    gains[at - from] = 10 ** ((-amount * (1 + Math.cos(Math.PI * away))) / 40)
  }
}
