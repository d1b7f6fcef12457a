/** Formats a dry run as tables for a terminal. */
import { Number } from "effect"
import {
  type Effort,
  type PlannedJob,
  type PlanReport,
  type TightLine,
  effortToSend
} from "../../domain/report/PlanReport.ts"
import { lengthsText } from "../../pages/documents/LengthSources.ts"
import { costLines } from "../../pages/documents/PlanCosts.ts"
import { formatCount, formatInteger } from "../../pages/parts/TimeFormat.ts"
import { type Cell, type Look, textTable } from "./TextTable.ts"

/** Formats a plan: jobs, unreadable lines, lines that will not fit, and costs; `all` adds speakers and all lines. */
export const planText = (report: PlanReport, all: boolean, look: Look): string =>
  [
    textTable(
      ["job", "cues", "lines", "utterances", "cached", "characters", "credits", "will not fit"],
      [...report.jobs.map((job) => [job.id, ...effortCells(job)]), ["all", ...effortCells(report.total)]],
      look
    ),
    ...(all ? ["", speakersTable(report.jobs, look)] : []),
    ...syncPart(report.jobs),
    ...lostPart(report.jobs, all),
    ...tightPart(report.jobs, all, look),
    "",
    ...closing(report)
  ].join("\n")

const effortCells = (row: Effort): ReadonlyArray<Cell> => [
  ...[row.cues, row.lines, row.utterances, row.reused, row.characters].map(countCell),
  row.credits === undefined ? { figure: "unknown" } : countCell(Math.ceil(row.credits)),
  countCell(row.tightLines)
]

const countCell = (count: number): Cell => ({ figure: formatInteger(count) })

const speakersTable = (jobs: ReadonlyArray<PlannedJob>, look: Look): string =>
  textTable(
    ["job", "speaker", "cues", "voice"],
    jobs.flatMap(({ id, speakers }) =>
      speakers.map(({ speaker, cues, voices }) => [id, speaker ?? "(unnamed)", cues, voices.join(", ")])
    ),
    look
  )

/** Lines shown without --verbose; the rest are only counted. */
const shown = 12

const syncPart = (jobs: ReadonlyArray<PlannedJob>): ReadonlyArray<string> => {
  const compared = jobs.flatMap(({ id, sync }) => (sync === undefined ? [] : [`  ${id}: ${sync.summary}`]))
  return compared.length === 0 ? [] : ["", "subtitles and the sound of their films:", ...compared]
}

const lostPart = (jobs: ReadonlyArray<PlannedJob>, all: boolean): ReadonlyArray<string> => {
  const lost = jobs.flatMap(({ lost }) => lost)
  if (lost.length === 0) return []
  const printed = all ? lost : lost.slice(0, shown)
  return [
    "",
    "lines that cannot be read:",
    ...printed.map(({ error }) => `  ${error}`),
    ...restPart(lost.length - printed.length)
  ]
}

const tightPart = (jobs: ReadonlyArray<PlannedJob>, all: boolean, look: Look): ReadonlyArray<string> => {
  const tight = jobs.flatMap(({ id, tight }) => tight.map((line) => ({ id, line })))
  if (tight.length === 0) return []
  // If not all are shown, show the worst.
  const printed = all
    ? tight
    : [...tight].sort((a, b) => (b.line.shortenBy ?? 0) - (a.line.shortenBy ?? 0)).slice(0, shown)
  return [
    "",
    textTable(
      ["job and cue", "line", "speaker", "needs", "has", "speed", "late", "words", "characters too many"],
      printed.map(({ id, line }) => [`${id} ${line.cue}`, ...tightCells(line)]),
      look
    ),
    ...restPart(tight.length - printed.length),
    lengthsText(jobs)
  ]
}

const restPart = (rest: number): ReadonlyArray<string> =>
  rest === 0 ? [] : [`… and ${formatCount(rest, "more line")} (--verbose shows all)`]

const tightCells = (line: TightLine): ReadonlyArray<Cell> => [
  line.line,
  line.speaker,
  `${line.lengthFrom === "measured" ? "" : "~"}${line.needs.toFixed(1)} s`,
  `${(line.end - line.start).toFixed(1)} s`,
  line.speed.toFixed(2),
  `${line.late.toFixed(1)} s`,
  clipped(line.said),
  line.shortenBy === undefined ? "no room between adjacent lines" : String(line.shortenBy)
]

const clipped = (words: string): string => {
  const letters = [...words]
  return letters.length <= 48 ? words : `${letters.slice(0, 47).join("").trimEnd()}…`
}

const closing = (report: PlanReport): ReadonlyArray<string> => {
  const { total, service } = report
  const { underWay, refused, lostLines } = total
  const place = service === "embedded" ? "the bundled service" : service.baseUrl
  const ifAny = (count: number, text: string) => (count === 0 ? [] : [text])
  return [
    nothingOr(total, (tasks) => `${formatCount(tasks, "task")} would be created on ${place}.`),
    ...ifAny(
      underWay,
      `${formatCount(underWay, "task")} of an earlier run ${underWay === 1 ? "is" : "are"} still in flight; the run would wait for ${underWay === 1 ? "it" : "them"}.`
    ),
    ...ifAny(
      refused,
      `${formatCount(refused, "utterance")} failed permanently and would not be retried; change ${refused === 1 ? "its" : "their"} text or voices, or use dubwright retry.`
    ),
    ...emptyPart(report.jobs),
    ...ifAny(
      lostLines,
      `${formatCount(lostLines, "line")} cannot be read; ${lostLines === 1 ? "its job fails" : "their jobs fail"}, unless onFailure is silence.`
    ),
    ...(total.credits === undefined
      ? ["A provider's price is unknown; set creditsPerCharacter under providers: in the manifest."]
      : []),
    ...costLines(report)
  ]
}

const emptyPart = (jobs: ReadonlyArray<PlannedJob>): ReadonlyArray<string> => {
  const cues = Number.sumAll(jobs.map(({ empty }) => empty.cues))
  const seconds = Number.sumAll(jobs.map(({ empty }) => empty.seconds))
  if (cues === 0) return []
  return [
    `Speech leaves about ${formatInteger(Math.round(seconds))} s of the cues empty; it fills ${formatCount(cues, "cue")} to less than 60 %.`
  ]
}

const nothingOr = (effort: Effort, textOf: (tasks: number) => string): string => {
  const { utterances, underWay, refused } = effort
  const tasks = effortToSend(effort)
  if (tasks > 0) return textOf(tasks)
  return utterances === 0
    ? "Nothing would be sent: there are no words to speak."
    : underWay + refused === 0
      ? "Nothing would be sent: every clip is cached."
      : "Nothing would be sent."
}
