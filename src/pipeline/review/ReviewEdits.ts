/** What a person wishes for a cue, and what that changes about the script. */
import { Effect, Either, ParseResult, Schema } from "effect"
import { type CueOverride, type CueOverrides, overrideName } from "../../domain/manifest/CueOverride.ts"
import { ProviderId, VoiceId } from "../../domain/values/Ids.ts"
import type { Line } from "../../domain/speech/Line.ts"
import { toSeconds } from "../../domain/time/Units.ts"
import type { KnownVoice, ReviewEdit, ReviewEdits } from "../../pages/data/ReviewProtocol.ts"
import type { Batch } from "../load/Job.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import { ReviewFailed } from "./ReviewFailed.ts"

/** A schema that says in words what it expected, whatever is wrong. */
const expecting = <A, I>(schema: Schema.Schema<A, I>, words: string) =>
  schema.annotations({ message: () => ({ message: `expected ${words}`, override: true }) })

const Named = expecting(Schema.NonEmptyTrimmedString, "a name")
const Seconds = expecting(Schema.NonNegative.pipe(Schema.lessThan(360_000)), "seconds, from 0 up")
const mostCharacters = 20_000

/** Wishes as they come over the wire. */
const WishesText = Schema.parseJson(
  Schema.Struct({
    parts: Schema.Record({
      key: Schema.String,
      value: Schema.Struct({
        say: expecting(
          Schema.NonEmptyTrimmedString.pipe(Schema.maxLength(mostCharacters)),
          `words to say, ${mostCharacters} characters at most`
        ),
        provider: Named,
        voice: Named,
        speed: Schema.optionalWith(expecting(Schema.Positive, "a number above 0"), { exact: true }),
        start: Schema.optionalWith(Seconds, { exact: true }),
        end: Schema.optionalWith(Seconds, { exact: true })
      })
    })
  })
)

/** The wishes that a request's body holds, or which of them cannot be met. */
export const parseEdits = (body: string): Either.Either<ReviewEdits, ReviewFailed> =>
  Either.mapBoth(Schema.decodeEither(WishesText)(body), {
    onLeft: (error) => {
      const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
      const [, cue, field] = issue?.path ?? []
      return new ReviewFailed({
        words:
          issue === undefined || cue === undefined || field === undefined
            ? "expected wishes as the review page sends them"
            : `cue ${String(cue)}: ${String(field)}: ${issue.message}`
      })
    },
    onRight: ({ parts }) => parts
  })

/** Changes to single cues; undefined takes one back. */
export type ReviewChanges = Readonly<Record<string, CueOverride | undefined>>

/** Wishes as changes to what the script has; undefined where nothing is wished that it does not have already. */
export const changesOf = Effect.fnUntraced(function* (
  batch: Batch,
  script: JobPlan,
  cue: number,
  wishes: ReviewEdits
) {
  const lines = script.lines.filter((line) => line.cue === cue)
  const text =
    script.script._tag === "Subtitle"
      ? script.script.cues.find(({ index }) => index === cue)?.text
      : script.script.blocks[cue - 1]?.text
  const strange = Object.keys(wishes).filter((name) => !lines.some((line) => overrideName(line) === name))
  const lost = script.words.cues.find((spoken) => spoken.cue === cue && "why" in spoken)
  if (lost !== undefined)
    return yield* new ReviewFailed({
      words: `cue ${cue} cannot be read: correct line ${lost.line} of ${script.job.inputName}, and run the batch again`
    })
  if (strange.length > 0 || lines.length === 0)
    return yield* new ReviewFailed({ words: `nothing is said in cue ${strange[0] ?? cue}` })
  const changes: ReviewChanges = Object.fromEntries(
    lines.flatMap((line) => {
      const wish = wishes[overrideName(line)]
      return wish === undefined
        ? []
        : [[overrideName(line), changeOf(editFrom(line, batch), wish, text)] as const]
    })
  )
  return changes
})

const changeOf = (before: ReviewEdit, wish: ReviewEdit, was: string | undefined): CueOverride | undefined => {
  const moved = wish.provider !== before.provider
  const change: CueOverride = {
    ...(wish.say === before.say ? {} : { say: wish.say }),
    ...(moved ? { provider: ProviderId.make(wish.provider) } : {}),
    ...(moved || wish.voice !== before.voice ? { voice: VoiceId.make(wish.voice) } : {}),
    ...(wish.speed === undefined || wish.speed === (before.speed ?? 1) ? {} : { speed: wish.speed }),
    ...(wish.start === undefined || wish.start === before.start ? {} : { start: wish.start }),
    ...(wish.end === undefined || wish.end === before.end ? {} : { end: wish.end })
  }
  return Object.keys(change).length === 0 ? undefined : { ...(was === undefined ? {} : { was }), ...change }
}

/** What a line is now, as a wish. */
export const editFrom = ({ said, casting, slot }: Line, batch: Batch): ReviewEdit => ({
  say: said,
  provider: casting.provider,
  voice: casting.voice,
  ...(batch.profileOf(casting.provider).controls.speed === undefined ? {} : { speed: casting.speed ?? 1 }),
  ...(slot === undefined ? {} : { start: toSeconds(slot.start), end: toSeconds(slot.end) })
})

/** The voices that lines have, to choose from. */
export const reviewVoices = ({ profileOf }: Batch, lines: ReadonlyArray<Line>): ReadonlyArray<KnownVoice> => {
  const known = new Map(lines.map(({ casting }) => [`${casting.provider}/${casting.voice}`, casting]))
  return [...known.values()].map(({ provider, voice }) => {
    const speeds = profileOf(provider).controls.speed
    return {
      provider,
      voice,
      ...(speeds === undefined ? {} : { speeds: { min: speeds.min, max: speeds.max } })
    }
  })
}

/** Overrides with changes over them. */
export const mergeEdits = (before: CueOverrides, changes: ReviewChanges): CueOverrides => {
  const kept = Object.entries({ ...before, ...changes })
  return Object.fromEntries(
    kept.flatMap(([name, change]) => (change === undefined ? [] : [[name, change] as const]))
  )
}
