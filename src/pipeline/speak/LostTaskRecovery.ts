/** Searches the service's history for the task of a create whose response was lost, and decides whether one exists. */
import { Clock, Duration, Effect } from "effect"
import { markerOf } from "../../domain/task/TaskMarker.ts"
import { InvalidResponse, type CallFault } from "../../gateway/GatewayErrors.ts"
import type { HistoryWalk } from "../../gateway/requests/TaskHistory.ts"
import type { PastTask } from "../../gateway/response/TaskSnapshot.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { inSpan, logDebug } from "../Annotations.ts"
import { ServiceWatch } from "./services/ServiceWatch.ts"
import { SpeakCounters } from "./services/SpeakCounters.ts"
import type { SpeakContext } from "./services/SpeakServices.ts"
import { SpeakConfig } from "./SpeakSettings.ts"

/** Result of the search. */
export type LostTaskFinding =
  | { readonly _tag: "Found"; readonly task: Pick<PastTask, "task" | "credits"> }
  /** The service certainly made no task. */
  | { readonly _tag: "Absent" }
  /** No task exists yet, but one may still appear. */
  | { readonly _tag: "Unsure" }
  | { readonly _tag: "Undecidable"; readonly why: string }

/**
 * Time after a lost response from which a history without the task is trusted. A request whose response was cut off may
 * still be arriving, and a single task may be listed later than others.
 */
const lateArrival = Duration.seconds(30)

/** How long a search for a lost task delays other tasks. After that it is repeated when they are done. */
const patience = Duration.seconds(5)

/** Delay before the first look: usually the task is listed at once. */
const firstLook = Duration.millis(300)

/** Interval between looks. */
const nextLook = Duration.seconds(5)

/** Longest wait for a history that visibly lags: it lacks tasks whose ids we know. */
const longestLag = Duration.minutes(2)

/** How close in time to a lost create other tasks must be to prove that the history lists tasks of that moment. */
const nearby = Duration.seconds(10)

/**
 * Age of a loss up to which that proof is required. No history lags for an hour, but tasks may have been deleted since.
 */
const stillThere = Duration.hours(1)

/**
 * Allowed difference between our clock and the service's when unlabelled tasks are matched by time, in milliseconds.
 */
const matchTolerance = 2 * 60_000

/**
 * Searches for the task of an announced utterance. `lostAt` is when its response was lost or, in a later run, when it
 * was announced. With `last`, nothing searches again, so the result is never `Unsure`.
 */
export const findLostTask = (
  row: UtteranceRow,
  lostAt: number,
  last: boolean
): Effect.Effect<LostTaskFinding, CallFault | StateUnusable, SpeakContext> =>
  Effect.gen(function* () {
    const gateway = yield* Gateway
    const store = yield* UtteranceStore
    const look: Effect.Effect<LostTaskFinding, CallFault | StateUnusable, SpeakContext> = Effect.gen(
      function* () {
        const answered = yield* store.answeredElsewhere(row.utterance.key, row.take)
        if (answered !== undefined) return { _tag: "Found", task: answered } as const
        const at = yield* Clock.currentTimeMillis
        const walk = yield* gateway.history(row.announcedAt ?? lostAt)
        const task = walk.find(markerOf(row.utterance.key, row.take))
        if (task !== undefined) return { _tag: "Found", task } as const
        if (yield* isBehind(row, { at, walk }, lostAt)) {
          if (at - lostAt >= Duration.toMillis(longestLag))
            return yield* new InvalidResponse({
              words: "its history does not list tasks that it is known to have created"
            })
          return yield* Effect.delay(look, nextLook)
        }
        const finding = yield* judge(row, walk)
        if (finding._tag === "Found") return finding
        if (!isPast(patience, lostAt, at)) return yield* Effect.delay(look, nextLook)
        if (finding._tag === "Undecidable" || isPast(yield* believedAfter, lostAt, at)) return finding
        return last ? yield* Effect.delay(look, nextLook) : ({ _tag: "Unsure" } as const)
      }
    )
    const now = yield* Clock.currentTimeMillis
    return yield* Effect.delay(look, isPast(patience, lostAt, now) ? Duration.zero : firstLook)
  }).pipe(
    Effect.tap(({ _tag }) => logDebug("searched for a lost task", _tag)),
    inSpan("LostTaskRecovery.findLostTask")
  )

/**
 * With `undecided: again` and a service without labels, a late task could not be recognized: there is no point in
 * waiting for one.
 */
const believedAfter = Effect.gen(function* () {
  const { undecided } = yield* SpeakConfig
  const { echoesLabels } = yield* ServiceWatch
  return echoesLabels() === false && undecided === "again" ? patience : lateArrival
})

/**
 * Whether a walk that began at `at` lacks known tasks created around the time of the loss. If so, the history lags, and
 * may lack the lost task, too.
 */
const isBehind = (
  { announcedAt }: UtteranceRow,
  { at, walk }: { readonly at: number; readonly walk: HistoryWalk },
  lostAt: number
): Effect.Effect<boolean, StateUnusable, UtteranceStore> => {
  const age = at - lostAt
  if (age < 0 || age >= Duration.toMillis(stillThere)) return Effect.succeed(false)
  const seen = new Set(walk.tasks.map(({ task }) => task))
  const margin = Duration.toMillis(nearby)
  const from = (announcedAt ?? lostAt) - margin
  return UtteranceStore.pipe(
    Effect.flatMap((store) => store.madeBetween(from, Math.min(at, lostAt + margin))),
    Effect.map((made) => made.some((task) => !seen.has(task)))
  )
}

/**
 * Whether `time` has passed since the loss. True also if the clock was set back, since waiting could then take forever.
 */
const isPast = (time: Duration.Duration, lostAt: number, now: number): boolean =>
  now < lostAt || now - lostAt >= Duration.toMillis(time)

/** Interprets a walk that contains no task with the marker. */
const judge = (
  row: UtteranceRow,
  walk: HistoryWalk
): Effect.Effect<LostTaskFinding, StateUnusable, SpeakContext> =>
  Effect.gen(function* () {
    const { echoesLabels, sawLabels } = yield* ServiceWatch
    const { counts, warn } = yield* SpeakCounters
    if (!walk.isWhole)
      return { _tag: "Undecidable", why: "the service's history is too long to search" } as const
    if (walk.echoes !== undefined) sawLabels(walk.echoes)
    // An empty history proves nothing when this run has created tasks.
    const mute = walk.tasks.length === 0 && counts.created > 0
    if (echoesLabels() !== false && !mute) return { _tag: "Absent" } as const
    yield* warn(unlabelled)
    return yield* unlabelledFinding(row, walk)
  })

const unlabelled =
  "the service's history does not return voice_name, so markers cannot identify lost tasks; set service.undecided in the manifest to choose what happens to their lines"

/**
 * Without labels, accepts the only task that matches provider, voice, length and time and belongs to no other
 * utterance.
 */
const unlabelledFinding = (
  row: UtteranceRow,
  walk: HistoryWalk
): Effect.Effect<LostTaskFinding, StateUnusable, SpeakConfig | UtteranceStore> =>
  Effect.gen(function* () {
    const { undecided } = yield* SpeakConfig
    const store = yield* UtteranceStore
    if (undecided === "again") return { _tag: "Absent" } satisfies LostTaskFinding
    const undecidable = (why: string): LostTaskFinding => ({ _tag: "Undecidable", why })
    if (undecided === "report") return undecidable("the service does not return voice_name")
    const since = (row.announcedAt ?? 0) - matchTolerance
    if (
      walk.tasks.some(
        (task) => task.madeAt === undefined || task.characters === undefined || task.provider === undefined
      )
    )
      return undecidable("the service's history lists neither voice_name nor time, provider and length")
    const { casting, characters } = row.utterance
    const like = walk.tasks.filter(
      (task) =>
        task.provider === casting.provider &&
        task.characters === characters &&
        (task.voice === undefined || task.voice === casting.voice) &&
        (task.madeAt ?? 0) >= since
    )
    const ours = yield* store.ours(like.map((task) => task.task))
    const strange = like.filter((task) => !ours.has(task.task))
    const [only] = strange
    if (only === undefined) return { _tag: "Absent" } satisfies LostTaskFinding
    const rivals = yield* store.announcedLike(row.utterance)
    return strange.length === 1 && rivals === 1
      ? ({ _tag: "Found", task: only } satisfies LostTaskFinding)
      : undecidable(`${strange.length} tasks in the service's history match`)
  })
