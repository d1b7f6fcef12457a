/** Progress display of a run: redrawn rows on a terminal, timestamped lines elsewhere, or JSON events. */
import { Clock, Effect, Layer, Schedule } from "effect"
import { Progress, type ProgressEvent } from "../../pipeline/Progress.ts"
import {
  emptyProgress,
  advanceProgress,
  deliveredIn,
  secondsLeft,
  settledCount,
  shareDone,
  type ProgressModel,
  type ProviderProgress
} from "./ProgressModel.ts"
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
  return wait > 0 ? `${pace}${yellow(`, waiting ${wait} s (requested by the service)`)}` : faint(pace)
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
        ? usual(`${event.provider}: waiting ${Math.ceil(event.waitingSeconds)} s (requested by the service)`)
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
