/**
 * What is known of a run under way, drawn together from its events: plain values, so that what is shown can be tested.
 */
import type { ProgressEvent } from "../../pipeline/Progress.ts"

/** A provider's lane as last heard of. Times are milliseconds since the epoch. */
export interface ProviderProgress {
  readonly inFlight: number
  /** How many it may have in flight at once; unknown until the lane says so. */
  readonly limit: number | undefined
  /** Until when the service asked to wait; in the past where it did not. */
  readonly waitingUntil: number
  readonly spoken: number
}

export type JobStage = "placing" | "delivering" | "delivered" | "unchanged" | "failed" | "unfinished"

export interface JobRow {
  readonly stage: JobStage
  /** Share of the sound that is made, 0 to 1; never less than before, though a job may be mixed twice. */
  readonly fraction: number
  /** When its progress was last worth a line off a terminal; milliseconds since the epoch. */
  readonly toldAt: number
}

/** A second, from the moment at which the first of its utterances was spoken, and how many were. */
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
        /** How many utterances were settled before this was planned: second takes are planned in mid-run. */
        readonly before: number
      }
    | undefined
  readonly jobs: ReadonlyMap<string, JobRow>
  /** The video that is being written. */
  readonly muxing: string | undefined
  readonly lanes: ReadonlyMap<string, ProviderProgress>
  /** Utterances of this run. */
  readonly spoken: number
  readonly failed: number
  readonly adopted: number
  readonly retries: number
  /** Retries since something was last sent, found or spoken. */
  readonly inVain: number
  /** Characters sent in this run. */
  readonly sent: number
  /** Credits of what was sent in this run, as far as they are known. */
  readonly credits: number | undefined
  /** The seconds of the past minute in which something was spoken, oldest first: a busy run speaks hundreds in each. */
  readonly recent: ReadonlyArray<BusySecond>
  readonly stopping: string | undefined
}

export const emptyProgress = (now: number): ProgressModel => ({
  startedAt: now,
  planned: undefined,
  jobs: new Map(),
  muxing: undefined,
  lanes: new Map(),
  spoken: 0,
  failed: 0,
  adopted: 0,
  retries: 0,
  inVain: 0,
  sent: 0,
  credits: undefined,
  recent: [],
  stopping: undefined
})

/** The board after an event at `now`. */
export const advanceProgress = (board: ProgressModel, event: ProgressEvent, now: number): ProgressModel => {
  switch (event._tag) {
    case "Planned": {
      const { jobs, utterances, characters, reused } = event
      const before = board.spoken + board.failed
      return { ...board, planned: { jobs, utterances, characters, reused, before } }
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
      const lane = laneOf(landed, event.provider)
      return withLane(landed, event.provider, { ...lane, spoken: lane.spoken + 1 })
    }
    case "Retrying":
      return { ...board, retries: board.retries + 1, inVain: board.inVain + 1 }
    case "Failed":
      return withFlight({ ...board, failed: board.failed + 1 }, event.provider, -1)
    case "LanePaced":
      return withLane(board, event.provider, {
        ...laneOf(board, event.provider),
        inFlight: event.inFlight,
        limit: event.limit,
        waitingUntil: now + event.waitingSeconds * 1000
      })
    case "Stopping":
      return { ...board, stopping: event.why }
    case "Placing":
      return withJob(board, event.job, { stage: "placing", fraction: 0, toldAt: now })
    case "Delivering": {
      const row = board.jobs.get(event.job)
      const toldAt = row?.toldAt ?? now
      return withJob(board, event.job, {
        stage: "delivering",
        fraction: Math.max(row?.fraction ?? 0, event.fraction),
        toldAt: now - toldAt < newsApart ? toldAt : now
      })
    }
    case "Muxing":
      return { ...board, muxing: event.file }
    case "Delivered":
      return withJob(board, event.job, { stage: "delivered", fraction: 1, toldAt: now })
    case "Unchanged":
      return withJob(board, event.job, { stage: "unchanged", fraction: 1, toldAt: now })
    case "JobFailed":
      return withJob(board, event.job, { stage: "failed", fraction: 1, toldAt: now })
    case "JobUnfinished":
      return withJob(board, event.job, { stage: "unfinished", fraction: 1, toldAt: now })
    case "Warning":
      return board
  }
}

/** Utterances that need no more speaking, of all that the batch has: cached, spoken and failed ones. */
export const settledCount = ({
  planned,
  spoken,
  failed
}: ProgressModel): { readonly done: number; readonly all: number } => {
  if (planned === undefined) return { done: 0, all: 0 }
  const { utterances, reused, before } = planned
  return { done: reused + Math.min(utterances, spoken + failed - before), all: utterances + reused }
}

/** The shortest time between two lines about one delivery, in milliseconds. */
const newsApart = 15_000

/** A delivery's share that is done when its sound is made; videos and clips are written after it. */
const soundShare = 0.9

/** How many jobs are delivered, by this run or one before. */
export const deliveredIn = ({ jobs }: ProgressModel): number =>
  [...jobs.values()].filter(({ stage }) => stage === "delivered" || stage === "unchanged").length

/**
 * How much of a run is done, 0 to 1: half of it is speaking and half is delivering, since both take time in proportion
 * to the batch's length.
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

/** How many seconds of speaking are left at the pace of the past minute; unknown until that pace can be trusted. */
export const secondsLeft = (board: ProgressModel, now: number): number | undefined => {
  const { done, all } = settledCount(board)
  const recent = withinPace(board.recent, now)
  const spoken = recent.reduce((sum, second) => sum + second.spoken, 0)
  const since = now - (recent[0]?.from ?? now)
  if (done >= all || spoken < 8 || since < 4_000) return undefined
  return ((all - done) * since) / 1000 / spoken
}

const paceOver = 60_000

const withinPace = (recent: ProgressModel["recent"], now: number): ProgressModel["recent"] =>
  recent.filter(({ from }) => from > now - paceOver)

const withSpoken = (recent: ProgressModel["recent"], now: number): ProgressModel["recent"] => {
  const last = recent.at(-1)
  return last !== undefined && now - last.from < 1_000
    ? [...recent.slice(0, -1), { from: last.from, spoken: last.spoken + 1 }]
    : [...withinPace(recent, now), { from: now, spoken: 1 }]
}

const laneOf = (board: ProgressModel, provider: string): ProviderProgress =>
  board.lanes.get(provider) ?? { inFlight: 0, limit: undefined, waitingUntil: 0, spoken: 0 }

const withLane = (board: ProgressModel, provider: string, lane: ProviderProgress): ProgressModel => ({
  ...board,
  lanes: new Map(board.lanes).set(provider, lane)
})

/** One more or one fewer in flight; what an earlier run had sent may land without having been counted. */
const withFlight = (board: ProgressModel, provider: string, change: 1 | -1): ProgressModel => {
  const lane = laneOf(board, provider)
  return withLane(board, provider, { ...lane, inFlight: Math.max(0, lane.inFlight + change) })
}

const withJob = (board: ProgressModel, job: string, row: JobRow): ProgressModel => ({
  ...board,
  muxing: row.stage === "delivering" ? board.muxing : undefined,
  jobs: new Map(board.jobs).set(job, row)
})
