/** Voice check of a dry run: whether the service has the plan's voices. */
import { Effect, Option } from "effect"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import type { InputRejected } from "../../pipeline/load/InputRejected.ts"
import type { BatchPlan } from "../../pipeline/plan/BatchPlan.ts"
import { checkService } from "../../pipeline/plan/ServicePreflight.ts"
import { preliminaryGateway } from "../layers/GatewayLayers.ts"
import { SpeechService } from "../layers/SpeechService.ts"
import { warningsTo } from "../layers/Warnings.ts"

/** Timeout for listing the voices. */
const within = "20 seconds"

/** Result of the voice check. */
export interface VoicesSeen {
  /** What the service lacks to speak the plan; none if it has everything, or could not be asked. */
  readonly unknown: Option.Option<InputRejected>
  /** Why the check is incomplete, and the service's warnings. */
  readonly notes: ReadonlyArray<string>
}

/** Checks that the service can speak `unsent`. */
export const findUnknownVoices = Effect.fn("VoiceCheck.findUnknownVoices")(function* (
  plan: BatchPlan,
  unsent: ReadonlyArray<Utterance>
) {
  const { local } = yield* SpeechService
  const notes: Array<string> = []
  const unasked = (why: string) =>
    Effect.sync(() => {
      notes.push(`voices were not checked: ${why}`)
      return Option.none<InputRejected>()
    })
  if (plan.batch.service === "embedded" && unsent.every(({ casting }) => local.offers(casting)))
    return { unknown: Option.none(), notes } satisfies VoicesSeen
  const unknown = yield* checkService(plan, unsent).pipe(
    Effect.as(Option.none<InputRejected>()),
    Effect.provide([preliminaryGateway(plan.batch), warningsTo(notes)]),
    Effect.timeout(within),
    Effect.catchTags({
      InputRejected: (rejected) => Effect.succeedSome(rejected),
      TimeoutException: () => unasked(`the service did not respond within ${within}`)
    }),
    Effect.catchAll((error) => unasked(error.message))
  )
  return { unknown, notes } satisfies VoicesSeen
})
