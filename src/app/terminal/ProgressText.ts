/** A run's board in words: rows to draw on a terminal, and lines to write elsewhere. */
import type { ProgressEvent } from "../../pipeline/Progress.ts"
import { formatInteger } from "../../pages/parts/TimeFormat.ts"
import {
  type ProgressModel,
  deliveredIn,
  type ProviderProgress,
  secondsLeft,
  settledCount,
  shareDone
} from "./ProgressModel.ts"

const styled =
  (code: number) =>
  (text: string): string =>
    `\u001b[${code}m${text}\u001b[0m`
const bold = styled(1)
const faint = styled(2)
const red = styled(31)
const green = styled(32)
const yellow = styled(33)

/** The rows of a board at `now` (milliseconds since the epoch), for a terminal of so many columns. */
export const progressRows = (board: ProgressModel, now: number, columns: number): ReadonlyArray<string> => {
  const { done, all } = settledCount(board)
  const stages = [...board.jobs.values()].map(({ stage }) => stage)
  const failed = stages.filter((stage) => stage === "failed").length
  const jobs = board.planned?.jobs ?? board.jobs.size
  const left = secondsLeft(board, now)
  return [
    [
      bold(`dubwright ${span((now - board.startedAt) / 1000)}`),
      board.planned === undefined ? "planning" : `${deliveredIn(board)} of ${countOf(jobs, "job")} delivered`,
      ...(failed > 0 ? [red(`${failed} failed`)] : []),
      ...(board.stopping === undefined ? [] : [yellow(`stopping: ${board.stopping}`)])
    ].join("  "),
    ...(board.planned === undefined
      ? []
      : [
          [
            `${bar(shareDone(board), Math.max(8, Math.min(30, columns - 60)))} ${percent(shareDone(board))}`,
            `${done} of ${all} spoken`,
            ...counts(board),
            ...(left === undefined ? [] : [`about ${roughly(left)} left`])
          ].join("  "),
          ...(board.planned.utterances === 0 ? [] : [faint(`  ${sentText(board)}`)])
        ]),
    ...[...board.lanes].map(([provider, lane]) => laneRow(provider, lane, now)),
    ...[...board.jobs]
      .filter(([, { stage }]) => stage === "placing" || stage === "delivering")
      .slice(0, 6)
      .map(([job, { stage, fraction }]) =>
        stage === "placing" ? `  ${job}: placing` : `  ${job}: delivering ${percent(fraction)}`
      ),
    ...(board.muxing === undefined ? [] : [`  writing ${board.muxing}`])
  ]
}

const counts = (board: ProgressModel): ReadonlyArray<string> => {
  const parts = [
    [board.planned?.reused ?? 0, "at hand"],
    [board.adopted, "found again"],
    [board.retries, "retries"],
    [board.failed, "failed"]
  ] as const
  const told = parts.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name}`)
  return told.length === 0 ? [] : [faint(`(${told.join(", ")})`)]
}

/** What was sent of what is to be sent, and what it cost so far. */
const sentText = ({ sent, credits, planned }: ProgressModel): string =>
  [
    `${formatInteger(sent)} of ${formatInteger(Math.max(sent, planned?.characters ?? 0))} characters sent`,
    ...(credits === undefined ? [] : [`${formatInteger(Math.ceil(credits))} credits`])
  ].join(", ")

const laneRow = (provider: string, lane: ProviderProgress, now: number): string => {
  const wait = Math.ceil((lane.waitingUntil - now) / 1000)
  const pace = `  ${provider}: ${lane.inFlight}${lane.limit === undefined ? "" : ` of ${lane.limit}`} in flight, ${lane.spoken} spoken`
  return wait > 0 ? `${pace}${yellow(`, waiting ${wait} s as the service asks`)}` : faint(pace)
}

const bar = (share: number, columns: number): string => {
  const full = Math.round(Math.min(1, Math.max(0, share)) * columns)
  return green("█".repeat(full)) + faint("░".repeat(columns - full))
}

const percent = (share: number): string => `${Math.floor(Math.min(1, Math.max(0, share)) * 100)} %`

/** A number with its noun. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** A length of time as a clock shows it. */
const span = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds))
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, "0"))
  const hours = Math.floor(whole / 3600)
  return (hours > 0 ? [String(hours), ...parts] : parts).join(":")
}

/** A length of time no finer than it is known. */
const roughly = (seconds: number): string =>
  seconds < 50
    ? `${Math.max(5, Math.ceil(seconds / 5) * 5)} s`
    : seconds < 5400
      ? `${Math.max(1, Math.round(seconds / 60))} min`
      : `${(seconds / 3600).toFixed(1)} h`

/** How much a line matters: errors and warnings are told even to who wants quiet; details only to who asks. */
export type Weight = "warning" | "usual" | "detail"

export interface ProgressLine {
  readonly weight: Weight
  readonly text: string
}

/** So many retries with nothing between are no single mishap, and told once. */
const trouble = 3

/**
 * What an event says in one line, if it is worth one; `before` and `after` are the board on either side of it. Of the
 * many utterances of a long run only each twentieth part is told, and of a lane only that it began to wait.
 */
export const progressLine = (
  event: ProgressEvent,
  before: ProgressModel,
  after: ProgressModel,
  now: number
): ProgressLine | undefined => {
  switch (event._tag) {
    case "Planned":
      return usual(
        `${countOf(event.jobs, "job")}, ${countOf(event.utterances, "utterance")}, ${countOf(event.characters, "character")} to be said` +
          (event.reused === 0 ? "" : `; ${event.reused} at hand already`)
      )
    case "Submitted":
      return detail(
        `${event.provider}: sent ${short(event.utterance)}, ${countOf(event.characters, "character")}`
      )
    case "Adopted":
      return usual(`${event.provider}: found ${short(event.utterance)} in the history; not sent again`)
    case "Spoken":
      return milestone(before, after, now) ?? detail(`${event.provider}: spoken ${short(event.utterance)}`)
    case "Retrying":
      return after.inVain === trouble
        ? usual(`${event.provider}: ${event.why}; trying again`)
        : detail(
            `${event.provider}: trying ${short(event.utterance)} again in ${Math.ceil(event.inSeconds)} s: ${event.why}`
          )
    case "Failed":
      return warning(`${event.label} failed: ${event.error}`)
    case "LanePaced": {
      const waited = (before.lanes.get(event.provider)?.waitingUntil ?? 0) > now
      return event.waitingSeconds >= 1 && !waited
        ? usual(`${event.provider}: waiting ${Math.ceil(event.waitingSeconds)} s as the service asks`)
        : detail(`${event.provider}: ${event.inFlight} of ${event.limit} in flight`)
    }
    case "Stopping":
      return warning(`stopping: ${event.why}`)
    case "Placing":
      return detail(`${event.job}: placing`)
    case "Delivering": {
      const [earlier, row] = [before.jobs.get(event.job), after.jobs.get(event.job)]
      return row === undefined || earlier === undefined || earlier.toldAt === row.toldAt
        ? undefined
        : usual(`${event.job}: delivering ${percent(row.fraction)}`)
    }
    case "Muxing":
      return usual(`writing ${event.file}`)
    case "Delivered":
      return usual(`${event.job}: delivered${jobsTold(after)}`)
    case "Unchanged":
      return detail(`${event.job}: delivered before, unchanged`)
    case "JobFailed":
      return warning(`${event.job}: failed: ${event.error}`)
    case "JobUnfinished":
      return usual(`${event.job}: left for the next run: ${event.why}`)
    case "Warning":
      return warning(event.message)
  }
}

/** How many jobs of a batch are delivered by now. */
const jobsTold = (board: ProgressModel): string =>
  board.planned === undefined || board.planned.jobs < 2
    ? ""
    : ` (${deliveredIn(board)} of ${countOf(board.planned.jobs, "job")})`

const milestone = (before: ProgressModel, after: ProgressModel, now: number): ProgressLine | undefined => {
  const { done, all } = settledCount(after)
  const { utterances = 0, reused = 0 } = after.planned ?? {}
  const twentieth = (count: number) => Math.floor(((count - reused) * 20) / Math.max(1, utterances))
  if (twentieth(done) === twentieth(settledCount(before).done)) return undefined
  const left = secondsLeft(after, now)
  return usual(
    `${done} of ${all} spoken (${percent(done / all)})${left === undefined ? "" : `, about ${roughly(left)} left`}`
  )
}

const short = (utterance: string): string => utterance.slice(0, 8)
const warning = (text: string): ProgressLine => ({ weight: "warning", text })
const usual = (text: string): ProgressLine => ({ weight: "usual", text })
const detail = (text: string): ProgressLine => ({ weight: "detail", text })
