/** Credits per character, for dry runs and budgets: from the manifest, else from the service. */
import { Effect } from "effect"
import type { ProviderId } from "../../domain/values/Ids.ts"
import type { ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { BatchPlan } from "./BatchPlan.ts"
import type { PriceOf, SpeechAccess } from "./SpeechAccess.ts"
import { askStated, statedPrice } from "./StatedRules.ts"
import type { Utterance } from "../../domain/speech/Utterance.ts"

/** Prices set in the manifest, or else stated by the service when it was last asked. */
export const knownPrices =
  ({ batch }: Pick<BatchPlan, "batch">): PriceOf =>
  (casting) =>
    batch.profileOf(casting.provider).creditsPerCharacter ?? batch.stated?.priceOf(casting)

/** Returns how many characters utterances have, and their price; undefined if that of any is unknown. */
export const costOf = (utterances: Iterable<Utterance>, priceOf: PriceOf) => {
  let [characters, credits]: [number, number | undefined] = [0, 0]
  for (const utterance of utterances) {
    const price = priceOf(utterance.casting)
    characters += utterance.characters
    credits =
      credits === undefined || price === undefined ? undefined : credits + price * utterance.characters
  }
  return { characters, credits }
}

/**
 * Returns the prices of a batch, asking the service for those that are not known. If it cannot be asked within 10 s, or
 * there is no key, these stay unknown.
 */
export const pricesOf = Effect.fn("Prices.pricesOf")(function* <E>(
  plan: BatchPlan,
  { connect, local }: Pick<SpeechAccess<E>, "connect" | "local">
) {
  const { service, state } = plan.batch
  const known = knownPrices(plan)
  if (service === "embedded") return (casting: Casting) => known(casting) ?? local.priceOf(casting)
  return yield* Effect.provide(servicePrices(plan), connect(service, state)).pipe(
    Effect.orElseSucceed(() => known)
  )
})

/** Returns the prices of a batch whose service is connected; those it does not report within 10 s stay unknown. */
export const servicePrices = Effect.fn("Prices.servicePrices")(function* (plan: BatchPlan) {
  const known = knownPrices(plan)
  if (plan.utterances.every(({ casting }) => known(casting) !== undefined)) return known
  const listed = yield* askStated.pipe(
    Effect.timeout("10 seconds"),
    Effect.map(({ rules }) => statedPrice(rules)),
    Effect.orElseSucceed((): PriceOf => () => undefined)
  )
  const price: PriceOf = (casting) => known(casting) ?? listed(casting)
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
