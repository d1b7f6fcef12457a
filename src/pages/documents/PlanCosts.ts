/** A plan's credits, SRT characters and disk space in sentences, for the terminal and the page. */
import type { DiskSpace, PlanReport, SrtCost } from "../../domain/report/PlanReport.ts"
import { formatInteger } from "../parts/TimeFormat.ts"

/** One sentence each on whatever the plan knows. */
export const costLines = ({ total, balance, disk }: PlanReport): ReadonlyArray<string> => [
  ...balanceLine(balance, total.credits),
  ...(total.srt === undefined ? [] : srtLines(total.srt, total.characters)),
  ...(disk ?? []).flatMap(diskLine)
]

const balanceLine = (balance: PlanReport["balance"], credits: number | undefined): ReadonlyArray<string> => {
  if (balance?.credits === undefined) return []
  const has = formatInteger(Math.floor(balance.credits))
  if (credits === undefined) return [`The account has ${has} credits.`]
  const { short = 0 } = balance
  const needs = `Needs ${formatInteger(Math.ceil(credits))} of ${has} credits`
  return [short > 0 ? `${needs}: ${formatInteger(short)} short.` : `${needs}.`]
}

const srtLines = (
  { characters, markup, asText, textFault }: SrtCost,
  sent: number
): ReadonlyArray<string> => {
  const share = Math.round((100 * markup) / Math.max(1, characters - markup))
  const cheaper = asText !== undefined && asText.characters < sent ? asText : undefined
  const credits =
    cheaper?.credits === undefined ? "" : ` for ${formatInteger(Math.ceil(cheaper.credits))} credits`
  return [
    `SRT is billed with its numbers and times: ${formatInteger(markup)} characters (+${share} %) on top of ${formatInteger(characters - markup)}.`,
    ...(cheaper === undefined
      ? []
      : [
          `With nativeInput: text it would be ${formatInteger(cheaper.characters)} characters in all${credits}; lines are then sent together and cut apart by their pauses.`
        ]),
    ...(textFault === undefined ? [] : [`nativeInput: text does not suit every job: ${textFault}.`])
  ]
}

/** A plan of less is not worth a line where there is room. */
const worthALine = 100_000_000

const diskLine = ({ folders, needed, free }: DiskSpace): ReadonlyArray<string> => {
  const where = folders.join(" and ")
  if (needed > free)
    return [
      `Disk: needs about ${bytesText(needed)} in ${where}, where ${bytesText(free)} is free: ${bytesText(needed - free)} short.`
    ]
  return needed < worthALine ? [] : [`Disk: needs about ${bytesText(needed)} of ${bytesText(free)} free.`]
}

/** `850 MB`, `12.3 GB`. */
const bytesText = (bytes: number): string =>
  bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
