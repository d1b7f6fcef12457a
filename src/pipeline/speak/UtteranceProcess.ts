/** Takes one utterance from its current state to its outcome, in a local run or in a fleet worker. */
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

/** Clips fetched and analyzed at once, over all providers. */
export const fetchesAtOnce = 8

/** What a provider's utterances are processed with. `last` means that there is no later round for deferred ones. */
export interface UtteranceProcess extends ClipWork {
  readonly run: SpeakRun
  readonly queue: ProviderQueue
  readonly fetching: Slots
  readonly last: boolean
}

/** Processes one utterance to its outcome. */
export const processUtterance = (
  context: UtteranceProcess,
  row: UtteranceRow
): Effect.Effect<"spoken" | "failed" | "left" | "aside", StateUnusable> =>
  Effect.gen(function* () {
    const { run, queue, fetching, last } = context
    const { key, casting } = row.utterance
    const done = yield* completeTask(run, queue, row, last)
    const { clip, suspect } = yield* fetching.hold(fetchClip(run, context, row, done))
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
      Lost: () => Effect.flatMap(reread(context.run, row), (fresh) => processUtterance(context, fresh)),
      Left: () => leave(context.run),
      Hopeless: ({ failure: setback }) => fail(context.run, row, setback),
      SetAside: ({ failure: setback }) =>
        context.run.halted() !== undefined
          ? leave(context.run)
          : context.last
            ? fail(context.run, row, setback)
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

/** Reads an utterance's row again after its take was lost. What follows counts as this run's own work. */
const reread = (
  { store, earlier }: SpeakRun,
  { utterance: { key } }: UtteranceRow
): Effect.Effect<UtteranceRow, StateUnusable> =>
  Effect.flatMap(store.rows([key]), ([fresh]) => {
    earlier.delete(key)
    return fresh === undefined ? unplannedUtterance(key) : Effect.succeed(fresh)
  })

/** Dies because an utterance was requested that was never planned: an internal error. */
export const unplannedUtterance = (key: UtteranceKey) =>
  Effect.dieMessage(`utterance ${key.slice(0, 12)} was not planned`)
