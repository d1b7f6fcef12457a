/** What can be held against a plan that could be run as it is. */
import type { PlanReport } from "../../domain/report/PlanReport.ts"
import { countOf } from "../terminal/ProgressText.ts"

export const failOnNames = ["overrun", "lost", "new", "price", "balance", "notice"] as const
export type FailOn = (typeof failOnNames)[number]

/** What is held against a plan, in words; empty where it is as it should be. */
export const failOnFindings = (report: PlanReport, names: ReadonlyArray<FailOn>): ReadonlyArray<string> =>
  names.flatMap((name) => {
    const words = faultOf[name](report)
    return words === undefined ? [] : [`--fail-on ${name}: ${words}`]
  })

const faultOf: Readonly<Record<FailOn, (report: PlanReport) => string | undefined>> = {
  overrun: ({ total: { tightLines } }) =>
    tightLines === 0 ? undefined : `${countOf(tightLines, "line")} would not fit`,
  lost: ({ total: { lostLines } }) =>
    lostLines === 0 ? undefined : `${countOf(lostLines, "line")} cannot be read`,
  new: ({ total: { utterances, reused } }) =>
    utterances === reused ? undefined : `${countOf(utterances - reused, "utterance")} not at hand`,
  price: ({ total: { credits } }) =>
    credits === undefined ? "the price of a provider is not known" : undefined,
  balance: ({ balance }) =>
    balance === undefined
      ? "the account's balance is not known"
      : (balance.short ?? 0) > 0
        ? `the account has too few credits: ${balance.short ?? 0} short`
        : undefined,
  notice: ({ notices }) =>
    notices.length === 0
      ? undefined
      : `${countOf(notices.length, "place")} in the scripts mended or passed over`
}
