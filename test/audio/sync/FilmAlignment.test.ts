/** Alignment of subtitles with films whose correct times are known: shifts, frame rates, breaks, and other films. */
import { expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { evidenceOf, type TimedSpan } from "../../../src/audio/sync/CueEvidence.ts"
import { alignToFilm } from "../../../src/audio/sync/FilmAlignment.ts"
import { rateFactors } from "../../../src/audio/sync/FrameRatePairs.ts"
import { judgeFit, type SubtitleFit } from "../../../src/audio/sync/SubtitleFit.ts"
import { madeCues, madeTrack } from "./films.ts"

const seeds = FastCheck.integer({ min: 1, max: 10_000 })
const few = { fastCheck: { numRuns: 4 } }

/** Compares a subtitle with a film in which other cues are spoken. */
const fitOf = (film: ReadonlyArray<TimedSpan>, subtitle: ReadonlyArray<TimedSpan>, seed: number) =>
  judgeFit(alignToFilm(evidenceOf(madeTrack(film, seed)), subtitle), subtitle)

/** The cues at times that `rate * time + offset` corrects. */
const lying = (cues: ReadonlyArray<TimedSpan>, rate: number, offset: number): ReadonlyArray<TimedSpan> =>
  cues.map(({ start, end }) => ({ start: (start - offset) / rate, end: (end - offset) / rate }))

/** The largest error of the cues' starts after the correction, in seconds. */
const worst = (
  film: ReadonlyArray<TimedSpan>,
  subtitle: ReadonlyArray<TimedSpan>,
  { rate, pieces }: SubtitleFit
): number =>
  Math.max(
    ...subtitle.map(({ start }, cue) => {
      const piece = pieces.find(({ first, until }) => cue >= first && cue < until)
      return Math.abs(start * rate + (piece?.offset ?? 0) - film[cue]!.start)
    })
  )

it.prop(
  "finds any shift from 0.5 to 60 s to within 80 ms",
  [seeds, FastCheck.double({ min: 0.5, max: 60, noNaN: true }), FastCheck.boolean()],
  ([seed, size, later]) => {
    const film = madeCues(seed, 60)
    const subtitle = lying(film, 1, later ? size : -size)
    const fit = fitOf(film, subtitle, seed)
    expect(fit.verdict).toBe("shifted")
    expect(worst(film, subtitle, fit)).toBeLessThan(0.08)
  },
  few
)

it.prop(
  "finds every pair of frame rates, exactly",
  [
    seeds,
    FastCheck.constantFrom(...rateFactors.slice(1)),
    FastCheck.double({ min: -20, max: 20, noNaN: true })
  ],
  ([seed, rate, offset]) => {
    const film = madeCues(seed, 180)
    const subtitle = lying(film, rate, offset)
    const fit = fitOf(film, subtitle, seed)
    expect([fit.verdict, fit.rate]).toEqual(["rate", rate])
    expect(worst(film, subtitle, fit)).toBeLessThan(0.08)
  },
  few
)

it.prop(
  "finds a break in the film, and where it is",
  [seeds, FastCheck.double({ min: 5, max: 90, noNaN: true }), FastCheck.integer({ min: 20, max: 50 })],
  ([seed, length, place]) => {
    const subtitle = madeCues(seed, 70)
    const film = subtitle.map(({ start, end }, cue) =>
      cue < place ? { start, end } : { start: start + length, end: end + length }
    )
    const fit = fitOf(film, subtitle, seed)
    expect([fit.verdict, fit.pieces.length]).toEqual(["pieces", 2])
    expect(Math.abs(fit.pieces[1]!.first - place)).toBeLessThanOrEqual(1)
    expect(Math.abs(fit.pieces[0]!.offset)).toBeLessThan(0.08)
    expect(Math.abs(fit.pieces[1]!.offset - length)).toBeLessThan(0.08)
  },
  few
)

it.prop(
  "divides a subtitle exactly where it has a break that the film lacks",
  [seeds, FastCheck.double({ min: 8, max: 90, noNaN: true }), FastCheck.integer({ min: 20, max: 50 })],
  ([seed, length, place]) => {
    const film = madeCues(seed, 70)
    const subtitle = film.map(({ start, end }, cue) =>
      cue < place ? { start, end } : { start: start + length, end: end + length }
    )
    expect(fitOf(film, subtitle, seed).pieces.map(({ first }) => first)).toEqual([0, place])
  },
  few
)

it.prop(
  "is certain of pieces of nine cues and more only if they are right",
  [seeds, FastCheck.array(FastCheck.integer({ min: 9, max: 25 }), { minLength: 2, maxLength: 3 })],
  ([seed, counts]) => {
    const subtitle = madeCues(
      seed,
      counts.reduce((sum, count) => sum + count, 20)
    )
    const film = subtitle.map(({ start, end }, cue) => {
      let [until, shift] = [0, 0]
      for (const count of counts) if (cue >= (until += count)) shift += 7.3
      return { start: start + shift, end: end + shift }
    })
    const alignment = alignToFilm(evidenceOf(madeTrack(film, seed)), subtitle)
    const { confidence, pieces } = judgeFit(alignment, subtitle)
    const off = subtitle.filter(({ start }, cue) => {
      const piece = pieces.find(({ first, until }) => cue >= first && cue < until)
      return Math.abs(start + (piece?.offset ?? 0) - film[cue]!.start) > 0.25
    })
    const isCertain = confidence >= 0.9 && (alignment?.doubtful ?? 1) <= 0.05
    expect(isCertain && off.length > 0.05 * subtitle.length).toBe(false)
  },
  few
)

it.prop(
  "leaves a subtitle alone that fits, even if its cues are off by up to 0.2 s each",
  [seeds],
  ([seed]) => {
    const film = madeCues(seed, 60)
    const subtitle = film.map(({ start, end }, cue) => {
      const off = 0.2 * Math.sin(cue * 1.7)
      return { start: start + off, end: end + off }
    })
    expect(fitOf(film, subtitle, seed).verdict).toBe("in-sync")
  },
  few
)

it.prop(
  "is unsure about the subtitle of another film",
  [seeds],
  ([seed]) => {
    expect(fitOf(madeCues(seed, 60), madeCues(seed + 77, 60), seed).verdict).toBe("unsure")
  },
  few
)

it("is unsure about a handful of cues", () => {
  const film = madeCues(3, 60)
  expect(fitOf(film, film.slice(0, 5), 3)).toEqual({
    verdict: "unsure",
    offset: 0,
    rate: 1,
    pieces: [],
    confidence: 0
  })
})
