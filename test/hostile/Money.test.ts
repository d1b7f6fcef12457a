/** A limit on credits is kept whatever the service, the manifest and others who use the account say of prices. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Utterance } from "../../src/domain/speech/Utterance.ts"
import { speakUtterances } from "../../src/pipeline/speak/SpeakStage.ts"
import type { SpeakSettings } from "../../src/pipeline/speak/SpeakSettings.ts"
import { UtteranceStore } from "../../src/store/tables/UtteranceStore.ts"
import { job, parts, serving, settingsFor, temporaryFolder, utterances } from "./Batch.ts"
import { runIn, scene, started } from "./Command.ts"
import { calm, type Character, HostileService } from "./HostileService.ts"

/** Speaks lines at a named price of 0.01 credits a character, where tasks tell nothing. */
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

it.scopedLive("keeps a limit by the account's balance where the named price is too low", () =>
  Effect.gen(function* () {
    const list = utterances(60)
    const { service, summary } = yield* spokenWith(list, { price: 1 }, { maxCredits: 600 })
    expect(summary.halt?.reason).toBe("budget")
    expect(service.spent).toBeLessThanOrEqual(600)
    expect(service.spent).toBeGreaterThan(400)
    expect(summary.halt?.words).toMatch(/the account fell by \d+ credits .* costs 0\.\d+ by the named price/u)
    expect(summary.left).toBe(list.length - service.charged.length)
    expect(summary.warnings).toEqual([
      expect.stringMatching(
        /^the account fell by \d+ credits for the first task .* costs 0\.\d+ .* creditsPerCharacter/u
      )
    ])
  })
)

it.scopedLive("stops by the balance where others use the account too, and names both figures", () =>
  Effect.gen(function* () {
    const list = utterances(200)
    // The first task shows nothing amiss: it costs what is named.
    const { service, summary } = yield* spokenWith(list, { price: 0.01, othersSpend: 1 }, { maxCredits: 100 })
    expect(summary.halt).toEqual({
      reason: "budget",
      words: expect.stringMatching(
        /^the limit of 100 credits would be passed by the account's balance: it fell by \d+ credits .* counted as \d+; .*creditsPerCharacter.*if others use this account, raise --max-credits$/u
      )
    })
    expect(service.charged.length).toBeLessThanOrEqual(101)
    expect(service.charged.length).toBeGreaterThan(50)
    // Read a few times, not with each task.
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
  "is not held up by a balance that never comes",
  () =>
    Effect.gen(function* () {
      const { summary } = yield* spokenWith(utterances(20), { hidesBalance: true }, { maxCredits: 600 })
      expect(summary).toMatchObject({ created: 20, halt: undefined, warnings: [] })
    }),
  30_000
)

it.scopedLive(
  "an empty account that is told as 429 stops the run at once, with code 4",
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
  "runs of one batch that stop at the limit do not spend it anew each",
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
