/** Assigns a voice to each part of a script; lists every speaker without a voice. */
import { Either, Schema } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import { SpeakerName } from "../../domain/values/Ids.ts"
import { Line } from "../../domain/speech/Line.ts"
import type { InlineDirectives } from "../markup/InlineDirectives.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import type { CueWords } from "./CueWords.ts"

/** A speaker and the number of its cues. */
export class SpeakerCues extends Schema.Class<SpeakerCues>("SpeakerCues")({
  /** Absent for cues without a speaker. */
  speaker: Schema.optional(SpeakerName),
  /** Number of cues. */
  cues: Schema.Positive.pipe(Schema.int())
}) {}

/** A script cannot be spoken: these speakers have no voice; most cues first. */
class Uncast extends Schema.TaggedError<Uncast>()("Uncast", {
  speakers: Schema.NonEmptyArray(SpeakerCues)
}) {
  override get message(): string {
    const waiting = this.speakers.map(
      ({ speaker, cues }) => `${speaker ?? "cues without a speaker"} (${cues} ${cues === 1 ? "cue" : "cues"})`
    )
    return `no voice for ${waiting.join(", ")}; give each a voice under "speakers", or set "voice" as the default`
  }
}

/** Finds the casting of a speaker, given the line's own overrides; fails if there is no voice. */
export type CastingOf = (
  speaker: SpeakerName | undefined,
  overrides: InlineDirectives
) => Either.Either<Casting, unknown>

/** Assigns each part its casting. Calls `castingOf` once per speaker, plus once per part with overrides. */
export const assignVoices = (
  words: ReadonlyArray<CueWords>,
  castingOf: CastingOf
): Either.Either<ReadonlyArray<Line>, Uncast> => {
  const lines: Array<Line> = []
  const missing = new Map<SpeakerName | undefined, Set<number>>()
  const cast = new Map<SpeakerName | undefined, Either.Either<Casting, unknown>>()
  const plain = (speaker: SpeakerName | undefined): Either.Either<Casting, unknown> => {
    const known = cast.get(speaker) ?? castingOf(speaker, {})
    cast.set(speaker, known)
    return known
  }
  for (const cue of words) {
    if ("skipped" in cue) continue
    for (const { overrides, ...part } of cue.parts)
      Either.match(overrides === undefined ? plain(part.speaker) : castingOf(part.speaker, overrides), {
        onLeft: () => {
          const cues = missing.get(part.speaker) ?? new Set()
          missing.set(part.speaker, cues.add(part.cue))
        },
        onRight: (casting) => lines.push(Line.make({ ...part, casting }, skipValidation))
      })
  }
  const [first, ...others] = counted(missing)
  return first === undefined
    ? Either.right(lines)
    : Either.left(Uncast.make({ speakers: [first, ...others] }))
}

/** Returns the speakers of a script with their number of cues, most first: the speakers that need a voice. */
export const speakersOf = (words: ReadonlyArray<CueWords>): ReadonlyArray<SpeakerCues> => {
  const cues = new Map<SpeakerName | undefined, Set<number>>()
  for (const cue of words)
    if ("parts" in cue)
      for (const part of cue.parts)
        cues.set(part.speaker, (cues.get(part.speaker) ?? new Set()).add(part.cue))
  return counted(cues)
}

const counted = (
  cues: ReadonlyMap<SpeakerName | undefined, ReadonlySet<number>>
): ReadonlyArray<SpeakerCues> =>
  Array.from(cues, ([speaker, indexes]) =>
    SpeakerCues.make({ cues: indexes.size, ...(speaker === undefined ? {} : { speaker }) })
  ).sort((a, b) => b.cues - a.cues)
