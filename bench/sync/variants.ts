/** Wrong subtitles: each is a fitting one that was changed in a known way. */
import type { FilmCue } from "./films.ts"
import { randomOf } from "./random.ts"

/** The change that was made to a subtitle. */
export type Lie = "untouched" | "shift" | "rate" | "cuts"

/** A cue of a changed subtitle. */
export interface LyingCue {
  readonly start: number
  readonly end: number
  /** Its correct times; absent for a cue whose scene is not in the film. */
  readonly truth: { readonly start: number; readonly end: number } | undefined
}

/** A changed subtitle. */
export interface Variant {
  readonly lie: Lie
  readonly name: string
  readonly cues: ReadonlyArray<LyingCue>
  /** The factor and offset that undo a shift or a rate. */
  readonly rate: number
  readonly offset: number
  readonly cuts: number
}

const frameRates = [24_000 / 1001, 24, 25, 30_000 / 1001, 30] as const

/** The same cues at times `(t - offset) / rate`, so that `t = rate * time + offset`. */
const changed = (
  cues: ReadonlyArray<FilmCue>,
  lie: Lie,
  name: string,
  rate: number,
  offset: number
): Variant => ({
  lie,
  name,
  rate,
  offset,
  cuts: 0,
  cues: cues.map(({ start, end }) => ({
    start: (start - offset) / rate,
    end: (end - offset) / rate,
    truth: { start, end }
  }))
})

/** All pairs of different frame rates, as factors. */
export const ratePairs: ReadonlyArray<{ readonly name: string; readonly factor: number }> =
  frameRates.flatMap((made) =>
    frameRates.flatMap((film) =>
      made === film ? [] : [{ name: `${made.toFixed(3)}→${film.toFixed(3)}`, factor: made / film }]
    )
  )

/** Shifts in seconds. */
export const shifts = [0.3, -0.3, 0.5, -0.5, 0.8, -1.2, 2, -3.5, 7, -12, 20, -33, 45, -60, 60] as const

/** Every variant of a film's subtitle that the benchmark may use. `foreign` are cues of another film. */
export const variantsOf = (
  cues: ReadonlyArray<FilmCue>,
  foreign: ReadonlyArray<FilmCue>,
  seed: number
): ReadonlyArray<Variant> => {
  const random = randomOf(seed * 31 + 5)
  return [
    changed(cues, "untouched", "untouched", 1, 0),
    ...shifts.map((shift) => changed(cues, "shift", `${shift} s`, 1, shift)),
    ...ratePairs.map(({ name, factor }, k) =>
      changed(cues, "rate", name, factor, [0, 0, 1.7, -4.2][k % 4] ?? 0)
    ),
    ...[1, 2, 3].flatMap((count) => [cut(cues, foreign, count, random), cut(cues, foreign, count, random)])
  ]
}

/**
 * Cuts a subtitle in some places. From each place on, the subtitle is that of a film with an added break, which may
 * have cues (taken from another film), or of a film without one scene, whose cues are missing.
 */
const cut = (
  cues: ReadonlyArray<FilmCue>,
  foreign: ReadonlyArray<FilmCue>,
  count: number,
  random: () => number
): Variant => {
  const seconds = cues.at(-1)!.end
  const places = Array.from({ length: count }, (_, k) => ((k + 0.7 + 0.6 * random()) / (count + 1)) * seconds)
  let result: Array<LyingCue> = cues.map(({ start, end }) => ({ start, end, truth: { start, end } }))
  for (const place of places) {
    const length = 4 + 36 * random()
    const kind = random()
    const at = (cue: LyingCue) => cue.truth?.start ?? -1
    if (kind < 0.5) {
      // The subtitle's film has a break here; with `kind` below 0.25, words are spoken in it.
      const extra = foreign
        .filter(({ start, end }) => start >= 20 && end < 20 + length)
        .map(({ start, end }) => ({ start: start - 20, end: end - 20 }))
      const first = result.findIndex((cue) => at(cue) >= place)
      if (first <= 0) continue
      const base = result[first - 1]!.end + 0.5
      const shift = length + 0.5
      result = [
        ...result.slice(0, first),
        ...(kind < 0.25
          ? extra.map(({ start, end }) => ({ start: base + start, end: base + end, truth: undefined }))
          : []),
        ...result.slice(first).map((cue) => ({ ...cue, start: cue.start + shift, end: cue.end + shift }))
      ]
    } else {
      // The subtitle's film lacks this scene.
      result = result
        .filter((cue) => at(cue) < place || at(cue) >= place + length)
        .map((cue) => (at(cue) < place ? cue : { ...cue, start: cue.start - length, end: cue.end - length }))
    }
  }
  result.sort((a, b) => a.start - b.start)
  return {
    lie: "cuts",
    name: `${count} cut${count === 1 ? "" : "s"}`,
    cues: result,
    rate: 1,
    offset: 0,
    cuts: count
  }
}
