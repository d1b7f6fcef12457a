/** Takes one utterance from its current state to its outcome, in a local run or in a fleet worker. */
import { Context, Effect, Clock, Either, Duration } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { FailureReason } from "../../domain/task/FailureReason.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { inSpan, logDebug } from "../Annotations.ts"
import { Progress } from "../Progress.ts"
import { ClipIntake } from "../clips/ClipIntake.ts"
import { SpeakCounters } from "./services/SpeakCounters.ts"
import type { SpeakContext } from "./services/SpeakServices.ts"
import { StopSignal } from "./services/StopSignal.ts"
import { markerOf, markersIn } from "../../domain/task/TaskMarker.ts"
import { failureReasonOf } from "../../gateway/GatewayErrors.ts"
import { pollPlan, pollUntilSettled } from "../../gateway/requests/Polling.ts"
import { waitAsked, waitText } from "../../gateway/pacing/RetrySchedules.ts"
import type { DoneTask } from "../../gateway/exchange/TaskSnapshot.ts"
import { listedTask } from "./LostTaskRecovery.ts"
import { Hopeless, readRefused, setAside, SetAside, taskLost, startOver, type Ending } from "./FaultPolicy.ts"
import { obtainTask, type ObtainedTask } from "./TaskCreation.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import { AnswerTrust } from "./services/AnswerTrust.ts"
import { ProviderQueues } from "./services/ProviderQueues.ts"
import { RunSpending } from "./services/RunSpending.ts"
import { ServiceWatch, wordAfter } from "./services/ServiceWatch.ts"
import { TaskNews, type NewsEpoch } from "./services/TaskNews.ts"
import { keepClip, type KeptClip } from "../clips/ClipStorage.ts"
import { maxRerolls, SpeakConfig } from "./SpeakSettings.ts"

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

/**
 * Completes an utterance's task, which is created, adopted or already known. Each request is recorded before it is
 * sent, so that a run after a crash knows what may have happened. Holds a slot of the provider queue until the task is
 * done; recording that needs no slot. `last` marks the last round.
 */
const completeTask = (
  row: UtteranceRow,
  last: boolean
): Effect.Effect<DoneTask, Ending | StateUnusable, SpeakContext> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<SpeakContext>()
    const store = Context.get(context, UtteranceStore)
    const { inSlot } = Context.get(context, ProviderQueues)
    const { pricing } = Context.get(context, RunSpending)
    const news = Context.get(context, TaskNews)
    const { key, casting } = row.utterance
    const known = row.task !== undefined && row.state !== "planned" && row.state !== "announced"
    const work = Effect.gen(function* () {
      if (row.state === "settled") yield* store.apply({ event: "refetch", key })
      // The stream is read before the create, because it has only later events.
      const epoch = known ? undefined : yield* news.epoch
      const obtained =
        known && row.task !== undefined ? { task: row.task, isResumed: true } : yield* obtainTask(row, last)
      return yield* awaited(row, obtained, epoch)
    })
    const done = yield* inSlot(
      casting.provider,
      known ? work : pricing(row.utterance, work),
      row.state === "planned" ? 0 : 1
    )
    yield* store.apply({ event: "settle", key })
    return done
  })

/** Least time to wait for a task's event before it is polled, in milliseconds. */
const minPatience = 30_000

/** Waits for a task's event, or polls until it is done, and records how long it took. */
const awaited = (
  row: UtteranceRow,
  { task, isResumed }: ObtainedTask,
  epoch: NewsEpoch | undefined
): Effect.Effect<DoneTask, Ending | StateUnusable, SpeakContext> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<SpeakContext>()
    const gateway = Context.get(context, Gateway)
    const learned = Context.get(context, Estimates)
    const watch = Context.get(context, ServiceWatch)
    const { casting, characters } = row.utterance
    const usual = learned.settleTime(casting.provider, characters)
    // A task of an earlier run has had time to finish, so it is polled at once.
    const now = yield* Clock.currentTimeMillis
    const takenAt = isResumed ? (row.announcedAt ?? now) : now
    const { mixed } = Context.get(context, AnswerTrust)
    const { warn, warnSlow } = Context.get(context, SpeakCounters)
    let listed = task
    const looking = Effect.tapErrorTag(
      Effect.suspend(() => gateway.look(listed)),
      "SlowDown",
      (fault) => {
        watch.asked(waitAsked(fault))
        return Duration.lessThan(waitAsked(fault), wordAfter)
          ? Effect.void
          : warnSlow(`${row.label}: its task cannot be read: ${waitText(fault)}`)
      }
    )
    const noticing = Effect.flatMap(looking, (sight) => {
      if (sight._tag === "GivenUp" || sight.label === undefined) return Effect.succeed(sight)
      const isOurs = hasMarker(sight.label, row)
      if (!isOurs && markersIn(sight.label).length > 0)
        return mixed(`task ${task} of ${row.label} is labelled "${sight.label}"`)
      if (watch.echoesLabels() === undefined) watch.sawLabels(isOurs)
      return Effect.succeed(sight)
    })
    const plan = pollPlan(usual, characters)
    const slow = (waited: number) =>
      warn(
        `tasks of ${casting.provider} take far longer than usual: ${row.label} has waited ${Math.round(waited / 1000)} s; a task may take ${Math.round(plan.deadline / 60_000)} minutes`
      )
    const hooks = {
      isGone: Effect.map(listedTask(row, task, takenAt), (found) => {
        listed = found ?? listed
        return found === undefined
      }),
      slow: (waited: number) => (watch.firstSlow(casting.provider) ? slow(waited) : Effect.void),
      since: Math.max(takenAt, watch.startedAt)
    }
    const news = Context.get(context, TaskNews)
    const told = yield* news.ended(task, epoch, Math.max(minPatience, 3 * (usual?.mean ?? 0)))
    const polls = told ? { ...plan, first: 0 } : plan
    const settled = yield* pollUntilSettled(noticing, task, polls, takenAt, hooks).pipe(
      Effect.catchTags({
        Refused: readRefused,
        NeverSettled: (fault) =>
          Effect.zipRight(warn(`${row.label}: ${fault.message}; it is looked at once more`), setAside(fault)),
        Unusable: (fault) => new Hopeless({ failure: failureReasonOf(fault) }),
        FailedAtService: (fault) =>
          fault.lasting
            ? new Hopeless({ failure: failureReasonOf(fault) })
            : taskLost(row, failureReasonOf(fault)),
        Vanished: (fault) => taskLost(row, failureReasonOf(fault))
      })
    )
    // The finish time of an earlier run's task is unknown.
    if (!isResumed)
      learned.settled(casting.provider, characters, watch.latency(casting.provider, characters, settled))
    watch.alive()
    yield* logDebug("task done")
    return settled.done
  }).pipe(inSpan("UtteranceProcess.awaited", { task }))

/** Whether a label has the marker of an utterance's take; a restored clip's task is of an earlier one. */
const hasMarker = (label: string | undefined, { utterance: { key } }: UtteranceRow): boolean =>
  label !== undefined && markersIn(label).some((mark) => mark.startsWith(markerOf(key, 1)))

/** The waits before unusable audio is fetched again: it may have been damaged in transit, or not yet written whole. */
const refetchAfter = ["2 seconds", "10 seconds"] as const

/**
 * Fetches a done task's audio and stores it as a clip. Bad audio is fetched again, then spoken again as a new take.
 */
const fetchClip = (
  row: UtteranceRow,
  done: DoneTask,
  refetches = 0
): Effect.Effect<KeptClip, Ending | StateUnusable, SpeakContext> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<SpeakContext>()
    const gateway = Context.get(context, Gateway)
    const store = Context.get(context, UtteranceStore)
    const counters = Context.get(context, SpeakCounters)
    const { alive, timed, explain, asked } = Context.get(context, ServiceWatch)
    const { utterance } = row
    const retrying = (words: string) => counters.retrying(utterance.casting.provider, utterance.key, words)
    const again = (words: string, wait: Duration.DurationInput) =>
      Effect.zipRight(retrying(words), Effect.delay(fetchClip(row, done, refetches + 1), wait))
    const stalled = (why: string, wait = Duration.zero) => {
      explain(row.label, why)
      asked(wait)
      return retrying(why)
    }
    const fetched = yield* timed(row.label, gateway.fetch(done, utterance.characters, stalled)).pipe(
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
      if (wait !== undefined) return yield* again(kept.left.words, wait)
      // A service whose audio was never readable would be paid again for nothing.
      return yield* Context.get(context, AnswerTrust).hasHeard()
        ? badAudio(row, kept.left.words)
        : new SetAside({ failure: badAudioOf(kept.left.words) })
    }
    const { clip, bytes, suspect, mayRetake, mayBePartial } = kept.right
    yield* Context.get(context, AnswerTrust)
      .heard(row, clip.checksum)
      .pipe(Effect.catchTag("Unusable", (fault) => new Hopeless({ failure: failureReasonOf(fault) })))
    const { hold } = Context.get(context, RunSpending)
    if (suspect !== undefined && mayBePartial && refetches === 0)
      return yield* again(suspect, refetchAfter[0])
    if (suspect !== undefined && mayRetake && (yield* mayReroll(row)) && hold(utterance))
      return yield* startOver(row, badAudioOf(suspect))
    yield* store.apply({ event: "fetch", key: utterance.key, clip, bytes, suspect })
    alive()
    yield* logDebug("clip stored")
    return kept.right
  }).pipe(inSpan("UtteranceProcess.fetchClip", { task: done.task }))

const mayReroll = (row: UtteranceRow) =>
  Effect.gen(function* () {
    const { halted } = yield* StopSignal
    const { reroll } = yield* SpeakCounters
    return row.rerolls < maxRerolls && halted() === undefined && reroll()
  })

/** Handles unusable audio: starts a new take while the allowance lasts, else fails the utterance. */
const badAudio = (row: UtteranceRow, words: string) =>
  Effect.gen(function* () {
    const failure = badAudioOf(words)
    return yield* (yield* mayReroll(row)) ? startOver(row, failure) : new Hopeless({ failure })
  })

const badAudioOf = (words: string): FailureReason => FailureReason.make({ kind: "bad-audio", words })
