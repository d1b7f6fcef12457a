/** Where the lengths of a plan's lines come from, in words. */
import type { PlannedJob } from "../../domain/report/PlanReport.ts"
import { formatInteger } from "../parts/TimeFormat.ts"

/** One sentence on the lengths of all jobs' lines. */
export const lengthsText = (jobs: ReadonlyArray<Pick<PlannedJob, "lengths">>): string => {
  const sum = (name: keyof PlannedJob["lengths"]) => jobs.reduce((all, { lengths }) => all + lengths[name], 0)
  const parts = [
    [sum("measured"), "measured on cached clips"],
    [sum("learned"), "by their voices' usual pace"],
    [sum("estimated"), "estimated from the words"]
  ] as const
  const told = parts.filter(([count]) => count > 0).map(([count, how]) => `${formatInteger(count)} ${how}`)
  return `Lengths of lines: ${told.length === 0 ? "none are known" : told.join(", ")}.`
}
