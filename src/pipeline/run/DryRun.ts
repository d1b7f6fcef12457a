/** Builds the dry run's report: what would be sent, its cost, the voices, and the lines that would not fit. */
import { Array, Struct } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { JobId, UtteranceKey } from "../../domain/values/Ids.ts"
import type { Line } from "../../domain/speech/Line.ts"
import type {
  PlannedBalance,
  DiskSpace,
  Effort,
  PlannedJob,
  PlannedSpeaker,
  PlanReport,
  SrtCost
} from "../../domain/report/PlanReport.ts"
import { charactersOf, type Utterance } from "../../domain/speech/Utterance.ts"
import { srtInput } from "../../script/utterances/SrtPayload.ts"
import { speakersOf } from "../../script/spoken/VoiceAssignment.ts"
import { bilingualNotices } from "../plan/BilingualNotices.ts"
import { filmTooShort, unreadNotice } from "../plan/CueList.ts"
import { type Forecast, forecastFit, type Known } from "../place/FitForecast.ts"
import { longLines } from "../place/LongLines.ts"
import { type KnownRewritings, rewrittenLines } from "../rewrite/LineRewritings.ts"
import type { InputRejected } from "../load/InputRejected.ts"
import type { Batch } from "../load/Job.ts"
import type { BatchPlan, JobPlan, PartialPlan } from "../plan/BatchPlan.ts"
import type { UnreadReason } from "../plan/SpeechAccess.ts"
import { type Reread, rereadNotices } from "./ReadingChanges.ts"
import { costOf } from "../plan/Prices.ts"

/** Tasks in flight, refusals, prices, balance and disk space, in addition to clips and speaking rates. */
export interface Outlook extends Known {
  /** Utterances whose task may still give audio; a run does not send them again. */
  readonly inFlight: ReadonlySet<UtteranceKey>
  /** Utterances that the service rejected permanently; a run does not send them again. */
  readonly refused: ReadonlySet<UtteranceKey>
  /** Credits per character; undefined if unknown. */
  readonly priceOf: (casting: Casting) => number | undefined
  /** The account's balance; undefined if unknown. */
  readonly account?: Pick<PlannedBalance, "credits" | "unlimited"> | undefined
  readonly disk?: ReadonlyArray<DiskSpace>
  /** Earlier replies of the jobs' rewriters; absent if none are known. */
  readonly rewritings?: ReadonlyMap<JobId, KnownRewritings>
  /** Absent if it is unknown what the service's voices can read. */
  readonly unread?: UnreadReason | undefined
  /** Lines that a new version of dubwright reads differently. */
  readonly reread?: ReadonlyArray<Reread>
}

/** Returns the dry run of a batch, as far as it can be planned. */
export const dryRun = (batch: Batch, { plan, rejected }: PartialPlan, outlook: Outlook): PlanReport => {
  const forecasts = plan?.jobs.map((job) => ({ plan: job, forecast: forecastFit(job, outlook) })) ?? []
  const srtOf = (plans: ReadonlyArray<JobPlan>) => srtCost(plans, batch, outlook)
  const jobs = forecasts.map(({ plan, forecast }) => plannedJob(plan, forecast, srtOf([plan]), outlook))
  const total = totalOf(plan, jobs, srtOf(plan?.jobs ?? []), outlook)
  const { account, disk } = outlook
  const reread = rereadNotices(outlook.reread ?? [], outlook.priceOf)
  return {
    ...(batch.name === undefined ? {} : { name: batch.name }),
    manifest: batch.manifest,
    service: batch.service,
    out: batch.out,
    jobs,
    total,
    ...(account === undefined ? {} : { balance: balanceOf(account, total.credits) }),
    ...(disk === undefined ? {} : { disk }),
    faults: faultsOf(rejected),
    notices: [
      ...reread.map(({ summary }) => summary),
      ...reread.flatMap(({ lines }) => lines),
      ...(plan === undefined ? [] : bilingualNotices(plan, outlook.priceOf)),
      ...(plan?.jobs.flatMap((job) => unreadNotices(job, outlook)) ?? []),
      ...forecasts.flatMap(cutNotice),
      ...forecasts.flatMap(heldNotice),
      ...(plan?.notices ?? [])
    ]
  }
}

const balanceOf = (
  account: Pick<PlannedBalance, "credits" | "unlimited">,
  cost: number | undefined
): PlannedBalance => {
  const left = account.unlimited ? Infinity : account.credits
  return {
    ...account,
    ...(cost === undefined || left === undefined ? {} : { short: Math.max(0, Math.ceil(cost - left)) })
  }
}

type ForecastJob = { readonly plan: JobPlan; readonly forecast: Forecast }

/** Warns that the film ends before some lines do, which only their forecast lengths show. */
const cutNotice = ({ plan: { job }, forecast: { cut } }: ForecastJob): ReadonlyArray<string> =>
  cut.length === 0 ? [] : [`job ${job.id}: ${filmTooShort(job, cut)} would be cut off`]

/** Warns of lines to send that their voices cannot read, once per reason. */
const unreadNotices = ({ job, lines, uses }: JobPlan, outlook: Outlook): ReadonlyArray<string> => {
  const { unread } = outlook
  if (unread === undefined) return []
  const found = uses
    .filter(({ utterance }) => isUnsent(utterance, outlook))
    .flatMap(({ utterance: { casting, input, text, said }, lines }) =>
      lines.flatMap(({ cue }, at) => {
        // The entries of an SRT are spoken one by one.
        const why = unread(casting, input === "text" ? text : (said[at] ?? ""), text)
        return why === undefined ? [] : [{ cue, why }]
      })
    )
  return Object.entries(Array.groupBy(found, ({ why }) => why)).map(([why, some]) => {
    const cues = some.map(({ cue }) => cue)
    return `job ${job.id}: ${unreadNotice(cues, lines.length, why)}`
  })
}

/** Says how much longer the film would become. */
const heldNotice = ({ plan: { job }, forecast: { held } }: ForecastJob): ReadonlyArray<string> =>
  held === undefined
    ? []
    : [
        `job ${job.id}: the picture would be ${job.picture?.mode === "slow" ? "slowed" : "held"} ` +
          `${held.times === 1 ? "once" : `${held.times} times`}, and the film would be ${held.seconds.toFixed(2)} s longer`
      ]

const plannedJob = (
  plan: JobPlan,
  { cut: _, ...forecast }: Forecast,
  srt: SrtCost | undefined,
  outlook: Outlook
): PlannedJob => {
  const { job, words, lines, uses, timing } = plan
  return {
    id: job.id,
    input: job.inputName,
    outputs: job.outputs,
    cues: words.cues.length,
    lines: lines.length,
    ...sendingOf(
      uses.map(({ utterance }) => utterance),
      outlook
    ),
    ...(srt === undefined ? {} : { srt }),
    tightLines: forecast.tight.length,
    lostLines: words.cues.filter((cue) => "why" in cue).length,
    speakers: plannedSpeakers(words.cues, lines),
    ...forecast,
    lost: words.cues.flatMap((cue) =>
      "why" in cue
        ? [{ cue: cue.cue, line: cue.line, error: `${job.inputName}:${cue.line}: ${cue.why}` }]
        : []
    ),
    ...(job.rewrite === undefined ? {} : { rewrites: linesToSend(plan, outlook) }),
    ...(timing?.sync === undefined ? {} : { sync: timing.sync })
  }
}

/** Counts the lines that would be sent to the job's rewriter. */
const linesToSend = (plan: JobPlan, outlook: Outlook): number =>
  rewrittenLines(plan, longLines(plan, outlook), outlook.rewritings?.get(plan.job.id) ?? new Map()).filter(
    ({ request }) => request !== undefined
  ).length

/** What SRT adds to the unsent texts of these jobs, or would add to those that the plan chose to send plain. */
const srtCost = (
  plans: ReadonlyArray<JobPlan>,
  { profileOf }: Batch,
  outlook: Outlook
): SrtCost | undefined => {
  let [characters, markup, saved] = [0, 0, 0]
  const counted = new Set<UtteranceKey>()
  for (const { job, script, uses } of plans)
    for (const { utterance } of uses) {
      const { key, input, casting, said } = utterance
      if (counted.has(key) || !isUnsent(utterance, outlook)) continue
      counted.add(key)
      const isOpen = job.nativeInput === undefined && script._tag === "Subtitle"
      if (input === "srt") {
        characters += utterance.characters
        markup += said.reduce((left, words) => left - charactersOf(words), utterance.characters)
      } else if (isOpen && profileOf(casting.provider).srtInput)
        saved += charactersOf(srtInput(said)) - utterance.characters
    }
  if (characters === 0 && saved <= 0) return undefined
  return { characters, markup, ...(saved > 0 ? { saved } : {}) }
}

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

const totalOf = (
  plan: BatchPlan | undefined,
  jobs: ReadonlyArray<PlannedJob>,
  srt: SrtCost | undefined,
  outlook: Outlook
): Effort => {
  const sum = (count: (job: PlannedJob) => number) => jobs.reduce((all, job) => all + count(job), 0)
  return {
    cues: sum(({ cues }) => cues),
    lines: sum(({ lines }) => lines),
    ...sendingOf(plan?.utterances ?? [], outlook),
    ...(srt === undefined ? {} : { srt }),
    tightLines: sum(({ tightLines }) => tightLines),
    lostLines: sum(({ lostLines }) => lostLines)
  }
}

type Sending = Pick<Effort, "utterances" | "reused" | "underWay" | "refused" | "characters" | "credits">

const sendingOf = (utterances: ReadonlyArray<Utterance>, outlook: Outlook): Sending => {
  const { clips, inFlight } = outlook
  const all = new Map<UtteranceKey, Utterance>(utterances.map((utterance) => [utterance.key, utterance]))
  const missing = [...all.values()].filter(({ key }) => !clips.has(key))
  const awaited = missing.filter(({ key }) => inFlight.has(key))
  const left = missing.filter((utterance) => isUnsent(utterance, outlook))
  const { characters, credits } = costOf(left, outlook.priceOf)
  return {
    utterances: all.size,
    reused: all.size - missing.length,
    underWay: awaited.length,
    refused: missing.length - awaited.length - left.length,
    characters,
    ...(credits === undefined ? {} : { credits })
  }
}

/** Whether a run would send the utterance. */
export const isUnsent = (
  { key }: Pick<Utterance, "key">,
  { clips, inFlight, refused }: Pick<Outlook, "clips" | "inFlight" | "refused">
): boolean => !clips.has(key) && !inFlight.has(key) && !refused.has(key)

const faultsOf = (rejected: InputRejected | undefined): PlanReport["faults"] =>
  Array.map(rejected?.faults ?? [], Struct.pick("file", "line", "message"))
