/** What a run's end looks like to a person: per job what was made, where, and how well it fits. */
import { dirname, join, relative, resolve, sep } from "node:path"
import { Array } from "effect"
import { unheard } from "../domain/Report.ts"
import type { DubResult } from "../pipeline/RunEnd.ts"
import type { JobResult } from "../pipeline/JobDelivery.ts"
import { counted } from "./BoardText.ts"
import { type Look, table } from "./Table.ts"

/** The summary of results in `out`; paths are shown relative to `folder` where they lie in it. */
export const summaryText = (
  { report, jobs }: Pick<DubResult, "report" | "jobs">,
  out: string,
  folder: string,
  look: Look
): string => {
  const { tasks, credits } = report
  const resumed = tasks.resumed === 0 ? "" : `${tasks.resumed} of an earlier run fetched, `
  const sent =
    tasks.created + tasks.adopted + tasks.resumed === 0
      ? nothingSent(jobs)
      : `${counted(tasks.created, "task")} created, ${tasks.adopted} found again, ${resumed}${counted(tasks.reused, "clip")} at hand, ` +
        `${tasks.retried} retried, ${tasks.failed} failed; ${counted(report.characters, "character")}${spent(credits)}; ${report.seconds.toFixed(1)} s`
  return [
    table(
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
    ...jobs.flatMap((result) =>
      result.status === "delivered"
        ? listed(result.files.map((file) => shortest(resolve(out, file), folder)))
        : [`${result.job.id}: ${result.error}`]
    ),
    "",
    sent
  ].join("\n")
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

/** Files in their order; many of one folder are counted instead. */
const listed = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.entries(Array.groupBy(files, dirname)).flatMap(([folder, inside]) =>
    inside.length > few ? [`${join(folder, sep)} (${inside.length} files)`] : inside
  )

/** So many files of one folder are named one by one. */
const few = 8

const seconds = (value: number): string => `${value.toFixed(2)} s`

const spent = ({ before, after }: DubResult["report"]["credits"]): string =>
  before === undefined || after === undefined ? "" : `; ${before - after} credits spent, ${after} left`

const shortest = (file: string, folder: string): string => {
  const short = relative(folder, file)
  return short === "" || short.startsWith("..") ? file : short
}
