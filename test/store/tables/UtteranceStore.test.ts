import { expect, layer } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import { Clip, Segment } from "../../../src/domain/speech/Clip.ts"
import { JobId, ProviderId, TaskId, VoiceId } from "../../../src/domain/values/Ids.ts"
import { FailureReason } from "../../../src/domain/task/FailureReason.ts"
import { Frames, Lufs, SampleRate } from "../../../src/domain/time/Units.ts"
import { makeUtterance, type Utterance } from "../../../src/domain/speech/Utterance.ts"
import type { UtteranceChange } from "../../../src/domain/task/UtteranceChange.ts"
import { next, transitions, UtteranceEvent, UtteranceState } from "../../../src/domain/task/UtteranceState.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { UtteranceStore } from "../../../src/store/tables/UtteranceStore.ts"

const provider = ProviderId.make("provider_fast")
const casting = Casting.make({ provider, voice: VoiceId.make("v1"), speed: 1.5 })

let made = 0
const fresh = (): Utterance => {
  const words = `Utterance ${++made} of these tests`
  return makeUtterance(casting, "text", words, [words])
}

const known = (batch: string, job: string, list: ReadonlyArray<Utterance>) =>
  Effect.flatMap(UtteranceStore, (store) =>
    store.plan(batch, [
      { job: JobId.make(job), utterances: list.map((utterance, i) => ({ utterance, label: `${job} #${i}` })) }
    ])
  )

const clip = (utterance: Utterance) =>
  Clip.make({
    key: utterance.key,
    rate: SampleRate.make(24_000),
    frames: Frames.make(100),
    checksum: "c".repeat(64),
    segments: [
      Segment.make({ from: Frames.make(1), to: Frames.make(99), loudness: Lufs.make(-20.5), peak: 0.5 })
    ],
    cut: "whole"
  })

const setback = FailureReason.make({ kind: "broken", words: "it broke" })

/** A change of each kind, with the data it needs. */
const change = (
  event: UtteranceEvent,
  utterance: Utterance,
  task = `task-${utterance.key}`
): UtteranceChange => {
  const { key } = utterance
  switch (event) {
    case "accept":
    case "adopt":
      return { event, key, task: TaskId.make(task), credits: 7.5 }
    case "fetch":
      return { event, key, clip: clip(utterance), bytes: 244, suspect: "it hums" }
    case "restore":
      return { event, key, task: TaskId.make(task), clip: clip(utterance), bytes: 244, suspect: "it hums" }
    case "lose":
    case "fail":
      return { event, key, setback }
    default:
      return { event, key }
  }
}

const after = (utterance: Utterance, events: ReadonlyArray<UtteranceEvent>) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    for (const [i, event] of events.entries())
      yield* store.apply(change(event, utterance, `${utterance.key}-${i}`))
    const [row] = yield* store.rows([utterance.key])
    return row
  })

const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
const removed = Layer.scopedDiscard(
  Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
)

layer(UtteranceStore.Default.pipe(Layer.provide(writableState(folder)), Layer.provideMerge(removed)), {
  excludeTestServices: true
})("UtteranceStore", (it) => {
  /** Paths from planned to every state. */
  const ways: Readonly<Record<UtteranceState, ReadonlyArray<UtteranceEvent>>> = {
    planned: [],
    announced: ["announce"],
    submitted: ["announce", "accept"],
    settled: ["announce", "accept", "settle"],
    fetched: ["announce", "adopt", "settle", "fetch"],
    placed: ["announce", "accept", "settle", "fetch", "place"],
    failed: ["announce", "fail"]
  }

  it.effect("allows exactly the transitions of the table in every state", () =>
    Effect.gen(function* () {
      const store = yield* UtteranceStore
      for (const state of UtteranceState.literals)
        for (const event of UtteranceEvent.literals) {
          const utterance = fresh()
          yield* known("table", `${state} ${event}`, [utterance])
          expect((yield* after(utterance, ways[state]))?.state).toBe(state)
          const exit = yield* Effect.exit(store.apply(change(event, utterance)))
          const [row] = yield* store.rows([utterance.key])
          const target = next(state, event)
          expect({ event, possible: Exit.isSuccess(exit), leads: row?.state }).toEqual({
            event,
            possible: target !== undefined,
            leads: target ?? state
          })
        }
      expect(Object.keys(transitions)).toEqual([...UtteranceState.literals])
    })
  )

  it.effect("stores takes, tasks and why takes were abandoned", () =>
    Effect.gen(function* () {
      const utterance = fresh()
      yield* known("facts", "j", [utterance])
      expect(yield* after(utterance, [])).toEqual({
        utterance,
        label: "j #0",
        state: "planned",
        take: 1,
        task: undefined,
        announcedAt: undefined,
        rerolls: 0,
        losses: 0
      })
      const lost = yield* after(utterance, ["announce", "accept", "lose"])
      expect(lost).toMatchObject({ state: "planned", take: 2, task: undefined, rerolls: 0, losses: 1 })
      const failed = yield* after(utterance, ["announce", "accept", "fail"])
      expect(failed).toMatchObject({ state: "failed", take: 2, losses: 1 })
      expect(failed?.task).toBeDefined()
      // The failed take's task is in the history with its marker: the next create must not be mistaken for it.
      const retried = yield* after(utterance, ["retry"])
      expect(retried).toMatchObject({ state: "planned", take: 3, task: undefined, losses: 1 })
    })
  )

  it.effect("reads thousands of statuses in any order, and none for unknown keys", () =>
    Effect.gen(function* () {
      const store = yield* UtteranceStore
      const [first, last] = [fresh(), fresh()]
      const many = [first, ...Array.from({ length: 4_500 }, fresh), last]
      yield* known("thousands", "j", many)
      const keys = [...many.map(({ key }) => key)].sort()
      const untouched = { state: "planned", take: 1, setback: undefined, suspect: undefined }
      expect(yield* store.standings([...keys, fresh().key])).toEqual(
        new Map(keys.map((key) => [key, untouched]))
      )
      for (const utterance of [first, last])
        yield* after(utterance, ["announce", "accept", "settle", "fetch"])
      expect(yield* store.clips(keys)).toEqual(
        new Map(
          [first, last].map((utterance) => [
            utterance.key,
            { clip: clip(utterance), bytes: 244, suspect: "it hums" }
          ])
        )
      )
      yield* store.applyAll([first, last].map(({ key }): UtteranceChange => ({ event: "place", key })))
      const placed = yield* store.standings([first.key, last.key])
      expect([...placed.values()].map(({ state }) => state)).toEqual(["placed", "placed"])
    })
  )

  it.effect("stores clips with their segments, and deletes them when they are refetched", () =>
    Effect.gen(function* () {
      const store = yield* UtteranceStore
      const utterance = fresh()
      const { key } = utterance
      yield* known("clips", "j", [utterance])
      yield* after(utterance, ["announce", "accept", "settle", "fetch"])
      expect(yield* store.clips([key])).toEqual(
        new Map([[key, { clip: clip(utterance), bytes: 244, suspect: "it hums" }]])
      )
      expect(yield* store.standings([key])).toEqual(
        new Map([[key, { state: "fetched", take: 1, setback: undefined, suspect: "it hums" }]])
      )
      expect(yield* store.clipSizes([key])).toEqual(new Map([[key, 244]]))
      yield* store.apply({ event: "refetch", key })
      expect(yield* store.clips([key])).toEqual(new Map())
    })
  )

  it.effect("returns the progress of jobs, and unused utterances", () =>
    Effect.gen(function* () {
      const store = yield* UtteranceStore
      const [shared, own, gone] = [fresh(), fresh(), fresh()]
      const jobs = (list: ReadonlyArray<readonly [string, ReadonlyArray<Utterance>]>) =>
        list.map(([job, utterances]) => ({
          job: JobId.make(job),
          utterances: utterances.map((utterance) => ({ utterance, label: job }))
        }))
      const before = yield* store.unused()
      yield* store.plan(
        "batch",
        jobs([
          ["b", [shared, gone]],
          ["a", [shared, own]]
        ])
      )
      yield* after(shared, ["announce", "accept", "settle", "fetch"])
      yield* after(own, ["announce", "fail"])
      const characters = (...list: ReadonlyArray<Utterance>) =>
        list.reduce((sum, one) => sum + one.characters, 0)
      expect(yield* store.jobStandings("batch")).toEqual([
        {
          job: "b",
          utterances: 2,
          characters: characters(shared, gone),
          done: 1,
          underWay: 0,
          failed: 0,
          left: 1
        },
        {
          job: "a",
          utterances: 2,
          characters: characters(shared, own),
          done: 1,
          underWay: 0,
          failed: 1,
          left: 0
        }
      ])
      yield* store.plan("batch", jobs([["a", [shared, own]]]))
      expect((yield* store.unused()).filter((key) => !before.includes(key))).toEqual([gone.key])
      expect((yield* store.jobStandings("batch")).map((row) => row.job)).toEqual(["a"])
    })
  )

  it.effect("retries temporary failures, or all, without paying again for an existing task", () =>
    Effect.gen(function* () {
      const store = yield* UtteranceStore
      const kinds = ["refused", "broken", "undecidable", "never-settled", "failed-at-service"] as const
      const list = kinds.map((kind) => ({ kind, utterance: fresh() }))
      yield* known(
        "revival",
        "j",
        list.map((one) => one.utterance)
      )
      for (const { kind, utterance } of list) {
        yield* after(
          utterance,
          kind === "never-settled" || kind === "failed-at-service" ? ["announce", "accept"] : ["announce"]
        )
        yield* store.apply({
          event: "fail",
          key: utterance.key,
          setback: FailureReason.make({ kind, words: "w" })
        })
      }
      const keys = list.map((one) => one.utterance.key)
      const states = Effect.map(store.rows(keys), (rows) => rows.map((row) => row.state))
      yield* store.revive(keys, "passing")
      expect(yield* states).toEqual(["failed", "planned", "announced", "submitted", "failed"])
      yield* store.revive(keys, "all")
      expect(yield* states).toEqual(["planned", "planned", "announced", "submitted", "planned"])
    })
  )

  it.effect("recognizes its own tasks, and counts lost creates that look alike", () =>
    Effect.gen(function* () {
      const store = yield* UtteranceStore
      const [one, other] = [fresh(), fresh()]
      yield* known("alike", "j", [one, other])
      yield* after(one, ["announce", "accept", "lose", "announce"])
      expect(yield* store.ours([TaskId.make(`${one.key}-1`), TaskId.make("strange")])).toEqual(
        new Set([`${one.key}-1`])
      )
      const before = yield* store.announcedLike(one)
      yield* after(other, ["announce"])
      const both = before + (other.characters === one.characters ? 1 : 0)
      expect(yield* store.announcedLike(one)).toBe(both)
      // A line that could not be decided may own the other's task.
      const doubt = FailureReason.make({ kind: "undecidable", words: "w" })
      yield* store.apply({ event: "fail", key: other.key, setback: doubt })
      expect(yield* store.announcedLike(one)).toBe(both)
    })
  )

  it.effect("finds unspoken utterances among ten thousand, in the given order", () =>
    Effect.gen(function* () {
      const store = yield* UtteranceStore
      const list = Array.from({ length: 10_000 }, fresh)
      yield* known("many", "j", list)
      const [first, second] = list
      if (first === undefined || second === undefined) return
      yield* after(first, ["announce", "fail"])
      yield* after(second, ["announce", "accept", "settle", "fetch"])
      const keys = list.map((one) => one.key).reverse()
      expect(yield* store.unspoken(keys)).toEqual(
        keys.slice(0, -2).map((key) => ({ key, provider, state: "planned" }))
      )
    })
  )

  it.effect("writes many changes at once, each with its own result", () =>
    Effect.gen(function* () {
      const store = yield* UtteranceStore
      const list = Array.from({ length: 300 }, fresh)
      yield* known("burst", "j", list)
      const exits = yield* Effect.forEach(
        list,
        (one, i) => Effect.exit(store.apply(change(i % 3 === 0 ? "settle" : "announce", one))),
        { concurrency: "unbounded" }
      )
      expect(exits.map(Exit.isSuccess)).toEqual(list.map((_, i) => i % 3 !== 0))
    })
  )
})
