/** `plan --fail-on`: findings that make a dry run exit with code 3, although the batch could run. */
import type { PlanReport } from "../../domain/report/PlanReport.ts"
import { formatCount } from "../../pages/parts/TimeFormat.ts"

export const failOnNames = ["overrun", "lost", "new", "price", "balance", "notice", "sync"] as const
export type FailOn = (typeof failOnNames)[number]

/** Returns a line per finding; empty if there is none. */
export const failOnFindings = (report: PlanReport, names: ReadonlyArray<FailOn>): ReadonlyArray<string> =>
  names.flatMap((name) => {
    const words = faultOf[name](report)
    return words === undefined ? [] : [`--fail-on ${name}: ${words}`]
  })

const faultOf: Readonly<Record<FailOn, (report: PlanReport) => string | undefined>> = {
  overrun: ({ total: { tightLines } }) =>
    tightLines === 0 ? undefined : `${formatCount(tightLines, "line")} would not fit`,
  lost: ({ total: { lostLines } }) =>
    lostLines === 0 ? undefined : `${formatCount(lostLines, "line")} cannot be read`,
  new: ({ total: { utterances, reused } }) =>
    utterances === reused
      ? undefined
      : `${formatCount(utterances - reused, "utterance is", "utterances are")} not cached`,
  price: ({ total: { credits } }) => (credits === undefined ? "a provider's price is unknown" : undefined),
  balance: ({ balance }) =>
    balance === undefined
      ? "the account's balance is unknown"
      : (balance.short ?? 0) > 0
        ? `the account has too few credits; add ${balance.short ?? 0}`
        : undefined,
  notice: ({ notices }) =>
    notices.length === 0
      ? undefined
      : `${formatCount(notices.length, "place in the scripts was", "places in the scripts were")} repaired or skipped`,
  sync: ({ jobs }) => {
    const wrong = jobs.filter(
      ({ sync }) => sync !== undefined && sync.verdict !== "in-sync" && sync.verdict !== "no-speech"
    )
    return wrong.length === 0
      ? undefined
      : `${formatCount(wrong.length, "subtitle is", "subtitles are")} out of sync with the film, or it is uncertain: ${wrong.map(({ id }) => id).join(", ")}`
  }
}
