/** The services of one run, and a summary of its work. */
import { Context, Effect, Layer, Option } from "effect"
import type { Gateway } from "../../../gateway/Gateway.ts"
import type { ClipFolder } from "../../../store/files/ClipFolder.ts"
import type { Estimates } from "../../../store/tables/Estimates.ts"
import type { UtteranceStore } from "../../../store/tables/UtteranceStore.ts"
import type { Progress } from "../../Progress.ts"
import { SpeakConfig, type SpeakSettings, type SpeakSummary } from "../SpeakSettings.ts"
import type { ClipIntake } from "../../clips/ClipIntake.ts"
import { AnswerTrust } from "./AnswerTrust.ts"
import { ProviderQueues } from "./ProviderQueues.ts"
import { RunSpending } from "./RunSpending.ts"
import { ServiceWatch } from "./ServiceWatch.ts"
import { SpeakCounters } from "./SpeakCounters.ts"
import { StopSignal } from "./StopSignal.ts"
import { TaskNews } from "./TaskNews.ts"

/** Services that a run needs from outside. */
export type RunNeeds = UtteranceStore | ClipFolder | Estimates | Gateway | Progress

/** Services of one run. */
export type RunServices = Layer.Layer.Success<ReturnType<typeof newServices>>

/** All services that speaking an utterance needs. */
export type SpeakContext = RunNeeds | RunServices | ClipIntake

/** The services that all calls of a run's executor share: its budget, its queues and its counts. */
export class SharedServices extends Context.Tag("pipeline/SharedServices")<
  SharedServices,
  Context.Context<RunServices>
>() {}

/** Returns the services of a run of `utterances` utterances: those that are shared, else new ones. */
export const speakServices = (settings: SpeakSettings, utterances = settings.keys.length) =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.serviceOption(SharedServices),
      Option.match({
        onNone: () => newServices(settings, utterances),
        onSome: (shared) =>
          Layer.succeedContext(Context.add(shared, SpeakConfig, { ...settings, utterances }))
      })
    )
  )

const newServices = (settings: SpeakSettings, utterances: number) =>
  ProviderQueues.Default.pipe(
    Layer.provideMerge(
      Layer.mergeAll(ServiceWatch.Default, AnswerTrust.Default, TaskNews.Default, RunSpending.layer)
    ),
    Layer.provideMerge(Layer.mergeAll(StopSignal.layer, SpeakCounters.Default)),
    Layer.provideMerge(Layer.succeed(SpeakConfig, { ...settings, utterances }))
  )

/** A summary of the run's work so far. */
export const speakSummary: Effect.Effect<SpeakSummary, never, SpeakCounters | RunSpending | StopSignal> =
  Effect.gen(function* () {
    const { counts, warnings } = yield* SpeakCounters
    const spending = yield* RunSpending
    const { halted } = yield* StopSignal
    return { ...counts, credits: spending.total(), halt: halted(), warnings: Array.from(warnings) }
  })
