/**
 * Plans retakes: lines that exceed `fit.maxSpeed` or overrun are requested again, spoken faster by the voice itself.
 */
import { Effect } from "effect"
import { Casting, tonedText } from "../../domain/speech/Casting.ts"
import type { Line } from "../../domain/speech/Line.ts"
import type { FitLimits, Placement } from "../../domain/speech/Placement.ts"
import { isTooShort, type ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import { charactersOf, LineRef, makeUtterance, UtteranceUse } from "../../domain/speech/Utterance.ts"
import { srtInput } from "../../script/utterances/SrtPayload.ts"
import { noCuts } from "../../script/utterances/UtterancePlan.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import type { Batch } from "../load/Job.ts"
import { holdableJob } from "./JobPlacement.ts"
import { placeLines } from "./LinePlacement.ts"
import { lineName } from "../../domain/speech/Utterance.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"

/** Plans the retakes of a job from its first takes; none unless the job has `fit.retake`. */
export const planRetakes = Effect.fn("Retakes.planRetakes")(function* (plan: JobPlan, batch: Batch) {
  const { job, lines, uses } = plan
  if (!job.retake) return []
  const store = yield* UtteranceStore
  const stored = yield* store.clips([...new Set(uses.map(({ utterance }) => utterance.key))])
  const placements = placeLines(holdableJob(plan, new Map([...stored].map(([key, { clip }]) => [key, clip]))))
  const byName = new Map(lines.map((line) => [lineName(line), line]))
  return placements.flatMap((placement): ReadonlyArray<UtteranceUse> => {
    const line = byName.get(lineName(placement.lines[0]))
    if (line === undefined) return []
    const { provider } = line.casting
    const { profilesOf, isSent } = batch.stated?.cuts ?? noCuts
    const ways = [batch.profileOf(provider), ...profilesOf(provider)].map((profile) =>
      retakeOf(placement, line, job.fit, profile)
    )
    return ways.find((uses) => uses.some(({ utterance }) => isSent(utterance.key))) ?? ways[0] ?? []
  })
})

/**
 * Requested speeds are multiples of this, so that small timing changes in the film find the same cached take.
 */
const speedStep = 0.05

/**
 * Returns the retake of one placement, if it is a whole line that does not fit and its provider has a speed control.
 * The text is sent as SRT if the provider accepts that; else as plain text, if it has enough characters.
 */
const retakeOf = (
  { lines, parts, start, end, speed, flags }: Placement,
  line: Line,
  limits: FitLimits,
  profile: ProviderProfile
): ReadonlyArray<UtteranceUse> => {
  const { controls, srtInput: takesSrt, tone } = profile
  if (!flags.includes("fast") && !flags.includes("overrun")) return []
  if (line.slot === undefined || lines.length > 1 || parts.length > 1 || controls.speed === undefined)
    return []
  const own = line.casting.speed ?? 1
  const available = Math.max(1, Math.min(end, line.slot.end + limits.late) - start)
  const needed = Math.min(((end - start) * speed) / available, limits.hardMaxSpeed)
  const wanted = Math.ceil((own * needed) / speedStep - 1e-9) * speedStep
  const faster = Math.round(Math.min(controls.speed.max, wanted) * 100) / 100
  const input = takesSrt ? "srt" : "text"
  if (faster <= own || isTooShort(input, charactersOf(line.said), profile)) return []
  const casting = Casting.make({ ...line.casting, speed: faster })
  const utterance = takesSrt
    ? makeUtterance(casting, "srt", srtInput([line.said]), [line.said])
    : makeUtterance(casting, "text", tonedText(casting, tone, line.said), [line.said])
  return [UtteranceUse.make({ utterance, lines: [LineRef.make({ cue: line.cue, part: line.part })] })]
}
