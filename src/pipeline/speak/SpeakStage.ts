/** The speak stage: creates, polls and fetches every wanted utterance that has no clip yet. */
import { Effect } from "effect"
import type { ProviderId, UtteranceKey } from "../../domain/values/Ids.ts"
import { isUnderWay } from "../../domain/task/UtteranceState.ts"
import type { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import { requeueDamagedClips, UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { clipMaker } from "../clips/ClipWorkerClient.ts"
import { ClipIntake, makeClipIntake } from "../clips/ClipIntake.ts"
import { RunSpending } from "./services/RunSpending.ts"
import { SpeakCounters } from "./services/SpeakCounters.ts"
import { type RunNeeds, speakServices, speakSummary } from "./services/SpeakServices.ts"
import { processUtterance, unplannedUtterance } from "./UtteranceProcess.ts"
import type { SpeakSettings, SpeakSummary } from "./SpeakSettings.ts"

/** Services that the speak stage needs. */
export type SpeakNeeds = RunNeeds | Ffmpeg

/** Utterances per provider that may wait for their fetch after they have freed their slots. */
const backlog = 16

/** Rows read from the store at once. */
const rowsAhead = 64

/**
 * Speaks the wanted utterances that have no clip; each is paid for once. Returns when each is spoken, failed or, if
 * creates were stopped, left. On interruption it waits for responses in flight and leaves the rest to the next run.
 */
export const speakUtterances = (
  settings: SpeakSettings
): Effect.Effect<SpeakSummary, StateUnusable, SpeakNeeds> =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const { counts } = yield* SpeakCounters
    const spending = yield* RunSpending
    yield* store.revive(settings.keys, "passing")
    const reused = yield* requeueDamagedClips(settings.keys)
    const unspoken = yield* store.unspoken(settings.keys)
    if (settings.isSecond !== true) {
      counts.reused = reused
      counts.failed = settings.keys.length - reused - unspoken.length
    }
    if (spending.isLimited) {
      const announced = unspoken.filter(({ state }) => state === "announced").map(({ key }) => key)
      for (const { utterance } of yield* store.rows(announced)) spending.expect(utterance)
    }
    const intake = yield* makeClipIntake(clipMaker(unspoken.length))

    const byProvider = new Map<ProviderId, Array<UtteranceKey>>()
    for (const { provider, key } of unspoken) add(byProvider, provider, key)
    const earlier = new Set(unspoken.filter(({ state }) => isUnderWay(state)).map(({ key }) => key))
    const aside = new Map<ProviderId, Array<UtteranceKey>>()
    const round = (work: ReadonlyMap<ProviderId, ReadonlyArray<UtteranceKey>>, last: boolean) =>
      Effect.forEach(
        work,
        ([provider, keys]) =>
          Effect.gen(function* () {
            const next = yield* reader(store, keys)
            const consumer = Effect.gen(function* () {
              for (let row = yield* next; row !== undefined; row = yield* next) {
                const { key } = row.utterance
                const outcome = yield* processUtterance(row, { last, resumed: earlier.has(key) })
                if (outcome === "aside") add(aside, provider, key)
                else if (outcome !== "left") yield* settings.settled(key)
              }
            })
            const consumers = Math.min(keys.length, settings.profileOf(provider).concurrency + backlog)
            yield* Effect.all(
              Array.from({ length: consumers }, () => consumer),
              { concurrency: "unbounded", discard: true }
            )
          }),
        { concurrency: "unbounded", discard: true }
      ).pipe(Effect.provideService(ClipIntake, intake))

    yield* round(byProvider, false)
    // Deferred utterances get a second chance when all others are done.
    yield* round(new Map(aside), true)
    return yield* speakSummary
  }).pipe(Effect.scoped, Effect.provide(speakServices(settings)))

const add = <A>(lists: Map<ProviderId, Array<A>>, provider: ProviderId, one: A): void => {
  const list = lists.get(provider)
  if (list === undefined) lists.set(provider, [one])
  else list.push(one)
}

/** Returns an effect that yields the rows of the keys one by one, in order, reading ahead; undefined after the last. */
const reader = (store: UtteranceStore, keys: ReadonlyArray<UtteranceKey>) =>
  Effect.map(Effect.makeSemaphore(1), (turn) => {
    const ahead: Array<UtteranceRow> = []
    let read = 0
    const more = Effect.suspend(() => {
      const wanted = keys.slice(read, read + rowsAhead)
      if (ahead.length > 0 || wanted.length === 0) return Effect.void
      return Effect.flatMap(store.rows(wanted), (rows) => {
        read += wanted.length
        ahead.push(...rows)
        const known = new Set(rows.map((row) => row.utterance.key))
        const missing = wanted.find((key) => !known.has(key))
        return missing === undefined ? Effect.void : unplannedUtterance(missing)
      })
    })
    const next: Effect.Effect<UtteranceRow | undefined, StateUnusable> = Effect.suspend(() => {
      const row = ahead.shift()
      return row !== undefined || read === keys.length
        ? Effect.succeed(row)
        : Effect.zipRight(turn.withPermits(1)(more), next)
    })
    return next
  })
