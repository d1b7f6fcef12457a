/** The `plan` command: a dry run that reports what would be sent, its cost and what would not fit. Spends nothing. */
import { Path } from "@effect/platform"
import { Effect } from "effect"
import type { PlanReport } from "../../domain/report/PlanReport.ts"
import type { Refused } from "../../gateway/GatewayErrors.ts"
import { prospectOf } from "../../library/PlanOutlook.ts"
import type { InputRejected } from "../../pipeline/load/InputRejected.ts"
import { writeResult } from "../../pipeline/report/ResultFolder.ts"
import {
  type BatchOptions,
  loadBatchInput,
  printNotices,
  programsIn,
  sayNotes,
  tellDefaultVoices,
  tellReading,
  tellUnlisted,
  warningsOnScreen
} from "../batch/BatchInput.ts"
import { localBatch } from "../batch/LocalBatch.ts"
import { commandService } from "../layers/GatewayLayer.ts"
import { ffmpegToPlan } from "../../library/layers/FfmpegLayers.ts"
import { CommandEnded, exitCodes } from "../ExitCodes.ts"
import { type FailOn, failOnFindings } from "./FailOn.ts"
import { warnUnset } from "../nightly/NotificationAddress.ts"
import { planText } from "../terminal/PlanText.ts"
import { Screen } from "../terminal/Screen.ts"
import { stickyHint } from "../batch/StickySpeakersHint.ts"

export interface PlanOptions extends BatchOptions {
  readonly html: string | undefined
  readonly speakers: boolean
  readonly maxCredits: number | undefined
  readonly failOn: ReadonlyArray<FailOn>
}

export const planCommand = (named: PlanOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { options } = yield* localBatch(named)
    const batch = yield* loadBatchInput({ ...options, newCast: options.speakers })
    if (batch.notify !== undefined) yield* warnUnset(batch.notify)
    yield* sayNotes(Array.from(programsIn(batch), (program) => `a run starts ${program}`))
    if (options.speakers) {
      const { completeCast, speakersText } = yield* Effect.promise(() => import("./SpeakersText.ts"))
      const { cast } = batch.jobs[0]
      return yield* (
        cast === undefined || cast.isInManifest
          ? Effect.flatMap(speakersText(batch), screen.result)
          : Effect.flatMap(completeCast(batch, cast.file), screen.say)
      ).pipe(Effect.provide(commandService(options)))
    }
    yield* tellReading(batch, options)
    const { report, plan, rejected, refused, notes } = yield* prospectOf(batch).pipe(
      Effect.provide([commandService(options), warningsOnScreen]),
      Effect.provide(ffmpegToPlan(batch))
    )
    yield* sayNotes(notes)
    // The plan itself says how each subtitle fits its film.
    const said = options.json ? [] : report.jobs.map(({ id, sync }) => `job ${id}: ${sync?.summary ?? ""}`)
    const notices = report.notices.filter((notice) => !said.includes(notice))
    yield* printNotices({ notices }, options)
    if (!options.quiet && plan !== undefined) yield* tellDefaultVoices(plan.batch)
    if (!options.quiet) yield* tellUnlisted(batch.manifest, report.unlisted ?? [])
    if (!options.quiet)
      yield* Effect.forEach(plan?.jobs.flatMap(stickyHint) ?? [], (hint) => screen.say(`hint: ${hint}`))
    if (options.html !== undefined) yield* writePage(options.html, report)
    if (options.json) yield* screen.result(JSON.stringify(report, null, 2))
    else if (plan !== undefined) yield* screen.result(planText(report, options.verbose, screen.look))
    yield* judged(report, rejected, refused, options)
  })

const writePage = Effect.fnUntraced(function* (file: string, report: PlanReport) {
  const path = yield* Path.Path
  const screen = yield* Screen
  const { planPage } = yield* Effect.promise(() => import("../../pages/documents/PlanPage.ts"))
  const { builtParts } = yield* Effect.promise(() => import("../../pages/documents/BuiltParts.ts"))
  yield* writeResult(path.resolve(file), planPage(report, builtParts.plan).pieces())
  yield* screen.say(`wrote ${file}`)
})

/** Fails if the batch or a job could not run, it costs more than --max-credits, or meets a condition of --fail-on. */
const judged = Effect.fnUntraced(function* (
  report: PlanReport,
  rejected: InputRejected | undefined,
  refused: Refused | undefined,
  { maxCredits, failOn }: PlanOptions
) {
  const barred = rejected?.ofOneJob === true ? [rejected.message] : []
  if (rejected !== undefined && barred.length === 0) return yield* rejected
  if (refused !== undefined) return yield* refused
  const { credits = 0 } = report.total
  if (maxCredits !== undefined && credits > maxCredits)
    return yield* new CommandEnded({
      code: exitCodes.stopped,
      message: `the batch would cost ${Math.ceil(credits)} credits, more than --max-credits ${maxCredits}; raise it, or select fewer jobs with --only`
    })
  const held = [...barred, ...failOnFindings(report, failOn)]
  if (held.length > 0) return yield* new CommandEnded({ code: exitCodes.failed, message: held.join("\n") })
})
