/**
 * From a done task to its clip: fetched, made into a clip, and, where the audio is bad, asked for again or spoken anew.
 */
import { Duration, Effect, Either } from "effect"
import { FailureReason } from "../../domain/task/FailureReason.ts"
import { failureReasonOf } from "../../gateway/GatewayErrors.ts"
import type { DoneTask } from "../../gateway/response/TaskSnapshot.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import { keepClip, type KeptClip } from "./ClipStorage.ts"
import type { ClipWork } from "../clips/ClipWorkerClient.ts"
import { type Ending, Hopeless } from "./UtteranceFailures.ts"
import { startOver, taskLost, readRefused, setAside } from "./FaultPolicy.ts"
import type { SpeakRun } from "./SpeakRun.ts"

/** Times that audio which cannot be used is fetched anew, in case it was damaged on its way. */
const mostRefetches = 2

/** New takes of one utterance for bad audio. */
const mostRerolls = 2

/** How long audio is waited for without a word. */
const wordAfter = Duration.seconds(15)

/** Fetches a done task's audio and keeps its clip. */
export const fetchClip = (
  run: SpeakRun,
  work: ClipWork,
  row: UtteranceRow,
  done: DoneTask,
  refetches = 0
): Effect.Effect<KeptClip, Ending | StateUnusable> =>
  Effect.gen(function* () {
    const { utterance } = row
    const stalled = (words: string) =>
      run.retrying(utterance.casting.provider, utterance.key, words, Duration.zero)
    const fetched = yield* withWord(run, row, run.gateway.fetch(done, utterance.characters, stalled)).pipe(
      Effect.catchTags({
        Vanished: (fault) => taskLost(run, row, failureReasonOf(fault)),
        // What cannot be had may be well: another take would be paid for, and lie where this one does.
        NoAudio: (fault) =>
          failureReasonOf(fault).kind === "bad-audio" ? badAudio(run, row, fault.message) : setAside(fault),
        Refused: (fault) => readRefused(run, fault),
        SlowDown: setAside,
        Unreachable: setAside,
        InvalidResponse: setAside
      })
    )
    const kept = yield* keepClip(run, work, utterance, fetched)
    if (Either.isLeft(kept)) {
      if (refetches >= mostRefetches) return yield* badAudio(run, row, kept.left.words)
      yield* run.retrying(utterance.casting.provider, utterance.key, kept.left.words, Duration.zero)
      return yield* fetchClip(run, work, row, done, refetches + 1)
    }
    const { clip, bytes, suspect } = kept.right
    if (suspect !== undefined && mayReroll(run, row)) return yield* startOver(run, row, badAudioOf(suspect))
    yield* run.store.apply({ event: "fetch", key: utterance.key, clip, bytes, suspect })
    run.alive()
    return kept.right
  })

/** Says that audio is waited for, where it takes long, and at most once a minute. */
const withWord = <A, E>(run: SpeakRun, { label }: UtteranceRow, fetch: Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const word = Effect.suspend(() => {
      const now = run.now()
      if (now - run.slowAudio.toldAt < 60_000) return Effect.void
      run.slowAudio.toldAt = now
      return run.progress.emit({
        _tag: "Warning",
        message: `waiting for the audio of ${label}: ${Duration.format(wordAfter)} so far; audio that stalls is asked for again`
      })
    })
    return Effect.scoped(Effect.zipRight(Effect.forkScoped(Effect.delay(word, wordAfter)), fetch))
  })

const mayReroll = (run: SpeakRun, row: UtteranceRow): boolean =>
  row.rerolls < mostRerolls && run.halted() === undefined && run.reroll()

/** Audio that cannot be used at all: a new take within the allowance, else hopeless. */
const badAudio = (run: SpeakRun, row: UtteranceRow, words: string) => {
  const setback = badAudioOf(words)
  return mayReroll(run, row) ? startOver(run, row, setback) : new Hopeless({ setback })
}

const badAudioOf = (words: string): FailureReason => FailureReason.make({ kind: "bad-audio", words })
