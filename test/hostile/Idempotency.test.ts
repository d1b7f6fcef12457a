/** A lost create is sent again only if that certainly costs nothing. Otherwise, the history decides. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Utterance } from "../../src/domain/speech/Utterance.ts"
import { labelWithMarker, markerOf, type TaskMarker } from "../../src/domain/task/TaskMarker.ts"
import { Gateway } from "../../src/gateway/Gateway.ts"
import { composeCreate } from "../../src/gateway/requests/NamedCreate.ts"
import { speakUtterances } from "../../src/pipeline/speak/SpeakStage.ts"
import { UtteranceStore } from "../../src/store/tables/UtteranceStore.ts"
import { job, parts, serving, settingsFor, temporaryFolder, utterances } from "./Batch.ts"
import { calm, type Character, HostileService } from "./HostileService.ts"

/** Speaks lines and returns what was charged, how the history was used, and the clips' checksums. */
const spokenWith = (list: ReadonlyArray<Utterance>, character: Partial<Character>) =>
  Effect.gen(function* () {
    const service = yield* serving(new HostileService({ ...calm, ...character }))
    const folder = yield* temporaryFolder
    return yield* Effect.gen(function* () {
      const store = yield* UtteranceStore
      yield* store.plan("batch", job(list))
      const { created, failed } = yield* speakUtterances(settingsFor(list))
      const clips = yield* store.clips(list.map(({ key }) => key))
      return {
        ...{ created, failed, charged: service.charged.length, history: service.requests["history"] ?? 0 },
        heard: list.map(({ key }) => clips.get(key)?.clip.checksum)
      }
    }).pipe(Effect.provide(parts(folder, service)))
  })

const besideOthers = { concurrent: true, timeout: 120_000 }
const once = (count: number) => ({ created: count, failed: 0, charged: count })

it.scopedLive(
  "sends 1,000 lost creates again: no search, no second charge, the same clips",
  () =>
    Effect.gen(function* () {
      const list = utterances(1_000)
      const settle = [1, 5] as const
      const some = list.slice(0, 100)
      const expected = yield* spokenWith(some, { settle })
      const lossy = { "create-drop-after": 1 }
      const { heard, ...rest } = yield* spokenWith(list, { settle, idempotency: "honours", odds: lossy })
      expect(rest).toEqual({ ...once(1_000), history: 0 })
      expect(heard.slice(0, some.length)).toEqual(expected.heard)
    }),
  besideOthers
)

it.scopedLive(
  "makes up for requests and responses lost in any way",
  () =>
    Effect.gen(function* () {
      const odds = {
        ...{ "create-drop-before": 0.3, "create-500-after": 0.3, "create-garbage-after": 0.3 },
        ...{ "create-hang-after": 0.05, "create-429": 0.2, "create-503": 0.1 }
      }
      const list = utterances(40)
      const { heard: _, history: _walks, ...rest } = yield* spokenWith(list, { idempotency: "honours", odds })
      expect(rest).toEqual(once(40))
    }),
  besideOthers
)

it.scopedLive("sends a create of an earlier run again only if the service knows its key", () =>
  Effect.gen(function* () {
    const [named, unnamed] = utterances(2)
    const service = yield* serving(new HostileService({ ...calm, idempotency: "honours" }))
    const folder = yield* temporaryFolder
    const walks = (utterance: Utterance | undefined, mark: TaskMarker | undefined) =>
      Effect.gen(function* () {
        if (utterance === undefined) return
        const store = yield* UtteranceStore
        const gateway = yield* Gateway
        const settings = settingsFor([utterance])
        yield* store.plan("batch", job([utterance]))
        yield* store.apply({ event: "announce", key: utterance.key })
        const label = labelWithMarker("ep01 #1", markerOf(utterance.key, 1))
        yield* gateway.submit(
          composeCreate(utterance, label, settings.profileOf(utterance.casting.provider), mark)
        )
        const before = service.requests["history"] ?? 0
        const { created, adopted } = yield* speakUtterances(settings)
        return { created, adopted, walked: (service.requests["history"] ?? 0) > before }
      }).pipe(Effect.provide(parts(folder, service)))
    const mark = named && markerOf(named.key, 1)
    expect(yield* walks(named, mark)).toEqual({ created: 0, adopted: 1, walked: false })
    // An earlier version sent no key.
    expect(yield* walks(unnamed, undefined)).toEqual({ created: 0, adopted: 1, walked: true })
    expect(service.charged.length).toBe(2)
  })
)

it.scopedLive("sends an announced create that never left at once, if it was announced with its key", () =>
  Effect.gen(function* () {
    const [first, named, unnamed] = utterances(3)
    const service = yield* serving(new HostileService({ ...calm, idempotency: "honours" }))
    const folder = yield* temporaryFolder
    const speak = (utterance: Utterance, announced: "named" | "unnamed" | undefined) =>
      Effect.gen(function* () {
        const store = yield* UtteranceStore
        const settings = settingsFor([utterance])
        const mark = markerOf(utterance.key, 1)
        const { key: createKey = "" } = composeCreate(
          utterance,
          labelWithMarker("ep01 #1", mark),
          settings.profileOf(utterance.casting.provider),
          mark
        )
        yield* store.plan("batch", job([utterance]))
        if (announced !== undefined)
          yield* store.apply({
            ...{ event: "announce", key: utterance.key },
            ...(announced === "named" ? { createKey } : {})
          })
        const before = service.requests["history"] ?? 0
        yield* Effect.raceFirst(
          speakUtterances(settings),
          Effect.repeat(Effect.sleep("5 millis"), {
            until: () => (service.requests["history"] ?? 0) > before
          })
        )
        return { charged: service.charged.length, walked: (service.requests["history"] ?? 0) > before }
      })
    yield* Effect.gen(function* () {
      if (first === undefined || named === undefined || unnamed === undefined) return
      expect(yield* speak(first, undefined)).toEqual({ charged: 1, walked: false })
      expect(yield* speak(named, "named")).toEqual({ charged: 2, walked: false })
      expect(yield* speak(unnamed, "unnamed")).toEqual({ charged: 2, walked: true })
    }).pipe(Effect.provide(parts(folder, service)))
  })
)

for (const idempotency of ["ignores", "lies", "lies-well"] as const)
  it.scopedLive(
    `pays once, by its history, at a service that ${idempotency}`,
    () =>
      Effect.gen(function* () {
        const list = utterances(20)
        const {
          heard: _,
          history,
          ...rest
        } = yield* spokenWith(list, {
          ...{ idempotency, odds: { "create-drop-after": 0.6, "create-500-after": 0.6 } }
        })
        expect(rest).toEqual(once(20))
        expect(history).toBeGreaterThan(0)
      }),
    besideOthers
  )
