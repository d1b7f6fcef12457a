/** Parses edits from the review page, and turns them into overrides of cues. */
import { Effect, Either, ParseResult, Schema } from "effect"
import { type CueOverride, type CueOverrides, overrideName } from "../../domain/manifest/CueOverride.ts"
import { ProviderId, VoiceId } from "../../domain/values/Ids.ts"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { Line } from "../../domain/speech/Line.ts"
import { toSeconds } from "../../domain/time/Units.ts"
import type { KnownVoice, ReviewEdit, ReviewEdits } from "../../pages/data/ReviewProtocol.ts"
import type { Batch } from "../load/Job.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import { type ReviewFailed, reviewFailed } from "./ReviewFailed.ts"

/** Gives a schema one message for every fault. */
const expecting = <A, I>(schema: Schema.Schema<A, I>, words: string) =>
  schema.annotations({ message: () => ({ message: `expected ${words}`, override: true }) })

const Named = expecting(Schema.NonEmptyTrimmedString, "a name")
const Seconds = expecting(
  Schema.NonNegative.pipe(Schema.lessThan(360_000)),
  "seconds, 0 or more and below 360000"
)
const maxCharacters = 20_000

/** Edits by line name. */
export const EditsSchema = Schema.Record({
  key: Schema.String,
  value: Schema.Struct({
    say: expecting(
      Schema.NonEmptyTrimmedString.pipe(Schema.maxLength(maxCharacters)),
      `text to speak, at most ${maxCharacters} characters`
    ),
    provider: Named,
    voice: Named,
    speed: Schema.optionalWith(expecting(Schema.Positive, "a number above 0"), { exact: true }),
    start: Schema.optionalWith(Seconds, { exact: true }),
    end: Schema.optionalWith(Seconds, { exact: true })
  })
})

/** The request body of the review page's edits. */
const WishesText = Schema.parseJson(Schema.Struct({ parts: EditsSchema }))

/** Parses edits from a request body. Left: the first invalid field. */
export const parseEdits = (body: string): Either.Either<ReviewEdits, ReviewFailed> =>
  Either.mapBoth(Schema.decodeEither(WishesText)(body), {
    onLeft: (error) => {
      const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
      const [, cue, field] = issue?.path ?? []
      return reviewFailed(
        issue === undefined || cue === undefined || field === undefined
          ? "expected edits in the review page's format"
          : `cue ${String(cue)}: ${String(field)}: ${issue.message}`
      )
    },
    onRight: ({ parts }) => parts
  })

/** Overrides by line name; undefined removes one. */
export type ReviewChanges = Readonly<Record<string, CueOverride | undefined>>

/** Turns edits into overrides of the script's lines; undefined for an edit that equals the script. */
export const changesOf = Effect.fnUntraced(function* (
  batch: Batch,
  script: JobPlan,
  cue: number,
  edits: ReviewEdits
) {
  const lines = script.lines.filter((line) => line.cue === cue)
  const text =
    script.script._tag === "Subtitle"
      ? script.script.cues.find(({ index }) => index === cue)?.text
      : script.script.blocks[cue - 1]?.text
  const strange = Object.keys(edits).filter((name) => !lines.some((line) => overrideName(line) === name))
  const lost = script.words.cues.find((spoken) => spoken.cue === cue && "why" in spoken)
  if (lost !== undefined)
    return yield* reviewFailed(
      `cue ${cue} cannot be read; fix line ${lost.line} of ${script.job.inputName} and run the batch again`
    )
  if (strange.length > 0 || lines.length === 0)
    return yield* reviewFailed(`cue ${strange[0] ?? cue} has no spoken line; choose a cue that is spoken`)
  const changes: ReviewChanges = Object.fromEntries(
    lines.flatMap((line) => {
      const edit = edits[overrideName(line)]
      return edit === undefined
        ? []
        : [[overrideName(line), changeOf(editFrom(line, batch), edit, text)] as const]
    })
  )
  return changes
})

const changeOf = (before: ReviewEdit, edit: ReviewEdit, was: string | undefined): CueOverride | undefined => {
  const moved = edit.provider !== before.provider
  const change: CueOverride = {
    ...(edit.say === before.say ? {} : { say: edit.say }),
    ...(moved ? { provider: ProviderId.make(edit.provider) } : {}),
    ...(moved || edit.voice !== before.voice ? { voice: VoiceId.make(edit.voice) } : {}),
    ...(edit.speed === undefined || edit.speed === (before.speed ?? 1) ? {} : { speed: edit.speed }),
    ...(edit.start === undefined || edit.start === before.start ? {} : { start: edit.start }),
    ...(edit.end === undefined || edit.end === before.end ? {} : { end: edit.end })
  }
  return Object.keys(change).length === 0 ? undefined : { ...(was === undefined ? {} : { was }), ...change }
}

/** Returns a line's current text, voice and times as an edit. */
export const editFrom = ({ said, casting, slot }: Line, batch: Batch): ReviewEdit => ({
  say: said,
  provider: casting.provider,
  voice: casting.voice,
  ...(batch.profileOf(casting.provider).controls.speed === undefined ? {} : { speed: casting.speed ?? 1 }),
  ...(slot === undefined ? {} : { start: toSeconds(slot.start), end: toSeconds(slot.end) })
})

/** Returns the distinct voices of these lines, for the voice selector. */
export const reviewVoices = (
  { profileOf }: Batch,
  lines: ReadonlyArray<Line>,
  paceOf: (casting: Casting) => number | undefined
): ReadonlyArray<KnownVoice> => {
  const known = new Map(lines.map(({ casting }) => [`${casting.provider}/${casting.voice}`, casting]))
  return [...known.values()].map((casting) => {
    const { provider, voice } = casting
    const speeds = profileOf(provider).controls.speed
    const pace = paceOf(casting)
    return {
      provider,
      voice,
      ...(speeds === undefined ? {} : { speeds: { min: speeds.min, max: speeds.max } }),
      ...(pace === undefined ? {} : { pace })
    }
  })
}

/** Merges changes into overrides. */
export const mergeEdits = (before: CueOverrides, changes: ReviewChanges): CueOverrides => {
  const kept = Object.entries({ ...before, ...changes })
  return Object.fromEntries(
    kept.flatMap(([name, change]) => (change === undefined ? [] : [[name, change] as const]))
  )
}
