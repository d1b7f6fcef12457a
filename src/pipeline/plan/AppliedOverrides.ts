/** Applies the changes accepted in review to a job's lines; only lines that sound different get new utterances. */
import { Array, Either, Equal } from "effect"
import { Casting } from "../../domain/speech/Casting.ts"
import { type CueOverride, type CueOverrides, overrideName } from "../../domain/manifest/CueOverride.ts"
import { Line, Slot } from "../../domain/speech/Line.ts"
import type { ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import { fromSeconds } from "../../domain/time/Units.ts"
import { LineRef, UtteranceUse } from "../../domain/speech/Utterance.ts"
import { noCuts, planUtterances, type UtteranceRules } from "../../script/utterances/UtterancePlan.ts"
import { lineName } from "../../domain/speech/Utterance.ts"
import { controlFaults, toneFor } from "./voices/VoiceCasting.ts"

/** A job's lines and utterances before its overrides are applied. */
export interface OverridableScript {
  readonly lines: ReadonlyArray<Line>
  /** The utterances of the unchanged lines. */
  readonly uses: ReadonlyArray<UtteranceUse>
}

/** The same with the overrides applied. */
export interface OverriddenScript extends OverridableScript {
  /** Overrides that were ignored, and why; one line each. */
  readonly notices: ReadonlyArray<string>
}

/**
 * Applies overrides to lines. A line that sounds different gets an utterance of its own. The utterance it shared with
 * other lines is not spoken again; only its segment is no longer used. Left: every change that cannot be made.
 */
export const applyOverrides = (
  { lines, uses }: OverridableScript,
  overrides: CueOverrides,
  textOf: (cue: number) => string | undefined,
  rules: UtteranceRules
): Either.Either<OverriddenScript, Array.NonEmptyReadonlyArray<string>> => {
  if (Object.keys(overrides).length === 0) return Either.right({ lines, uses, notices: [] })
  const notices = unusedOverrides(lines, overrides, textOf).map(
    ({ name, why }) => `the change to cue ${name} is ignored: ${why}`
  )
  const changes = lines.map((line) => {
    const override = overrides[overrideName(line)]
    return override === undefined || isStale(override, textOf(line.cue), textOf)
      ? Either.right({ line, respoken: false })
      : changed(line, override, rules)
  })
  const faults = Array.getLefts(changes).flat()
  const made = Array.getRights(changes)
  const respoken = made.filter((one) => one.respoken).map(({ line }) => line)
  const own = respoken.map((line) => planUtterances([line], rules))
  faults.push(...own.flatMap(({ violations }) => violations.map(({ message }) => message)))
  if (Array.isNonEmptyArray(faults)) return Either.left(faults)
  const names = new Set(respoken.map(lineName))
  return Either.right({
    lines: made.map(({ line }) => line),
    uses: [...spokenByOthers(uses, names), ...own.flatMap((plan) => plan.uses)],
    notices
  })
}

/** Removes lines, given by name, from the uses: another utterance speaks them now, or none does. */
export const spokenByOthers = (
  uses: ReadonlyArray<UtteranceUse>,
  names: ReadonlySet<string>
): ReadonlyArray<UtteranceUse> => (names.size === 0 ? uses : uses.flatMap((use) => without(use, names)))

/** Marks those lines of a use that have a new utterance as replaced; drops the use if all its lines are. */
const without = (use: UtteranceUse, names: ReadonlySet<string>): ReadonlyArray<UtteranceUse> => {
  const affected = use.lines.filter((ref) => names.has(lineName(ref)))
  if (affected.length === 0) return [use]
  if (affected.length === use.lines.length) return []
  const lines = Array.map(use.lines, (ref) =>
    affected.includes(ref) ? LineRef.make({ ...ref, replaced: true }) : ref
  )
  return [UtteranceUse.make({ utterance: use.utterance, lines })]
}

const changed = (
  line: Line,
  override: CueOverride,
  rules: UtteranceRules
): Either.Either<{ readonly line: Line; readonly respoken: boolean }, ReadonlyArray<string>> => {
  const name = `cue ${overrideName(line)}`
  const casting = recast(line.casting, override, rules)
  const slot = retimed(line.slot, override)
  if (Either.isLeft(casting) || Either.isLeft(slot)) {
    const faults = [...leftOf(casting), ...leftOf(slot)]
    return Either.left(faults.map((fault) => `${name}: ${fault}`))
  }
  const said = override.say ?? line.said
  return Either.right({
    line: Line.make({
      ...line,
      said,
      casting: casting.right,
      ...(slot.right === undefined ? {} : { slot: slot.right })
    }),
    respoken: override.alone === true || said !== line.said || !Equal.equals(casting.right, line.casting)
  })
}

const leftOf = <A>(either: Either.Either<A, ReadonlyArray<string>>): ReadonlyArray<string> =>
  Either.isLeft(either) ? either.left : []

/** Returns the casting with an override's voice or speed. A voice and a model belong to their provider. */
export const recast = (
  before: Casting,
  {
    voice,
    provider,
    model,
    speed,
    tone
  }: Pick<CueOverride, "voice" | "provider" | "model" | "speed" | "tone">,
  { profileOf, cuts = noCuts }: Pick<UtteranceRules, "profileOf" | "cuts">
): Either.Either<Casting, ReadonlyArray<string>> => {
  const moved = provider !== undefined && provider !== before.provider
  const chosen = voice ?? (moved ? undefined : before.voice)
  if (chosen === undefined) return Either.left([`provider: ${provider}: set a voice of this provider too`])
  const profile = profileOf(provider ?? before.provider)
  const kept = moved ? controlsOf(before, profile) : before
  const after = Casting.make({
    ...kept,
    provider: provider ?? before.provider,
    voice: chosen,
    ...(model === undefined ? {} : { model }),
    ...(speed === undefined || (speed === 1 && profile.controls.speed === undefined) ? {} : { speed }),
    ...toneFor(tone, profile)
  })
  const faults = controlFaults(after, profile)
  // Whether it was sent under another profile is checked when its text is known.
  const others = cuts.profilesOf(after.provider)
  return faults.length === 0 || others.some((other) => controlFaults(after, other).length === 0)
    ? Either.right(after)
    : Either.left(faults)
}

/** The controls that a line keeps when it moves to another provider: those that the new provider has, too. */
const controlsOf = ({ speed, vol, pitch, tone }: Casting, profile: ProviderProfile) => ({
  ...toneFor(tone, profile),
  ...(speed === undefined || profile.controls.speed === undefined ? {} : { speed }),
  ...(vol === undefined || profile.controls.vol === undefined ? {} : { vol }),
  ...(pitch === undefined || profile.controls.pitch === undefined ? {} : { pitch })
})

const retimed = (
  before: Slot | undefined,
  { start, end }: CueOverride
): Either.Either<Slot | undefined, ReadonlyArray<string>> => {
  if (start === undefined && end === undefined) return Either.right(before)
  if (before === undefined)
    return Either.left(["start and end cannot be set: a narration's lines have no times"])
  const slot = {
    start: start === undefined ? before.start : fromSeconds(start),
    end: end === undefined ? before.end : fromSeconds(end)
  }
  return slot.start < slot.end
    ? Either.right(Slot.make(slot))
    : Either.left([`end (${slot.end / 1000} s) is not after start (${slot.start / 1000} s)`])
}

/** Whether the text of an override's line has changed since. */
export const isStale = (
  { was, takes = [] }: CueOverride,
  text: string | undefined,
  textOf: (cue: number) => string | undefined
): boolean => isOther(was, text) || takes.some((taken) => isOther(taken.was, textOf(taken.cue)))

const isOther = (was: string | undefined, text: string | undefined): boolean =>
  was !== undefined && text !== undefined && plain(was) !== plain(text)

const plain = (text: string): string => text.normalize("NFC").replaceAll(/\s+/gu, " ").trim()

/** An override that has no effect, and why. */
export interface UnusedOverride {
  /** The line's name: `12`, or `12.2` for the second speaker of cue 12. */
  readonly name: string
  readonly why: string
}

/** Returns the overrides that have no effect: the cue's text has changed since, or the line no longer exists. */
export const unusedOverrides = (
  lines: ReadonlyArray<Line>,
  overrides: CueOverrides,
  textOf: (cue: number) => string | undefined
): ReadonlyArray<UnusedOverride> => {
  const names = new Set(lines.map(overrideName))
  return Object.entries(overrides).flatMap(([name, override]) => {
    if (isStale(override, textOf(Number.parseInt(name, 10)), textOf))
      return [{ name, why: "the cue's text has changed since" }]
    return names.has(name) ? [] : [{ name, why: "no line is spoken there" }]
  })
}
