/** One utterance from where it stands to its end, whoever hands it out: a run on this machine, or a worker of a fleet. */
import { Effect } from "effect"
import type { UtteranceKey } from "../domain/Ids.ts"
import type { Setback } from "../domain/Setback.ts"
import type { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import type { Gateway } from "../gateway/Gateway.ts"
import type { Lane } from "../gateway/Lane.ts"
import type { ClipFolder } from "../store/ClipFolder.ts"
import type { Learned } from "../store/Learned.ts"
import type { StateUnusable } from "../store/StateFault.ts"
import type { UtteranceRow } from "../store/UtteranceRow.ts"
import { UtteranceStore } from "../store/UtteranceStore.ts"
import { inThisThread, type MakeClip } from "./ClipMaker.ts"
import { Progress } from "./Progress.ts"
import type { Decode } from "./SpeakDecoder.ts"
import { fetchedClip } from "./SpeakFetch.ts"
import { settledTask } from "./SpeakOne.ts"
import type { SpeakRun } from "./SpeakRun.ts"

/** What speaking needs. */
export type SpeakNeeds = UtteranceStore | ClipFolder | Learned | Gateway | Ffmpeg | Progress

/** Clips that are fetched and worked on at once, over all providers. */
export const fetchesAtOnce = 8

/** What a provider's utterances are spoken with; `last` where there is no further round for those that are set aside. */
export interface Desk {
  readonly run: SpeakRun
  readonly lane: Lane
  readonly decode: Decode
  /** Makes clips in this thread where it is absent. */
  readonly makeClip?: MakeClip
  readonly fetching: Effect.Semaphore
  readonly last: boolean
}

/** One utterance to its end. */
export const spoken = (
  desk: Desk,
  row: UtteranceRow
): Effect.Effect<"spoken" | "failed" | "left" | "aside", StateUnusable, SpeakNeeds> =>
  Effect.gen(function* () {
    const progress = yield* Progress
    const { run, lane, decode, fetching } = desk
    const work = { decode, makeClip: desk.makeClip ?? (yield* inThisThread) }
    const { key, casting } = row.utterance
    const done = yield* settledTask(run, lane, row)
    const { clip, suspect } = yield* fetching.withPermits(1)(fetchedClip(run, work, row, done))
    if (suspect !== undefined) run.counts.suspect++
    yield* progress.emit({
      _tag: "Spoken",
      provider: casting.provider,
      utterance: key,
      seconds: clip.frames / clip.rate
    })
    return "spoken" as const
  }).pipe(
    Effect.catchTags({
      Lost: () => Effect.flatMap(reread(row), (fresh) => spoken(desk, fresh)),
      Left: () => leave(desk.run),
      Hopeless: ({ setback }) => fail(desk.run, row, setback),
      SetAside: ({ setback }) =>
        desk.run.halted() !== undefined
          ? leave(desk.run)
          : desk.last
            ? fail(desk.run, row, setback)
            : Effect.succeed("aside" as const)
    })
  )

const leave = (run: SpeakRun) =>
  Effect.sync(() => {
    run.counts.left++
    return "left" as const
  })

const fail = (run: SpeakRun, row: UtteranceRow, setback: Setback) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const progress = yield* Progress
    const { key, casting } = row.utterance
    yield* store.apply({ event: "fail", key, setback })
    run.counts.failed++
    yield* progress.emit({
      _tag: "Failed",
      provider: casting.provider,
      utterance: key,
      label: row.label,
      error: setback.words
    })
    return "failed" as const
  })

const reread = (row: UtteranceRow): Effect.Effect<UtteranceRow, StateUnusable, UtteranceStore> =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const [fresh] = yield* store.rows([row.utterance.key])
    return fresh ?? (yield* unplanned(row.utterance.key))
  })

/** Somebody asks for an utterance that nobody has planned: a fault in the program. */
export const unplanned = (key: UtteranceKey) =>
  Effect.dieMessage(`utterance ${key.slice(0, 12)} was not planned`)
