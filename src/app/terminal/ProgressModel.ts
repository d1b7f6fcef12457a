/** Progress of a run, folded from its events into plain values that can be tested without a terminal. */
import type { ProgressEvent } from "../../pipeline/Progress.ts"

/** A provider queue's latest figures. Times are milliseconds since the epoch. */
export interface ProviderProgress {
  readonly inFlight: number
  /** Maximum number of tasks in flight; undefined until the queue reports it. */
  readonly limit: number | undefined
  /** End of the wait that the service requested; in the past if there is none. */
  readonly waitingUntil: number
  readonly spoken: number
}

export type JobStage = "placing" | "delivering" | "delivered" | "unchanged" | "failed" | "unfinished"

export interface JobRow {
  readonly stage: JobStage
  /** Share of the audio rendered, 0 to 1; never decreases, though a job may be mixed twice. */
  readonly fraction: number
  /** When its progress was last printed as a line; milliseconds since the epoch. */
  readonly printedAt: number
}

/** Utterances spoken in one second; `from` is when the first of them was, in milliseconds since the epoch. */
interface BusySecond {
  readonly from: number
  readonly spoken: number
}

export interface ProgressModel {
  readonly startedAt: number
  readonly planned:
    | {
        readonly jobs: number
        readonly utterances: number
        readonly characters: number
        readonly reused: number
        /** Utterances spoken and failed before this plan. Above 0 if the plan is one of retakes, during a run. */
        readonly before: Pick<ProgressModel, "spoken" | "failed">
      }
    | undefined
  readonly jobs: ReadonlyMap<string, JobRow>
  /** The video being written. */
  readonly muxing: string | undefined
  /** The job whose clips are transcribed, and when a line about them was last printed. */
  readonly listening:
    | {
        readonly job: string
        readonly done: number
        readonly total: number
        readonly printedAt: number
      }
    | undefined
  readonly providers: ReadonlyMap<string, ProviderProgress>
  /** Utterances spoken in this run. */
  readonly spoken: number
  readonly failed: number
  /** How many utterances failed for each of the first reasons. */
  readonly reasons: ReadonlyMap<string, number>
  readonly adopted: number
  readonly retries: number
  /** Retries since a task was last created, adopted or spoken. */
  readonly inVain: number
  /** Characters sent in this run. */
  readonly sent: number
  /** Credits of the tasks sent in this run, as far as known. */
  readonly credits: number | undefined
  /** The past minute's utterances, grouped by second, oldest first; a busy run has hundreds per second. */
  readonly recent: ReadonlyArray<BusySecond>
  readonly stopping: string | undefined
}

export const emptyProgress = (now: number): ProgressModel => ({
  startedAt: now,
  planned: undefined,
  jobs: new Map(),
  listening: undefined,
  muxing: undefined,
  providers: new Map(),
  spoken: 0,
  failed: 0,
  reasons: new Map(),
  adopted: 0,
  retries: 0,
  inVain: 0,
  sent: 0,
  credits: undefined,
  recent: [],
  stopping: undefined
})

/** Applies an event at `now` (milliseconds since the epoch). */
export const advanceProgress = (board: ProgressModel, event: ProgressEvent, now: number): ProgressModel => {
  switch (event._tag) {
    case "Planned": {
      const { jobs, utterances, characters, reused } = event
      const { spoken, failed } = board
      return { ...board, planned: { jobs, utterances, characters, reused, before: { spoken, failed } } }
    }
    case "Submitted":
      return withFlight(
        {
          ...board,
          inVain: 0,
          sent: board.sent + event.characters,
          credits: event.credits === undefined ? board.credits : (board.credits ?? 0) + event.credits
        },
        event.provider,
        1
      )
    case "Adopted":
      return withFlight({ ...board, inVain: 0, adopted: board.adopted + 1 }, event.provider, 1)
    case "Spoken": {
      const recent = withSpoken(board.recent, now)
      const landed = withFlight({ ...board, inVain: 0, spoken: board.spoken + 1, recent }, event.provider, -1)
      const provider = providerOf(landed, event.provider)
      return withProvider(landed, event.provider, { ...provider, spoken: provider.spoken + 1 })
    }
    case "Retrying":
      return { ...board, retries: board.retries + 1, inVain: board.inVain + 1 }
    case "Failed":
      return withFlight(
        { ...board, failed: board.failed + 1, reasons: withReason(board.reasons, event.error) },
        event.provider,
        -1
      )
    case "ProviderPaced":
      return withProvider(board, event.provider, {
        ...providerOf(board, event.provider),
        inFlight: event.inFlight,
        limit: event.limit,
        waitingUntil: now + event.waitingSeconds * 1000
      })
    case "Stopping":
      return { ...board, stopping: event.why }
    case "Listening": {
      const { job, done, total } = event
      const printedAt = done === 0 ? now : (board.listening?.printedAt ?? now)
      const isPrinted = now - printedAt >= newsApart
      const listening = { job, done, total, printedAt: isPrinted ? now : printedAt }
      return { ...board, listening: done < total ? listening : undefined }
    }
    case "Placing":
      return withJob(board, event.job, { stage: "placing", fraction: 0, printedAt: now })
    case "Delivering": {
      const row = board.jobs.get(event.job)
      const printedAt = row?.printedAt ?? now
      return withJob(board, event.job, {
        stage: "delivering",
        fraction: Math.max(row?.fraction ?? 0, event.fraction),
        printedAt: now - printedAt < newsApart ? printedAt : now
      })
    }
    case "Muxing":
      return { ...board, muxing: event.file }
    case "Delivered":
      return withJob(board, event.job, { stage: "delivered", fraction: 1, printedAt: now })
    case "Unchanged":
      return withJob(board, event.job, { stage: "unchanged", fraction: 1, printedAt: now })
    case "JobFailed":
      return withJob(board, event.job, { stage: "failed", fraction: 1, printedAt: now })
    case "JobUnfinished":
      return withJob(board, event.job, { stage: "unfinished", fraction: 1, printedAt: now })
    case "Warning":
      return board
  }
}

/** Utterances of the batch: settled (cached, spoken or failed), failed among them, and all. */
export interface SettledCount {
  readonly done: number
  readonly failed: number
  readonly all: number
}

export const settledCount = ({ planned, spoken, failed }: ProgressModel): SettledCount => {
  if (planned === undefined) return { done: 0, failed: 0, all: 0 }
  const { utterances, reused, before } = planned
  const newlyFailed = Math.min(utterances, failed - before.failed)
  const settled = Math.min(utterances, spoken - before.spoken + newlyFailed)
  return { done: reused + settled, failed: newlyFailed, all: utterances + reused }
}

/** Minimum time between two lines about one delivery, in milliseconds. */
const newsApart = 15_000

/** Share of a delivery that is done when its audio is rendered; videos and clips are written after it. */
const soundShare = 0.9

/** Counts jobs delivered by this run or an earlier one. */
export const deliveredIn = ({ jobs }: ProgressModel): number =>
  [...jobs.values()].filter(({ stage }) => stage === "delivered" || stage === "unchanged").length

/**
 * Returns the share of the run that is done, 0 to 1. Speaking and delivering count half each, since both take time in
 * proportion to the batch's length.
 */
export const shareDone = (board: ProgressModel): number => {
  const { done, all } = settledCount(board)
  const jobs = board.planned?.jobs ?? 0
  if (jobs === 0) return 0
  const made = [...board.jobs.values()].reduce(
    (sum, { stage, fraction }) =>
      sum + (stage === "placing" || stage === "delivering" ? fraction * soundShare : fraction),
    0
  )
  return ((all === 0 ? 1 : done / all) + Math.min(1, made / jobs)) / 2
}

/**
 * Estimates the seconds of speaking left from the past minute's pace. Undefined until 8 utterances over at least 4 s
 * make that pace reliable.
 */
export const secondsLeft = (board: ProgressModel, now: number): number | undefined => {
  const { done, all } = settledCount(board)
  const recent = withinPace(board.recent, now)
  const spoken = recent.reduce((sum, second) => sum + second.spoken, 0)
  const since = now - (recent[0]?.from ?? now)
  if (done >= all || spoken < 8 || since < 4_000) return undefined
  return ((all - done) * since) / 1000 / spoken
}

/** Reasons that are counted. If more than these differ, each utterance has its own. */
const maxReasons = 100

const withReason = (reasons: ProgressModel["reasons"], error: string): ProgressModel["reasons"] =>
  reasons.has(error) || reasons.size < maxReasons
    ? new Map(reasons).set(error, (reasons.get(error) ?? 0) + 1)
    : reasons

const paceOver = 60_000

const withinPace = (recent: ProgressModel["recent"], now: number): ProgressModel["recent"] =>
  recent.filter(({ from }) => from > now - paceOver)

const withSpoken = (recent: ProgressModel["recent"], now: number): ProgressModel["recent"] => {
  const last = recent.at(-1)
  return last !== undefined && now - last.from < 1_000
    ? [...recent.slice(0, -1), { from: last.from, spoken: last.spoken + 1 }]
    : [...withinPace(recent, now), { from: now, spoken: 1 }]
}

const providerOf = (board: ProgressModel, provider: string): ProviderProgress =>
  board.providers.get(provider) ?? { inFlight: 0, limit: undefined, waitingUntil: 0, spoken: 0 }

const withProvider = (board: ProgressModel, id: string, provider: ProviderProgress): ProgressModel => ({
  ...board,
  providers: new Map(board.providers).set(id, provider)
})

/** Changes the tasks in flight by one. Never below 0: tasks of an earlier run may end without having been counted. */
const withFlight = (board: ProgressModel, id: string, change: 1 | -1): ProgressModel => {
  const provider = providerOf(board, id)
  return withProvider(board, id, { ...provider, inFlight: Math.max(0, provider.inFlight + change) })
}

const withJob = (board: ProgressModel, job: string, row: JobRow): ProgressModel => ({
  ...board,
  muxing: row.stage === "delivering" ? board.muxing : undefined,
  jobs: new Map(board.jobs).set(job, row)
})
