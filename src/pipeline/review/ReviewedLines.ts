/** Reads the contents of the edit box for a cue: its lines, its voices, and the takes that were heard. */
import { Data, Effect, Equal } from "effect"
import { overrideName } from "../../domain/manifest/CueOverride.ts"
import type { CuePart, ReviewedCue, ReviewEdits } from "../../pages/data/ReviewProtocol.ts"
import type { Batch, Job } from "../load/Job.ts"
import { type JobPlan, planBatch } from "../plan/BatchPlan.ts"
import { reportIn } from "../report/ReportFile.ts"
import { editFrom, reviewVoices } from "./ReviewEdits.ts"
import { ReviewFailed } from "./ReviewFailed.ts"
import { speechPaces, tailOf } from "./SpeechPace.ts"

/** Reads a cue's lines for its edit box, as in the script and with the accepted changes that `now` has. */
export const readCue = Effect.fn("ReviewedLines.readCue")(function* (
  batch: Batch,
  job: Job,
  now: JobPlan,
  cue: number,
  heard: ReadonlyArray<ReviewEdits>
) {
  const script = beforeEdits(now)
  const paces = speechPaces(yield* reportIn(batch.out, job.id), now.lines)
  const present = new Map(now.lines.map((line) => [overrideName(line), line]))
  const parts = script.lines.flatMap((line): ReadonlyArray<CuePart> => {
    if (line.cue !== cue) return []
    const changed = present.get(overrideName(line)) ?? line
    const pace = paces.ofCue(cue)
    const tail = tailOf(changed, now.lines, job.fit.late)
    return [
      {
        name: overrideName(line),
        ...(line.speaker === undefined ? {} : { speaker: line.speaker }),
        script: editFrom(line, batch),
        now: editFrom(changed, batch),
        ...(pace === undefined ? {} : { pace }),
        ...(tail === undefined ? {} : { tail })
      }
    ]
  })
  const joined = Object.entries(job.overrides ?? {}).find(([, { takes }]) =>
    takes?.some((taken) => taken.cue === cue)
  )
  if (parts.length === 0 && joined !== undefined)
    return yield* new ReviewFailed({
      words: `cue ${cue} is spoken with cue ${joined[0]}; edit or revert that one`
    })
  if (parts.length === 0)
    return yield* new ReviewFailed({ words: `cue ${cue} has no spoken line; choose a cue that is spoken` })
  const names = parts.map(({ name }) => name)
  const sheet: ReviewedCue = {
    parts,
    // After a split or join, earlier takes have other lines.
    takes: heard.filter((take) => Equal.equals(Data.array(Object.keys(take)), Data.array(names))),
    voices: reviewVoices(batch, [...script.lines, ...now.lines], paces.ofVoice),
    maxSpeed: job.fit.maxSpeed
  }
  return sheet
})

/** Returns a plan with its lines before single cues are changed; edits are compared with these. */
export const beforeEdits = (plan: JobPlan): JobPlan => ({ ...plan, lines: plan.shaped?.lines ?? plan.lines })

/** Plans a job with the accepted changes. */
export const planOne = (batch: Batch, job: Job) =>
  Effect.map(planBatch({ ...batch, jobs: [job] }), ({ jobs: [plan] }) => plan)
