/** The dry run: what would be sent, what it would cost and what would not fit; nothing that costs is sent. */
import { Path } from "@effect/platform"
import { Effect, Option } from "effect"
import type { PlanReport } from "../../domain/report/PlanReport.ts"
import { builtParts } from "../../pages/documents/BuiltParts.ts"
import { planPage } from "../../pages/documents/PlanPage.ts"
import { unchosenLanguages } from "../../pipeline/plan/BilingualNotices.ts"
import type { Refused } from "../../gateway/GatewayErrors.ts"
import { dryRun, isUnsent, type Outlook } from "../../pipeline/run/DryRun.ts"
import type { InputRejected } from "../../pipeline/load/InputRejected.ts"
import { type BatchPlan, type PartialPlan, planPartially } from "../../pipeline/plan/BatchPlan.ts"
import { rereadIn } from "../../pipeline/run/ReadingChanges.ts"
import { writeResult } from "../../pipeline/report/ResultFolder.ts"
import { unlisted } from "../../pipeline/load/UnlistedSubtitles.ts"
import { tasksInFlight } from "../../pipeline/speak/TasksInFlight.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { hasGivenUp } from "../../store/tables/UtteranceRow.ts"
import { accountOf } from "../batch/AccountCheck.ts"
import { type BatchOptions, loadBatchInput, printNotices, tellUnlisted } from "../batch/BatchInput.ts"
import { diskOf } from "../doctor/DiskRoom.ts"
import { ffmpegLayer } from "../layers/FfmpegLayer.ts"
import { CommandEnded, exitCodes } from "../ExitCodes.ts"
import { type FailOn, failOnFindings } from "./FailOn.ts"
import { warnUnset } from "../nightly/NotificationAddress.ts"
import { planText } from "../terminal/PlanText.ts"
import { namedPrices, pricesOf } from "../batch/Prices.ts"
import { Screen } from "../terminal/Screen.ts"
import { stickyHint } from "../batch/StickySpeakersHint.ts"
import { speakersText } from "./SpeakersText.ts"
import { readableStateLayer } from "../layers/StateLayers.ts"
import { findUnknownVoices } from "../batch/VoiceCheck.ts"

export interface PlanOptions extends BatchOptions {
  readonly html: string | undefined
  readonly speakers: boolean
  readonly maxCredits: number | undefined
  readonly failOn: ReadonlyArray<FailOn>
}

export const planCommand = (options: PlanOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const batch = yield* loadBatchInput(options)
    if (batch.notify !== undefined) yield* warnUnset(batch.notify)
    if (options.speakers) return yield* screen.result(yield* speakersText(batch))
    const planned = yield* planPartially(batch)
    const { outlook, refused, strange } = yield* outlookOf(planned)
    const unchosen =
      planned.plan === undefined
        ? undefined
        : unchosenLanguages(
            planned.plan,
            planned.plan.utterances.filter((utterance) => isUnsent(utterance, outlook)),
            outlook.priceOf
          )
    const partial = {
      ...planned,
      rejected: planned.rejected ?? unchosen ?? Option.getOrUndefined(strange)
    }
    const left = yield* unlisted(batch)
    const report: PlanReport = {
      ...dryRun(batch, partial, outlook),
      ...(left.length === 0 ? {} : { unlisted: left })
    }
    yield* printNotices(report, options)
    if (!options.quiet) yield* tellUnlisted(batch.manifest, left)
    if (!options.quiet)
      yield* Effect.forEach(planned.plan?.jobs.flatMap(stickyHint) ?? [], (hint) =>
        screen.say(`hint: ${hint}`)
      )
    if (options.html !== undefined) yield* writePage(options.html, report)
    if (options.json) yield* screen.result(JSON.stringify(report, null, 2))
    else if (partial.plan !== undefined) yield* screen.result(planText(report, options.verbose, screen.look))
    yield* judged(report, partial.rejected, refused, options)
  }).pipe(Effect.provide(ffmpegLayer))

/** Everything that the state, the service and the disk say of a plan. */
const outlookOf = Effect.fnUntraced(function* ({ plan, rejected }: PartialPlan) {
  const nothing = { outlook: nothingKnown, refused: undefined, strange: Option.none<InputRejected>() }
  if (plan === undefined) return nothing
  const stored = yield* storedOf(plan)
  const unsent = plan.utterances.filter((utterance) => isUnsent(utterance, stored))
  const account = yield* accountOf(plan.batch, unsent.length)
  const disk = { disk: yield* diskOf(plan, unsent) }
  switch (account._tag) {
    case "Refused":
    case "Unasked":
      return {
        ...nothing,
        outlook: { ...stored, ...disk, priceOf: namedPrices(plan) },
        refused: account._tag === "Refused" ? account.refused : undefined
      }
    default: {
      const outlook: Outlook = {
        ...stored,
        ...disk,
        priceOf: yield* pricesOf(plan),
        ...(account._tag === "Asked" ? { account: account.account } : {})
      }
      return rejected === undefined
        ? { ...nothing, outlook, strange: yield* findUnknownVoices(plan, unsent) }
        : { ...nothing, outlook }
    }
  }
})

/** What the state folder knows of a plan. */
const storedOf = (plan: BatchPlan) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const learned = yield* Estimates
    const keys = plan.utterances.map(({ key }) => key)
    const stored = yield* store.clips(keys)
    const standings = yield* store.standings(keys)
    const outlook: Outlook = {
      ...nothingKnown,
      clips: new Map([...stored].map(([key, { clip }]) => [key, clip])),
      underWay: yield* tasksInFlight(standings),
      refused: new Set([...standings].flatMap(([key, standing]) => (hasGivenUp(standing) ? [key] : []))),
      speechTime: learned.speechTime,
      reread: yield* rereadIn(plan)
    }
    return outlook
  }).pipe(
    Effect.provide(readableStateLayer(plan.batch.state)),
    Effect.catchIf(
      (fault) => fault.reason === "missing",
      () => Effect.succeed<Outlook>(nothingKnown)
    )
  )

const nothingKnown: Outlook = {
  clips: new Map(),
  underWay: new Set(),
  refused: new Set(),
  speechTime: () => undefined,
  priceOf: () => undefined
}

const writePage = Effect.fnUntraced(function* (file: string, report: PlanReport) {
  const path = yield* Path.Path
  const screen = yield* Screen
  yield* writeResult(path.resolve(file), planPage(report, builtParts.plan).pieces())
  yield* screen.say(`wrote ${file}`)
})

/** Fails where something stands in the way of a run, or is held against it on this command line. */
const judged = Effect.fnUntraced(function* (
  report: PlanReport,
  rejected: InputRejected | undefined,
  refused: Refused | undefined,
  { maxCredits, failOn }: PlanOptions
) {
  if (rejected !== undefined) return yield* rejected
  if (refused !== undefined) return yield* refused
  const { credits = 0 } = report.total
  if (maxCredits !== undefined && credits > maxCredits) {
    return yield* new CommandEnded({
      code: exitCodes.stopped,
      message: `it would cost ${Math.ceil(credits)} credits, more than --max-credits ${maxCredits}`
    })
  }
  const held = failOnFindings(report, failOn)
  if (held.length > 0) {
    return yield* new CommandEnded({ code: exitCodes.failed, message: held.join("\n") })
  }
})
