/** What a run would do, without doing it: what would be sent, what it would cost, who speaks, and what would not fit. */
import { Array } from "effect"
import type { Casting } from "../domain/Casting.ts"
import type { UtteranceKey } from "../domain/Ids.ts"
import type { Line } from "../domain/Line.ts"
import type { Effort, PlannedJob, PlannedSpeaker, PlanReport } from "../domain/PlanReport.ts"
import type { Utterance } from "../domain/Utterance.ts"
import { speakersOf } from "../script/Cast.ts"
import { bilingualNotices } from "./BilingualPlan.ts"
import { filmTooShort } from "./CueNumbers.ts"
import { type Forecast, forecastOf, type Known } from "./Forecast.ts"
import type { InputRejected } from "./InputRejected.ts"
import type { Batch } from "./Job.ts"
import type { BatchPlan, JobPlan, PartialPlan } from "./Plan.ts"

/** What is at hand and what it costs, besides how long speech takes. */
export interface Outlook extends Known {
  /** What a task of an earlier run is known of, which may still give its audio: a run does not send it again. */
  readonly underWay: ReadonlySet<UtteranceKey>
  /** What a service refused for good: a run does not send it again. */
  readonly refused: ReadonlySet<UtteranceKey>
  /** Credits for one character; undefined where nobody says. */
  readonly priceOf: (casting: Casting) => number | undefined
}

/** The dry run of a batch, as far as it can be planned. */
export const dryRun = (batch: Batch, { plan, rejected }: PartialPlan, outlook: Outlook): PlanReport => {
  const forecasts = plan?.jobs.map((job) => ({ plan: job, forecast: forecastOf(job, outlook) })) ?? []
  const jobs = forecasts.map(({ plan, forecast }) => plannedJob(plan, forecast, outlook))
  return {
    ...(batch.name === undefined ? {} : { name: batch.name }),
    manifest: batch.manifest,
    service: batch.service,
    out: batch.out,
    jobs,
    total: totalOf(plan, jobs, outlook),
    faults: faultsOf(rejected),
    notices: [
      ...(plan === undefined ? [] : bilingualNotices(plan, outlook.priceOf)),
      ...forecasts.flatMap(cutNotice),
      ...(plan?.notices ?? [])
    ]
  }
}

/** That a job's film is too short for what is said, which only the lengths of its lines tell. */
const cutNotice = ({
  plan: { job },
  forecast: { cut }
}: {
  readonly plan: JobPlan
  readonly forecast: Forecast
}): ReadonlyArray<string> =>
  cut.length === 0 ? [] : [`job ${job.id}: ${filmTooShort(job, cut)} would be cut off`]

const plannedJob = (
  { job, words, lines, uses }: JobPlan,
  { tight, lengths }: Forecast,
  outlook: Outlook
): PlannedJob => ({
  id: job.id,
  input: job.inputName,
  outputs: job.outputs,
  cues: words.cues.length,
  lines: lines.length,
  ...sendingOf(
    uses.map(({ utterance }) => utterance),
    outlook
  ),
  tightLines: tight.length,
  lostLines: words.cues.filter((cue) => "why" in cue).length,
  speakers: plannedSpeakers(words.cues, lines),
  tight,
  lost: words.cues.flatMap((cue) =>
    "why" in cue ? [{ cue: cue.cue, line: cue.line, error: `${job.inputName}:${cue.line}: ${cue.why}` }] : []
  ),
  lengths
})

const plannedSpeakers = (
  words: JobPlan["words"]["cues"],
  lines: ReadonlyArray<Line>
): ReadonlyArray<PlannedSpeaker> => {
  const voices = new Map<string | undefined, Set<string>>()
  for (const { speaker, casting } of lines) {
    const own = voices.get(speaker) ?? new Set()
    voices.set(speaker, own.add(`${casting.provider}/${casting.voice}`))
  }
  return speakersOf(words).map(({ speaker, cues }) => ({
    ...(speaker === undefined ? {} : { speaker }),
    cues,
    voices: [...(voices.get(speaker) ?? [])]
  }))
}

const totalOf = (plan: BatchPlan | undefined, jobs: ReadonlyArray<PlannedJob>, outlook: Outlook): Effort => {
  const sum = (count: (job: PlannedJob) => number) => jobs.reduce((all, job) => all + count(job), 0)
  return {
    cues: sum(({ cues }) => cues),
    lines: sum(({ lines }) => lines),
    ...sendingOf(plan?.utterances ?? [], outlook),
    tightLines: sum(({ tightLines }) => tightLines),
    lostLines: sum(({ lostLines }) => lostLines)
  }
}

type Sending = Pick<Effort, "utterances" | "reused" | "underWay" | "refused" | "characters" | "credits">

const sendingOf = (
  utterances: ReadonlyArray<Utterance>,
  { clips, underWay, refused, priceOf }: Outlook
): Sending => {
  const all = new Map<UtteranceKey, Utterance>(utterances.map((utterance) => [utterance.key, utterance]))
  const missing = [...all.values()].filter(({ key }) => !clips.has(key))
  const awaited = missing.filter(({ key }) => underWay.has(key))
  const left = missing.filter(({ key }) => !underWay.has(key) && !refused.has(key))
  const credits = left.reduce<number | undefined>((sum, { casting, characters }) => {
    const price = priceOf(casting)
    return sum === undefined || price === undefined ? undefined : sum + price * characters
  }, 0)
  return {
    utterances: all.size,
    reused: all.size - missing.length,
    underWay: awaited.length,
    refused: missing.length - awaited.length - left.length,
    characters: left.reduce((sum, { characters }) => sum + characters, 0),
    ...(credits === undefined ? {} : { credits })
  }
}

const faultsOf = (rejected: InputRejected | undefined): PlanReport["faults"] =>
  Array.map(rejected?.faults ?? [], ({ file, line, message }) => ({
    file,
    ...(line === undefined ? {} : { line }),
    message
  }))
