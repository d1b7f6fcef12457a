/** Lists the lines of a batch that do not fit, for a translator to shorten. */
import { dirname, relative, sep } from "node:path"
import { FileSystem, Path } from "@effect/platform"
import { Effect, Option } from "effect"
import type { Line } from "../../domain/speech/Line.ts"
import { charactersOf, lineName } from "../../domain/speech/Utterance.ts"
import { readableStateLayer } from "../../store/tables/StateLayers.ts"
import type { Batch } from "../load/Job.ts"
import { relativeUrl } from "../../exports/text/SingleLineText.ts"
import type { Known } from "../place/FitForecast.ts"
import { knownLengths, type LongLine, longLines } from "../place/LongLines.ts"
import { planRetakes } from "../place/Retakes.ts"
import type { BatchPlan, JobPlan } from "../plan/BatchPlan.ts"
import { textsOf } from "../plan/JobScript.ts"
import { type RewrittenLine, rewrittenLines } from "../rewrite/LineRewritings.ts"
import { knownRewritings } from "../rewrite/EarlierRewritings.ts"
import type { LineRow } from "./LineTable.ts"

/** A job with its lines that do not fit. */
export interface ListedJob {
  readonly plan: JobPlan
  readonly long: ReadonlyArray<LongLine>
  /** The rewriter's proposals for lines that do not fit, by line name. */
  readonly proposals: ReadonlyMap<string, string>
}

/** Finds the lines of a batch that do not fit, by their clips or, without a clip, by their likely lengths. */
export const listedJobs = ({ batch, jobs }: BatchPlan) =>
  Effect.forEach(jobs, (plan) =>
    Effect.gen(function* () {
      const takes = yield* planRetakes(plan, batch)
      const long = longLines(plan, yield* knownLengths(plan, takes), takes)
      const rewritten = rewrittenLines(plan, long, yield* knownRewritings(plan.job, batch))
      return { plan, long, proposals: new Map(rewritten.flatMap(pending)) } satisfies ListedJob
    })
  ).pipe(
    Effect.provide(readableStateLayer(batch.state)),
    Effect.catchIf(
      (fault) => fault.reason === "missing",
      () =>
        Effect.succeed(
          jobs.map((plan): ListedJob => ({ plan, long: longLines(plan, nothingKnown), proposals: new Map() }))
        )
    ),
    Effect.withSpan("LineList.listedJobs")
  )

/** A proposal that waits for a person. */
const pending = ({ rewriting }: RewrittenLine): ReadonlyArray<readonly [string, string]> =>
  rewriting.proposal === undefined || rewriting.accepted !== undefined
    ? []
    : [[lineName(rewriting), rewriting.proposal]]

const nothingKnown: Known = { clips: new Map(), speechTime: () => undefined }

/**
 * Returns the rows of a list; `file` is the path where the list will be, from which links start. `isFilled`: the
 * rewriter's proposals are new texts already.
 */
export const lineRows = Effect.fn("LineList.lineRows")(function* (
  jobs: ReadonlyArray<ListedJob>,
  { out }: Pick<Batch, "out">,
  file: string,
  isFilled = false
) {
  const fs = yield* FileSystem.FileSystem
  const { join, resolve } = yield* Path.Path
  const rows = yield* Effect.forEach(jobs, ({ plan, long, proposals }) =>
    Effect.gen(function* () {
      const page = join(out, plan.job.id, "report.html")
      const isThere = yield* Effect.orElseSucceed(fs.exists(page), () => false)
      const link = isThere ? linkTo(page, dirname(resolve(file))) : undefined
      const textOf = textsOf(plan.script)
      return long.map(({ line, limit }): LineRow => {
        const at = plan.lines.indexOf(line)
        const proposal = proposals.get(lineName(line)) ?? ""
        return {
          job: plan.job.id,
          cue: `${line.cue}`,
          part: `${line.part + 1}`,
          speaker: line.speaker ?? "",
          start: clock(line.slot?.start),
          end: clock(line.slot?.end),
          lose: limit === undefined ? "" : `${charactersOf(line.said) - limit}`,
          limit: limit === undefined ? "" : `${limit}`,
          before: saidIn(plan.lines[at - 1]),
          source: textOf(line.cue) ?? "",
          text: line.said,
          "new text": isFilled ? proposal : "",
          proposal,
          after: saidIn(plan.lines[at + 1]),
          picture: link === undefined ? "" : `${link}#cue-${line.cue}`
        }
      })
    })
  )
  return rows.flat()
})

const saidIn = (line: Line | undefined): string =>
  Option.match(Option.fromNullable(line), { onNone: () => "", onSome: ({ said }) => said })

/** A relative URL from a folder to a file. */
const linkTo = (file: string, folder: string): string =>
  relativeUrl(relative(folder, file).split(sep).join("/"))

/** `0:01:02.500`, a time in hours, minutes and seconds. */
const clock = (time: number | undefined): string =>
  time === undefined
    ? ""
    : `${Math.floor(time / 3_600_000)}:${two(Math.floor(time / 60_000) % 60)}:${two(Math.floor(time / 1000) % 60)}.${`${Math.floor(time) % 1000}`.padStart(3, "0")}`

const two = (number: number): string => `${number}`.padStart(2, "0")
