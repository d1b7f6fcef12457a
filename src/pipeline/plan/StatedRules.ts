/**
 * What services state about their providers: asked before a plan, kept in the state, and preferred to what is assumed.
 * A change never speaks a sent text again: a voice's lines may also be cut as by an earlier statement.
 */
import { FileSystem } from "@effect/platform"
import { Array, Effect, Option, Schema } from "effect"
import { StatedRules } from "../../domain/speech/ProviderProfile.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { creditsStated } from "../../gateway/exchange/TaskSnapshot.ts"
import { checksumOf } from "../../store/files/Checksum.ts"
import { CompletedBatches } from "../../store/tables/CompletedBatches.ts"
import { sentKeys } from "../../store/tables/SpokenVoices.ts"
import type { StateOf } from "../../store/tables/StateLayers.ts"
import type { Batch, StatedBefore } from "../load/Job.ts"
import { preliminaryGateway, type PriceOf, type SpeechAccess } from "./SpeechAccess.ts"

/** What a service states, by provider. */
type Statement = ReadonlyMap<string, StatedRules>

/** The statements that runs have used, the latest last. A service is named by a digest: its URL may have a password. */
const Statements = Schema.parseJson(
  Schema.Array(
    Schema.Struct({
      service: Schema.String,
      rules: Schema.ReadonlyMap({ key: Schema.String, value: StatedRules })
    })
  )
)

/** Key of their record in the table of completed batches. */
const recordKey = "(stated)"

/** Statements to keep: enough to find how the texts of finished batches were cut. */
const maxKept = 20

/** Longest wait for a service. */
const asksFor = "4 seconds"

/** Asks the service what it states about its providers, with the prices of its models if it lists them in time. */
export const askStated = Effect.gen(function* () {
  const { ping, reads } = yield* Gateway
  // Fail fast if the service is unreachable; the run itself reports that.
  yield* Effect.catchIf(
    ping,
    (fault) => fault._tag !== "Unreachable",
    () => Effect.void
  )
  const listed = reads.models().pipe(
    Effect.timeout(asksFor),
    Effect.map(({ models }) => models),
    Effect.orElseSucceed(() => [])
  )
  const [{ providers, ignored }, models] = yield* Effect.all([reads.stated, listed], { concurrency: 2 })
  const rules = providers.map(({ listed: { provider, default_model_id: defaultModel }, rules }) => {
    const listedPrices = models.flatMap((model) => {
      const price = model.provider === provider ? creditsStated(model.credits_per_character) : undefined
      if (price === undefined) return []
      return [model.model_id, ...(model.model_id === defaultModel ? [""] : [])].map((id) => [id, price])
    })
    const prices = { ...rules.prices, ...Object.fromEntries(listedPrices) }
    return [provider, Object.keys(prices).length === 0 ? rules : { ...rules, prices }] as const
  })
  return { rules: new Map(rules.filter(([, said]) => Object.keys(said).length > 0)), ignored }
}).pipe(Effect.withSpan("StatedRules.askStated"))

/** Returns the prices of a statement. */
export const statedPrice =
  (rules: Statement): PriceOf =>
  ({ provider, model = "" }) => {
    const prices = rules.get(provider)?.prices
    return prices?.[model] ?? prices?.["*"]
  }

/** Returns the batch under what its service stated when it was last asked. */
export const withStated = Effect.fn("StatedRules.withStated")(function* <E>(
  batch: Batch,
  access: SpeechAccess<E>,
  state: StateOf
) {
  const { service } = batch
  const kept = yield* Effect.flatMap(CompletedBatches, ({ record }) => record(recordKey)).pipe(
    Effect.provide(state(batch.state)),
    Effect.map((read) => Option.getOrElse(Option.flatMap(read, Schema.decodeOption(Statements)), () => [])),
    // Without a readable state folder, nothing is known. A run reports the fault.
    Effect.orElseSucceed(() => [])
  )
  const sent = yield* Effect.cached(
    sentKeys.pipe(
      Effect.provide(state(batch.state)),
      Effect.orElseSucceed(() => new Set<string>())
    )
  )
  const ruledBy = Effect.fnUntraced(function* (current: Statement, more: Partial<StatedBefore> = {}) {
    const others: ReadonlyArray<Statement> = [new Map(), ...kept.map(({ rules }) => rules)]
    const isOpen = batch.jobs.some(({ nativeInput }) => nativeInput === undefined)
    const keys = isOpen || [current, ...others].some(setsRules) ? yield* sent : new Set<string>()
    return {
      ...batch,
      profileOf: (provider, rules = current.get(provider)) => batch.profileOf(provider, rules),
      stated: {
        priceOf: statedPrice(current),
        cuts: {
          profilesOf: (provider) =>
            keys.size === 0 ? [] : others.map((rules) => batch.profileOf(provider, rules.get(provider))),
          isSent: (key) => keys.has(key)
        },
        ...more
      }
    } satisfies Batch
  })
  const name = service === "embedded" ? undefined : checksumOf(service.baseUrl)
  const last = kept.findLast((one) => one.service === name)?.rules ?? new Map()
  if (name === undefined || !access.hasKey) return yield* ruledBy(last)
  const files = yield* FileSystem.FileSystem
  const asked = askStated.pipe(
    Effect.provide(preliminaryGateway(access, batch)),
    Effect.provideService(FileSystem.FileSystem, files),
    Effect.timeout(asksFor),
    Effect.option,
    Effect.flatMap((answer) => {
      if (Option.isNone(answer)) return ruledBy(last)
      const { rules, ignored } = answer.value
      const notices = ignoredNotice(ignored)
      if (rules.size === 0) return ruledBy(last, { notices })
      const before = kept.filter((one) => one.service !== name || !isAlike(one.rules, rules))
      const record = [...before.slice(-maxKept), { service: name, rules }]
      return ruledBy(rules, {
        record: Schema.encodeSync(Statements)(record),
        notices
      })
    })
  )
  return yield* ruledBy(last, { asked })
})

/** Whether a statement has more than prices. */
const setsRules = (rules: Statement): boolean =>
  [...rules.values()].some(({ prices: _, ...limits }) => Object.keys(limits).length > 0)

const isAlike = (one: Statement, other: Statement): boolean =>
  JSON.stringify([...one]) === JSON.stringify([...other])

const ignoredNotice = (ignored: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.isNonEmptyReadonlyArray(ignored)
    ? [
        `the service states what cannot be meant, which is ignored: ${ignored.slice(0, 4).join("; ")}${ignored.length > 4 ? "; …" : ""} (providers: in the manifest sets these)`
      ]
    : []

/** Keeps what the service states for later runs and plans. */
export const keepStated = Effect.fn("StatedRules.keepStated")(function* ({ stated }: Batch) {
  const { remember } = yield* CompletedBatches
  if (stated?.record !== undefined) yield* remember(recordKey, stated.record)
})
