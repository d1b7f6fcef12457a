/** Words and voices to lines; or every speaker for whom there is no voice. */
import { Either, Schema } from "effect"
import type { Casting } from "../domain/Casting.ts"
import { SpeakerName } from "../domain/Ids.ts"
import { Line } from "../domain/Line.ts"
import type { Overrides } from "./Overrides.ts"
import type { CueWords } from "./Words.ts"

/** A speaker without a voice. */
export class UncastSpeaker extends Schema.Class<UncastSpeaker>("UncastSpeaker")({
  /** Absent for the cues that name nobody. */
  speaker: Schema.optional(SpeakerName),
  /** How many cues wait for this voice. */
  cues: Schema.Positive.pipe(Schema.int())
}) {}

/** A script cannot be spoken: these speakers have no voice, those with most cues first. */
export class Uncast extends Schema.TaggedError<Uncast>()("Uncast", {
  speakers: Schema.NonEmptyArray(UncastSpeaker)
}) {
  override get message(): string {
    const waiting = this.speakers.map(
      ({ speaker, cues }) => `${speaker ?? "cues without a speaker"} (${cues} ${cues === 1 ? "cue" : "cues"})`
    )
    return `no voice for ${waiting.join(", ")}: give each a voice under "speakers", or set "voice" for whoever has none`
  }
}

/** Finds a voice for a speaker, with what the text itself wishes; left where there is none. */
export type CastingOf = (
  speaker: SpeakerName | undefined,
  overrides: Overrides
) => Either.Either<Casting, unknown>

/** Gives each part of a script its voice. The speakers of a file are few and are asked for once each. */
export const castLines = (
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
        onRight: (casting) => lines.push(Line.make({ ...part, casting }))
      })
  }
  const [first, ...others] = Array.from(missing, ([speaker, cues]) =>
    UncastSpeaker.make({ cues: cues.size, ...(speaker === undefined ? {} : { speaker }) })
  ).sort((a, b) => b.cues - a.cues)
  return first === undefined
    ? Either.right(lines)
    : Either.left(Uncast.make({ speakers: [first, ...others] }))
}
