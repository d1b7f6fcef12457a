/** Drops cues that end before the film starts, or start after its end: they are not sent. */
import { Either } from "effect"
import type { Script } from "../../domain/speech/Cue.ts"
import type { Millis } from "../../domain/time/Units.ts"
import { behindFilm, type Words } from "./CueWords.ts"

/** A film and the rules at its end. */
export interface FilmEnd {
  /** The film's path as the user wrote it. */
  readonly name: string
  readonly length: Millis
  /** How far before its cue a line may start. */
  readonly early: Millis
  /** Whether the job is delivered without the dropped cues (`onFailure: silence`). */
  readonly silently: boolean
}

/** The words that fit the film. */
export interface Filmed {
  readonly words: Words
  /** A notice about the dropped cues; undefined if none were dropped. */
  readonly notice: string | undefined
}

/**
 * Skips the cues that end before the film starts. Only cues of `moved`, whose times differ from those of the file, can
 * do so. Fails with the reason if no cue with words is left.
 */
export const cutAtFilmStart = (
  script: Script,
  words: Words,
  moved: ReadonlyMap<number, unknown>
): Either.Either<Filmed, string> => {
  const gone = new Set(
    script._tag === "Narration"
      ? []
      : script.cues.flatMap(({ index, end }) => (end === 0 && moved.has(index) ? [index] : []))
  )
  const wordy = words.cues.filter((cue) => "parts" in cue)
  const before = wordy.filter(({ cue }) => gone.has(cue))
  const last = before.at(-1)
  if (last === undefined) return Either.right({ words, notice: undefined })
  const end = "end before the film starts when their times are changed"
  if (before.length === wordy.length)
    return Either.left(`all cues with words ${end}; check shift, rate and sync`)
  return Either.right({
    words: skipping(words, ({ cue }) => gone.has(cue), "before-film"),
    notice: `${before.length} of ${wordy.length} cues, up to cue ${last.cue}, ${end} and are not spoken`
  })
}

/**
 * Drops the cues that could only start after the end of the film. A narration has no times and stays as it is. Fails
 * with the reason if no cue with words is left.
 */
export const cutAtFilmEnd = (
  script: Script,
  words: Words,
  { name, length, early, silently }: FilmEnd
): Either.Either<Filmed, string> => {
  if (script._tag === "Narration") return Either.right({ words, notice: undefined })
  const starts = new Map(script.cues.map(({ index, start }) => [index, start]))
  const isBehind = ({ cue }: { readonly cue: number }) => (starts.get(cue) ?? 0) >= length + early
  const wordy = words.cues.filter((cue) => "parts" in cue)
  const behind = wordy.filter(isBehind)
  const [first] = behind
  if (first === undefined) return Either.right({ words, notice: undefined })
  const last = script.cues.reduce((end, cue) => Math.max(end, cue.end), 0)
  const lengths = `${name} lasts ${clock(length)}, the subtitle ${clock(last)}`
  const from = `cue ${first.cue} (${clock(starts.get(first.cue) ?? 0)})`
  if (behind.length === wordy.length)
    return Either.left(
      `${lengths}: all cues with words start after the end of the film, the first is ${from}; set start if the file's times begin at another hour`
    )
  return Either.right({
    words: skipping(words, isBehind, behindFilm),
    notice: `${lengths}: ${behind.length} of ${wordy.length} cues, from ${from} on, start after the end of the film and are not spoken; the job ${silently ? "is delivered without them" : "fails unless a cue sheet excludes them or onFailure is silence"}`
  })
}

/** Skips the cues with words that `isGone` tells. */
const skipping = (
  words: Words,
  isGone: (cue: { readonly cue: number }) => boolean,
  skipped: "before-film" | typeof behindFilm
): Words => ({
  ...words,
  cues: words.cues.map((cue) =>
    "parts" in cue && isGone(cue) ? { cue: cue.cue, line: cue.line, skipped } : cue
  )
})

/** Formats a time as `0:01:10.5`: hours, minutes, and seconds to a tenth. */
const clock = (position: number): string => {
  const tenths = Math.round(position / 100)
  const [minutes, seconds] = [Math.floor(tenths / 600), (tenths % 600) / 10]
  return `${Math.floor(minutes / 60)}:${`${minutes % 60}`.padStart(2, "0")}:${seconds.toFixed(1).padStart(4, "0")}`
}
