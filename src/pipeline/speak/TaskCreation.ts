/**
 * Creates the task of an utterance: announced in the state before it is sent, accepted when the response arrives,
 * searched for when the response is lost.
 */
import { Duration, Effect, Fiber, Schedule } from "effect"
import type { ProviderId, TaskId } from "../../domain/values/Ids.ts"
import { labelWithMarker, markerOf } from "../../domain/task/TaskMarker.ts"
import { FailureReason } from "../../domain/task/FailureReason.ts"
import { type CallFault, failureReasonOf } from "../../gateway/GatewayErrors.ts"
import type { ProviderQueue } from "../../gateway/pacing/ProviderQueue.ts"
import { retryRead, backoff, retryPersistently } from "../../gateway/pacing/RetrySchedules.ts"
import { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import { type Ending, Hopeless, Left, SetAside } from "./UtteranceFailures.ts"
import { haltRun, setAside } from "./FaultPolicy.ts"
import type { SpeakRun } from "./SpeakRun.ts"
import { findLostTask } from "./LostTaskRecovery.ts"

/** Creates per take that may meet transient faults before the utterance is deferred. */
const mostAttempts = 6

/** How long an interrupted run waits for the response to a create in flight. */
const landing = Duration.millis(3_500)

/**
 * Returns a task for an utterance: searches for one that may already exist, else creates it. `last` means that there is
 * no later round.
 */
export const obtainTask = (
  run: SpeakRun,
  queue: ProviderQueue,
  row: UtteranceRow,
  last: boolean
): Effect.Effect<TaskId, Ending | StateUnusable> =>
  row.state === "announced"
    ? Effect.flatMap(recovered(run, queue, row, last), (found) =>
        found === undefined ? created(run, queue, row, last) : Effect.succeed(found)
      )
    : created(run, queue, row, last)

/** Searches for the task of an announced utterance. Returns undefined if it certainly has none and may be created. */
const recovered = (
  run: SpeakRun,
  queue: ProviderQueue,
  row: UtteranceRow,
  last: boolean
): Effect.Effect<TaskId | undefined, Ending | StateUnusable> =>
  Effect.gen(function* () {
    const { store, progress } = run
    const { key, casting, characters } = row.utterance
    const loss = run.unanswered.get(key)
    const lostAt = loss?.at ?? row.announcedAt ?? 0
    const finding = yield* Effect.raceFirst(findLostTask(run, row, lostAt, last), givenUp(run)).pipe(
      Effect.tapErrorTag("Unreachable", queue.report),
      Effect.tapErrorTag("InvalidResponse", queue.report),
      Effect.catchTags({
        Unreachable: unsearched,
        InvalidResponse: unsearched,
        SlowDown: unsearched,
        Refused: (fault) =>
          fault.reason === "key" || fault.reason === "credits" ? haltRun(run, fault) : unsearched(fault)
      })
    )
    switch (finding._tag) {
      case "Absent":
        yield* store.apply({ event: "withdraw", key })
        if (loss !== undefined) run.budget.release(loss.cost)
        run.unanswered.delete(key)
        return undefined
      case "Unsure": {
        const why =
          "no response to its create request, and no matching task yet; it is searched for again after the other lines"
        yield* run.retrying(casting.provider, key, why, Duration.zero)
        return yield* new SetAside({ failure: undecidable("no matching task is listed yet") })
      }
      case "Undecidable":
        return yield* new Hopeless({ failure: undecidable(finding.why) })
      case "Found": {
        const { task, credits } = finding.task
        yield* store.apply({ event: "adopt", key, task, credits })
        run.alive()
        if (loss !== undefined) {
          run.unanswered.delete(key)
          yield* taken(run, row, loss.cost, credits)
        } else {
          run.counts.adopted++
          run.budget.found(credits ?? (run.price(casting) ?? 0) * characters)
          yield* progress.emit({ _tag: "Adopted", provider: casting.provider, utterance: key })
        }
        return task
      }
    }
  })

/** Counts a task created by this run. `cost` was reserved for it; `credits` is the price that the service reports. */
const taken = (
  run: SpeakRun,
  { utterance: { key, casting, characters } }: UtteranceRow,
  cost: number,
  credits: number | undefined
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const price = run.price(casting)
    const paid = credits ?? (price === undefined ? undefined : price * characters)
    run.budget.pay(cost, paid)
    if (credits !== undefined) yield* run.charged(casting, characters, credits)
    run.alive()
    run.counts.created++
    run.counts.characters += characters
    yield* run.audited
    yield* run.progress.emit({
      _tag: "Submitted",
      provider: casting.provider,
      utterance: key,
      characters,
      ...(paid === undefined ? {} : { credits: paid })
    })
  })

/** The failure of a create whose task is unknown. A later attempt searches for the task before it creates one. */
const undecidable = (why: string): FailureReason =>
  FailureReason.make({
    kind: "undecidable",
    words: `no response to its create request, and ${why}; it may have been charged`
  })

/** Defers an utterance whose task could not be searched for. */
const unsearched = (fault: CallFault): Effect.Effect<never, SetAside> =>
  new SetAside({ failure: undecidable(`the search for its task failed (${failureReasonOf(fault).words})`) })

/**
 * Ends when the run has stopped because the service is unreachable: searching is pointless then, and announced
 * utterances stay announced.
 */
const givenUp = (run: SpeakRun): Effect.Effect<never, Left> =>
  Effect.flatMap(run.stopped, () => (run.halted()?.reason === "unreachable" ? new Left() : Effect.never))

/** Creates a task and retries after transient faults. */
const created = (
  run: SpeakRun,
  queue: ProviderQueue,
  row: UtteranceRow,
  last: boolean
): Effect.Effect<TaskId, Ending | StateUnusable> => {
  const { key, casting } = row.utterance
  const attempted = attempt(run, queue, row, last).pipe(
    Effect.tapError((fault) =>
      isCallFault(fault) ? run.retrying(casting.provider, key, fault.message, retryRead(fault)) : Effect.void
    )
  )
  return retryPersistently(attempted, createRetries).pipe(
    Effect.catchTags({
      SlowDown: setAside,
      Unreachable: setAside,
      InvalidResponse: setAside,
      Refused: setAside
    })
  )
}

const isCallFault = (fault: CallFault | Ending | StateUnusable): fault is CallFault =>
  fault._tag === "SlowDown" || fault._tag === "Unreachable" || fault._tag === "InvalidResponse"

/** Schedule for retrying creates that certainly made no task; respects the wait that the service asked for. */
const createRetries = backoff.pipe(
  Schedule.passthrough<unknown, CallFault | Ending | StateUnusable, never>,
  Schedule.modifyDelay((fault, delay) =>
    isCallFault(fault) ? Duration.max(delay, retryRead(fault)) : delay
  ),
  Schedule.whileInput(isCallFault),
  Schedule.intersect(Schedule.recurs(mostAttempts - 1))
)

/** Sends one create, from `announce` to the response. Fails with a `CallFault` only if it certainly made no task. */
const attempt = (
  run: SpeakRun,
  queue: ProviderQueue,
  row: UtteranceRow,
  last: boolean
): Effect.Effect<TaskId, CallFault | Ending | StateUnusable> =>
  Effect.gen(function* () {
    const { store, gateway } = run
    const { key, casting, characters } = row.utterance
    if (!queue.isClear()) yield* Effect.raceFirst(queue.clearance, run.stopped)
    yield* run.punctual
    if (run.halted() !== undefined) return yield* new Left()
    const cost = (run.price(casting) ?? 0) * characters
    if (!(yield* run.afforded(cost))) return yield* new Left()

    const profile = run.settings.profileOf(casting.provider)
    const label = labelWithMarker(row.label, markerOf(key, row.take))
    const sent = yield* landed(
      run,
      Effect.gen(function* () {
        yield* store.apply({ event: "announce", key })
        const announcedAt = run.now()
        const answer = yield* Effect.either(gateway.submit(row.utterance, label, profile))
        if (answer._tag === "Right") {
          const { task, credits } = answer.right
          // Counted here because the calling fiber may be interrupted by now, and even if the disk is too full to
          // record it.
          yield* Effect.ensuring(
            store.apply({ event: "accept", key, task, credits }),
            taken(run, row, cost, credits)
          )
        } else if (answer.left._tag !== "InvalidResponse") {
          yield* store.apply({ event: "withdraw", key })
        }
        return { announcedAt, answer }
      })
    )
    const { announcedAt, answer } = sent
    if (answer._tag === "Right") {
      yield* queue.report("taken")
      return answer.right.task
    }

    const fault = answer.left
    const { folder } = run.settings
    // The bundled service keeps its audio in the state folder: waiting does not free that disk.
    if (fault._tag === "SlowDown" && fault.isFull === true && folder !== undefined)
      return yield* new StateUnusable({ folder, reason: "full", detail: fault.words })
    yield* queue.report(fault)
    if (fault._tag === "SlowDown") yield* paced(run, queue, casting.provider)
    switch (fault._tag) {
      case "Refused":
        run.budget.release(cost)
        return yield* refusedCreate(run, row, fault)
      case "SlowDown":
      case "Unreachable":
        run.budget.release(cost)
        return yield* fault
      case "InvalidResponse": {
        run.unanswered.set(key, { at: run.now(), cost })
        const task = yield* recovered(run, queue, { ...row, state: "announced", announcedAt }, last)
        return task ?? (yield* fault)
      }
    }
  })

/** Emits the state of a provider queue after it was slowed down. */
const paced = (run: SpeakRun, queue: ProviderQueue, provider: ProviderId): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { inFlight, limit, pausedUntil } = yield* queue.status
    const waitingSeconds = Math.max(0, pausedUntil - run.now()) / 1000
    yield* run.progress.emit({ _tag: "ProviderPaced", provider, inFlight, limit, waitingSeconds })
  })

/**
 * Runs a create to its recorded end even if the run is interrupted, for at most `landing`. After that the utterance
 * stays announced, and the next run searches for its task.
 */
const landed = <A, E>(run: SpeakRun, create: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.async((resume) => {
    const fiber = run.apart(create)
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

/** Handles a rejected create: a rejected key or missing credits stop the run; anything else fails the utterance. */
const refusedCreate = (
  run: SpeakRun,
  row: UtteranceRow,
  fault: Extract<CallFault, { readonly _tag: "Refused" }>
): Effect.Effect<never, Ending> =>
  Effect.gen(function* () {
    if (fault.reason === "key" || fault.reason === "credits") return yield* haltRun(run, fault)
    const { casting, characters } = row.utterance
    if (fault.reason === "too-long")
      run.learned.refusedLength(casting.provider, fault.max === undefined ? characters : fault.max + 1)
    return yield* new Hopeless({ failure: failureReasonOf(fault) })
  })
