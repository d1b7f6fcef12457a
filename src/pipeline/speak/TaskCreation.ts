/**
 * The task of an utterance that has none yet: announced before it is sent, recorded when it is taken, looked for where
 * it may have been made without our knowing.
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

/** Creates of one take that may meet passing faults before the utterance is set aside. */
const mostAttempts = 6

/** How long a create that is in the air may still bring its answer home when the run is interrupted. */
const landing = Duration.millis(3_500)

/**
 * A task for an utterance: looked for where one may have been made, else created. `last` is whether it has no further
 * chance.
 */
export const obtainTask = (
  run: SpeakRun,
  lane: ProviderQueue,
  row: UtteranceRow,
  last: boolean
): Effect.Effect<TaskId, Ending | StateUnusable> =>
  row.state === "announced"
    ? Effect.flatMap(recovered(run, lane, row, last), (found) =>
        found === undefined ? created(run, lane, row, last) : Effect.succeed(found)
      )
    : created(run, lane, row, last)

/** Looks for the task of an announced utterance; undefined where there surely is none and it may be created. */
const recovered = (
  run: SpeakRun,
  lane: ProviderQueue,
  row: UtteranceRow,
  last: boolean
): Effect.Effect<TaskId | undefined, Ending | StateUnusable> =>
  Effect.gen(function* () {
    const { store, progress } = run
    const { key, casting, characters } = row.utterance
    const loss = run.unanswered.get(key)
    const lostAt = loss?.at ?? row.announcedAt ?? 0
    const finding = yield* Effect.raceFirst(findLostTask(run, row, lostAt, last), givenUp(run)).pipe(
      Effect.tapErrorTag("Unreachable", lane.told),
      Effect.tapErrorTag("InvalidResponse", lane.told),
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
          "no answer to its create, and no task of it yet; it is looked for when the others are done"
        yield* run.retrying(casting.provider, key, why, Duration.zero)
        return yield* new SetAside({ setback: undecidable("its task is not seen yet") })
      }
      case "Undecidable":
        return yield* new Hopeless({ setback: undecidable(finding.why) })
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

/**
 * Counts a task that this run has created; `cost` was set aside for it, and the service says that it takes `credits`.
 */
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

/** Of a create whose task is not known: whoever goes on with it looks for the task before it is sent again. */
const undecidable = (why: string): FailureReason =>
  FailureReason.make({
    kind: "undecidable",
    words: `its create got no answer, and ${why}: it may have been paid for`
  })

/** Sets an utterance aside whose task could not be looked for. */
const unsearched = (fault: CallFault): Effect.Effect<never, SetAside> =>
  new SetAside({ setback: undecidable(`its task could not be looked for (${failureReasonOf(fault).words})`) })

/**
 * Ends when nothing is expected of the service any more: nobody searches its history then, and what is announced stays
 * so.
 */
const givenUp = (run: SpeakRun): Effect.Effect<never, Left> =>
  Effect.flatMap(run.stopped, () => (run.halted()?.reason === "unreachable" ? new Left() : Effect.never))

/** Creates a task, trying again after passing faults. */
const created = (
  run: SpeakRun,
  lane: ProviderQueue,
  row: UtteranceRow,
  last: boolean
): Effect.Effect<TaskId, Ending | StateUnusable> => {
  const { key, casting } = row.utterance
  const told = attempt(run, lane, row, last).pipe(
    Effect.tapError((fault) =>
      isCallFault(fault) ? run.retrying(casting.provider, key, fault.message, retryRead(fault)) : Effect.void
    )
  )
  return retryPersistently(told, createRetries).pipe(
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

/** Retries of a create that surely made no task: never before the time that the service asked to wait. */
const createRetries = backoff.pipe(
  Schedule.passthrough<unknown, CallFault | Ending | StateUnusable, never>,
  Schedule.modifyDelay((fault, delay) =>
    isCallFault(fault) ? Duration.max(delay, retryRead(fault)) : delay
  ),
  Schedule.whileInput(isCallFault),
  Schedule.intersect(Schedule.recurs(mostAttempts - 1))
)

/** One create, from its announcement to its answer. Fails with a call's fault where it surely made no task. */
const attempt = (
  run: SpeakRun,
  lane: ProviderQueue,
  row: UtteranceRow,
  last: boolean
): Effect.Effect<TaskId, CallFault | Ending | StateUnusable> =>
  Effect.gen(function* () {
    const { store, gateway } = run
    const { key, casting, characters } = row.utterance
    if (!lane.isClear()) yield* Effect.raceFirst(lane.clearance, run.stopped)
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
          // Counted here, since who sent it may be interrupted by now, and also where the disk is too full to record
          // it.
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
      yield* lane.told("taken")
      return answer.right.task
    }

    const fault = answer.left
    const { folder } = run.settings
    // The bundled service keeps its audio in the state folder: waiting does not free that disk.
    if (fault._tag === "SlowDown" && fault.isFull === true && folder !== undefined)
      return yield* new StateUnusable({ folder, reason: "full", detail: fault.words })
    yield* lane.told(fault)
    if (fault._tag === "SlowDown") yield* paced(run, lane, casting.provider)
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
        const task = yield* recovered(run, lane, { ...row, state: "announced", announcedAt }, last)
        return task ?? (yield* fault)
      }
    }
  })

/** Tells how a lane stands after it was slowed. */
const paced = (run: SpeakRun, lane: ProviderQueue, provider: ProviderId): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { inFlight, limit, heldUntil } = yield* lane.status
    const waitingSeconds = Math.max(0, heldUntil - run.now()) / 1000
    yield* run.progress.emit({ _tag: "LanePaced", provider, inFlight, limit, waitingSeconds })
  })

/**
 * Runs a create to its recorded end even when the run is interrupted meanwhile, for as long as an answer may take to
 * come home; after that it stays announced, which the next run looks into.
 */
const landed = <A, E>(run: SpeakRun, create: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.async((resume) => {
    const fiber = run.apart(create)
    fiber.addObserver(resume)
    // A fiber of its own waits: this one is interrupted, and would cut its own waiting short.
    return Fiber.await(fiber).pipe(
      Effect.timeoutOption(landing),
      Effect.interruptible,
      Effect.forkDaemon,
      Effect.flatMap(Fiber.await),
      Effect.zipRight(Fiber.interrupt(fiber))
    )
  })

/** A refused create: the run's end for the key and the credits, this utterance's own for everything else. */
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
    return yield* new Hopeless({ setback: failureReasonOf(fault) })
  })
