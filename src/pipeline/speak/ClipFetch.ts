/**
 * Downloads a done task's audio and stores it as a clip; bad audio is fetched again, then spoken again as a new take.
 */
import { Context, type Duration, Effect, Either } from "effect"
import { FailureReason } from "../../domain/task/FailureReason.ts"
import { failureReasonOf } from "../../gateway/GatewayErrors.ts"
import type { DoneTask } from "../../gateway/response/TaskSnapshot.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import { inSpan, logDebug } from "../Annotations.ts"
import { keepClip, type KeptClip } from "../clips/ClipStorage.ts"
import { type Ending, Hopeless, readRefused, setAside, startOver } from "./FaultPolicy.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { mostRerolls, SpeakConfig } from "./SpeakSettings.ts"
import { AnswerTrust } from "./services/AnswerTrust.ts"
import { RunSpending } from "./services/RunSpending.ts"
import { ServiceWatch } from "./services/ServiceWatch.ts"
import { SpeakCounters } from "./services/SpeakCounters.ts"
import type { SpeakContext } from "./services/SpeakServices.ts"
import { StopSignal } from "./services/StopSignal.ts"

/** The waits before unusable audio is fetched again: it may have been damaged in transit, or not yet written whole. */
const refetchAfter = ["2 seconds", "10 seconds"] as const

/** Fetches a done task's audio and stores it as a clip. */
export const fetchClip = (
  row: UtteranceRow,
  done: DoneTask,
  refetches = 0
): Effect.Effect<KeptClip, Ending | StateUnusable, SpeakContext> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<SpeakContext>()
    const gateway = Context.get(context, Gateway)
    const store = Context.get(context, UtteranceStore)
    const counters = Context.get(context, SpeakCounters)
    const { alive, timed } = Context.get(context, ServiceWatch)
    const { utterance } = row
    const retrying = (words: string) => counters.retrying(utterance.casting.provider, utterance.key, words)
    const again = (words: string, wait: Duration.DurationInput) =>
      Effect.zipRight(retrying(words), Effect.delay(fetchClip(row, done, refetches + 1), wait))
    const fetched = yield* timed(row.label, gateway.fetch(done, utterance.characters, retrying)).pipe(
      Effect.catchTags({
        // A single 404 between failed downloads proves nothing. The next round polls the task, and polling decides.
        Vanished: setAside,
        // Audio that cannot be fetched may still be good. A new take would be charged, and served from the same place.
        NoAudio: (fault) =>
          failureReasonOf(fault).kind === "bad-audio" ? badAudio(row, fault.message) : setAside(fault),
        Refused: readRefused,
        SlowDown: setAside,
        Unreachable: setAside,
        InvalidResponse: setAside
      })
    )
    const { timesWords, languageOf } = Context.get(context, SpeakConfig)
    const origin = { engine: done.engine, language: languageOf(utterance.key), timesWords }
    const kept = yield* keepClip(utterance, fetched, origin)
    if (Either.isLeft(kept)) {
      const wait = refetchAfter[refetches]
      return yield* wait === undefined ? badAudio(row, kept.left.words) : again(kept.left.words, wait)
    }
    const { clip, bytes, suspect, mayRetake, mayBePartial } = kept.right
    yield* Context.get(context, AnswerTrust)
      .heard(row, clip.checksum)
      .pipe(Effect.catchTag("MixedUp", (fault) => new Hopeless({ failure: failureReasonOf(fault) })))
    const { hold } = Context.get(context, RunSpending)
    if (suspect !== undefined && mayBePartial && refetches === 0)
      return yield* again(suspect, refetchAfter[0])
    if (suspect !== undefined && mayRetake && (yield* mayReroll(row)) && hold(utterance))
      return yield* startOver(row, badAudioOf(suspect))
    yield* store.apply({ event: "fetch", key: utterance.key, clip, bytes, suspect })
    alive()
    yield* logDebug("clip stored")
    return kept.right
  }).pipe(inSpan("ClipFetch.fetchClip", { task: done.task }))

const mayReroll = (row: UtteranceRow) =>
  Effect.gen(function* () {
    const { halted } = yield* StopSignal
    const { reroll } = yield* SpeakCounters
    return row.rerolls < mostRerolls && halted() === undefined && reroll()
  })

/** Handles unusable audio: starts a new take while the allowance lasts, else fails the utterance. */
const badAudio = (row: UtteranceRow, words: string) =>
  Effect.gen(function* () {
    const failure = badAudioOf(words)
    return yield* (yield* mayReroll(row)) ? startOver(row, failure) : new Hopeless({ failure })
  })

const badAudioOf = (words: string): FailureReason => FailureReason.make({ kind: "bad-audio", words })
