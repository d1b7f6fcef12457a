/** Progress display of a run: redrawn rows on a terminal, timestamped lines elsewhere, or JSON events. */
import { Clock, Effect, Layer, Schedule } from "effect"
import { Progress, type ProgressEvent } from "../../pipeline/Progress.ts"
import { Screen } from "./Screen.ts"
import { formatCount, formatInteger } from "../../pages/parts/TimeFormat.ts"

export interface WatchOptions {
  readonly quiet: boolean
  readonly verbose: boolean
  readonly events: boolean
}

/** Shows progress until the layer is released. */
export const progressDisplay = (options: WatchOptions): Layer.Layer<Progress, never, Screen> =>
  Layer.scoped(
    Progress,
    Effect.gen(function* () {
      const screen = yield* Screen
      if (options.events) return { emit: (event) => written(screen, event) }
      let board: ProgressModel = emptyProgress(yield* Clock.currentTimeMillis)
      const live = screen.live && !options.quiet
      if (live) yield* drawnOften(screen, () => board)
      return {
        emit: (event) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const before = board
            board = advanceProgress(before, event, now)
            return Effect.forEach(
              progressLines(event, before, board, now),
              (line) => {
                if (isPrinted(line, options, live)) return screen.say(line.text, now)
                return line.weight === "detail" && !options.verbose ? Effect.void : screen.note(line.text)
              },
              { discard: true }
            )
          })
      }
    })
  )

/** Whether a line is printed. A live display already shows the content of ordinary lines. */
const isPrinted = (line: ProgressLine, options: WatchOptions, live: boolean): boolean => {
  switch (line.weight) {
    case "warning":
      return true
    case "usual":
      return !options.quiet && !live
    case "repetition":
    case "detail":
      return options.verbose && !options.quiet
  }
}

const drawnOften = (screen: Screen["Type"], board: () => ProgressModel) =>
  Effect.gen(function* () {
    const draw = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      screen.draw(progressRows(board(), now, screen.columns()))
    )
    yield* Effect.addFinalizer(() => screen.draw([]))
    yield* draw.pipe(Effect.repeat(Schedule.spaced("150 millis")), Effect.forkScoped)
  })

const written = (screen: Screen["Type"], event: ProgressEvent): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const { _tag, ...facts } = event
    return screen.event({ event: _tag, ...facts }, now)
  })

const styled =
  (code: number) =>
  (text: string): string =>
    `\u001b[${code}m${text}\u001b[0m`
const bold = styled(1)
const faint = styled(2)
const red = styled(31)
const green = styled(32)
const yellow = styled(33)

/** Returns the rows to draw at `now` (milliseconds since the epoch) on a terminal of `columns`. */
export const progressRows = (board: ProgressModel, now: number, columns: number): ReadonlyArray<string> => {
  const stages = [...board.jobs.values()].map(({ stage }) => stage)
  const failed = stages.filter((stage) => stage === "failed").length
  const jobs = board.planned?.jobs ?? board.jobs.size
  const left = secondsLeft(board, now)
  return [
    [
      bold(`dubwright ${span((now - board.startedAt) / 1000)}`),
      board.planned === undefined
        ? "planning"
        : `${formatInteger(deliveredIn(board))} of ${formatCount(jobs, "job")} delivered`,
      ...(failed > 0 ? [red(`${failed} failed`)] : []),
      ...(board.stopping === undefined ? [] : [yellow(`stopping: ${board.stopping}`)])
    ].join("  "),
    ...(board.planned === undefined
      ? []
      : [
          [
            `${bar(shareDone(board), Math.max(8, Math.min(30, columns - 60)))} ${percent(shareDone(board))}`,
            spokenText(board),
            ...counts(board),
            ...(left === undefined ? [] : [`about ${roughly(left)} left`])
          ].join("  "),
          ...(board.planned.utterances === 0 ? [] : [faint(`  ${sentText(board)}`)])
        ]),
    ...[...board.providers].map(([id, provider]) => providerRow(id, provider, now)),
    ...[...board.jobs]
      .filter(([, { stage }]) => stage === "placing" || stage === "delivering")
      .slice(0, 6)
      .map(([job, { stage, fraction }]) =>
        stage === "placing" ? `  ${job}: placing` : `  ${job}: delivering ${percent(fraction)}`
      ),
    ...(board.listening === undefined ? [] : [`  ${listeningText(board.listening)}`]),
    ...(board.muxing === undefined ? [] : [`  writing ${board.muxing}`])
  ]
}

const spokenText = (board: ProgressModel): string => {
  const { done, failed, all } = settledCount(board)
  return `${formatInteger(done - failed)} of ${formatInteger(all)} spoken`
}

const counts = (board: ProgressModel): ReadonlyArray<string> => {
  const parts = [
    [board.planned?.reused ?? 0, "cached"],
    [board.adopted, "adopted"],
    [board.retries, "retries"],
    [board.failed, "failed"]
  ] as const
  const counts = parts
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${formatInteger(count)} ${name}`)
  return counts.length === 0 ? [] : [faint(`(${counts.join(", ")})`)]
}

/** Characters sent so far, of all to be sent, and their credits. */
const sentText = ({ sent, credits, planned }: ProgressModel): string =>
  [
    `${formatInteger(sent)} of ${formatInteger(Math.max(sent, planned?.characters ?? 0))} characters sent`,
    ...(credits === undefined ? [] : [`${formatInteger(Math.ceil(credits))} credits`])
  ].join(", ")

const providerRow = (id: string, provider: ProviderProgress, now: number): string => {
  const wait = Math.ceil((provider.waitingUntil - now) / 1000)
  const pace = `  ${id}: ${provider.inFlight}${provider.limit === undefined ? "" : ` of ${provider.limit}`} in flight, ${formatInteger(provider.spoken)} spoken`
  return wait > 0
    ? `${pace}${yellow(`, waiting ${wait} s (the service accepts no more for now)`)}`
    : faint(pace)
}

const bar = (share: number, columns: number): string => {
  const full = Math.round(Math.min(1, Math.max(0, share)) * columns)
  return green("█".repeat(full)) + faint("░".repeat(columns - full))
}

const percent = (share: number): string => `${Math.floor(Math.min(1, Math.max(0, share)) * 100)} %`

/** Formats a duration in seconds, `02:05` or `1:02:05`. */
const span = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds))
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"))
  const hours = Math.floor(whole / 3600)
  return (hours > 0 ? [String(hours), ...parts] : parts).join(":")
}

/** Formats an estimated duration in seconds, rounded. */
const roughly = (seconds: number): string =>
  seconds < 50
    ? `${Math.max(5, Math.ceil(seconds / 5) * 5)} s`
    : seconds < 5400
      ? `${Math.max(1, Math.round(seconds / 60))} min`
      : `${(seconds / 3600).toFixed(1)} h`

/**
 * How much a line matters: warnings and errors are printed even with --quiet, repetitions and details only with
 * --verbose. A log file has repetitions in any case.
 */
type Weight = "warning" | "usual" | "repetition" | "detail"

interface ProgressLine {
  readonly weight: Weight
  readonly text: string
}

/** How many utterances that failed for the same reason are printed. */
const failuresPrinted = 3

/** After this many retries without progress in between, one line reports the trouble. */
const trouble = 3

/**
 * Returns the lines to print for an event; `before` and `after` are the progress before and after it. A line about
 * spoken utterances appears every 5 %; one about a provider queue only when it begins to wait.
 */
export const progressLines = (
  event: ProgressEvent,
  before: ProgressModel,
  after: ProgressModel,
  now: number
): ReadonlyArray<ProgressLine> =>
  [
    lineOf(event, before, after, now),
    event._tag === "Failed" ? milestone(before, after, now) : undefined
  ].filter((line) => line !== undefined)

const lineOf = (event: ProgressEvent, before: ProgressModel, after: ProgressModel, now: number) => {
  switch (event._tag) {
    case "Planned":
      return usual(
        `${formatCount(event.jobs, "job")}, ${formatCount(event.utterances, "utterance")}, ${formatCount(event.characters, "character")} to speak` +
          (event.reused === 0 ? "" : `; ${formatInteger(event.reused)} cached`)
      )
    case "Submitted":
      return detail(
        `${event.provider}: sent ${short(event.utterance)}, ${formatCount(event.characters, "character")}`
      )
    case "Adopted":
      return usual(
        `${event.provider}: found ${short(event.utterance)} in the service's history; not sent again`
      )
    case "Spoken":
      return milestone(before, after, now) ?? detail(`${event.provider}: spoke ${short(event.utterance)}`)
    case "Retrying":
      return after.inVain === trouble
        ? usual(`${event.provider}: ${event.why}; retrying`)
        : detail(
            `${event.provider}: retrying ${short(event.utterance)} in ${Math.ceil(event.inSeconds)} s: ${event.why}`
          )
    case "Failed":
      return failureLine(event, after)
    case "ProviderPaced": {
      const waited = (before.providers.get(event.provider)?.waitingUntil ?? 0) > now
      return event.waitingSeconds >= 1 && !waited
        ? usual(
            `${event.provider}: waiting ${Math.ceil(event.waitingSeconds)} s (the service accepts no more for now)`
          )
        : detail(`${event.provider}: ${event.inFlight} of ${event.limit} in flight`)
    }
    case "Stopping":
      return warning(`stopping: ${event.why}`)
    case "Listening":
      return before.listening === undefined || before.listening.printedAt === after.listening?.printedAt
        ? undefined
        : after.listening && usual(listeningText(after.listening))
    case "Placing":
      return detail(`${event.job}: placing`)
    case "Delivering": {
      const [earlier, row] = [before.jobs.get(event.job), after.jobs.get(event.job)]
      return row === undefined || earlier === undefined || earlier.printedAt === row.printedAt
        ? undefined
        : usual(`${event.job}: delivering ${percent(row.fraction)}`)
    }
    case "Muxing":
      return usual(`writing ${event.file}`)
    case "Delivered":
      return usual(`${event.job}: delivered${jobCounts(after)}`)
    case "Unchanged":
      return detail(`${event.job}: unchanged, already delivered`)
    case "JobFailed":
      return warning(`${event.job}: failed: ${event.error}`)
    case "JobUnfinished":
      return usual(`${event.job}: left for the next run (${event.why})`)
    case "Warning":
      return warning(event.message)
  }
}

/** The first failures for a reason are warnings. */
const failureLine = (
  { label, error }: Extract<ProgressEvent, { readonly _tag: "Failed" }>,
  { reasons }: ProgressModel
): ProgressLine => {
  const text = `${label} failed: ${error}`
  const count = reasons.get(error) ?? 0
  if (count <= failuresPrinted) return warning(text)
  return count === failuresPrinted + 1
    ? warning(`${label} failed for the same reason; from here, only --verbose prints such lines`)
    : { weight: "repetition", text }
}

const listeningText = ({ job, done, total }: NonNullable<ProgressModel["listening"]>): string =>
  `${job}: transcribed ${formatInteger(done)} of ${formatCount(total, "clip")}`

/** The number of delivered jobs, in brackets; empty for a batch of one. */
const jobCounts = (board: ProgressModel): string =>
  board.planned === undefined || board.planned.jobs < 2
    ? ""
    : ` (${formatInteger(deliveredIn(board))} of ${formatCount(board.planned.jobs, "job")})`

const milestone = (before: ProgressModel, after: ProgressModel, now: number): ProgressLine | undefined => {
  const { done, failed, all } = settledCount(after)
  const { utterances = 0, reused = 0 } = after.planned ?? {}
  const twentieth = (count: number) => Math.floor(((count - reused) * 20) / Math.max(1, utterances))
  if (twentieth(done) === twentieth(settledCount(before).done)) return undefined
  const left = secondsLeft(after, now)
  return usual(
    [
      `${spokenText(after)} (${percent((done - failed) / all)})`,
      ...(failed === 0 ? [] : [`${formatInteger(failed)} failed`]),
      ...(left === undefined ? [] : [`about ${roughly(left)} left`])
    ].join(", ")
  )
}

const short = (utterance: string): string => utterance.slice(0, 8)
const warning = (text: string): ProgressLine => ({ weight: "warning", text })
const usual = (text: string): ProgressLine => ({ weight: "usual", text })
const detail = (text: string): ProgressLine => ({ weight: "detail", text })

// Progress of a run, folded from its events into plain values that can be tested without a terminal.

/** A provider queue's latest figures. Times are milliseconds since the epoch. */
interface ProviderProgress {
  readonly inFlight: number
  /** Maximum number of tasks in flight; undefined until the queue reports it. */
  readonly limit: number | undefined
  /** End of the wait that the service requested; in the past if there is none. */
  readonly waitingUntil: number
  readonly spoken: number
}

type JobStage = "placing" | "delivering" | "delivered" | "unchanged" | "failed" | "unfinished"

interface JobRow {
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

/** The last stage of a job. */
const ends = {
  Delivered: "delivered",
  Unchanged: "unchanged",
  JobFailed: "failed",
  JobUnfinished: "unfinished"
} as const

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
    case "Unchanged":
    case "JobFailed":
    case "JobUnfinished":
      return withJob(board, event.job, { stage: ends[event._tag], fraction: 1, printedAt: now })
    case "Warning":
      return board
  }
}

/** Utterances of the batch: settled (cached, spoken or failed), failed among them, and all. */
export const settledCount = ({ planned, spoken, failed }: ProgressModel) => {
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
const deliveredIn = ({ jobs }: ProgressModel): number =>
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
