/** Credits per character, for dry runs and budgets: from the manifest, else from the service. */
import { Effect } from "effect"
import type { ProviderId } from "../../domain/values/Ids.ts"
import type { ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { creditsStated } from "../../gateway/response/TaskSnapshot.ts"
import type { BatchPlan } from "./BatchPlan.ts"
import type { PriceOf, SpeechAccess } from "./SpeechAccess.ts"

/** Prices set in the manifest. */
export const namedPrices =
  ({ batch }: Pick<BatchPlan, "batch">): PriceOf =>
  ({ provider }) =>
    batch.profileOf(provider).creditsPerCharacter

/**
 * Returns the prices of a batch, asking the service for those the manifest does not set. If it cannot be asked within
 * 10 s, or there is no key, these stay unknown.
 */
export const pricesOf = Effect.fn("Prices.pricesOf")(function* <E>(
  plan: BatchPlan,
  { connect, local }: Pick<SpeechAccess<E>, "connect" | "local">
) {
  const { batch, utterances } = plan
  const named = namedPrices(plan)
  if (utterances.every(({ casting }) => named(casting) !== undefined)) return named
  const listed =
    batch.service === "embedded"
      ? local.priceOf
      : yield* listedPrices.pipe(
          Effect.provide(connect(batch.service, batch.state)),
          Effect.timeout("10 seconds"),
          Effect.orElseSucceed((): PriceOf => () => undefined)
        )
  const price: PriceOf = (casting) => named(casting) ?? listed(casting)
  return price
})

/** Returns the prices of a batch whose service is connected; those it does not report within 10 s stay unknown. */
export const servicePrices = Effect.fn("Prices.servicePrices")(function* (plan: BatchPlan) {
  const named = namedPrices(plan)
  if (plan.utterances.every(({ casting }) => named(casting) !== undefined)) return named
  const listed = yield* listedPrices.pipe(
    Effect.timeout("10 seconds"),
    Effect.orElseSucceed((): PriceOf => () => undefined)
  )
  const price: PriceOf = (casting) => named(casting) ?? listed(casting)
  return price
})

const listedPrices = Effect.gen(function* () {
  const { ping, reads } = yield* Gateway
  // Fail fast if the service is unreachable; the run itself reports that.
  yield* Effect.catchIf(
    ping,
    (fault) => fault._tag !== "Unreachable",
    () => Effect.void
  )
  const { providers } = yield* reads.providers
  const { models } = yield* reads.models()
  const defaults = new Map(providers.map(({ provider, default_model_id }) => [provider, default_model_id]))
  const price: PriceOf = ({ provider, model }) => {
    const wanted = model ?? defaults.get(provider)
    const found = models.find((one) => one.provider === provider && one.model_id === wanted)
    return found === undefined ? undefined : creditsStated(found.credits_per_character)
  }
  return price
})

/**
 * Adds prices to the batch's provider profiles, so that a budget can be enforced. Where a provider's utterances have
 * several prices, the highest is used.
 */
export const withPrices = (plan: BatchPlan, priceOf: PriceOf): BatchPlan => {
  const dearest = new Map<ProviderId, number>()
  for (const { casting } of plan.utterances) {
    const price = priceOf(casting)
    if (price === undefined) continue
    dearest.set(casting.provider, Math.max(price, dearest.get(casting.provider) ?? 0))
  }
  const profileOf = (provider: ProviderId): ProviderProfile => {
    const profile = plan.batch.profileOf(provider)
    const price = dearest.get(provider)
    return price === undefined || profile.creditsPerCharacter !== undefined
      ? profile
      : { ...profile, creditsPerCharacter: price }
  }
  return { ...plan, batch: { ...plan.batch, profileOf } }
}
