import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Undecided } from "../../src/domain/manifest/ServiceSettings.ts"
import type { Utterance } from "../../src/domain/speech/Utterance.ts"
import type { ProgressEvent } from "../../src/pipeline/Progress.ts"
import { speakUtterances } from "../../src/pipeline/speak/SpeakStage.ts"
import type { SpeakSettings } from "../../src/pipeline/speak/SpeakSettings.ts"
import { ClipFolder } from "../../src/store/files/ClipFolder.ts"
import { UtteranceStore } from "../../src/store/tables/UtteranceStore.ts"
import { ffmpeg } from "../ffmpeg/media.ts"
import { babble } from "./Babble.ts"
import { job, parts, serving, settingsFor, stored, temporaryFolder, utterances } from "./Batch.ts"
import { reached } from "./Command.ts"
import { calm, type Character, HostileService, mischiefs } from "./HostileService.ts"

const plannedAndSpoken = (list: ReadonlyArray<Utterance>, settings: Partial<SpeakSettings> = {}) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    yield* store.plan("batch", job(list))
    return yield* speakUtterances({ ...settingsFor(list), ...settings })
  })

const checksums = (list: ReadonlyArray<Utterance>) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const clips = yield* store.clips(list.map((utterance) => utterance.key))
    return list.map((utterance) => clips.get(utterance.key)?.clip.checksum)
  })

/** How many takes of each utterance were abandoned because of their audio. */
const uselessTakes = (list: ReadonlyArray<Utterance>) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const rows = yield* store.rows(list.map((utterance) => utterance.key))
    return new Map(rows.map((row) => [row.utterance.key, row.rerolls]))
  })

/** How often each text was paid for and could have been fetched. */
const heardOf = (service: HostileService) => {
  const counts: Record<string, number> = {}
  for (const { text, fate } of service.charged) if (fate === "done") counts[text] = (counts[text] ?? 0) + 1
  return counts
}

/** The problem counts of a run without problems. */
const smooth = {
  adopted: 0,
  resumed: 0,
  retried: 0,
  failed: 0,
  left: 0,
  suspect: 0,
  halt: undefined,
  warnings: []
}

const onceEach = (list: ReadonlyArray<Utterance>) => Object.fromEntries(list.map(({ text }) => [text, 1]))

it.scopedLive("speaks each utterance once, and nothing when run again", () =>
  Effect.gen(function* () {
    const service = yield* serving(new HostileService(calm))
    const folder = yield* temporaryFolder
    const list = utterances(40)
    const characters = list.reduce((sum, one) => sum + one.characters, 0)
    expect(yield* Effect.provide(plannedAndSpoken(list), parts(folder, service))).toEqual({
      ...smooth,
      created: 40,
      reused: 0,
      characters,
      credits: characters
    })
    const before = { ...service.requests }
    expect(yield* Effect.provide(plannedAndSpoken(list), parts(folder, service))).toEqual({
      ...smooth,
      created: 0,
      reused: 40,
      characters: 0,
      credits: 0
    })
    expect(service.requests).toEqual(before)
    expect(heardOf(service)).toEqual(onceEach(list))
  })
)

const everything: Character["odds"] = Object.fromEntries(
  mischiefs.map((mischief) => [mischief, /429|503/u.test(mischief) ? 0.02 : 0.05])
)

/** Speaks lines with one hostile service and returns the clips' checksums. */
const throughHostility = (seed: number, envelope: Character["envelope"]) =>
  Effect.gen(function* () {
    const list = utterances(30)
    const service = yield* serving(
      new HostileService({ ...calm, seed, odds: everything, envelope, otherHost: true, settle: [10, 150] })
    )
    const folder = yield* temporaryFolder
    const work = Effect.all([plannedAndSpoken(list), checksums(list), uselessTakes(list)])
    const [summary, heard, useless] = yield* Effect.provide(work, parts(folder, service))
    expect({ failed: summary.failed, left: summary.left }).toEqual({ failed: 0, left: 0 })
    // Another take is paid for only if the audio was repeatedly damaged, and each such take is counted.
    expect(heardOf(service)).toEqual(
      Object.fromEntries(list.map(({ key, text }) => [text, 1 + (useless.get(key) ?? 0)]))
    )
    expect([...useless.values()].reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(3)
    expect(Object.keys(service.done).length).toBeGreaterThan(10)
    expect(service.seenElsewhere.length).toBeGreaterThan(0)
    expect(service.seenElsewhere.filter((headers) => "xi-api-key" in headers)).toEqual([])
    return heard
  })

/** For tests that mostly wait: they run concurrently. */
const besideOthers = { concurrent: true, timeout: 600_000 }

it.scopedLive(
  "speaks every utterance despite hostile services, with the same clips as from a well-behaved one",
  () =>
    Effect.gen(function* () {
      const list = utterances(30)
      const well = yield* serving(new HostileService(calm))
      const folder = yield* temporaryFolder
      const [, expected] = yield* Effect.provide(
        Effect.zip(plannedAndSpoken(list), checksums(list)),
        parts(folder, well)
      )
      const heard = yield* Effect.all([throughHostility(11, "data"), throughHostility(12, "result")], {
        concurrency: "unbounded"
      })
      expect(heard).toEqual([expected, expected])
    }),
  besideOthers
)

it.scopedLive(
  "does not pay again for a task that is unknown for a while between two downloads",
  () =>
    Effect.gen(function* () {
      const list = utterances(2)
      const service = yield* serving(new HostileService({ ...calm, odds: { "link-expires": 1 }, forgets: 5 }))
      const folder = yield* temporaryFolder
      const summary = yield* Effect.provide(plannedAndSpoken(list), parts(folder, service))
      expect({ failed: summary.failed, left: summary.left }).toEqual({ failed: 0, left: 0 })
      expect(heardOf(service)).toEqual(onceEach(list))
    }),
  besideOthers
)

it.scopedLive(
  "finds lost tasks by their properties if the service does not repeat labels",
  () =>
    Effect.gen(function* () {
      // The lengths are distinct, so that the run can distinguish two lost tasks.
      const list = utterances(12).map((one, i) => ({ ...one, length: i }))
      const distinct = list.filter(
        (one, i) => list.findIndex((other) => other.characters === one.characters) === i
      )
      const service = yield* serving(
        new HostileService({ ...calm, echoes: false, odds: { "create-drop-after": 0.9 } })
      )
      const folder = yield* temporaryFolder
      const summary = yield* Effect.provide(plannedAndSpoken(distinct), parts(folder, service))
      expect({ failed: summary.failed, created: summary.created, warned: summary.warnings.length }).toEqual({
        failed: 0,
        created: distinct.length,
        warned: 1
      })
      expect(heardOf(service)).toEqual(onceEach(distinct))
    }),
  besideOthers
)

it.scopedLive(
  "fails or repeats undecidable creates, as configured",
  () =>
    Effect.gen(function* () {
      const list = utterances(4)
      const lost = { ...calm, echoes: false, odds: { "create-drop-after": 1 } }
      const told = (undecided: Undecided) =>
        Effect.gen(function* () {
          const service = yield* serving(new HostileService(lost))
          const folder = yield* temporaryFolder
          const summary = yield* Effect.provide(plannedAndSpoken(list, { undecided }), parts(folder, service))
          return { failed: summary.failed, paid: service.charged.length }
        })
      expect(yield* told("report")).toEqual({ failed: 4, paid: 4 })
      expect(yield* told("again")).toEqual({ failed: 0, paid: 8 })
    }),
  besideOthers
)

it.scopedLive("stops creating when the account is empty, and continues when it has credits again", () =>
  Effect.gen(function* () {
    const list = utterances(30)
    const folder = yield* temporaryFolder
    const poor = yield* serving(new HostileService({ ...calm, credits: 600 }))
    const first = yield* Effect.provide(plannedAndSpoken(list), parts(folder, poor))
    expect(first.halt?.reason).toBe("credits")
    expect({ failed: first.failed, spoken: first.created, left: first.left }).toEqual({
      failed: 0,
      spoken: poor.charged.length,
      left: list.length - poor.charged.length
    })
    const rich = yield* serving(new HostileService(calm))
    const second = yield* Effect.provide(plannedAndSpoken(list), parts(folder, rich))
    expect({ ...second, characters: 0, credits: 0 }).toEqual({
      created: first.left,
      reused: first.created,
      ...smooth,
      characters: 0,
      credits: 0
    })
  })
)

it.scopedLive("never spends more than the limit", () =>
  Effect.gen(function* () {
    const list = utterances(30)
    const service = yield* serving(new HostileService({ ...calm, price: 2 }))
    const folder = yield* temporaryFolder
    const profileOf: SpeakSettings["profileOf"] = (provider) => ({
      ...settingsFor(list).profileOf(provider),
      creditsPerCharacter: 2
    })
    const summary = yield* Effect.provide(
      plannedAndSpoken(list, { maxCredits: 500, profileOf }),
      parts(folder, service)
    )
    const spent = service.charged.reduce((sum, task) => sum + task.text.length * 2, 0)
    expect(summary.halt?.reason).toBe("budget")
    expect(summary.credits).toBe(spent)
    expect(spent).toBeLessThanOrEqual(500)
    expect(spent).toBeGreaterThan(350)
    expect(summary.left).toBe(list.length - service.charged.length)
  })
)

it.scopedLive("keeps a limit and warns if tasks cost more than the manifest says", () =>
  Effect.gen(function* () {
    const list = utterances(30)
    const service = yield* serving(new HostileService({ ...calm, price: 10 }))
    const folder = yield* temporaryFolder
    const profileOf: SpeakSettings["profileOf"] = (provider) => ({
      ...settingsFor(list).profileOf(provider),
      concurrency: 1,
      creditsPerCharacter: 1
    })
    const summary = yield* Effect.provide(
      plannedAndSpoken(list, { maxCredits: 2_000, profileOf }),
      parts(folder, service)
    )
    expect(summary.halt?.reason).toBe("budget")
    expect(summary.credits).toBe(service.spent)
    expect(service.spent).toBeLessThanOrEqual(2_000)
    expect(summary.warnings).toEqual([
      "tasks of provider_fast cost more than the configured price per character (1): estimates are too low; correct creditsPerCharacter under providers: in the manifest"
    ])
  })
)

it.scopedLive("keeps a limit without a known price: learns it from one task, else sends no more", () =>
  Effect.gen(function* () {
    const list = utterances(30)
    const limited = (character: Partial<Character>) =>
      Effect.gen(function* () {
        const service = yield* serving(new HostileService({ ...calm, price: 3, ...character }))
        const folder = yield* temporaryFolder
        const summary = yield* Effect.provide(
          plannedAndSpoken(list, { maxCredits: 700, spentBefore: 200 }),
          parts(folder, service)
        )
        expect(summary.halt?.reason).toBe("budget")
        expect(summary.left).toBe(list.length - service.charged.length)
        return { service, words: summary.halt?.words }
      })
    // From the response to the create, or from the change of the balance.
    for (const tellsPrice of [true, false]) {
      const { service, words } = yield* limited({ tellsPrice })
      expect(words).toMatch(/^the limit of 700 credits is reached \(200 spent by earlier runs/u)
      expect(service.spent).toBeLessThanOrEqual(500)
      expect(service.spent).toBeGreaterThan(300)
    }
    const { service, words } = yield* limited({ price: undefined })
    expect(words).toMatch(/cannot be enforced.*creditsPerCharacter/u)
    expect(service.charged.length).toBe(1)
  })
)

it.scopedLive("waits only for the first task's price, and then sends the other tasks together", () =>
  Effect.gen(function* () {
    const list = utterances(6)
    const service = yield* serving(new HostileService({ ...calm, settle: [1_000, 1_000] }))
    const folder = yield* temporaryFolder
    const summary = yield* Effect.provide(
      plannedAndSpoken(list, { maxCredits: 10_000 }),
      parts(folder, service)
    )
    expect(summary.created).toBe(6)
    const [first, second, ...more] = service.charged
    expect(second?.madeAt).toBeGreaterThanOrEqual(first?.doneAt ?? Infinity)
    for (const { madeAt } of more) expect(madeAt).toBeLessThan(second?.doneAt ?? 0)
  })
)

it.scopedLive("reports a rejected key without printing it", () =>
  Effect.gen(function* () {
    const list = utterances(10)
    const service = yield* serving(new HostileService(calm))
    const folder = yield* temporaryFolder
    const events: Array<ProgressEvent> = []
    const key = "toollogin_very-secret"
    const summary = yield* Effect.provide(plannedAndSpoken(list), parts(folder, service, events, key))
    expect(summary.halt?.reason).toBe("key")
    expect({ left: summary.left, charged: service.charged.length }).toEqual({ left: 10, charged: 0 })
    expect(JSON.stringify([summary, events])).not.toContain(key)
  })
)

it.scopedLive("fails only the rejected utterance, with the service's message", () =>
  Effect.gen(function* () {
    const list = utterances(10)
    const poisoned = list[4]
    const service = yield* serving(new HostileService({ ...calm, refuses: /Line 4 /u }))
    const folder = yield* temporaryFolder
    const [summary, standings] = yield* Effect.provide(
      Effect.zip(
        plannedAndSpoken(list),
        Effect.flatMap(UtteranceStore, (store) => store.standings(list.map((one) => one.key)))
      ),
      parts(folder, service)
    )
    expect({ created: summary.created, failed: summary.failed }).toEqual({ created: 9, failed: 1 })
    expect(poisoned && standings.get(poisoned.key)?.setback).toMatchObject({
      kind: "refused",
      words: "the service rejected the request: no such words here (HTTP 422)"
    })
  })
)

it.scopedLive("fetches a deleted or damaged clip from its task again, without paying", () =>
  Effect.gen(function* () {
    const list = utterances(6)
    const service = yield* serving(new HostileService(calm))
    const folder = yield* temporaryFolder
    const first = yield* Effect.provide(
      Effect.zip(plannedAndSpoken(list), checksums(list)),
      parts(folder, service)
    )
    yield* Effect.gen(function* () {
      const clips = yield* ClipFolder
      const [deleted, damaged] = list
      if (deleted === undefined || damaged === undefined) return
      rmSync(clips.pathOf(deleted.key))
      yield* clips.keep(damaged.key, new Uint8Array(10))
    }).pipe(Effect.provide(stored(folder)))
    const second = yield* Effect.provide(
      Effect.zip(plannedAndSpoken(list), checksums(list)),
      parts(folder, service)
    )
    const { created, resumed, reused } = second[0]
    expect({ created, resumed, reused, heard: second[1] }).toEqual({
      created: 0,
      resumed: 2,
      reused: 4,
      heard: first[1]
    })
    expect(service.charged.length).toBe(6)
  })
)

it.scopedLive("keeps received audio only until its clip exists", () =>
  Effect.gen(function* () {
    const list = utterances(2)
    const folder = yield* temporaryFolder
    const spoken = join(folder, "spoken.wav")
    const packed = join(folder, "packed.mp3")
    writeFileSync(spoken, babble(list.map(({ text }) => text).join(" ")))
    yield* ffmpeg("-i", spoken, packed)
    const sound = new Uint8Array(readFileSync(packed))
    const clips = join(folder, "state", "clips")
    const state = join(folder, "state")

    const useless = yield* serving(new HostileService({ ...calm, sound: sound.slice(0, 300) }))
    const first = yield* Effect.provide(plannedAndSpoken(list, { rerolls: 0 }), parts(state, useless))
    expect(first.failed).toBe(2)
    const evidence = list.map(({ key }) => `${key}.original.mp3`).sort()
    expect(readdirSync(clips).sort()).toEqual(evidence)

    const service = yield* serving(new HostileService({ ...calm, sound }))
    const again = Effect.gen(function* () {
      const store = yield* UtteranceStore
      yield* store.revive(
        list.map(({ key }) => key),
        "all"
      )
      return yield* plannedAndSpoken(list)
    })
    expect((yield* Effect.provide(again, parts(state, service))).failed).toBe(0)
    expect(readdirSync(clips).sort()).toEqual(list.map(({ key }) => `${key}.wav`).sort())
  })
)

it.scopedLive("pays for nothing twice if it is interrupted and run again", () =>
  Effect.gen(function* () {
    const list = utterances(60)
    const service = yield* serving(new HostileService({ ...calm, settle: [20, 80] }))
    const folder = yield* temporaryFolder
    const first = yield* Effect.fork(Effect.provide(plannedAndSpoken(list), parts(folder, service)))
    yield* Effect.promise(() => reached(service, 20))
    yield* Fiber.interrupt(first)
    const atStop = service.charged.length
    expect(atStop).toBeLessThan(60)
    const summary = yield* Effect.provide(plannedAndSpoken(list), parts(folder, service))
    expect({ failed: summary.failed, left: summary.left, created: summary.created }).toEqual({
      failed: 0,
      left: 0,
      created: 60 - atStop
    })
    expect(heardOf(service)).toEqual(onceEach(list))
  })
)
