/**
 * Downloads a done task's audio and stores it as a clip; bad audio is fetched again, then spoken again as a new take.
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

/** Repeat fetches of unusable audio, in case it was damaged in transit. */
const mostRefetches = 2

/** New takes of one utterance because of bad audio. */
const mostRerolls = 2

/** Time without audio after which a warning is printed. */
const wordAfter = Duration.seconds(15)

/** Fetches a done task's audio and stores it as a clip. */
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
        // Audio that cannot be fetched may still be good. A new take would be charged, and served from the same place.
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

/** Warns when a fetch takes longer than `wordAfter`, at most once a minute per run. */
const withWord = <A, E>(run: SpeakRun, { label }: UtteranceRow, fetch: Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const word = Effect.suspend(() => {
      const now = run.now()
      if (now - run.slowAudio.reportedAt < 60_000) return Effect.void
      run.slowAudio.reportedAt = now
      return run.progress.emit({
        _tag: "Warning",
        message: `${label}: its audio has not arrived after ${Duration.format(wordAfter)}; a stalled download is retried`
      })
    })
    return Effect.scoped(Effect.zipRight(Effect.forkScoped(Effect.delay(word, wordAfter)), fetch))
  })

const mayReroll = (run: SpeakRun, row: UtteranceRow): boolean =>
  row.rerolls < mostRerolls && run.halted() === undefined && run.reroll()

/** Handles unusable audio: starts a new take while the allowance lasts, else fails the utterance. */
const badAudio = (run: SpeakRun, row: UtteranceRow, words: string) => {
  const failure = badAudioOf(words)
  return mayReroll(run, row) ? startOver(run, row, failure) : new Hopeless({ failure })
}

const badAudioOf = (words: string): FailureReason => FailureReason.make({ kind: "bad-audio", words })
