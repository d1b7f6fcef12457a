/**
 * Places a job's lines on the timeline: timed lines are fitted jointly, a narration's lines follow each other.
 */
import { Array, Option } from "effect"
import { type Fitted, fitLines } from "../../audio/fit/LineFitting.ts"
import type { FitLine } from "../../audio/fit/FitCost.ts"
import { type Clip, isSaid } from "../../domain/speech/Clip.ts"
import type { SpeakerName, UtteranceKey } from "../../domain/values/Ids.ts"
import type { Line, Slot } from "../../domain/speech/Line.ts"
import { ClipPart, type FitLimits, type Flag, Placement } from "../../domain/speech/Placement.ts"
import { endsSentence } from "../../script/language/SentenceBoundaries.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { framesBetween, type Millis, millis, millisHolding } from "../../domain/time/Units.ts"
import { charactersOf, lineName, type LineRef, type UtteranceUse } from "../../domain/speech/Utterance.ts"

/** The silence between the pieces of a line that was too long for one task. */
export const pieceGap = millis(120)

/** The lines of a job with their clips and fit limits. */
export interface Placeable {
  readonly lines: ReadonlyArray<Line>
  readonly uses: ReadonlyArray<UtteranceUse>
  /** The clips that exist; a line without its clip is not placed. */
  readonly clips: ReadonlyMap<UtteranceKey, Clip>
  /** Retakes of single lines; each replaces the first take if it is shorter. */
  readonly takes?: ReadonlyArray<UtteranceUse>
  readonly limits: FitLimits
  /** The film's length; absent without a film. */
  readonly horizon?: Millis
}

/** Places a job's lines; returns the placements ordered by start. */
export const placeLines = (job: Placeable): ReadonlyArray<Placement> => {
  const blocks = blocksOf(job)
  const [inTurn, timed] = Array.partition(blocks, ({ slot }) => slot !== undefined)
  const placed = [...placeTimed(timed, job), ...placeInTurn(inTurn)]
  const { horizon = Infinity } = job
  return placed
    .map((placement) => (placement.end > horizon ? flagged(placement, "cut") : placement))
    .sort((a, b) => a.start - b.start || a.lines[0].cue - b.lines[0].cue || a.lines[0].part - b.lines[0].part)
}

/** Adds a flag: `cut` if the rest runs past the film's end, `held` if the picture waits. */
export const flagged = (placement: Placement, flag: Flag): Placement =>
  Placement.make({ ...placement, flags: [...placement.flags, flag] }, skipValidation)

/** Returns the names of lines for which their provider returned no speech in a finished task. */
export const unspokenLines = ({ uses, clips }: Pick<Placeable, "uses" | "clips">): ReadonlySet<string> =>
  new Set(
    uses.flatMap(({ utterance, lines }) => {
      const clip = clips.get(utterance.key)
      if (clip?.segments.length !== lines.length) return []
      return lines.flatMap((line, part) => {
        const segment = clip.segments[part]
        return segment === undefined || isSaid(segment) || line.replaced === true ? [] : [lineName(line)]
      })
    })
  )

/** Speech that is placed as a unit. */
interface Block {
  readonly lines: Array.NonEmptyReadonlyArray<LineRef>
  readonly parts: Array.NonEmptyReadonlyArray<ClipPart>
  readonly speaker: SpeakerName | undefined
  readonly voice: string
  readonly slot: Slot | undefined
  readonly pause: Millis
  readonly length: Millis
  readonly characters: number
  readonly endsSentence: boolean
  /** The length of the retake that replaces the first take, if any. */
  readonly retaken?: Millis
}

const blocksOf = (job: Placeable): ReadonlyArray<Block> => {
  const shorter = shorterTakes(job)
  return firstTakes(job).map((block) => {
    const take =
      block.lines.length > 1 || block.parts.length > 1 ? undefined : shorter.get(lineName(block.lines[0]))
    return take === undefined || take.length >= block.length
      ? block
      : { ...block, parts: take.parts, retaken: take.length }
  })
}

/** The retakes whose clips exist, by line name. */
const shorterTakes = ({
  takes = [],
  clips
}: Placeable): ReadonlyMap<string, Pick<Block, "parts" | "length">> =>
  new Map(
    takes.flatMap(({ utterance, lines: [line] }) => {
      const clip = clips.get(utterance.key)
      if (clip === undefined) return []
      const [heard] = clip.segments
      const parts: Block["parts"] = [ClipPart.make({ utterance: utterance.key, segment: 0 }, skipValidation)]
      const length = millisHolding(framesBetween(heard.from, heard.to), clip.rate)
      return [[lineName(line), { parts, length }] as const]
    })
  )

const firstTakes = ({ lines, uses, clips }: Placeable): ReadonlyArray<Block> => {
  const byName = new Map(lines.map((line) => [lineName(line), line]))
  const blocks = new Map<string, Block>()
  for (const { utterance, lines: refs } of uses) {
    const clip = clips.get(utterance.key)
    if (clip === undefined) continue
    const together = clip.cut === "together" || refs.length === 1
    const groups = together ? [refs] : refs.map((ref): Array.NonEmptyReadonlyArray<LineRef> => [ref])
    groups.forEach((all, segment) => {
      const isWhole = all.every(({ replaced }) => replaced !== true)
      const group = isWhole ? all : all.filter(({ replaced }) => replaced !== true)
      if (!Array.isNonEmptyReadonlyArray(group)) return
      const members = group.flatMap((ref) => Option.toArray(Option.fromNullable(byName.get(lineName(ref)))))
      const heard = clip.segments[segment]
      if (!Array.isNonEmptyArray(members) || heard === undefined || !isSaid(heard)) return
      const part = ClipPart.make({ utterance: utterance.key, segment }, skipValidation)
      const length = millisHolding(framesBetween(heard.from, heard.to), clip.rate)
      const name = lineName(group[0])
      const before = blocks.get(name)
      blocks.set(
        name,
        before === undefined
          ? blockOf(members, group, part, length)
          : { ...before, parts: [...before.parts, part], length: millis(before.length + pieceGap + length) }
      )
    })
  }
  return [...blocks.values()]
}

const blockOf = (
  members: Array.NonEmptyArray<Line>,
  lines: Array.NonEmptyReadonlyArray<LineRef>,
  part: ClipPart,
  length: Millis
): Block => {
  const [first] = members
  const last = members.at(-1)
  return {
    lines,
    parts: [part],
    speaker: first.speaker,
    voice: first.casting.voice,
    slot:
      first.slot === undefined || last?.slot === undefined
        ? undefined
        : { start: first.slot.start, end: millis(Math.max(...members.map((line) => line.slot?.end ?? 0))) },
    pause: first.pause ?? millis(0),
    length,
    characters: members.reduce((sum, line) => sum + charactersOf(line.said), 0),
    endsSentence: endsSentence(members.at(-1)?.said ?? "")
  }
}

/** Lines of one track never overlap. A track is a speaker; without a speaker's name, a voice. */
const trackOf = (block: Block): string =>
  block.speaker === undefined ? `voice ${block.voice}` : `speaker ${block.speaker}`

const placeTimed = (
  blocks: ReadonlyArray<Block>,
  { limits, horizon }: Placeable
): ReadonlyArray<Placement> => {
  const lines = blocks.map((block): FitLine => ({
    start: block.slot?.start ?? millis(0),
    end: block.slot?.end ?? millis(0),
    length: block.length,
    characters: block.characters,
    speaker: trackOf(block),
    endsSentence: block.endsSentence,
    ...(block.retaken === undefined ? {} : { recorded: block.retaken })
  }))
  return Array.zipWith(blocks, fitLines(lines, limits, horizon), placementOf)
}

/** Places a narration's lines one after another, each after its pause. */
const placeInTurn = (blocks: ReadonlyArray<Block>): ReadonlyArray<Placement> => {
  let free = 0
  return blocks.map((block, at) => {
    const start = millis(free + (at === 0 ? 0 : block.pause))
    free = start + block.length
    return placementOf(block, { start, end: millis(free), speed: 1, flags: [] })
  })
}

const placementOf = (block: Block, fitted: Fitted): Placement =>
  Placement.make(
    {
      lines: block.lines,
      parts: block.parts,
      ...(block.speaker === undefined ? {} : { speaker: block.speaker }),
      start: fitted.start,
      end: fitted.end,
      speed: fitted.speed,
      flags: [
        ...fitted.flags,
        ...(block.lines.length > 1 ? (["together"] as const) : []),
        ...(block.retaken === undefined ? [] : (["repeated-take"] as const))
      ],
      ...(fitted.shortenBy === undefined ? {} : { shortenBy: fitted.shortenBy })
    },
    skipValidation
  )
