/**
 * One utterance from where it stands to its end, whoever hands it out: a run on this machine, or a worker of a fleet.
 */
import { Effect } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { FailureReason } from "../../domain/task/FailureReason.ts"
import type { ProviderQueue } from "../../gateway/pacing/ProviderQueue.ts"
import type { Slots } from "../../gateway/pacing/Slots.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import type { ClipWork } from "../clips/ClipWorkerClient.ts"
import { fetchClip } from "./ClipFetch.ts"
import { completeTask } from "./TaskCompletion.ts"
import type { SpeakRun } from "./SpeakRun.ts"

/** Clips that are fetched and worked on at once, over all providers. */
export const fetchesAtOnce = 8

/**
 * What a provider's utterances are spoken with; `last` where there is no further round for those that are set aside.
 */
export interface UtteranceProcess extends ClipWork {
  readonly run: SpeakRun
  readonly lane: ProviderQueue
  readonly fetching: Slots
  readonly last: boolean
}

/** One utterance to its end. */
export const processUtterance = (
  desk: UtteranceProcess,
  row: UtteranceRow
): Effect.Effect<"spoken" | "failed" | "left" | "aside", StateUnusable> =>
  Effect.gen(function* () {
    const { run, lane, fetching, last } = desk
    const { key, casting } = row.utterance
    const done = yield* completeTask(run, lane, row, last)
    const { clip, suspect } = yield* fetching.hold(fetchClip(run, desk, row, done))
    if (suspect !== undefined) run.counts.suspect++
    if (run.earlier.has(key)) run.counts.resumed++
    yield* run.progress.emit({
      _tag: "Spoken",
      provider: casting.provider,
      utterance: key,
      seconds: clip.frames / clip.rate
    })
    return "spoken" as const
  }).pipe(
    Effect.catchTags({
      Lost: () => Effect.flatMap(reread(desk.run, row), (fresh) => processUtterance(desk, fresh)),
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

const fail = (run: SpeakRun, row: UtteranceRow, setback: FailureReason) =>
  Effect.gen(function* () {
    const { key, casting } = row.utterance
    yield* run.store.apply({ event: "fail", key, setback })
    run.counts.failed++
    yield* run.progress.emit({
      _tag: "Failed",
      provider: casting.provider,
      utterance: key,
      label: row.label,
      error: setback.words
    })
    return "failed" as const
  })

/** An utterance whose take was given up, read anew: what comes of it is this run's own. */
const reread = (
  { store, earlier }: SpeakRun,
  { utterance: { key } }: UtteranceRow
): Effect.Effect<UtteranceRow, StateUnusable> =>
  Effect.flatMap(store.rows([key]), ([fresh]) => {
    earlier.delete(key)
    return fresh === undefined ? unplannedUtterance(key) : Effect.succeed(fresh)
  })

/** Somebody asks for an utterance that nobody has planned: a fault in the program. */
export const unplannedUtterance = (key: UtteranceKey) =>
  Effect.dieMessage(`utterance ${key.slice(0, 12)} was not planned`)
