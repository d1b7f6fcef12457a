/** Whether the service has the voices of a plan: asked before a run asks, where asking is free. */
import { FileSystem } from "@effect/platform"
import { Effect, Layer, Option } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"
import type { InputRejected } from "../../pipeline/load/InputRejected.ts"
import type { BatchPlan } from "../../pipeline/plan/BatchPlan.ts"
import { checkService } from "../../pipeline/plan/ServicePreflight.ts"
import { Progress } from "../../pipeline/Progress.ts"
import { defaultProviders } from "../../service/config/DefaultProviders.ts"
import { gatewayTo } from "../layers/GatewayLayer.ts"
import { Screen } from "../terminal/Screen.ts"

/** How long a service may take to list its voices. */
const within = "20 seconds"

/**
 * What of that for `unsent` the service does not have; none where it has all, or where it could not be asked, which is
 * told.
 */
export const findUnknownVoices = Effect.fn("VoiceCheck.of")(function* (
  plan: BatchPlan,
  unsent: ReadonlyArray<Utterance>
) {
  const screen = yield* Screen
  const unasked = (why: string) =>
    Effect.as(screen.say(`note: voices were not checked: ${why}`), Option.none<InputRejected>())
  if (plan.batch.service === "embedded" && unsent.every(({ casting }) => isBundled(casting)))
    return Option.none<InputRejected>()
  return yield* checkService(plan, unsent).pipe(
    Effect.as(Option.none<InputRejected>()),
    Effect.provide(Layer.merge(gatewayOf(plan), warnings)),
    Effect.timeout(within),
    Effect.catchTags({
      InputRejected: (rejected) => Effect.succeedSome(rejected),
      TimeoutException: () => unasked(`the service did not answer within ${within}`)
    }),
    Effect.catchAll((error) => unasked(error.message))
  )
})

/** A bundled service that is asked leaves nothing behind. */
const gatewayOf = ({ batch }: BatchPlan) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      return gatewayTo(
        batch.service,
        batch.service === "embedded"
          ? yield* fs.makeTempDirectoryScoped({ prefix: "dubwright-" })
          : batch.state
      )
    })
  )

const warnings = Layer.effect(
  Progress,
  Effect.map(Screen, ({ say }) => ({
    emit: (event) => (event._tag === "Warning" ? say(`note: ${event.message}`) : Effect.void)
  }))
)

/** Whether the bundled service is known to have a voice without being started. */
const isBundled = ({ provider, voice }: Casting): boolean => {
  const voices = defaultProviders[provider]?.voices
  return Array.isArray(voices) && voices.some(({ id }) => id === voice)
}
