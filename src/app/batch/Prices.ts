/** What a character costs, for dry runs and budgets: by the manifest, else as the service says. */
import { Effect } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { ProviderId } from "../../domain/values/Ids.ts"
import type { ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { creditsStated } from "../../gateway/response/TaskSnapshot.ts"
import type { BatchPlan } from "../../pipeline/plan/BatchPlan.ts"
import { defaultProviders } from "../../service/config/DefaultProviders.ts"
import { gatewayTo } from "../layers/GatewayLayer.ts"

/** Credits for one character; undefined where nobody says. */
export type PriceOf = (casting: Casting) => number | undefined

/** The prices that the manifest names. */
export const namedPrices =
  ({ batch }: Pick<BatchPlan, "batch">): PriceOf =>
  ({ provider }) =>
    batch.profileOf(provider).creditsPerCharacter

/**
 * The prices of a batch. A service that cannot be asked, for want of a key say, leaves what the manifest does not name
 * unknown.
 */
export const pricesOf = Effect.fn("Prices.of")(function* (plan: BatchPlan) {
  const { batch, utterances } = plan
  const named = namedPrices(plan)
  if (utterances.every(({ casting }) => named(casting) !== undefined)) return named
  const listed =
    batch.service === "embedded"
      ? bundledPrice
      : yield* listedPrices.pipe(
          Effect.provide(gatewayTo(batch.service, batch.state)),
          Effect.timeout("10 seconds"),
          Effect.orElseSucceed((): PriceOf => () => undefined)
        )
  const price: PriceOf = (casting) => named(casting) ?? listed(casting)
  return price
})

/** The price of a provider's default model is its first one's, as in the service's own settings. */
const bundledPrice: PriceOf = ({ provider, model }) => {
  const models = defaultProviders[provider]?.models
  const chosen = model === undefined ? models?.[0] : models?.find(({ id }) => id === model)
  return chosen === undefined ? undefined : (chosen.creditsPerCharacter ?? 1)
}

const listedPrices = Effect.gen(function* () {
  const { ping, reads } = yield* Gateway
  // A service that is not there is not waited for: the run itself will say so.
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
 * The batch with these prices in its profiles, the dearest of those that its utterances meet, so that a budget is kept.
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
