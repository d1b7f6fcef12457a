import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ProgressEvent } from "../../src/pipeline/Progress.ts"
import { speak } from "../../src/pipeline/Speak.ts"
import { UtteranceStore } from "../../src/store/UtteranceStore.ts"
import { job, parts, serving, settingsFor, temporaryFolder, utterances } from "./Batch.ts"
import { calm, HostileService, mischiefs } from "./HostileService.ts"

it.scopedLive(
  "a calm service",
  () =>
    Effect.gen(function* () {
      const service = yield* serving(new HostileService(calm))
      const folder = yield* temporaryFolder
      const list = utterances(40)
      const events: Array<ProgressEvent> = []
      const summary = yield* Effect.gen(function* () {
        const store = yield* UtteranceStore
        yield* store.plan("batch", job(list))
        return yield* speak(settingsFor(list))
      }).pipe(Effect.provide(parts(folder, service, events)))
      console.log(summary, service.requests)
      expect(service.charged.length).toBe(40)
    }),
  200000
)

it.scopedLive(
  "hostile",
  () =>
    Effect.gen(function* () {
      const odds = Object.fromEntries(
        mischiefs.map((m) => [m, m.includes("429") || m.includes("503") ? 0.02 : 0.06])
      )
      const service = yield* serving(
        new HostileService({ ...calm, seed: 7, odds, envelope: "data", otherHost: true, settle: [10, 200] })
      )
      const folder = yield* temporaryFolder
      const list = utterances(60)
      const events: Array<ProgressEvent> = []
      const summary = yield* Effect.gen(function* () {
        const store = yield* UtteranceStore
        yield* store.plan("batch", job(list))
        const s = yield* speak(settingsFor(list))
        const known = yield* store.ours(service.charged.map((c) => c.id as never))
        console.log(
          "UNKNOWN",
          service.charged.filter((c) => !known.has(c.id)),
          service.log.filter((l) => service.charged.some((c) => !known.has(c.id) && l.includes(c.text)))
        )
        const rows = yield* store.standings(list.map((u) => u.key))
        for (const r of rows.values()) if (r.state !== "fetched") console.log(r)
        return s
      }).pipe(Effect.provide(parts(folder, service, events)))
      console.log(summary, service.requests, service.done, service.charged.length)
      console.log(service.seenElsewhere.filter((h) => "xi-api-key" in h).length)
      console.log(
        events
          .filter((e) => e._tag === "Retrying" || e._tag === "Failed")
          .map((e) => (e._tag === "Retrying" ? e.why : "FAILED " + e.error))
      )
      const ids = new Map<string, number>()
      for (const c of service.charged) if (c.fate === "done") ids.set(c.text, (ids.get(c.text) ?? 0) + 1)
      console.log([...ids].filter(([, n]) => n > 1))
    }),
  200000
)
