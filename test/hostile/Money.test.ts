/** A run keeps its credit limit even if the service, the manifest or other users of the account falsify prices. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Utterance } from "../../src/domain/speech/Utterance.ts"
import { speakUtterances } from "../../src/pipeline/speak/SpeakStage.ts"
import type { SpeakSettings } from "../../src/pipeline/speak/SpeakSettings.ts"
import { UtteranceStore } from "../../src/store/tables/UtteranceStore.ts"
import { job, parts, serving, settingsFor, temporaryFolder, utterances } from "./Batch.ts"
import { runIn, scene, started } from "./Command.ts"
import { calm, type Character, HostileService } from "./HostileService.ts"

/** Speaks lines at a configured price of 0.01 credits per character, with a service whose tasks report no price. */
const spokenWith = (
  list: ReadonlyArray<Utterance>,
  character: Partial<Character>,
  settings: Partial<SpeakSettings>
) =>
  Effect.gen(function* () {
    const service = yield* serving(new HostileService({ ...calm, tellsPrice: false, ...character }))
    const folder = yield* temporaryFolder
    const profileOf: SpeakSettings["profileOf"] = (provider) => ({
      ...settingsFor(list).profileOf(provider),
      creditsPerCharacter: 0.01
    })
    const summary = yield* Effect.gen(function* () {
      const store = yield* UtteranceStore
      yield* store.plan("batch", job(list))
      return yield* speakUtterances({ ...settingsFor(list), profileOf, ...settings })
    }).pipe(Effect.provide(parts(folder, service)))
    return { service, summary }
  })

it.scopedLive("keeps a limit by the account's balance if the configured price is too low", () =>
  Effect.gen(function* () {
    const list = utterances(60)
    const { service, summary } = yield* spokenWith(list, { price: 1 }, { maxCredits: 600 })
    expect(summary.halt?.reason).toBe("budget")
    expect(service.spent).toBeLessThanOrEqual(600)
    expect(service.spent).toBeGreaterThan(400)
    expect(summary.halt?.words).toMatch(/cost \d+ credits instead of 0\.\d+/u)
    expect(summary.left).toBe(list.length - service.charged.length)
    expect(summary.warnings).toEqual([
      expect.stringMatching(/^the first task .* cost \d+ credits instead of 0\.\d+; .*creditsPerCharacter/u)
    ])
  })
)

it.scopedLive("stops by the balance if others use the account too, and reports both figures", () =>
  Effect.gen(function* () {
    const list = utterances(200)
    // The first task looks right: it costs the configured price.
    const { service, summary } = yield* spokenWith(list, { price: 0.01, othersSpend: 1 }, { maxCredits: 100 })
    expect(summary.halt).toEqual({
      reason: "budget",
      words: expect.stringMatching(
        /^the limit of 100 credits would be exceeded: the account's balance fell by \d+ credits, but this run counted \d+; .*creditsPerCharacter.*if others use this account, raise --max-credits$/u
      )
    })
    expect(service.charged.length).toBeLessThanOrEqual(101)
    expect(service.charged.length).toBeGreaterThan(50)
    // The balance is read a few times, not with every task.
    expect(service.requests["credits"]).toBeLessThan(40)
  })
)

it.scopedLive("does not read the balance without a limit", () =>
  Effect.gen(function* () {
    const { service, summary } = yield* spokenWith(utterances(12), { othersSpend: 100 }, {})
    expect({ ...summary, characters: 0, credits: 0 }).toMatchObject({
      created: 12,
      warnings: [],
      halt: undefined
    })
    expect(service.requests["credits"]).toBeUndefined()
  })
)

it.scopedLive(
  "is not delayed by a balance that is never returned",
  () =>
    Effect.gen(function* () {
      const { summary } = yield* spokenWith(utterances(20), { hidesBalance: true }, { maxCredits: 600 })
      expect(summary).toMatchObject({ created: 20, halt: undefined, warnings: [] })
    }),
  30_000
)

it.scopedLive(
  "stops at once with code 4 if an empty account is reported with status 429",
  () =>
    Effect.gen(function* () {
      const { folder, service } = yield* scene(12, { credits: 150, emptyAccount: 429 })
      yield* Effect.promise(async () => {
        const { how, words } = await started(folder, service).ended
        expect(how).toBe(4)
        expect(words).toContain(
          "the account has too few credits: insufficient_quota (HTTP 429); add credits and run again"
        )
      })
      expect(runIn(folder).stopped?.reason).toBe("credits")
    }),
  60_000
)

it.scopedLive(
  "counts one limit over all runs of a batch that stop at it",
  () =>
    Effect.gen(function* () {
      const { folder, service } = yield* scene(40, { tellsPrice: false, price: 1 })
      const options = ["--max-credits", "300"]
      yield* Effect.promise(async () => {
        expect((await started(folder, service, undefined, { options }).ended).how).toBe(4)
        expect((await started(folder, service, undefined, { options }).ended).how).toBe(4)
      })
      expect(service.spent).toBeLessThanOrEqual(300)
    }),
  60_000
)
