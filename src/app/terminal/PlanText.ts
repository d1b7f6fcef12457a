/** A dry run as tables for a terminal. */
import {
  type Effort,
  type PlannedJob,
  type PlanReport,
  type TightLine,
  effortToSend
} from "../../domain/report/PlanReport.ts"
import { lengthsText } from "../../pages/documents/LengthSources.ts"
import { costLines } from "../../pages/documents/PlanCosts.ts"
import { countOf } from "./ProgressText.ts"
import { type Cell, type Look, textTable } from "./TextTable.ts"

/** What would be done, who has which voice, and what would not fit: the first lines of it, or `all`. */
export const planText = (report: PlanReport, all: boolean, look: Look): string =>
  [
    textTable(
      ["job", "cues", "lines", "utterances", "at hand", "characters", "credits", "will not fit"],
      [...report.jobs.map((job) => [job.id, ...effortCells(job)]), ["all", ...effortCells(report.total)]],
      look
    ),
    ...(all ? ["", speakersTable(report.jobs, look)] : []),
    ...lostPart(report.jobs, all),
    ...tightPart(report.jobs, all, look),
    "",
    ...closing(report)
  ].join("\n")

const effortCells = (row: Effort): ReadonlyArray<Cell> => [
  row.cues,
  row.lines,
  row.utterances,
  row.reused,
  row.characters,
  row.credits === undefined ? "not known" : String(Math.ceil(row.credits)),
  row.tightLines
]

const speakersTable = (jobs: ReadonlyArray<PlannedJob>, look: Look): string =>
  textTable(
    ["job", "speaker", "cues", "voice"],
    jobs.flatMap(({ id, speakers }) =>
      speakers.map(({ speaker, cues, voices }) => [id, speaker ?? "(unnamed)", cues, voices.join(", ")])
    ),
    look
  )

/** So many lines that will not fit are shown; the rest are counted. */
const shown = 12

const lostPart = (jobs: ReadonlyArray<PlannedJob>, all: boolean): ReadonlyArray<string> => {
  const lost = jobs.flatMap(({ lost }) => lost)
  if (lost.length === 0) return []
  const told = all ? lost : lost.slice(0, shown)
  const rest = lost.length - told.length
  return [
    "",
    "lines that cannot be read:",
    ...told.map(({ error }) => `  ${error}`),
    ...(rest > 0 ? [`… and ${countOf(rest, "more line")} (--verbose shows all)`] : [])
  ]
}

const tightPart = (jobs: ReadonlyArray<PlannedJob>, all: boolean, look: Look): ReadonlyArray<string> => {
  const tight = jobs.flatMap(({ id, tight }) => tight.map((line) => ({ id, line })))
  if (tight.length === 0) return []
  // The worst are told first where not all are told.
  const told = all
    ? tight
    : [...tight].sort((a, b) => (b.line.shortenBy ?? 0) - (a.line.shortenBy ?? 0)).slice(0, shown)
  const rest = tight.length - told.length
  return [
    "",
    textTable(
      ["job and cue", "line", "speaker", "needs", "has", "speed", "late", "words", "characters too many"],
      told.map(({ id, line }) => [`${id} ${line.cue}`, ...tightCells(line)]),
      look
    ),
    ...(rest > 0 ? [`… and ${countOf(rest, "more line")} (--verbose shows all)`] : []),
    lengthsText(jobs)
  ]
}

const tightCells = (line: TightLine): ReadonlyArray<Cell> => [
  line.line,
  line.speaker,
  `${line.lengthFrom === "measured" ? "" : "~"}${line.needs.toFixed(1)} s`,
  `${(line.end - line.start).toFixed(1)} s`,
  line.speed.toFixed(2),
  `${line.late.toFixed(1)} s`,
  clipped(line.said),
  line.shortenBy === undefined ? "its neighbours crowd it" : String(line.shortenBy)
]

const clipped = (words: string): string => {
  const letters = [...words]
  return letters.length <= 48 ? words : `${letters.slice(0, 47).join("").trimEnd()}…`
}

const closing = (report: PlanReport): ReadonlyArray<string> => {
  const { total, service } = report
  return [
    nothingOr(
      total,
      (tasks) =>
        `${countOf(tasks, "task")} would be created at ${service === "embedded" ? "the bundled service" : service.baseUrl}.`
    ),
    ...(total.underWay === 0
      ? []
      : [
          `${countOf(total.underWay, "task")} of an earlier run ${total.underWay === 1 ? "is" : "are"} under way: ${total.underWay === 1 ? "it" : "they"} would be waited for.`
        ]),
    ...(total.refused === 0
      ? []
      : [
          `${countOf(total.refused, "utterance")} failed for good and would not be sent again: change ${total.refused === 1 ? "its" : "their"} words or voices, or try once more with dubwright retry.`
        ]),
    ...(total.lostLines === 0
      ? []
      : [
          `${countOf(total.lostLines, "line")} cannot be read and will not be heard: ${total.lostLines === 1 ? "its job fails" : "their jobs fail"}, unless onFailure is silence.`
        ]),
    ...(total.credits === undefined
      ? ["A provider's price is not known: name creditsPerCharacter under providers: in the manifest."]
      : []),
    ...costLines(report)
  ]
}

const nothingOr = (effort: Effort, told: (tasks: number) => string): string => {
  const { utterances, underWay, refused } = effort
  const tasks = effortToSend(effort)
  if (tasks > 0) return told(tasks)
  return utterances === 0
    ? "Nothing would be sent: there is nothing to say."
    : underWay + refused === 0
      ? "Nothing would be sent: everything is at hand."
      : "Nothing would be sent."
}
