/** A plan's costs in sentences, for the terminal and the page: credits, SRT overhead, disk space. */
import type { DiskSpace, PlanReport, SrtCost } from "../../domain/report/PlanReport.ts"
import { formatCount, formatInteger } from "../parts/TimeFormat.ts"

/** Returns one sentence per cost; unknown costs are left out. */
export const costLines = ({ jobs, total, balance, disk }: PlanReport): ReadonlyArray<string> => [
  ...balanceLine(balance, total.credits),
  ...rewriteLine(jobs.reduce((sum, { rewrites = 0 }) => sum + rewrites, 0)),
  ...(total.srt === undefined ? [] : srtLines(total.srt)),
  ...(disk ?? []).flatMap(diskLine)
]

const balanceLine = (balance: PlanReport["balance"], credits: number | undefined): ReadonlyArray<string> => {
  if (balance?.credits === undefined) return []
  const has = formatInteger(Math.floor(balance.credits))
  if (credits === undefined) return [`The account has ${has} credits.`]
  const { short = 0 } = balance
  const needs = `Needs ${formatInteger(Math.ceil(credits))} credits; the account has ${has}`
  return [short > 0 ? `${needs}: ${formatInteger(short)} short.` : `${needs}.`]
}

const rewriteLine = (lines: number): ReadonlyArray<string> =>
  lines === 0
    ? []
    : [`${formatCount(lines, "line")} would be sent to the rewriter by this forecast, each up to 3 times.`]

const srtLines = ({ characters, markup, saved }: SrtCost): ReadonlyArray<string> => [
  ...(saved === undefined
    ? []
    : [
        `Subtitles are sent as plain text, ${formatInteger(saved)} characters less than as SRT; the audio is split at the cues ("nativeInput: srt" sends SRT).`
      ]),
  ...(characters === 0
    ? []
    : [
        `SRT is billed including cue numbers and times: ${formatInteger(markup)} characters (+${Math.round((100 * markup) / Math.max(1, characters - markup))} %) on top of ${formatInteger(characters - markup)}.`
      ])
]

/** Bytes below which disk space is not mentioned, provided that it suffices. */
const worthALine = 100_000_000

const diskLine = ({ folders, needed, free }: DiskSpace): ReadonlyArray<string> => {
  const where = folders.join(" and ")
  if (needed > free)
    return [
      `Disk: the run needs about ${bytesText(needed)} in ${where}, but only ${bytesText(free)} is free; free ${bytesText(needed - free)} more.`
    ]
  return needed < worthALine
    ? []
    : [`Disk: the run needs about ${bytesText(needed)} of ${bytesText(free)} free.`]
}

/** Formats a size as `850 MB` or `12.3 GB`. */
export const bytesText = (bytes: number): string =>
  bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
