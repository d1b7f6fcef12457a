/** Groups lines into utterances within each provider's limits; lists the lines that cannot be sent, and why. */
import { Either } from "effect"
import { isNonEmptyReadonlyArray, map, type NonEmptyReadonlyArray } from "effect/Array"
import { tonedText, type Casting } from "../../domain/speech/Casting.ts"
import type { ProviderId, UtteranceKey } from "../../domain/values/Ids.ts"
import type { Line } from "../../domain/speech/Line.ts"
import { isTooShort, type ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import {
  charactersOf,
  LineRef,
  makeUtterance,
  UtteranceUse,
  type Utterance
} from "../../domain/speech/Utterance.ts"
import { groupsOf, mergedGroups, type Grain } from "./StableGroups.ts"
import { splitText, joinWords, jointsOf } from "./TextSplitting.ts"
import { castingKey, sentenceRuns } from "../language/SentenceRuns.ts"
import { srtInput, srtOverhead } from "./SrtPayload.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { TooLittleText, WordTooLong, type Violation } from "./UtteranceViolation.ts"

/** Rules for grouping lines. */
export interface UtteranceRules {
  readonly profileOf: (provider: ProviderId) => ProviderProfile
  /** Whether a text task contains one line, or a sentence over several lines. SRT always has one entry per line. */
  readonly unit: "cue" | "sentence"
  /** The form of a subtitle's text for a provider that accepts SRT; undefined: the cheaper one that keeps cue times. */
  readonly nativeInput: "srt" | "text" | undefined
  /** Whether clips without a transcript can be aligned with their texts. */
  readonly aligns?: boolean
  /** The language, for word and sentence segmentation. */
  readonly language?: string
  /** Whether the source is a subtitle; a narration is never sent as SRT. */
  readonly timed: boolean
  /** Texts that were sent before. A voice's lines are cut by the profile that uses most of them again. */
  readonly cuts?: EarlierCuts | undefined
}

/** Texts that were sent before, and the profiles by which they may have been cut. */
export interface EarlierCuts {
  readonly profilesOf: (provider: ProviderId) => ReadonlyArray<ProviderProfile>
  readonly isSent: (key: UtteranceKey) => boolean
}

/** The utterances in script order, and the lines that cannot be sent. Every line is in exactly one of the two. */
export interface UtterancePlan {
  readonly uses: ReadonlyArray<UtteranceUse>
  readonly violations: ReadonlyArray<Violation>
}

/** Plans the utterances of a job. */
export const planUtterances = (lines: ReadonlyArray<Line>, rules: UtteranceRules): UtterancePlan => {
  const voices = new Map<string, Array<NumberedLine>>()
  const runs = rules.unit === "sentence" && rules.timed ? sentenceRuns(lines) : lines.map((_, i) => i)
  lines.forEach((line, order) => {
    const key = castingKey(line.casting)
    const numbered = { line, order, run: runs[order] ?? order }
    const voice = voices.get(key)
    if (voice === undefined) voices.set(key, [numbered])
    else voice.push(numbered)
  })
  const planned: Array<Planned> = []
  const violations: Array<Violation> = []
  for (const voice of voices.values())
    if (isNonEmptyReadonlyArray(voice)) {
      const cut = planVoice(voice, rules)
      planned.push(...cut.planned)
      violations.push(...cut.violations)
    }
  planned.sort((a, b) => a.order - b.order)
  return { uses: withPieces(planned), violations }
}

interface NumberedLine {
  readonly line: Line
  /** The line's position in the script. */
  readonly order: number
  /** Position of the first line of its sentence. */
  readonly run: number
}

interface Planned {
  readonly order: number
  readonly casting: Casting
  readonly input: "text" | "srt"
  readonly portions: NonEmptyReadonlyArray<TextUnit>
  readonly text: string
}

/**
 * Cuts a voice's lines by the provider's profile, in the cheaper form, unless another profile or the other form uses
 * more of what was sent before.
 */
const planVoice = (voice: NonEmptyReadonlyArray<NumberedLine>, rules: UtteranceRules): VoiceCut => {
  const { provider } = voice[0].line.casting
  const profile = rules.profileOf(provider)
  const { profilesOf, isSent } = rules.cuts ?? noCuts
  const others = new Map(profilesOf(provider).map((other) => [limitsOf(other), other]))
  others.delete(limitsOf(profile))
  const cutsBy = (of: ProviderProfile) => map(formsOf(of, rules), (form) => cutVoice(voice, of, rules, form))
  const own = cutsBy(profile)
  const all = [...own, ...[...others.values()].flatMap(cutsBy)]
  const [first] = own
  const best = own.find(({ violations }) => violations.length === 0) ?? first
  if (all.length === 1) return best
  const sentOf = ({ planned }: VoiceCut): number =>
    planned.reduce((sum, task) => sum + (isSent(utteranceOf(task).key) ? charactersOf(task.text) : 0), 0)
  return all.reduce(
    (most, cut) => (cut.violations.length === 0 && sentOf(cut) > sentOf(most) ? cut : most),
    best
  )
}

/** The forms in which lines may be sent, the preferred one first. Text is cheaper: an SRT has numbers and times. */
const formsOf = (
  { srtInput: takesSrt, transcript }: ProviderProfile,
  { nativeInput, timed, aligns = false }: UtteranceRules
): NonEmptyReadonlyArray<"srt" | "text"> => {
  if (!takesSrt || !timed) return ["text"]
  if (nativeInput !== undefined) return [nativeInput]
  return transcript !== "none" || aligns ? ["text", "srt"] : ["srt", "text"]
}

export const noCuts: EarlierCuts = { profilesOf: () => [], isSent: () => false }

const limitsOf = ({ minChars, maxChars, srtInput: takesSrt }: ProviderProfile): string =>
  `${minChars} ${maxChars} ${takesSrt}`

interface VoiceCut {
  readonly planned: ReadonlyArray<Planned>
  readonly violations: ReadonlyArray<Violation>
}

const cutVoice = (
  voice: NonEmptyReadonlyArray<NumberedLine>,
  profile: ProviderProfile,
  rules: UtteranceRules,
  input: "srt" | "text"
): VoiceCut => {
  const planned: Array<Planned> = []
  const violations: Array<Violation> = []
  const { casting } = voice[0].line
  const srt = input === "srt"
  const maxChars = profile.maxChars - charactersOf(tonedText(casting, profile.tone, ""))
  const space = srt ? profile.maxChars - srtOverhead : maxChars
  const portions = voice.map(({ line, order, run }) => ({
    run,
    cut: Either.match(splitText(line.said, Math.max(1, space), rules.language), {
      onLeft: (word) => {
        violations.push(
          WordTooLong.make({
            provider: casting.provider,
            line: refOf(line),
            word: word.slice(0, 60),
            maxChars: Math.max(0, space)
          })
        )
        return []
      },
      onRight: (pieces) => pieces.map((said): TextUnit => ({ line, order, said }))
    })
  }))
  const add = (group: NonEmptyReadonlyArray<TextUnit>, text: string): void => {
    planned.push({ order: group[0].order, casting, input, portions: group, text })
  }
  if (srt) {
    for (const group of srtGroups(
      portions.flatMap(({ cut }) => cut),
      profile.maxChars
    ))
      add(group, srtInput(group.map((portion) => portion.said)))
    return { planned, violations }
  }
  const toned = (text: string) => tonedText(casting, profile.tone, text)
  const units = textUnits(portions, maxChars)
  if (profile.minChars === 0) {
    for (const unit of units) add(unit.portions, toned(unit.text))
    return { planned, violations }
  }
  for (const group of enough(units, { ...profile, maxChars }, rules.language))
    if (!isTooShort("text", charactersOf(group.text), profile)) add(group.portions, toned(group.text))
    else
      violations.push(
        TooLittleText.make({
          provider: casting.provider,
          ...(voice[0].line.speaker === undefined ? {} : { speaker: voice[0].line.speaker }),
          lines: refsOf(group.portions),
          characters: charactersOf(group.text),
          minChars: profile.minChars,
          srtInput: profile.srtInput && rules.timed
        })
      )
  return { planned, violations }
}

/** About five entries per task, at most twelve: an edit means paying for its whole group again. */
const srtGroups = (
  portions: ReadonlyArray<TextUnit>,
  maxChars: number
): ReadonlyArray<NonEmptyReadonlyArray<TextUnit>> =>
  groupsOf(
    portions.map((portion) => ({ ...portion, size: charactersOf(portion.said) + srtOverhead })),
    { maxSize: maxChars, maxCount: 12, every: 5 }
  )

/** Longest sentence in characters; longer ones are split, so that a file without punctuation is not one task. */
const maxSentence = 400

const textUnits = (
  portions: ReadonlyArray<{ readonly run: number; readonly cut: ReadonlyArray<TextUnit> }>,
  maxChars: number
): ReadonlyArray<UnitJoin> => {
  const units: Array<UnitJoin> = []
  let open: Array<TextUnit> = []
  let run: number | undefined
  const close = (): void => {
    const grains = open.map((portion) => ({ ...portion, size: charactersOf(portion.said) + 1 }))
    for (const group of groupsOf(grains, {
      maxSize: Math.min(maxSentence, maxChars),
      maxCount: 8,
      every: Infinity
    }))
      units.push(sentenceUnit(group))
    open = []
  }
  for (const portion of portions) {
    if (portion.run !== run || portion.cut.length !== 1) close()
    run = portion.run
    open.push(...portion.cut.slice(0, 1))
    for (const piece of portion.cut.slice(1)) {
      close()
      open.push(piece)
    }
    if (portion.cut.length !== 1) close()
  }
  close()
  return units
}

/** Merges units up to `minChars`. If one fits with neither neighbour, redistributes the words of both. */
const enough = (
  units: ReadonlyArray<UnitJoin>,
  profile: Pick<ProviderProfile, "minChars" | "maxChars">,
  language: string | undefined
): ReadonlyArray<UnitJoin> => {
  const limits = { minSize: profile.minChars, maxSize: profile.maxChars, joint: between.length }
  const groups = mergedGroups(units, limits).map(joinUnits)
  const done: Array<UnitJoin> = []
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i]
    if (group === undefined) continue
    const before = done.at(-1)
    if (!isTooShort("text", group.size, profile) || (before === undefined && i === groups.length - 1)) {
      done.push(group)
      continue
    }
    if (before !== undefined && before.size + between.length + group.size <= profile.maxChars) {
      done.splice(-1, 1, joinUnits([before, group]))
      continue
    }
    const next = groups[i + 1]
    const withNext = next === undefined ? undefined : rebalanceUtterances([group, next], limits, language)
    if (withNext !== undefined) {
      done.push(...withNext)
      i++
      continue
    }
    const withBefore =
      before === undefined ? undefined : rebalanceUtterances([before, group], limits, language)
    if (withBefore === undefined) done.push(group)
    else done.splice(-1, 1, ...withBefore)
  }
  return done
}

const refOf = (line: Line): LineRef => LineRef.make({ cue: line.cue, part: line.part }, skipValidation)

const refsOf = (portions: NonEmptyReadonlyArray<TextUnit>): NonEmptyReadonlyArray<LineRef> => {
  const [first, ...others] = portions
  return [refOf(first.line), ...others.map((portion) => refOf(portion.line))]
}

/** Builds the uses with their lines. A line in several utterances gets numbered pieces. */
const withPieces = (planned: ReadonlyArray<Planned>): ReadonlyArray<UtteranceUse> => {
  const total = new Map<number, number>()
  for (const { portions } of planned)
    for (const { order } of portions) total.set(order, (total.get(order) ?? 0) + 1)
  const next = new Map<number, number>()
  const partOf = ({ line, order }: TextUnit): LineRef => {
    if (total.get(order) === 1) return refOf(line)
    const piece = next.get(order) ?? 0
    next.set(order, piece + 1)
    return LineRef.make({ cue: line.cue, part: line.part, piece }, skipValidation)
  }
  return planned.map((task) => {
    const [first, ...others] = task.portions
    return UtteranceUse.make(
      { utterance: utteranceOf(task), lines: [partOf(first), ...others.map(partOf)] },
      skipValidation
    )
  })
}

const utteranceOf = ({ casting, input, portions: [first, ...others], text }: Planned): Utterance =>
  makeUtterance(casting, input, text, [first.said, ...others.map(({ said }) => said)])

interface Crumb {
  readonly portion: TextUnit
  readonly said: string
  /** How good a split after it is: 4 at the end of a line, else the rank of the joint (0–3). */
  readonly rank: number
}

/** Returns two units within the limits; undefined if that is impossible. */
const rebalanceUtterances = (
  pair: readonly [UnitJoin, UnitJoin],
  limits: { readonly minSize: number; readonly maxSize: number; readonly joint: number },
  language: string | undefined
): ReadonlyArray<UnitJoin> | undefined => {
  const crumbs = pair.flatMap((unit) => unit.portions.flatMap((portion) => crumbsOf(portion, language)))
  let best: readonly [UnitJoin, UnitJoin] | undefined
  let least = Infinity
  for (let cut = 1; cut < crumbs.length; cut++) {
    const left = unitOfCrumbs(crumbs.slice(0, cut))
    const right = unitOfCrumbs(crumbs.slice(cut))
    if (left === undefined || right === undefined) continue
    if (Math.min(left.size, right.size) < limits.minSize || Math.max(left.size, right.size) > limits.maxSize)
      continue
    const cost =
      (4 - (crumbs[cut - 1]?.rank ?? 0)) * 0.2 + Math.abs(left.size - right.size) / (left.size + right.size)
    if (cost < least) {
      least = cost
      best = [left, right]
    }
  }
  return best
}

const crumbsOf = (portion: TextUnit, language: string | undefined): ReadonlyArray<Crumb> => {
  const crumbs: Array<Crumb> = []
  let from = 0
  for (const joint of jointsOf(portion.said, language)) {
    crumbs.push({ portion, said: portion.said.slice(from, joint.at).trim(), rank: joint.rank })
    from = joint.at
  }
  crumbs.push({ portion, said: portion.said.slice(from).trim(), rank: 4 })
  return crumbs
}

const unitOfCrumbs = (crumbs: ReadonlyArray<Crumb>): UnitJoin | undefined => {
  const portions: Array<TextUnit> = []
  for (const { portion, said } of crumbs) {
    const last = portions.at(-1)
    if (last !== undefined && last.order === portion.order)
      portions[portions.length - 1] = { ...last, said: joinWords(last.said, said) }
    else portions.push({ ...portion, said })
  }
  const [first, ...others] = portions
  return first === undefined ? undefined : separateUnits([first, ...others])
}

/** The text of one line, or a piece of it. */
interface TextUnit {
  readonly line: Line
  /** The line's position in the script. */
  readonly order: number
  readonly said: string
}

/** Units joined for one breath or one task; `text` is sent. */
interface UnitJoin extends Grain {
  readonly portions: NonEmptyReadonlyArray<TextUnit>
  readonly text: string
}

/** Separator between two units of one task: a line break, at which voices pause. */
const between = "\n"

/** Makes one unit of a line, a piece of a line, or all lines of a sentence, without pauses between them. */
const sentenceUnit = (portions: NonEmptyReadonlyArray<TextUnit>): UnitJoin =>
  unitOf(portions, portions.map((portion) => portion.said).reduce(joinWords))

/** Joins several units into one task, separated by pauses. */
const joinUnits = (units: NonEmptyReadonlyArray<UnitJoin>): UnitJoin => {
  const [first, ...others] = units.flatMap((unit) => unit.portions)
  return unitOf(
    first === undefined ? units[0].portions : [first, ...others],
    units.map((unit) => unit.text).join(between)
  )
}

/** Joins portions into one task, with a pause between each. */
const separateUnits = (portions: NonEmptyReadonlyArray<TextUnit>): UnitJoin =>
  unitOf(portions, portions.map((portion) => portion.said).join(between))

const unitOf = (portions: NonEmptyReadonlyArray<TextUnit>, text: string): UnitJoin => ({
  portions,
  text,
  said: text,
  size: charactersOf(text)
})
