/** Reads the contents of the edit box for a cue: its lines, its voices, and the takes that were heard. */
import { Data, Effect, Equal } from "effect"
import { overrideName } from "../../domain/manifest/CueOverride.ts"
import type { CuePart, ReviewedCue, ReviewEdits } from "../../pages/data/ReviewProtocol.ts"
import type { Batch, Job } from "../load/Job.ts"
import { planBatch, type JobPlan } from "../plan/BatchPlan.ts"
import { reportIn } from "../report/ReportFile.ts"
import { editFrom, reviewVoices } from "./ReviewEdits.ts"
import { reviewFailed } from "./ReviewFailed.ts"
import type { CueReport, JobReport } from "../../domain/report/Report.ts"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { Line } from "../../domain/speech/Line.ts"
import { toSeconds } from "../../domain/time/Units.ts"
import { charactersOf } from "../../domain/speech/Utterance.ts"

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
    return yield* reviewFailed(`cue ${cue} is spoken with cue ${joined[0]}; edit or revert that one`)
  if (parts.length === 0)
    return yield* reviewFailed(`cue ${cue} has no spoken line; choose a cue that is spoken`)
  const names = parts.map(({ name }) => name)
  return {
    parts,
    // After a split or join, earlier takes have other lines.
    takes: heard.filter((take) => Equal.equals(Data.array(Object.keys(take)), Data.array(names))),
    voices: reviewVoices(batch, [...script.lines, ...now.lines], paces.ofVoice),
    maxSpeed: job.fit.maxSpeed
  } satisfies ReviewedCue
})

/** Returns a plan with its lines before single cues are changed; edits are compared with these. */
export const beforeEdits = (plan: JobPlan): JobPlan => ({ ...plan, lines: plan.shaped?.lines ?? plan.lines })

/** Plans a job with the accepted changes. */
export const planOne = (batch: Batch, job: Job) =>
  Effect.map(planBatch({ ...batch, jobs: [job] }), ({ jobs: [plan] }) => plan)

/** Paces of a job's voices, in milliseconds per character at speed 1. */
interface SpeechPaces {
  /** The pace of one cue's present speech; undefined if it has none of its own. */
  readonly ofCue: (cue: number) => number | undefined
  /** The mean pace of a voice; undefined if it speaks no line yet. */
  readonly ofVoice: (casting: Casting) => number | undefined
}

/** Measures the paces in a job's report. Cues of several lines are left out: their report does not separate them. */
const speechPaces = (report: JobReport | undefined, lines: ReadonlyArray<Line>): SpeechPaces => {
  const reported = new Map((report?.cues ?? []).map((cue) => [cue.index, cue]))
  const counts = new Map<number, number>()
  for (const { cue } of lines) counts.set(cue, (counts.get(cue) ?? 0) + 1)
  const cues = new Map<number, number>()
  const voices = new Map<string, { readonly time: number; readonly characters: number }>()
  for (const { cue, casting } of lines) {
    const spoken = reported.get(cue)
    const time = spoken === undefined ? 0 : recordedMillis(spoken) * (casting.speed ?? 1)
    const characters = charactersOf(spoken?.said ?? "")
    if (counts.get(cue) !== 1 || time === 0 || characters === 0) continue
    cues.set(cue, time / characters)
    const before = voices.get(nameOf(casting)) ?? { time: 0, characters: 0 }
    voices.set(nameOf(casting), {
      time: before.time + time,
      characters: before.characters + characters
    })
  }
  return {
    ofCue: (cue) => cues.get(cue),
    ofVoice: (casting) => {
      const total = voices.get(nameOf(casting))
      return total === undefined ? undefined : total.time / total.characters
    }
  }
}

/** How long a line may go on after its end, in seconds: as long as the job allows, up to the speaker's next line. */
const tailOf = (line: Line, lines: ReadonlyArray<Line>, late: number): number | undefined => {
  const { slot } = line
  if (slot === undefined) return undefined
  const next = lines.reduce(
    (first, other) =>
      other !== line &&
      other.speaker === line.speaker &&
      other.slot !== undefined &&
      other.slot.start >= slot.end
        ? Math.min(first, other.slot.start)
        : first,
    Infinity
  )
  return Math.max(0, Math.min(late / 1000, next / 1000 - toSeconds(slot.end)))
}

/** A cue's recorded length in milliseconds; 0 if it is not spoken. */
const recordedMillis = ({ placed }: CueReport): number =>
  placed === undefined ? 0 : (placed.end - placed.start) * placed.speed * 1000

const nameOf = ({ provider, voice }: Casting): string => `${provider}/${voice}`
