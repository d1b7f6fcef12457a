/**
 * Creates the task of an utterance. Announces the create in the state before it is sent, and records the response. If
 * the response is lost, searches for the task.
 */
import { Clock, Context, Duration, Effect, Fiber, Runtime, Schedule, Predicate } from "effect"
import type { TaskId } from "../../domain/values/Ids.ts"
import { FailureReason } from "../../domain/task/FailureReason.ts"
import { failureReasonOf, type CallFault, type UnreadableCreate } from "../../gateway/GatewayErrors.ts"
import { openSendWindow, type MaySend } from "../../gateway/requests/NamedCreate.ts"
import { waitAsked, backoff, retryPatiently } from "../../gateway/pacing/RetrySchedules.ts"
import { StateUnusable } from "../../store/state/StateErrors.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { about, inSpan, logDebug } from "../Annotations.ts"
import { Progress } from "../Progress.ts"
import { AnswerTrust } from "./services/AnswerTrust.ts"
import { ProviderQueues } from "./services/ProviderQueues.ts"
import { type Loss, RunSpending } from "./services/RunSpending.ts"
import { ServiceWatch } from "./services/ServiceWatch.ts"
import { SpeakCounters } from "./services/SpeakCounters.ts"
import type { SpeakContext } from "./services/SpeakServices.ts"
import { StopSignal } from "./services/StopSignal.ts"
import { SpeakConfig } from "./SpeakSettings.ts"
import { haltRun, Hopeless, Left, setAside, SetAside, type Ending } from "./FaultPolicy.ts"
import { findLostTask, type LostTaskFinding } from "./LostTaskRecovery.ts"
import { labelWithMarker, markerOf } from "../../domain/task/TaskMarker.ts"
import type { Accepted } from "../../gateway/GatewayCalls.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { composeCreate, type NamedCreate } from "../../gateway/requests/NamedCreate.ts"

/** Maximum creates per take that fail with transient errors; then the utterance is deferred. */
const maxAttempts = 6

/** How long an interrupted run waits for the response to a create in flight. */
const landing = Duration.millis(3_500)

/** A task, and whether a create made it before this attempt. */
export interface ObtainedTask {
  readonly task: TaskId
  readonly isResumed: boolean
}

/**
 * Returns a task for an utterance: searches for one that may already exist, else creates it, and retries after
 * transient faults. `last` marks the last round.
 */
export const obtainTask = (
  row: UtteranceRow,
  last: boolean
): Effect.Effect<ObtainedTask, Ending | StateUnusable, SpeakContext> => {
  const { key, casting } = row.utterance
  const attempted = attempt(row, last).pipe(
    Effect.tapError((fault) =>
      isCallFault(fault)
        ? Effect.flatMap(Effect.all([SpeakCounters, ServiceWatch]), ([{ retrying }, { asked }]) => {
            asked(waitAsked(fault))
            return retrying(casting.provider, key, fault.message, waitAsked(fault))
          })
        : Effect.void
    )
  )
  const created = Effect.retry(attempted, createRetries).pipe(
    Effect.catchTags({
      SlowDown: setAside,
      Unreachable: setAside,
      InvalidResponse: setAside,
      Refused: setAside
    }),
    Effect.map((task) => ({ task, isResumed: false }))
  )
  return row.state === "announced"
    ? Effect.flatMap(recovered(row, last), (task) =>
        task === undefined ? created : Effect.succeed({ task, isResumed: true })
      )
    : created
}

/** Searches for the task of an announced utterance. Returns undefined if it certainly has none and may be created. */
const recovered = (
  row: UtteranceRow,
  last: boolean
): Effect.Effect<TaskId | undefined, Ending | StateUnusable, SpeakContext> =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const progress = yield* Progress
    const queues = yield* ProviderQueues
    const spending = yield* RunSpending
    const { counts, retrying } = yield* SpeakCounters
    const trust = yield* AnswerTrust
    const { key, casting } = row.utterance
    const { punctual, halted } = yield* StopSignal
    const report = (fault: CallFault) => queues.report(casting.provider, fault)
    const loss = spending.unanswered.get(key)
    const unsearched = (fault: CallFault): Effect.Effect<never, SetAside> =>
      new SetAside({
        failure: undecidable(loss, `the search for its task failed (${failureReasonOf(fault).words})`)
      })
    const lostAt = loss?.at ?? row.announcedAt ?? 0
    yield* punctual
    // Sent again, the create of an earlier run may make its task now.
    const mayMake = loss !== undefined || (halted() === undefined && spending.fits())
    const search = findLostTask(row, lostAt, last)
    const sent = Effect.flatMap(resendCreate(row), (found) =>
      found === undefined ? search : Effect.succeed(found)
    )
    const finding = yield* Effect.raceFirst(mayMake ? sent : search, givenUp).pipe(
      Effect.tapErrorTag("Unreachable", report),
      Effect.tapErrorTag("InvalidResponse", report),
      Effect.catchTags({
        Unreachable: unsearched,
        InvalidResponse: unsearched,
        SlowDown: unsearched,
        Refused: (fault) =>
          fault.reason === "key" || fault.reason === "credits" ? haltRun(fault) : unsearched(fault)
      })
    )
    switch (finding._tag) {
      case "Absent":
        yield* store.apply({ event: "withdraw", key })
        spending.release(key)
        spending.unanswered.delete(key)
        return undefined
      case "Unsure": {
        if (last)
          return yield* halted() === undefined
            ? new Hopeless({ failure: undecidable(loss, "the service's history is empty") })
            : new Left()
        const why =
          "no response to its create request, and no matching task yet; the search is repeated after the other lines"
        yield* retrying(casting.provider, key, why)
        return yield* new SetAside({ failure: undecidable(loss, "no matching task is listed yet") })
      }
      case "Undecidable":
        return yield* new Hopeless({ failure: undecidable(loss, finding.why) })
      case "Found": {
        const { task, credits } = finding.task
        yield* store.apply({ event: "adopt", key, task, credits })
        yield* trust
          .named(row, task)
          .pipe(Effect.catchTag("Unusable", (fault) => new Hopeless({ failure: failureReasonOf(fault) })))
        if (loss !== undefined) {
          spending.unanswered.delete(key)
          yield* taken(row, credits)
        } else {
          const { alive } = yield* ServiceWatch
          alive()
          counts.adopted++
          spending.adopt(row.utterance, credits)
          yield* progress.emit({ _tag: "Adopted", provider: casting.provider, utterance: key })
        }
        return task
      }
    }
  })

/** Counts a task created by this run. `credits` is the price that the service reports. */
const taken = (
  { utterance }: UtteranceRow,
  credits: number | undefined
): Effect.Effect<void, never, SpeakContext> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<SpeakContext>()
    const progress = Context.get(context, Progress)
    const spending = Context.get(context, RunSpending)
    const { counts } = Context.get(context, SpeakCounters)
    const { alive } = Context.get(context, ServiceWatch)
    const { key, casting, characters } = utterance
    alive()
    counts.created++
    counts.characters += characters
    const paid = yield* spending.pay(utterance, credits)
    yield* progress.emit({
      _tag: "Submitted",
      provider: casting.provider,
      utterance: key,
      characters,
      ...(paid === undefined ? {} : { credits: paid })
    })
  })

/**
 * The failure of a create whose task is unknown. A later attempt searches for the task before it creates one. An
 * earlier run does not say what was answered.
 */
const undecidable = (loss: Loss | undefined, why: string): FailureReason => {
  const answer = /HTTP \d|redirects/u.test(loss?.words ?? "") ? ` but "${loss?.words}"` : ""
  return FailureReason.make({
    kind: "undecidable",
    words: `no response to its create request${answer}, and ${why}; it may have been charged`
  })
}

/** How long searches continue after a stop: a service may ask for up to an hour between two reads of its history. */
const searchAfterStop = Duration.minutes(3)

/** Ends some time after a stop, at once if the service is unreachable. Announced utterances stay announced. */
const givenUp: Effect.Effect<never, Left, StopSignal> = Effect.gen(function* () {
  const { stopped, halted } = yield* StopSignal
  yield* stopped
  if (halted()?.reason !== "unreachable") yield* Effect.sleep(searchAfterStop)
  return yield* new Left()
})

const isCallFault = (fault: CallFault | Ending | StateUnusable): fault is CallFault =>
  fault._tag === "SlowDown" || fault._tag === "Unreachable" || fault._tag === "InvalidResponse"

/** Maximum delay between two creates of an utterance, unless the service requests more: then `clearance` waits. */
const maxDelay = Duration.seconds(3)

/** Schedule for retrying creates that certainly made no task. */
const createRetries = backoff.pipe(
  Schedule.passthrough<unknown, CallFault | Ending | StateUnusable, never>,
  Schedule.modifyDelay((_fault, delay) => Duration.min(delay, maxDelay)),
  Schedule.whileInput(isCallFault),
  Schedule.intersect(Schedule.recurs(maxAttempts - 1))
)

/** Sends one create when the run may, and searches for its task if the response is lost or cannot be read. */
const attempt = (
  row: UtteranceRow,
  last: boolean
): Effect.Effect<TaskId, CallFault | Ending | StateUnusable, SpeakContext> =>
  Effect.flatMap(AnswerTrust, ({ admitted }) => admitted(sent(row, last)))

/** Sends one create, from `announce` to the response. Fails with a `CallFault` only if it certainly made no task. */
const sent = (
  row: UtteranceRow,
  last: boolean
): Effect.Effect<TaskId, CallFault | Ending | StateUnusable, SpeakContext> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<SpeakContext>()
    const queues = Context.get(context, ProviderQueues)
    const spending = Context.get(context, RunSpending)
    const trust = Context.get(context, AnswerTrust)
    const { stopped, punctual, halted } = Context.get(context, StopSignal)
    const { folder } = Context.get(context, SpeakConfig)
    const { key, casting } = row.utterance
    yield* queues.clearance(casting.provider, stopped)
    yield* punctual
    const halt = halted()
    if (halt !== undefined && !(spending.isHeld(key) && halt.reason === "budget")) {
      spending.release(key)
      return yield* new Left()
    }
    if (!(yield* spending.reserve(row.utterance))) return yield* new Left()

    const { announcedAt, createKey, answer } = yield* landed(sendCreate(row))
    trust.ended()
    if (answer._tag === "Right") {
      const { task } = answer.right
      yield* queues.report(casting.provider, "taken")
      yield* trust
        .named(row, task)
        .pipe(Effect.catchTag("Unusable", (fault) => new Hopeless({ failure: failureReasonOf(fault) })))
      return task
    }

    const fault = answer.left
    const announced: UtteranceRow = { ...row, state: "announced", announcedAt, createKey }
    if (fault._tag === "UnreadableCreate") {
      spending.unanswered.set(key, { at: yield* Clock.currentTimeMillis, words: fault.words })
      return yield* unreadable(announced, fault, last)
    }
    // The bundled service keeps its audio in the state folder: waiting does not free that disk.
    if (fault._tag === "SlowDown" && fault.isFull === true && folder !== undefined)
      return yield* new StateUnusable({ folder, reason: "full", detail: fault.words })
    yield* queues.report(casting.provider, fault)
    switch (fault._tag) {
      case "Refused":
        spending.release(key)
        return yield* refusedCreate(row, fault)
      case "SlowDown":
      case "Unreachable":
        spending.release(key)
        return yield* fault
      case "InvalidResponse": {
        spending.unanswered.set(key, { at: yield* Clock.currentTimeMillis, words: fault.words })
        const task = yield* recovered(announced, last)
        return task ?? (yield* fault)
      }
    }
  })

/**
 * Searches for the task of a create whose response names none. Such a create counts as made: it is not sent again, even
 * if no task is found.
 */
const unreadable = (
  row: UtteranceRow,
  fault: UnreadableCreate,
  last: boolean
): Effect.Effect<TaskId, Ending | StateUnusable, SpeakContext> =>
  Effect.gen(function* () {
    const trust = yield* AnswerTrust
    const failed = new Hopeless({ failure: failureReasonOf(fault) })
    const spending = yield* RunSpending
    const unresolved = Effect.gen(function* () {
      // It is charged, as far as this run can know.
      if (spending.unanswered.delete(row.utterance.key)) yield* taken(row, undefined)
      yield* trust.unreadable(fault)
      return yield* failed
    })
    const task = yield* recovered(row, last).pipe(
      Effect.catchTags({ SetAside: () => unresolved, Hopeless: () => unresolved })
    )
    return task ?? (yield* unresolved)
  })

/** Announces a create, sends it and records the response. */
const sendCreate = Effect.fnUntraced(function* (row: UtteranceRow) {
  const context = yield* Effect.context<SpeakContext>()
  const store = Context.get(context, UtteranceStore)
  const { key } = row.utterance
  const create = yield* createOf(row)
  const createKey = create.key
  const maySend = yield* openSendWindow
  yield* store.apply({ event: "announce", key, ...(createKey === undefined ? {} : { createKey }) })
  const announcedAt = yield* Clock.currentTimeMillis
  const answer = yield* Effect.either(sendOnce(create, maySend))
  if (answer._tag === "Right") {
    const { task, credits } = answer.right
    // Counted here: the calling fiber may be interrupted by now, and a full disk may prevent the record.
    yield* Effect.ensuring(store.apply({ event: "accept", key, task, credits }), taken(row, credits))
  } else if (answer.left._tag !== "InvalidResponse" && answer.left._tag !== "UnreadableCreate") {
    yield* store.apply({ event: "withdraw", key })
  }
  yield* answer._tag === "Right"
    ? about({ task: answer.right.task })(logDebug("task created"))
    : logDebug("create failed", answer.left.message)
  return { announcedAt, createKey, answer }
}, inSpan("TaskCreation.sendCreate"))

/**
 * Runs a create to its recorded end even if the run is interrupted, for at most `landing`. After that the utterance
 * stays announced, and the next run searches for its task.
 */
const landed = <A, E, R>(create: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.runtime<R>(), (runtime) =>
    Effect.async((resume) => {
      const fiber = Runtime.runFork(runtime)(create)
      fiber.addObserver(resume)
      // A separate fiber does the waiting, because this one is interrupted and would stop waiting at once.
      return Fiber.await(fiber).pipe(
        Effect.timeoutOption(landing),
        Effect.interruptible,
        Effect.forkDaemon,
        Effect.flatMap(Fiber.await),
        Effect.zipRight(Fiber.interrupt(fiber))
      )
    })
  )

/** Handles a rejected create: a rejected key or missing credits stop the run; anything else fails the utterance. */
const refusedCreate = (
  row: UtteranceRow,
  fault: Extract<CallFault, { readonly _tag: "Refused" }>
): Effect.Effect<never, Ending, StopSignal | Estimates> =>
  Effect.gen(function* () {
    if (fault.reason === "key" || fault.reason === "credits") return yield* haltRun(fault)
    const learned = yield* Estimates
    const { casting, characters } = row.utterance
    if (fault.reason === "too-long")
      learned.refusedLength(casting.provider, fault.max === undefined ? characters : fault.max + 1)
    return yield* new Hopeless({ failure: failureReasonOf(fault) })
  })

/** Composes the create of an utterance's current take. */
const createOf = ({ utterance, label, take }: UtteranceRow) =>
  Effect.map(SpeakConfig, ({ profileOf, dialect, languageOf }) => {
    const mark = markerOf(utterance.key, take)
    const profile = profileOf(utterance.casting.provider)
    const terms = { dialect, language: languageOf(utterance.key) }
    return composeCreate(utterance, labelWithMarker(label, mark), profile, mark, terms)
  })

/** Sends an announced create, and at once again if its response is lost and that is safe. */
const sendOnce = (
  create: NamedCreate,
  maySend: MaySend
): Effect.Effect<Accepted, CallFault | UnreadableCreate, Gateway> =>
  Effect.gen(function* () {
    const gateway = yield* Gateway
    const sentAt = yield* Clock.currentTimeMillis
    return yield* gateway.submit(create, maySend).pipe(
      Effect.catchTag("InvalidResponse", (fault) =>
        Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<Accepted, CallFault> =>
          // Even if the second request fails, the first one may have made a task.
          gateway.resend(create, { age: now - sentAt, isNamed: true }).pipe(
            Effect.mapError(() => fault),
            Effect.filterOrFail(Predicate.isNotUndefined, () => fault)
          )
        )
      )
    )
  })

/**
 * Sends the create of an announced utterance again. The service returns the task that the create made, or makes it now.
 * Returns undefined if it is not certain that nothing is charged twice, or if the service does not accept the create:
 * then the history decides.
 */
const resendCreate = (
  row: UtteranceRow
): Effect.Effect<LostTaskFinding | undefined, never, Gateway | SpeakConfig> =>
  Effect.gen(function* () {
    const gateway = yield* Gateway
    const create = yield* createOf(row)
    const { announcedAt, createKey } = row
    if (announcedAt === undefined) return undefined
    // Another version may have announced it without a key, or with another body.
    const isNamed = createKey !== undefined && createKey === create.key
    const task = yield* Effect.flatMap(Clock.currentTimeMillis, (now) =>
      gateway.resend(create, { age: now - announcedAt, isNamed })
    ).pipe(
      // It counts as made: the history decides.
      Effect.catchTag("UnreadableCreate", () => Effect.void),
      Effect.retry(retryPatiently),
      Effect.tapError((fault) => logDebug("create not accepted again", fault.message)),
      Effect.orElseSucceed(() => undefined)
    )
    if (task === undefined) return undefined
    yield* logDebug("create sent again", task.task)
    return { _tag: "Found", task } as const
  }).pipe(inSpan("TaskCreation.resendCreate"))
