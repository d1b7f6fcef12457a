/**
 * Forecasts which lines of a planned job will not fit, before it is spoken. Lengths are measured, learned from the
 * voice, or estimated.
 */
import { Array } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { Clip, Segment } from "../../domain/speech/Clip.ts"
import type { Estimate } from "../../domain/values/Estimate.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { Line } from "../../domain/speech/Line.ts"
import { filledBy, type PictureLimits, type Placement } from "../../domain/speech/Placement.ts"
import { addedTime } from "../../domain/time/PictureStretch.ts"
import type { LengthSource, PlannedJob, TightLine } from "../../domain/report/PlanReport.ts"
import {
  frames,
  framesBetween,
  Lufs,
  type Millis,
  millis,
  millisHolding,
  SampleRate,
  toSeconds
} from "../../domain/time/Units.ts"
import { charactersOf, type Utterance, type UtteranceUse } from "../../domain/speech/Utterance.ts"
import { likelyLength } from "../../script/language/SpeechRate.ts"
import type { CueWords } from "../../script/spoken/CueWords.ts"
import { holdableJob, type PlaceablePlan } from "./JobPlacement.ts"
import { placeWithPicture } from "./PictureGiving.ts"
import { lineName } from "../../domain/speech/Utterance.ts"

/** The forecast of a job. */
export interface Forecast extends Pick<PlannedJob, "tight" | "lengths" | "held" | "empty"> {
  /** The cues of lines that run past the film's end. */
  readonly cut: ReadonlyArray<number>
}

/** The parts of a job plan that a forecast needs. */
export interface Forecastable extends PlaceablePlan {
  readonly words: { readonly cues: ReadonlyArray<Pick<CueWords, "cue" | "line">> }
}

/** The known and learned lengths of speech. */
export interface Known {
  readonly clips: ReadonlyMap<UtteranceKey, Clip>
  /** Milliseconds per character, learned from the voice's earlier clips. */
  readonly speechTime: (casting: Casting) => Estimate | undefined
}

/** Places a job's lines as a run would, with each line's measured, learned or estimated length. */
export const forecastFit = (plan: Forecastable, known: Known): Forecast => {
  const { lines, words } = plan
  const { placements, stretches, clips, sources } = forecastPlacements(plan, known, [], plan.job.picture)
  const byName = new Map(lines.map((line) => [lineName(line), line]))
  const linesOf = (placement: Placement) => placement.lines.flatMap((ref) => byName.get(lineName(ref)) ?? [])
  const places = new Map(words.cues.map(({ cue, line }) => [cue, line]))
  const count = (source: LengthSource) => [...sources.values()].filter((one) => one === source).length
  return {
    tight: placements
      .filter(({ flags }) => flags.includes("fast") || flags.includes("overrun"))
      .flatMap((placement) => {
        const own = linesOf(placement)
        if (!Array.isNonEmptyReadonlyArray(own)) return []
        const source = sources.get(lineName(own[0])) ?? "estimated"
        return [tightLine(placement, own, places.get(own[0].cue), source, lengthOf(placement, clips))]
      })
      .sort((a, b) => a.cue - b.cue),
    ...(stretches.length === 0
      ? {}
      : { held: { times: stretches.length, seconds: toSeconds(addedTime(stretches)) } }),
    empty: filledBy(
      placements.flatMap((placement) => {
        const slots = linesOf(placement).flatMap(({ slot }) => slot ?? [])
        const [start, end] = [slots.map((slot) => slot.start), slots.map((slot) => slot.end)]
        if (slots.length === 0) return []
        return [{ start: Math.min(...start), end: Math.max(...end), heard: placement }]
      })
    ).empty,
    cut: placements.flatMap(({ flags, lines: [{ cue }] }) => (flags.includes("cut") ? [cue] : [])),
    lengths: { measured: count("measured"), learned: count("learned"), estimated: count("estimated") }
  }
}

/**
 * Places a job's lines with their known or likely lengths. The picture gives way only if its limits are given. `takes`
 * are retakes of its lines; those that are not spoken yet are left out.
 */
export const forecastPlacements = (
  plan: PlaceablePlan,
  known: Known,
  takes: ReadonlyArray<UtteranceUse> = [],
  picture?: PictureLimits
) => {
  const sources = new Map<string, LengthSource>()
  const clips = new Map<UtteranceKey, Clip>()
  for (const { utterance, lines: refs } of plan.uses) {
    const { clip, lengthFrom } = clipOf(utterance, known)
    clips.set(utterance.key, clip)
    for (const ref of refs) if (ref.replaced !== true) sources.set(lineName(ref), lengthFrom)
  }
  const spoken = takes.flatMap((take) => {
    const clip = known.clips.get(take.utterance.key)
    return clip === undefined ? [] : [{ take, clip }]
  })
  for (const { take, clip } of spoken) clips.set(take.utterance.key, clip)
  const retakes = spoken.map(({ take }) => take)
  const { placements, stretches } = placeWithPicture({ ...holdableJob(plan, clips, retakes), picture })
  return { placements, stretches, clips, sources }
}

const tightLine = (
  { speed, end, flags, shortenBy }: Placement,
  lines: Array.NonEmptyReadonlyArray<Line>,
  line: number | undefined,
  lengthFrom: LengthSource,
  needs: Millis
): TightLine => {
  const [first] = lines
  const slotEnd = millis(Math.max(...lines.map(({ slot }) => slot?.end ?? 0)))
  return {
    cue: first.cue,
    ...(line === undefined ? {} : { line }),
    ...(first.speaker === undefined ? {} : { speaker: first.speaker }),
    said: lines.map(({ said }) => said).join(" "),
    start: toSeconds(first.slot?.start ?? millis(0)),
    end: toSeconds(slotEnd),
    needs: toSeconds(needs),
    lengthFrom,
    speed: Math.round(speed * 100) / 100,
    late: toSeconds(millis(end - slotEnd)),
    flags,
    ...(shortenBy === undefined ? {} : { shortenBy })
  }
}

const lengthOf = ({ parts }: Placement, clips: ReadonlyMap<UtteranceKey, Clip>): Millis =>
  millis(
    parts.reduce((sum, { utterance, segment }) => {
      const clip = clips.get(utterance)
      const heard = clip?.segments[segment]
      return clip === undefined || heard === undefined
        ? sum
        : sum + millisHolding(framesBetween(heard.from, heard.to), clip.rate)
    }, 0)
  )

/** Returns an utterance's clip, or a silent stand-in of its likely length if it is not spoken yet. */
const clipOf = (
  { key, casting, said }: Utterance,
  { clips, speechTime }: Known
): { readonly clip: Clip; readonly lengthFrom: LengthSource } => {
  const clip = clips.get(key)
  if (clip !== undefined) return { clip, lengthFrom: "measured" }
  const pace = speechTime(casting)
  let at = frames(0)
  const segments = Array.map(said, (words): Segment => {
    const likely = likelyLength(words) / (casting.speed ?? 1)
    const length = pace === undefined ? likely : blended(pace, pace.mean * charactersOf(words), likely)
    const from = at
    at = frames(from + Math.max(1, length) * (rate / 1000))
    return { from, to: at, loudness, peak: 0 }
  })
  return {
    clip: { key, rate, frames: at, checksum: "", segments, cut: "silence" },
    lengthFrom: pace === undefined ? "estimated" : "learned"
  }
}

/** Weights the learned length by the number of clips: one line full of numbers says little about the next. */
const blended = ({ count }: Estimate, learned: number, likely: number): number =>
  (count * learned + fewTimes * likely) / (count + fewTimes)

/** The number of clips at which the learned length has the same weight as the estimate. */
const fewTimes = 10

const rate = SampleRate.make(24_000)
const loudness = Lufs.make(-16)
