/** Takes one utterance from its current state to its outcome, in a local run or in a fleet worker. */
import { Context, Effect } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { FailureReason } from "../../domain/task/FailureReason.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { inSpan, logDebug } from "../Annotations.ts"
import { Progress } from "../Progress.ts"
import { fetchClip } from "./ClipFetch.ts"
import { ClipIntake } from "../clips/ClipIntake.ts"
import { SpeakCounters } from "./services/SpeakCounters.ts"
import type { SpeakContext } from "./services/SpeakServices.ts"
import { StopSignal } from "./services/StopSignal.ts"
import { completeTask } from "./TaskCompletion.ts"

/** How an utterance is processed. */
export interface ProcessOptions {
  /** Deferred utterances get no later round. */
  readonly last: boolean
  /** An earlier run created its task, and its audio is still to be fetched. */
  readonly resumed: boolean
}

/** Processes one utterance to its outcome. */
export const processUtterance = (
  row: UtteranceRow,
  { last, resumed }: ProcessOptions
): Effect.Effect<"spoken" | "failed" | "left" | "aside", StateUnusable, SpeakContext> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<SpeakContext>()
    const { inSlot } = Context.get(context, ClipIntake)
    const { counts } = Context.get(context, SpeakCounters)
    const progress = Context.get(context, Progress)
    const { key, casting } = row.utterance
    const done = yield* completeTask(row, last)
    const { clip, suspect } = yield* inSlot(fetchClip(row, done))
    if (suspect !== undefined) counts.suspect++
    if (resumed) counts.resumed++
    yield* progress.emit({
      _tag: "Spoken",
      provider: casting.provider,
      utterance: key,
      seconds: clip.frames / clip.rate
    })
    return "spoken" as const
  }).pipe(
    Effect.catchTags({
      // A new take is this run's own.
      Lost: () => Effect.flatMap(reread(row), (fresh) => processUtterance(fresh, { last, resumed: false })),
      Left: () => leave,
      Hopeless: ({ failure }) => fail(row, failure),
      SetAside: ({ failure }) =>
        Effect.flatMap(StopSignal, ({ halted }) =>
          halted() !== undefined ? leave : last ? fail(row, failure) : Effect.succeed("aside" as const)
        )
    }),
    inSpan("UtteranceProcess.processUtterance", {
      job: row.label.slice(0, row.label.lastIndexOf(" #")),
      utterance: row.utterance.key,
      provider: row.utterance.casting.provider,
      take: String(row.take)
    })
  )

const leave = Effect.flatMap(SpeakCounters, ({ unspoken }) => Effect.as(unspoken("left"), "left" as const))

const fail = (row: UtteranceRow, setback: FailureReason) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const progress = yield* Progress
    const { unspoken } = yield* SpeakCounters
    const { key, casting } = row.utterance
    yield* store.apply({ event: "fail", key, setback })
    yield* unspoken("failed")
    yield* logDebug("utterance failed", setback.words)
    yield* progress.emit({
      _tag: "Failed",
      provider: casting.provider,
      utterance: key,
      label: row.label,
      error: setback.words
    })
    return "failed" as const
  })

/** Reads an utterance's row again after its take was lost. */
const reread = ({ utterance: { key } }: UtteranceRow) =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const [fresh] = yield* store.rows([key])
    return fresh ?? (yield* unplannedUtterance(key))
  })

/** Dies because an utterance was requested that was never planned: an internal error. */
export const unplannedUtterance = (key: UtteranceKey) =>
  Effect.dieMessage(`utterance ${key.slice(0, 12)} was not planned`)
