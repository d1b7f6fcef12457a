/** A film that ends before its subtitle does: what lies behind its end is neither said nor paid for. */
import { Either } from "effect"
import type { Script } from "../../domain/speech/Cue.ts"
import type { Millis } from "../../domain/time/Units.ts"
import { behindFilm, type Words } from "./CueWords.ts"

/** A film's length, and how far before its cue a line may begin; both in milliseconds. */
export interface FilmEnd {
  /** As its user named it. */
  readonly name: string
  readonly length: Millis
  readonly early: Millis
  /** Whether a job is delivered without lines that are not heard. */
  readonly silently: boolean
}

/** What a film is long enough for. */
export interface Filmed {
  readonly words: Words
  /** What is left out, in words; undefined where nothing is. */
  readonly notice: string | undefined
}

/**
 * A subtitle's words without those of cues that could begin only after the film has ended; a narration, which has no
 * times, as it is. Left, where no cue that has something to say is within the film: why.
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
    return Either.left(`${lengths}: nothing is said before the film has ended, and first in ${from}`)
  return Either.right({
    words: {
      ...words,
      cues: words.cues.map((cue) =>
        "parts" in cue && isBehind(cue) ? { cue: cue.cue, line: cue.line, skipped: behindFilm } : cue
      )
    },
    notice: `${lengths}: ${behind.length} of ${wordy.length} cues, from ${from} on, start when the film has ended and are not spoken; the job ${silently ? "is delivered without them" : "fails for it, unless a sheet leaves them out or onFailure is silence"}`
  })
}

/** A time as `0:01:10.5`: hours, minutes, and seconds to the tenth. */
const clock = (position: number): string => {
  const tenths = Math.round(position / 100)
  const [minutes, seconds] = [Math.floor(tenths / 600), (tenths % 600) / 10]
  return `${Math.floor(minutes / 60)}:${`${minutes % 60}`.padStart(2, "0")}:${seconds.toFixed(1).padStart(4, "0")}`
}
