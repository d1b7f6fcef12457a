/** The speak stage: every utterance that is wanted and not at hand is spoken, fetched and kept as a clip. */
import { Effect } from "effect"
import type { ProviderId, UtteranceKey } from "../domain/Ids.ts"
import { ClipFolder } from "../store/ClipFolder.ts"
import type { StateUnusable } from "../store/StateFault.ts"
import type { UtteranceRow } from "../store/UtteranceRow.ts"
import { UtteranceStore } from "../store/UtteranceStore.ts"
import { clipMaker } from "./ClipMaker.ts"
import { makeDecoder } from "./SpeakDecoder.ts"
import { type Desk, fetchesAtOnce, type SpeakNeeds, spoken, unplanned } from "./SpeakDesk.ts"
import { makeRun } from "./SpeakRun.ts"
import type { SpeakSettings, SpeakSummary } from "./SpeakSettings.ts"

/** Utterances of a provider that may wait for their fetch while others take their slots. */
const backlog = 16

/** Rows read from the store at once. */
const rowsAhead = 64

/**
 * Speaks what is left of the wanted utterances, each paid for once. Returns when each is spoken, failed or, where creates
 * were stopped, left. Interrupted, it lets answers that are in the air come home and leaves the rest to the next run.
 */
export const speak = (settings: SpeakSettings): Effect.Effect<SpeakSummary, StateUnusable, SpeakNeeds> =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* UtteranceStore
      const run = yield* makeRun(settings)
      const decode = yield* makeDecoder
      const fetching = yield* Effect.makeSemaphore(fetchesAtOnce)
      yield* store.revive(settings.keys, "passing")
      run.counts.reused = yield* mendClips(settings.keys)
      const unspoken = yield* store.unspoken(settings.keys)
      const makeClip = yield* clipMaker(unspoken.length)
      run.counts.failed = settings.keys.length - run.counts.reused - unspoken.length

      const byProvider = new Map<ProviderId, Array<UtteranceKey>>()
      for (const { provider, key } of unspoken) add(byProvider, provider, key)
      const aside = new Map<ProviderId, Array<UtteranceKey>>()
      const round = (work: ReadonlyMap<ProviderId, ReadonlyArray<UtteranceKey>>, last: boolean) =>
        Effect.forEach(
          work,
          ([provider, keys]) =>
            Effect.gen(function* () {
              const row = yield* reader(store, keys)
              const lane = yield* run.lane(provider)
              const desk: Desk = { run, lane, decode, makeClip, fetching, last }
              yield* Effect.forEach(
                keys,
                (key) =>
                  Effect.map(
                    Effect.flatMap(row(key), (one) => spoken(desk, one)),
                    (ending) => {
                      if (ending === "aside") add(aside, provider, key)
                    }
                  ),
                { concurrency: settings.profileOf(provider).concurrency + backlog, discard: true }
              )
            }),
          { concurrency: "unbounded", discard: true }
        )

      yield* round(byProvider, false)
      // What met too many passing faults gets a second chance when all others are done.
      yield* round(new Map(aside), true)
      return run.summary()
    })
  )

const add = <A>(lists: Map<ProviderId, Array<A>>, provider: ProviderId, one: A): void => {
  const list = lists.get(provider)
  if (list === undefined) lists.set(provider, [one])
  else list.push(one)
}

/** Reads rows one by one as they are asked for, in the order of the keys, some ahead at a time. */
const reader = (store: UtteranceStore, keys: ReadonlyArray<UtteranceKey>) =>
  Effect.map(Effect.makeSemaphore(1), (turn) => {
    const ahead = new Map<UtteranceKey, UtteranceRow>()
    let read = 0
    return (key: UtteranceKey): Effect.Effect<UtteranceRow, StateUnusable> =>
      turn.withPermits(1)(
        Effect.gen(function* () {
          if (!ahead.has(key)) {
            for (const row of yield* store.rows(keys.slice(read, read + rowsAhead)))
              ahead.set(row.utterance.key, row)
            read += rowsAhead
          }
          const row = ahead.get(key)
          if (row === undefined) return yield* unplanned(key)
          ahead.delete(key)
          return row
        })
      )
  })

/**
 * Sends utterances whose clips are gone or damaged back to their tasks, which may still give them without a new payment.
 * Returns how many clips are at hand.
 */
export const mendClips = (
  keys: ReadonlyArray<UtteranceKey>
): Effect.Effect<number, StateUnusable, UtteranceStore | ClipFolder> =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const clips = yield* ClipFolder
    const sizes = yield* store.clipSizes(keys)
    const gone = yield* clips.damaged(sizes)
    yield* Effect.forEach(gone, (key) => store.apply({ event: "refetch", key }), {
      concurrency: "unbounded",
      discard: true
    })
    return sizes.size - gone.length
  })
