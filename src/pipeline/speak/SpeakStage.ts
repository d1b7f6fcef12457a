/** The speak stage: every utterance that is wanted and not at hand is spoken, fetched and kept as a clip. */
import { Effect } from "effect"
import type { ProviderId, UtteranceKey } from "../../domain/values/Ids.ts"
import { isUnderWay } from "../../domain/task/UtteranceState.ts"
import type { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { Slots } from "../../gateway/pacing/Slots.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { clipMaker } from "../clips/ClipWorkerClient.ts"
import { makeDecoder } from "../clips/ReceivedAudio.ts"
import {
  type UtteranceProcess,
  fetchesAtOnce,
  processUtterance,
  unplannedUtterance
} from "./UtteranceProcess.ts"
import { makeSpeakRun, type RunNeeds } from "./SpeakRun.ts"
import type { SpeakSettings, SpeakSummary } from "./SpeakSettings.ts"

/** What speaking needs. */
export type SpeakNeeds = RunNeeds | Ffmpeg

/** Utterances of a provider that may wait for their fetch while others take their slots. */
const backlog = 16

/** Rows read from the store at once. */
const rowsAhead = 64

/**
 * Speaks what is left of the wanted utterances, each paid for once. Returns when each is spoken, failed or, where
 * creates were stopped, left. Interrupted, it lets answers that are in the air come home and leaves the rest to the
 * next run.
 */
export const speakUtterances = (
  settings: SpeakSettings
): Effect.Effect<SpeakSummary, StateUnusable, SpeakNeeds> =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* UtteranceStore
      const run = yield* makeSpeakRun(settings)
      const decode = yield* makeDecoder
      const fetching = new Slots(fetchesAtOnce)
      yield* store.revive(settings.keys, "passing")
      run.counts.reused = yield* mendClips(settings.keys)
      const unspoken = yield* store.unspoken(settings.keys)
      const makeClip = yield* clipMaker(unspoken.length)
      run.counts.failed = settings.keys.length - run.counts.reused - unspoken.length

      const byProvider = new Map<ProviderId, Array<UtteranceKey>>()
      for (const { provider, key, state } of unspoken) {
        add(byProvider, provider, key)
        if (isUnderWay(state)) run.earlier.add(key)
      }
      const aside = new Map<ProviderId, Array<UtteranceKey>>()
      const round = (work: ReadonlyMap<ProviderId, ReadonlyArray<UtteranceKey>>, last: boolean) =>
        Effect.forEach(
          work,
          ([provider, keys]) =>
            Effect.gen(function* () {
              const lane = yield* run.lane(provider)
              const desk: UtteranceProcess = { run, lane, decode, makeClip, fetching, last }
              const next = yield* reader(store, keys)
              const hand = Effect.gen(function* () {
                for (let row = yield* next; row !== undefined; row = yield* next)
                  if ((yield* processUtterance(desk, row)) === "aside")
                    add(aside, provider, row.utterance.key)
              })
              const hands = Math.min(keys.length, settings.profileOf(provider).concurrency + backlog)
              yield* Effect.all(
                Array.from({ length: hands }, () => hand),
                { concurrency: "unbounded", discard: true }
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

/** Gives the rows of keys one by one, in their order, some read ahead at a time; undefined after the last. */
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

/**
 * Sends utterances whose clips are gone or damaged back to their tasks, which may still give them without a new
 * payment. Returns how many clips are at hand.
 */
export const mendClips = (
  keys: ReadonlyArray<UtteranceKey>
): Effect.Effect<number, StateUnusable, UtteranceStore | ClipFolder> =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const clips = yield* ClipFolder
    const sizes = yield* store.clipSizes(keys)
    const gone = yield* clips.damaged(sizes)
    yield* store.applyAll(gone.map((key) => ({ event: "refetch" as const, key })))
    return sizes.size - gone.length
  })
