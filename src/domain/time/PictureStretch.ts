/** Stretches of a film in which its picture gives way to longer speech: it is held, or runs slower. */
import { type Millis, millis } from "./Units.ts"

/** One stretch. A held picture has the same `from` and `to`: the last frame before it stays. */
export interface PictureStretch {
  /** The cue that needs the time. */
  readonly cue: number
  /** The stretch in the film's own time, on whole video frames; `to` is exclusive. */
  readonly from: Millis
  readonly to: Millis
  /** How much longer it lasts. */
  readonly added: Millis
}

/** Returns where a time of the film is in the lengthened one. It never decreases as time goes on. */
export const lengthenedTime = (stretches: ReadonlyArray<PictureStretch>, time: number): Millis =>
  millis(
    stretches.reduce(
      (sum, { from, to, added }) =>
        sum + (time >= to ? added : time <= from ? 0 : Math.round((added * (time - from)) / (to - from))),
      time
    )
  )

/** Returns how much longer the film becomes. */
export const addedTime = (stretches: ReadonlyArray<PictureStretch>): Millis =>
  millis(stretches.reduce((sum, { added }) => sum + added, 0))

/** A pause in the film's own sound. */
export interface SoundPause {
  /** The film's own time at which it begins. */
  readonly at: Millis
  readonly length: Millis
}

/**
 * Returns the pauses of the film's own sound, in order. It stays as it is up to the end of a stretch, and pauses until
 * the picture has caught up.
 */
export const soundPauses = (stretches: ReadonlyArray<PictureStretch>): ReadonlyArray<SoundPause> => {
  const lengths = new Map<Millis, Millis>()
  for (const { to, added } of stretches) lengths.set(to, millis((lengths.get(to) ?? 0) + added))
  return [...lengths].map(([at, length]) => ({ at, length })).sort((a, b) => a.at - b.at)
}
