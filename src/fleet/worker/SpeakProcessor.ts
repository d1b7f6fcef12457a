/** A worker's processor of utterances: continues one job of a provider's queue from its recorded state to its end. */
import { Clock, type Context, Duration, Effect, Layer, Schema } from "effect"
import type { RemoteService } from "../../domain/manifest/ServiceDialect.ts"
import type { ProviderId, UtteranceKey } from "../../domain/values/Ids.ts"
import { profileOf } from "../../domain/speech/ProviderProfile.ts"
import type { Gateway } from "../../gateway/Gateway.ts"
import * as Ledger from "../../pipeline/speak/Ledger.ts"
import { analyzeInThisThread } from "../../pipeline/clips/ClipWorkerClient.ts"
import { ClipIntake, makeClipIntake } from "../../pipeline/clips/ClipIntake.ts"
import { RunSpending } from "../../pipeline/speak/services/RunSpending.ts"
import { type RunServices, speakServices } from "../../pipeline/speak/services/SpeakServices.ts"
import { StopSignal } from "../../pipeline/speak/services/StopSignal.ts"
import { processUtterance } from "../../pipeline/speak/UtteranceProcess.ts"
import { type Halt, SpeakConfig, defaultSpeakSettings } from "../../pipeline/speak/SpeakSettings.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { UtteranceTransfer, type UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { versionMismatch } from "../shared/FleetErrors.ts"
import { type Grant, type SpeakEnd, type SpeakPayload, Terms } from "../shared/JobPayloads.ts"
import { ledgerFor, takeEntry } from "../shared/Ledger.ts"
import { continuedFrom } from "../shared/LedgerEntry.ts"
import { Share } from "../shared/Share.ts"
import { type Hold, type FencedStoreParts, publish } from "./FencedStore.ts"

/** How long an utterance is deferred after too many temporary errors, in milliseconds. */
const asideFor = 30_000

/** Builds the gateway to the service at an address, with this machine's own key. */
export type Reach<E> = (service: RemoteService) => Layer.Layer<Gateway, E>

const readTerms = Schema.decode(Schema.parseJson(Terms))

/** A worker's services for the utterances of one batch. */
type Bench = Context.Context<RunServices | Gateway>

/** Result of processing: ended, or deferred until a time (milliseconds since the Unix epoch). */
export type Handled =
  { readonly _tag: "Ended"; readonly end: SpeakEnd } | { readonly _tag: "Aside"; readonly until: number }

/** Makes the processor; it lives as long as the scope. */
export const makeSpeakProcessor = <E>(parts: FencedStoreParts, reach: Reach<E>) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const share = yield* Share
    const handover = yield* UtteranceTransfer
    const clips = yield* ClipFolder
    const store = yield* UtteranceStore
    const intake = yield* makeClipIntake(analyzeInThisThread)
    const one = yield* Effect.makeSemaphore(1)
    const benches = new Map<string, Bench>()
    const gateways = new Map<string, Context.Context<Gateway>>()

    const gatewayTo = (service: RemoteService) =>
      Effect.gen(function* () {
        const name = JSON.stringify(service)
        const known = gateways.get(name)
        if (known !== undefined) return known
        const made = yield* Layer.buildWithScope(reach(service), scope)
        gateways.set(name, made)
        return made
      })

    /** Returns a batch's resources; creates them once, however many of its utterances arrive at once. */
    const benchOf = (name: string) =>
      one.withPermits(1)(
        Effect.gen(function* () {
          const known = benches.get(name)
          if (known !== undefined) return known
          const terms = yield* Effect.mapError(readTerms(yield* share.kept(name)), () =>
            versionMismatch(share.name, `fleet/${name}.json`)
          )
          const gateway = yield* gatewayTo({
            baseUrl: terms.service,
            ...(terms.dialect === undefined ? {} : { dialect: terms.dialect })
          })
          const services = speakServices(
            {
              ...defaultSpeakSettings,
              keys: [],
              profileOf: (provider: ProviderId) => terms.profiles[provider] ?? profileOf(provider),
              dialect: terms.dialect,
              undecided: terms.undecided,
              timesWords: terms.timesWords,
              languageOf: (key: UtteranceKey) => parts.holds.get(key)?.payload.language,
              // Only the coordinator abandons an unreachable service.
              patience: Duration.infinity
            },
            terms.utterances
          )
          const bench: Bench = yield* services.pipe(
            Layer.provideMerge(Layer.succeedContext(gateway)),
            Layer.buildWithScope(scope)
          )
          benches.set(name, bench)
          return bench
        })
      )

    /**
     * Returns an utterance's record, or that of its clip if another job has spoken it meanwhile: a run may have
     * dispatched it before it could know.
     */
    const newestOf = (sent: UtteranceRecord) =>
      Effect.gen(function* () {
        if (sent.clip !== undefined) return sent
        const spoken = yield* share.recordOf(sent.utterance.key)
        if (spoken === undefined || spoken.take < sent.take) return sent
        yield* handover.takeOver([spoken])
        const [record = spoken] = yield* handover.records([spoken.utterance.key])
        yield* publish(parts, record)
        return record
      })

    /** Speaks one utterance, continuing from its record's state. */
    const spokenOf = (hold: Hold) =>
      Effect.gen(function* () {
        const { record: sent, terms, last, grant } = hold.payload
        const { key } = sent.utterance
        yield* handover.takeOver([sent])
        const record = yield* newestOf(sent)
        if (record.state === "fetched" || record.state === "placed") {
          const damaged = yield* clips.damaged(new Map([[key, record.clip?.bytes ?? -1]]))
          if (damaged.length === 0) return ended("spoken")
          yield* store.apply({ event: "refetch", key })
        }
        if (record.state === "failed") return ended("failed")
        const bench = yield* benchOf(terms)
        const [row] = yield* store.rows([key])
        if (row === undefined)
          return yield* Effect.dieMessage("an utterance was removed from the store during the task")
        let halt: Halt | undefined
        const ending = yield* processUtterance(row, { last, resumed: false }).pipe(
          Effect.provideService(ClipIntake, intake),
          Effect.provideServiceEffect(RunSpending, grant === undefined ? RunSpending : granted(grant)),
          Effect.provideService(StopSignal, {
            // Stops only this utterance; the coordinator decides about the others.
            stop: (reason) =>
              Effect.sync(() => {
                halt ??= reason
              }),
            halted: () => halt,
            stopped: Effect.never,
            punctual: Effect.void
          }),
          Effect.provide(bench)
        )
        if (ending === "aside") {
          const [left] = yield* handover.records([key])
          parts.holds.set(key, { ...hold, payload: { ...hold.payload, last: true } })
          if (left !== undefined) yield* publish(parts, left)
          return { _tag: "Aside", until: (yield* Clock.currentTimeMillis) + asideFor } satisfies Handled
        }
        return ended(ending, halt)
      })

    /**
     * Works on a job until it ends, is deferred, or another worker takes it over. `queuedAt` is when it was dispatched,
     * in milliseconds since 1970.
     */
    return (payload: SpeakPayload, queuedAt: number) =>
      Effect.gen(function* () {
        const { key } = payload.record.utterance
        const taken = yield* takeEntry(parts.client, key)
        const now = yield* Clock.currentTimeMillis
        // Its entry may have expired, with a paid task. Its run dispatches it again if it has none.
        if (taken.entry === undefined && now - queuedAt > ledgerFor * 1_000) return ended("left")
        const hold: Hold = {
          holder: taken.holder,
          payload: { ...payload, ...continuedFrom(payload, taken, now) }
        }
        return yield* Effect.acquireUseRelease(
          Effect.sync(() => parts.holds.set(key, hold)),
          () => spokenOf(hold),
          () =>
            Effect.zipRight(
              Effect.sync(() => parts.holds.delete(key)),
              Effect.orDie(handover.forget([key]))
            )
        )
      })
  })

const ended = (ending: SpeakEnd["ending"], halt?: Halt): Handled => ({
  _tag: "Ended",
  end: { ending, ...(halt === undefined ? {} : { halt }) }
})

/** The spending of one utterance, within the coordinator's grant. */
const granted = ({ credits: most, price }: Grant) =>
  Effect.gen(function* () {
    const spending = yield* RunSpending
    const { stop } = yield* StopSignal
    const settings = yield* SpeakConfig
    let ledger = Ledger.openLedger(most)
    return {
      ...spending,
      price: () => price,
      pricing: (_utterance, work) => work,
      reserve: ({ key, characters }) =>
        Effect.suspend(() => {
          const rest = Ledger.release(ledger, key)
          const isWithin = Ledger.fits(rest, price * characters)
          ledger = isWithin ? Ledger.hold(rest, key, price * characters) : rest
          return isWithin
            ? Effect.succeed(true)
            : Effect.as(stop({ reason: "budget", words: Ledger.limitReached(settings) }), false)
        }),
      // The coordinator decides about a new take.
      hold: () => true,
      release: (key) => {
        ledger = Ledger.release(ledger, key)
      },
      pay: (utterance, credits) => {
        const paid = credits ?? price * utterance.characters
        ledger = Ledger.pay(ledger, utterance.key, paid)
        return Effect.as(spending.pay(utterance, credits), paid)
      },
      adopt: ({ key, characters }, credits) => {
        ledger = Ledger.adopt(ledger, key, credits ?? price * characters)
      }
    } satisfies typeof spending
  })
