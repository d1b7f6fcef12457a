/** Describes how a plan's line lengths were obtained: measured, learned or estimated. */
import type { PlannedJob } from "../../domain/report/PlanReport.ts"
import { formatInteger } from "../parts/TimeFormat.ts"

/** Returns one sentence that covers the lines of all jobs. */
export const lengthsText = (jobs: ReadonlyArray<Pick<PlannedJob, "lengths">>): string => {
  const sum = (name: keyof PlannedJob["lengths"]) => jobs.reduce((all, { lengths }) => all + lengths[name], 0)
  const parts = [
    [sum("measured"), "measured from cached clips"],
    [sum("learned"), "estimated from the voice's measured pace"],
    [sum("estimated"), "estimated from the text"]
  ] as const
  const counts = parts.filter(([count]) => count > 0).map(([count, how]) => `${formatInteger(count)} ${how}`)
  return `Line lengths: ${counts.length === 0 ? "unknown" : counts.join(", ")}.`
}
