/** Formats the summary at the end of a run: a table of jobs, the page to open, credits, tasks and files. */
import { join, relative, resolve, sep } from "node:path"
import { Array } from "effect"
import { unheard } from "../../domain/report/Report.ts"
import type { DubResult } from "../../pipeline/run/RunCompletion.ts"
import type { JobResult } from "../../pipeline/report/JobResult.ts"
import { formatCount, formatDuration, formatInteger } from "../../pages/parts/TimeFormat.ts"
import { fitToWidth } from "./LineRedraw.ts"
import { type FigureCell, type Look, tableWidth, textTable } from "./TextTable.ts"

/**
 * Formats the summary of results in `out`. Paths inside `folder` are shown relative to it; more than 8 files are only
 * counted, unless `all` is set.
 */
export const summaryText = (
  { report, jobs, spent }: Pick<DubResult, "report" | "jobs" | "spent">,
  out: string,
  folder: string,
  all: boolean,
  look: Look
): string => {
  const { tasks } = report
  const undone = jobs.flatMap((job) => (job.status === "delivered" ? [] : [`${job.job.id}: ${job.error}`]))
  return [
    jobsText(jobs, look),
    "",
    ...(undone.length === 0 ? [] : [...undone, ""]),
    looksText(jobs, out, folder),
    ...spentText(spent, report),
    tasks.created + tasks.adopted + tasks.resumed === 0 ? nothingSent(jobs) : sentText(report),
    ...filesText(jobs, out, folder, all)
  ].join("\n")
}

/** A table of the jobs and their figures; a list if the terminal is too narrow for the table. */
const jobsText = (jobs: ReadonlyArray<JobResult>, look: Look): string => {
  const rows = jobs.map((result) => [result.job.id, statusOf(result), ...figuresIn(result)])
  const { columns = Infinity } = look
  if (tableWidth({ heading, rows }) <= columns) return textTable(heading, rows, look)
  return jobs
    .flatMap((result) => [
      `${result.job.id}: ${statusOf(result)}`,
      ...joinedLines(
        figuresIn(result).flatMap((cell, at) => (cell === undefined ? [] : (named[at]?.(cell.figure) ?? []))),
        columns - 2
      ).map((line) => `  ${line}`)
    ])
    .map((line) => fitToWidth(line, columns))
    .join("\n")
}

/** Joins texts with commas into lines of at most `columns`, unless a single text is longer. */
const joinedLines = (texts: ReadonlyArray<string>, columns: number): ReadonlyArray<string> =>
  texts.reduce<ReadonlyArray<string>>((lines, text) => {
    const last = lines.at(-1)
    return last !== undefined && last.length + 2 + text.length <= columns
      ? [...lines.slice(0, -1), `${last}, ${text}`]
      : [...lines, text]
  }, [])

const heading =
  "job|status|spoken|starts\nearly\nor late|ends\nlate|rushed|runs\nover|loudness\n(LUFS)".split("|")

/** Each figure as an item of a list. */
const named: ReadonlyArray<(figure: string) => string> = [
  (count) => `${count} spoken`,
  (shift) => `starts early or late ${shift}`,
  (late) => `ends late ${late}`,
  (count) => `${count} rushed`,
  (count) => `${count} run over`,
  (loudness) => `${loudness} LUFS`
]

/** The counts that are not 0. */
const sentText = ({ tasks, characters, seconds }: DubResult["report"]): string => {
  const counts = [
    [tasks.created, `${formatCount(tasks.created, "task")} created`] as const,
    [tasks.adopted, `${formatInteger(tasks.adopted)} adopted`] as const,
    [tasks.resumed, `${formatInteger(tasks.resumed)} resumed`] as const,
    [tasks.reused, `${formatCount(tasks.reused, "clip")} reused`] as const,
    [tasks.retried, `${formatInteger(tasks.retried)} retried`] as const,
    [tasks.failed, `${formatInteger(tasks.failed)} failed`] as const
  ].flatMap(([count, text]) => (count === 0 ? [] : [text]))
  return `${counts.join(", ")}; ${formatCount(characters, "character")}; ${formatDuration(seconds)}`
}

/** How many lines are to check, and the page that shows them. */
const looksText = (jobs: ReadonlyArray<JobResult>, out: string, folder: string): string => {
  const looks = jobs.reduce((sum, job) => sum + job.looks, 0)
  const [only] = jobs
  const page =
    jobs.length === 1 && only?.metrics !== undefined
      ? join(out, only.job.id, "report.html")
      : join(out, "index.html")
  const words = looks === 0 ? "No line to check; report:" : `${formatCount(looks, "line")} to check; open`
  return `${words} ${shortest(resolve(page), folder)}`
}

const spentText = (
  spent: number | undefined,
  { credits: { after, ...credits }, tasks }: DubResult["report"]
): ReadonlyArray<string> => {
  // The batch's figure has the price of tasks that failed, which the service may have released.
  const batch = tasks.failed > 0 ? 0 : (credits.batch ?? 0)
  const texts = [
    ...(spent === undefined || spent === 0
      ? []
      : [
          `${formatInteger(Math.ceil(spent))} ${Math.ceil(spent) === 1 ? "credit" : "credits"} spent${batch > spent ? " in this run" : ""}`
        ]),
    // Earlier runs that were stopped or killed have spent the rest.
    ...(batch > (spent ?? 0) ? [`${formatInteger(Math.ceil(batch))} by this batch so far`] : [])
  ]
  return texts.length === 0
    ? []
    : [[...texts, ...(after === undefined ? [] : [`${formatInteger(after)} left`])].join(", ")]
}

/** Lists the files written, or counts them. */
const filesText = (jobs: ReadonlyArray<JobResult>, out: string, folder: string, all: boolean) => {
  const files = jobs.flatMap((job) =>
    job.status === "delivered" ? job.files.map((file) => shortest(resolve(out, file), folder)) : []
  )
  if (files.length === 0) return []
  if (all || files.length <= few) return ["", ...files]
  const count = Array.dedupe(files).length
  return [
    `${formatInteger(count)} files in ${join(shortest(resolve(out), folder), sep)} (--verbose lists them)`
  ]
}

const nothingSent = (jobs: ReadonlyArray<JobResult>): string => {
  if (jobs.some(({ status }) => status !== "delivered")) return "Nothing was sent."
  return jobs.every(({ metrics }) => metrics?.spoken === 0)
    ? "Nothing was sent: there are no words to speak."
    : "Nothing was sent: every clip was cached."
}

const statusOf = (job: JobResult): string =>
  job.status === "delivered" && job.unchanged ? "unchanged" : job.status

const figuresIn = ({ status, metrics }: JobResult): ReadonlyArray<FigureCell | undefined> =>
  metrics === undefined
    ? []
    : [
        `${formatInteger(metrics.spoken)} of ${formatInteger(metrics.spoken + metrics.failed)}`,
        seconds(metrics.onsetShift.p95),
        seconds(metrics.tailLateness.p95),
        formatInteger(metrics.speedOver13),
        formatInteger(metrics.overruns),
        status === "delivered" && metrics.loudness.integrated > unheard.integrated
          ? metrics.loudness.integrated.toFixed(1)
          : undefined
      ].map((figure) => (figure === undefined ? undefined : { figure }))

/** Maximum number of files listed without --verbose. */
const few = 8

const seconds = (value: number): string => `${value.toFixed(2)} s`

const shortest = (file: string, folder: string): string => {
  const short = relative(folder, file)
  return short === "" || short.startsWith("..") ? file : short
}
