/**
 * One utterance from where it stands to its clip. Every step outward is written before it is taken, so that whoever comes
 * after a crash knows what may have happened.
 */
import { Clock, Duration, Effect, Fiber, Schedule } from "effect"
import type { ProviderId, TaskId } from "../domain/Ids.ts"
import { labelled, markOf, marksIn } from "../domain/Mark.ts"
import { Setback } from "../domain/Setback.ts"
import { type CallFault, type Fault, setbackOf } from "../gateway/Fault.ts"
import { Gateway } from "../gateway/Gateway.ts"
import type { Lane } from "../gateway/Lane.ts"
import { asked, backoff } from "../gateway/Patience.ts"
import { lookPlan, settle } from "../gateway/Polling.ts"
import type { Done, Sight } from "../gateway/Sight.ts"
import { Learned } from "../store/Learned.ts"
import type { StateUnusable } from "../store/StateFault.ts"
import type { UtteranceRow } from "../store/UtteranceRow.ts"
import { UtteranceStore } from "../store/UtteranceStore.ts"
import { Progress } from "./Progress.ts"
import { type Ending, Hopeless, Left, Lost, SetAside } from "./SpeakEnding.ts"
import type { SpeakRun } from "./SpeakRun.ts"
import type { SpeakSettings } from "./SpeakSettings.ts"
import { search } from "./SpeakSearch.ts"

/** Takes that the service may fail or forget before an utterance is given up. */
const mostLosses = 3

/** Creates of one take that may meet passing faults before the utterance is set aside. */
const mostAttempts = 6

/** How long a create that is in the air may still bring its answer home when the run is interrupted. */
const landing = Duration.millis(3_500)

type Needs = UtteranceStore | Gateway | Learned | Progress

/** Brings an utterance to its done task: created, adopted or known already. Holds a slot of its lane meanwhile. */
export const settledTask = (
  run: SpeakRun,
  lane: Lane,
  row: UtteranceRow
): Effect.Effect<Done, Ending | StateUnusable, Needs> => {
  const known = row.task !== undefined && row.state !== "planned" && row.state !== "announced"
  const done = Effect.gen(function* () {
    const store = yield* UtteranceStore
    if (row.state === "settled") yield* store.apply({ event: "refetch", key: row.utterance.key })
    const task = known && row.task !== undefined ? row.task : yield* obtained(run, lane, row)
    return yield* awaited(run, row, task)
  })
  return lane.inSlot(known ? done : run.pricing(row.utterance, done), row.state === "planned" ? 0 : 1)
}

/** A task for an utterance: looked for where one may have been made, else created. */
const obtained = (
  run: SpeakRun,
  lane: Lane,
  row: UtteranceRow
): Effect.Effect<TaskId, Ending | StateUnusable, Needs> =>
  Effect.gen(function* () {
    const found =
      row.state === "announced"
        ? yield* recovered(run, lane, row, row.announcedAt ?? 0, "earlier")
        : undefined
    return found ?? (yield* created(run, lane, row))
  })

/** Looks for the task of an announced utterance; undefined where there surely is none and it may be created. */
const recovered = (
  run: SpeakRun,
  lane: Lane,
  row: UtteranceRow,
  lostAt: number,
  made: "earlier" | "now"
): Effect.Effect<TaskId | undefined, Ending | StateUnusable, Needs> =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const progress = yield* Progress
    const { key, casting, characters } = row.utterance
    const finding = yield* search(run, row, lostAt).pipe(
      Effect.tapErrorTag("Unreachable", lane.told),
      Effect.tapErrorTag("Broken", lane.told),
      Effect.catchTags({
        Unreachable: (fault) => setAside(fault),
        Broken: (fault) => setAside(fault),
        SlowDown: (fault) => setAside(fault),
        Refused: (fault) => refusedRead(run, fault)
      })
    )
    switch (finding._tag) {
      case "Absent":
        yield* store.apply({ event: "withdraw", key })
        return undefined
      case "Undecidable":
        return yield* new Hopeless({
          setback: Setback.make({
            kind: "undecidable",
            words: `its create got no answer, and ${finding.why}: it may have been paid for`
          })
        })
      case "Found": {
        const { task, credits } = finding.task
        yield* store.apply({ event: "adopt", key, task, credits })
        yield* run.alive
        if (made === "earlier") {
          run.counts.adopted++
          run.budget.found(credits ?? (run.price(casting) ?? 0) * characters)
          yield* progress.emit({ _tag: "Adopted", provider: casting.provider, utterance: key })
        } else {
          run.counts.created++
          run.counts.characters += characters
        }
        return task
      }
    }
  })

/** Creates a task, trying again after passing faults. */
const created = (
  run: SpeakRun,
  lane: Lane,
  row: UtteranceRow
): Effect.Effect<TaskId, Ending | StateUnusable, Needs> => {
  const { key, casting } = row.utterance
  return attempt(run, lane, row).pipe(
    Effect.tapError((fault) =>
      isCallFault(fault) ? run.retrying(casting.provider, key, fault.message, asked(fault)) : Effect.void
    ),
    Effect.retry(createRetries),
    Effect.catchTags({ SlowDown: setAside, Unreachable: setAside, Broken: setAside, Refused: setAside })
  )
}

const isCallFault = (fault: CallFault | Ending | StateUnusable): fault is CallFault =>
  fault._tag === "SlowDown" || fault._tag === "Unreachable" || fault._tag === "Broken"

/** Retries of a create that surely made no task: never before the time that the service asked to wait. */
const createRetries = backoff.pipe(
  Schedule.passthrough<unknown, CallFault | Ending | StateUnusable, never>,
  Schedule.modifyDelay((fault, delay) => (isCallFault(fault) ? Duration.max(delay, asked(fault)) : delay)),
  Schedule.whileInput(isCallFault),
  Schedule.intersect(Schedule.recurs(mostAttempts - 1))
)

/** One create, from its announcement to its answer. Fails with a call's fault where it surely made no task. */
const attempt = (
  run: SpeakRun,
  lane: Lane,
  row: UtteranceRow
): Effect.Effect<TaskId, CallFault | Ending | StateUnusable, Needs> =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const gateway = yield* Gateway
    const learned = yield* Learned
    const progress = yield* Progress
    const { key, casting, characters } = row.utterance
    if (!lane.isClear()) yield* Effect.raceFirst(lane.clearance, run.stopped)
    yield* run.punctual
    if (run.halted() !== undefined) return yield* new Left()
    const cost = (run.price(casting) ?? 0) * characters
    if (!run.budget.reserve(cost)) {
      yield* run.stop({
        reason: "budget",
        words: limitReached(run.settings)
      })
      return yield* new Left()
    }

    const profile = run.settings.profileOf(casting.provider)
    const label = labelled(row.label, markOf(key, row.take))
    const sent = yield* landed(
      Effect.gen(function* () {
        yield* store.apply({ event: "announce", key })
        const announcedAt = yield* Clock.currentTimeMillis
        const answer = yield* Effect.either(gateway.submit(row.utterance, label, profile))
        if (answer._tag === "Right") {
          yield* store.apply({ event: "accept", key, task: answer.right.task, credits: answer.right.credits })
        } else if (answer.left._tag !== "Broken") {
          yield* store.apply({ event: "withdraw", key })
        }
        return { announcedAt, answer }
      })
    )
    const { announcedAt, answer } = sent
    if (answer._tag === "Right") {
      const { task, credits } = answer.right
      const paid = credits ?? (run.price(casting) === undefined ? undefined : cost)
      run.budget.pay(cost, paid)
      if (credits !== undefined) yield* learned.paid(casting, characters, credits)
      yield* lane.told("taken")
      yield* run.alive
      run.counts.created++
      run.counts.characters += characters
      yield* progress.emit({
        _tag: "Submitted",
        provider: casting.provider,
        utterance: key,
        characters,
        ...(paid === undefined ? {} : { credits: paid })
      })
      return task
    }

    const fault = answer.left
    yield* lane.told(fault)
    if (fault._tag === "SlowDown") yield* paced(lane, casting.provider)
    switch (fault._tag) {
      case "Refused":
        run.budget.release(cost)
        return yield* refusedCreate(run, row, fault)
      case "SlowDown":
      case "Unreachable":
        run.budget.release(cost)
        return yield* fault
      case "Broken": {
        const lostAt = yield* Clock.currentTimeMillis
        const task = yield* recovered(
          run,
          lane,
          { ...row, state: "announced", announcedAt },
          lostAt,
          "now"
        ).pipe(Effect.tapError(() => Effect.sync(() => run.budget.pay(cost, undefined))))
        if (task === undefined) {
          run.budget.release(cost)
          return yield* fault
        }
        run.budget.pay(cost, run.price(casting) === undefined ? undefined : cost)
        return task
      }
    }
  })

/** Why creates are stopped at the limit, in words. */
export const limitReached = ({ maxCredits, spentBefore }: SpeakSettings): string => {
  const before =
    spentBefore === 0 ? "" : ` (${Math.ceil(spentBefore)} were spent before, in runs that were cut short)`
  return `the limit of ${maxCredits} credits is reached${before}; what is under way is finished, raise --max-credits to go on`
}

/** Tells how a lane stands after it was slowed. */
const paced = (lane: Lane, provider: ProviderId): Effect.Effect<void, never, Progress> =>
  Effect.gen(function* () {
    const progress = yield* Progress
    const { inFlight, limit, heldUntil } = yield* lane.status
    const waitingSeconds = Math.max(0, heldUntil - (yield* Clock.currentTimeMillis)) / 1000
    yield* progress.emit({ _tag: "LanePaced", provider, inFlight, limit, waitingSeconds })
  })

/**
 * Runs a create to its recorded end even when the run is interrupted meanwhile, for as long as an answer may take to come
 * home; after that it stays announced, which the next run looks into.
 */
const landed = <A, E, R>(create: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDaemon(restore(create)), (fiber) =>
      restore(Fiber.join(fiber)).pipe(
        Effect.onInterrupt(() =>
          // A fiber of its own waits: this one is interrupted, and would cut its own waiting short.
          Fiber.await(fiber).pipe(
            Effect.timeoutOption(landing),
            Effect.interruptible,
            Effect.forkDaemon,
            Effect.flatMap(Fiber.await),
            Effect.zipRight(Fiber.interrupt(fiber))
          )
        )
      )
    )
  )

/** A refused create: the run's end for the key and the credits, this utterance's own for everything else. */
const refusedCreate = (
  run: SpeakRun,
  row: UtteranceRow,
  fault: Extract<CallFault, { readonly _tag: "Refused" }>
): Effect.Effect<never, Ending, Learned> =>
  Effect.gen(function* () {
    if (fault.reason === "key" || fault.reason === "credits") return yield* halting(run, fault)
    const learned = yield* Learned
    const { casting, characters } = row.utterance
    if (fault.reason === "too-long")
      yield* learned.refusedLength(casting.provider, fault.max === undefined ? characters : fault.max + 1)
    return yield* new Hopeless({ setback: setbackOf(fault) })
  })

/** A refused read: of the key the run's end, of anything else a fault that may pass. */
export const refusedRead = (
  run: SpeakRun,
  fault: Extract<CallFault, { readonly _tag: "Refused" }>
): Effect.Effect<never, Ending> =>
  fault.reason === "key" || fault.reason === "credits" ? halting(run, fault) : setAside(fault)

const halting = (
  run: SpeakRun,
  fault: Extract<CallFault, { readonly _tag: "Refused" }>
): Effect.Effect<never, Ending> =>
  Effect.zipRight(
    run.stop({
      reason: fault.reason === "key" ? "key" : "credits",
      words: `${fault.message}; ${fault.reason === "key" ? "set DUBWRIGHT_API_KEY to a valid key" : "add credits"} and run again`
    }),
    new Left()
  )

/** Waits until a task is done, and learns how long such tasks take. */
const awaited = (
  run: SpeakRun,
  row: UtteranceRow,
  task: TaskId
): Effect.Effect<Done, Ending | StateUnusable, Needs> =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    const gateway = yield* Gateway
    const learned = yield* Learned
    const { key, casting, characters } = row.utterance
    const usual = learned.settleTime(casting.provider, characters)
    // A task of an earlier run has had its time: it is looked at at once.
    const now = yield* Clock.currentTimeMillis
    const takenAt = row.state === "planned" ? now : (row.announcedAt ?? now)
    const noticing = Effect.tap(gateway.look(task), (sight) => noticeLabel(run, row, sight))
    const settled = yield* settle(noticing, task, lookPlan(usual, characters), takenAt).pipe(
      Effect.catchTags({
        Refused: (fault) => refusedRead(run, fault),
        NeverSettled: (fault) => setAside(fault),
        FailedAtService: (fault) =>
          fault.lasting ? new Hopeless({ setback: setbackOf(fault) }) : lost(run, row, setbackOf(fault)),
        Vanished: (fault) => lost(run, row, setbackOf(fault))
      })
    )
    yield* store.apply({ event: "settle", key })
    // When a task of an earlier run was done is not known.
    if (row.state === "planned") {
      const took = run
        .settleTimes(casting.provider, characters)
        .learnedFrom(settled, yield* Clock.currentTimeMillis)
      yield* learned.settled(casting.provider, characters, took)
    }
    yield* run.alive
    return settled.done
  })

/** Learns from a task's record whether labels come back. */
const noticeLabel = (run: SpeakRun, row: UtteranceRow, sight: Sight): Effect.Effect<void> => {
  if (run.echoes.seen !== undefined || sight._tag === "GivenUp") return Effect.void
  run.echoes.seen =
    sight.label !== undefined && marksIn(sight.label).includes(markOf(row.utterance.key, row.take))
  return Effect.void
}

/** Gives a take up for a fault of the service: spoken anew, or, after too many, hopeless. */
export const lost = (
  run: SpeakRun,
  row: UtteranceRow,
  setback: Setback
): Effect.Effect<never, Ending | StateUnusable, UtteranceStore> =>
  Effect.gen(function* () {
    if (row.losses + 1 >= mostLosses) return yield* new Hopeless({ setback })
    return yield* anew(run, row, setback)
  })

/** Gives a take up: the utterance is spoken anew. */
export const anew = (
  run: SpeakRun,
  { utterance }: UtteranceRow,
  setback: Setback
): Effect.Effect<never, Ending | StateUnusable, UtteranceStore> =>
  Effect.gen(function* () {
    const store = yield* UtteranceStore
    yield* store.apply({ event: "lose", key: utterance.key, setback })
    yield* run.retrying(utterance.casting.provider, utterance.key, setback.words, Duration.zero)
    return yield* new Lost({ setback })
  })

/** Sets an utterance aside for a passing fault. */
export const setAside = (fault: Fault): Effect.Effect<never, SetAside> =>
  new SetAside({ setback: setbackOf(fault) })
