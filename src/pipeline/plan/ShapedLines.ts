/** Cues that were split, merged or moved, and speakers with other voices: the lines before single cues are changed. */
import { Array, Either } from "effect"
import { type CueOverride, type CueOverrides, overrideName } from "../../domain/manifest/CueOverride.ts"
import type { SpeakerVoice } from "../../domain/manifest/ReviewDecisions.ts"
import { Line, Slot } from "../../domain/speech/Line.ts"
import { lineName } from "../../domain/speech/Utterance.ts"
import { fromSeconds, millis } from "../../domain/time/Units.ts"
import { planUtterances, type UtteranceRules } from "../../script/utterances/UtterancePlan.ts"
import { isStale, type OverridableScript, recast, spokenByOthers } from "./AppliedOverrides.ts"

/**
 * Splits, merges and moves cues, and gives speakers their other voices. Lines that sound as before keep their
 * utterances. Left: every change that cannot be made.
 */
export const shapeLines = (
  script: OverridableScript,
  overrides: CueOverrides,
  voices: ReadonlyArray<SpeakerVoice>,
  textOf: (cue: number) => string | undefined,
  rules: UtteranceRules
): Either.Either<OverridableScript, Array.NonEmptyReadonlyArray<string>> => {
  const shapes = Object.entries(overrides)
    .map(([name, change]) => ({ name, cue: Number.parseInt(name, 10), change }))
    .filter(({ cue, change }) => !isStale(change, textOf(cue), textOf))
  const moved = shiftedBy(script.lines, shapes)
  const taken = new Set(shapes.flatMap(({ change }) => (change.takes ?? []).map(({ cue }) => cue)))
  const pieces = shapes.flatMap(({ name, change }) => piecesOf(moved, name, change))
  const faults = Array.getLefts(pieces)
  if (Array.isNonEmptyReadonlyArray(faults)) return Either.left(faults)
  const split = Array.getRights(pieces)
  const dropped = new Set(script.lines.filter(({ cue }) => taken.has(cue)).map(lineName))
  const shaped: OverridableScript = {
    lines: inOrder([...moved.filter(({ cue }) => !taken.has(cue)), ...split]),
    uses: spokenByOthers(script.uses, dropped)
  }
  return speakAnew(
    shaped,
    split.map((line) => [line]),
    rules
  ).pipe(Either.flatMap((whole) => revoiced(whole, voices, rules)))
}

/** Moves each line by the shifts of its cue and of those before it. */
const shiftedBy = (
  lines: ReadonlyArray<Line>,
  shapes: ReadonlyArray<{ readonly cue: number; readonly change: CueOverride }>
): ReadonlyArray<Line> => {
  const shifts = shapes.filter(({ change }) => change.shift !== undefined)
  if (shifts.length === 0) return lines
  return lines.map((line) => {
    const by = shifts.reduce((sum, { cue, change }) => sum + (cue <= line.cue ? (change.shift ?? 0) : 0), 0)
    const { slot } = line
    if (slot === undefined || by === 0) return line
    const start = Math.max(0, slot.start + Math.round(by * 1000))
    return Line.make({
      ...line,
      slot: Slot.make({ start: millis(start), end: millis(start + slot.end - slot.start) })
    })
  })
}

/** The pieces that were split off a line. Left: an end that is not after its start. */
const piecesOf = (
  lines: ReadonlyArray<Line>,
  name: string,
  { split = [] }: CueOverride
): ReadonlyArray<Either.Either<Line, string>> => {
  const whole = lines.find((line) => overrideName(line) === name)
  if (whole === undefined) return []
  const first = lines.reduce(
    (next, { cue, part }) => (cue === whole.cue ? Math.max(next, part + 1) : next),
    0
  )
  return split.map(({ say, start, end }, at) => {
    const { slot } = whole
    const from = start === undefined ? slot?.start : fromSeconds(start)
    const to = end === undefined ? slot?.end : fromSeconds(end)
    const line = Line.make({ ...whole, part: first + at, said: say })
    if (slot === undefined || from === undefined || to === undefined) return Either.right(line)
    return from < to
      ? Either.right(Line.make({ ...line, slot: Slot.make({ start: from, end: to }) }))
      : Either.left(`cue ${name}: split: end (${to / 1000} s) is not after start (${from / 1000} s)`)
  })
}

const inOrder = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> =>
  [...lines].sort((a, b) => a.cue - b.cue || a.part - b.part)

/** Gives speakers their other voices; consecutive lines are joined into utterances as usual. */
const revoiced = (
  script: OverridableScript,
  voices: ReadonlyArray<SpeakerVoice>,
  rules: UtteranceRules
): Either.Either<OverridableScript, Array.NonEmptyReadonlyArray<string>> => {
  if (voices.length === 0) return Either.right(script)
  const changed = script.lines.map((line) => {
    const other = voices.find(({ speaker }) => speaker === line.speaker)
    if (other === undefined) return Either.right(line)
    const { voice, provider, model } = other
    const change = {
      voice,
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model })
    }
    return recast(line.casting, change, rules).pipe(
      Either.map((casting) => Line.make({ ...line, casting })),
      Either.mapLeft((faults) => faults.map((fault) => `voices: ${line.speaker ?? "no speaker"}: ${fault}`))
    )
  })
  const faults = Array.dedupe(Array.getLefts(changed).flat())
  if (Array.isNonEmptyReadonlyArray(faults)) return Either.left(faults)
  const lines = Array.getRights(changed)
  const before = new Map(script.lines.map((line) => [lineName(line), line.casting]))
  const anew = lines.filter((line) => {
    const { provider, voice, model } = line.casting
    const was = before.get(lineName(line))
    return was?.provider !== provider || was.voice !== voice || was.model !== model
  })
  const uses = spokenByOthers(script.uses, new Set(anew.map(lineName)))
  return speakAnew({ lines, uses }, anew.length === 0 ? [] : [anew], rules)
}

/** Adds utterances for lines that have none; each group is planned by itself. */
const speakAnew = (
  { lines, uses }: OverridableScript,
  groups: ReadonlyArray<ReadonlyArray<Line>>,
  rules: UtteranceRules
): Either.Either<OverridableScript, Array.NonEmptyReadonlyArray<string>> => {
  const plans = groups.map((group) => planUtterances(group, rules))
  const faults = plans.flatMap(({ violations }) => violations.map(({ message }) => message))
  return Array.isNonEmptyReadonlyArray(faults)
    ? Either.left(faults)
    : Either.right({ lines, uses: [...uses, ...plans.flatMap((plan) => plan.uses)] })
}
