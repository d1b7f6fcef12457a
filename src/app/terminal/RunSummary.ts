/** What a run's end looks like to a person: per job what was made, where, and how well it fits. */
import { join, relative, resolve, sep } from "node:path"
import { Array } from "effect"
import { unheard } from "../../domain/report/Report.ts"
import type { DubResult } from "../../pipeline/run/RunCompletion.ts"
import type { JobResult } from "../../pipeline/report/JobResult.ts"
import { formatInteger } from "../../pages/parts/TimeFormat.ts"
import { countOf } from "./ProgressText.ts"
import { type Look, textTable } from "./TextTable.ts"

/**
 * The summary of results in `out`: the figures of each job, then what to open, what was spent and what was made. Paths
 * are shown relative to `folder` where they are in it; many of them are counted, unless `all` are asked for.
 */
export const summaryText = (
  { report, jobs, spent }: Pick<DubResult, "report" | "jobs" | "spent">,
  out: string,
  folder: string,
  all: boolean,
  look: Look
): string => {
  const { tasks, credits } = report
  const resumed = tasks.resumed === 0 ? "" : `${tasks.resumed} of an earlier run fetched, `
  const sent =
    tasks.created + tasks.adopted + tasks.resumed === 0
      ? nothingSent(jobs)
      : `${countOf(tasks.created, "task")} created, ${tasks.adopted} found again, ${resumed}${countOf(tasks.reused, "clip")} at hand, ` +
        `${tasks.retried} retried, ${tasks.failed} failed; ${countOf(report.characters, "character")}; ${report.seconds.toFixed(1)} s`
  const undone = jobs.flatMap((job) => (job.status === "delivered" ? [] : [`${job.job.id}: ${job.error}`]))
  return [
    textTable(
      [
        "job",
        "status",
        "cues",
        "shift p95",
        "max",
        "late p95",
        "speed p95",
        "max",
        "overruns",
        "fit",
        "LUFS"
      ],
      jobs.map((result) => [result.job.id, statusOf(result), ...figures(result)]),
      look
    ),
    "",
    ...(undone.length === 0 ? [] : [...undone, ""]),
    looksText(jobs, out, folder),
    ...spentText(spent, credits.after),
    sent,
    ...filesText(jobs, out, folder, all)
  ].join("\n")
}

/** How many lines somebody should look at, and the page that shows them. */
const looksText = (jobs: ReadonlyArray<JobResult>, out: string, folder: string): string => {
  const looks = jobs.reduce((sum, job) => sum + job.looks, 0)
  const [only] = jobs
  const page =
    jobs.length === 1 && only?.metrics !== undefined
      ? join(out, only.job.id, "report.html")
      : join(out, "index.html")
  const words = looks === 0 ? "No line needs a look; report:" : `${countOf(looks, "line")} worth a look: open`
  return `${words} ${shortest(resolve(page), folder)}`
}

const spentText = (spent: number | undefined, left: number | undefined): ReadonlyArray<string> =>
  spent === undefined || spent === 0
    ? []
    : [
        `${formatInteger(Math.ceil(spent))} ${Math.ceil(spent) === 1 ? "credit" : "credits"} spent${left === undefined ? "" : `, ${formatInteger(left)} left`}`
      ]

/** The files that were made, or how many they are. */
const filesText = (
  jobs: ReadonlyArray<JobResult>,
  out: string,
  folder: string,
  all: boolean
): ReadonlyArray<string> => {
  const files = jobs.flatMap((job) =>
    job.status === "delivered" ? job.files.map((file) => shortest(resolve(out, file), folder)) : []
  )
  if (files.length === 0) return []
  if (all || files.length <= few) return ["", ...files]
  const count = Array.dedupe(files).length
  return [`${count} files in ${join(shortest(resolve(out), folder), sep)} (--verbose lists them)`]
}

const nothingSent = (jobs: ReadonlyArray<JobResult>): string => {
  if (jobs.some(({ status }) => status !== "delivered")) return "Nothing was sent."
  return jobs.every(({ metrics }) => metrics?.spoken === 0)
    ? "Nothing was sent: there is nothing to say."
    : "Nothing was sent: everything was at hand."
}

const statusOf = (job: JobResult): string =>
  job.status === "delivered" && job.unchanged ? "delivered before" : job.status

const figures = ({ status, metrics }: JobResult): ReadonlyArray<string | undefined> =>
  metrics === undefined
    ? []
    : [
        `${metrics.spoken} of ${metrics.spoken + metrics.failed}`,
        seconds(metrics.onsetShift.p95),
        seconds(metrics.onsetShift.max),
        seconds(metrics.tailLateness.p95),
        metrics.speed.p95.toFixed(2),
        metrics.speed.max.toFixed(2),
        String(metrics.overruns),
        `${Math.round(metrics.isochrony * 100)} %`,
        status === "delivered" && metrics.loudness.integrated > unheard.integrated
          ? metrics.loudness.integrated.toFixed(1)
          : undefined
      ]

/** The most files that are listed without being asked for. */
const few = 8

const seconds = (value: number): string => `${value.toFixed(2)} s`

const shortest = (file: string, folder: string): string => {
  const short = relative(folder, file)
  return short === "" || short.startsWith("..") ? file : short
}
