/** Whether a create whose answer was lost made a task: the history is asked, and what it says is judged. */
import { Duration, Effect } from "effect"
import { markerOf } from "../../domain/task/TaskMarker.ts"
import { InvalidResponse, type CallFault } from "../../gateway/GatewayErrors.ts"
import type { HistoryWalk } from "../../gateway/requests/TaskHistory.ts"
import type { PastTask } from "../../gateway/response/TaskSnapshot.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { UtteranceRow } from "../../store/tables/UtteranceRow.ts"
import type { SpeakRun } from "./SpeakRun.ts"

/** What the search came to. */
export type LostTaskFinding =
  | { readonly _tag: "Found"; readonly task: PastTask }
  /** The service surely made none. */
  | { readonly _tag: "Absent" }
  /** None is there, but one may still come. */
  | { readonly _tag: "Unsure" }
  | { readonly _tag: "Undecidable"; readonly why: string }

/**
 * How long after a lost answer the history is believed when it holds no task: a request that was cut off on its way
 * back may still be on its way in, and a single task may appear later than others.
 */
const lateArrival = Duration.seconds(30)

/** How long a loss holds up other tasks: after that it is looked into again when they are done. */
const patience = Duration.seconds(5)

/** When a loss is looked into first: mostly the task is there at once. */
const firstLook = Duration.millis(300)

/** From look to look. */
const nextLook = Duration.seconds(5)

/** How long a history is waited for that is seen not to show yet what was made. */
const longestLag = Duration.minutes(2)

/** How far from a lost create other tasks are asked for in the history: what shows them shows that one, too. */
const nearby = Duration.seconds(10)

/** How long after a lost create that is asked: nothing lags for an hour, but tasks may have been deleted since. */
const stillThere = Duration.hours(1)

/** By how much the service's clock may differ from ours when tasks without labels are matched by their time. */
const matchTolerance = 2 * 60_000

/**
 * Searches for an announced utterance. `lostAt` is when its answer was lost, or when it was announced in an earlier
 * run. `last` is whether nobody looks again: then it is never unsure.
 */
export const findLostTask = (
  run: SpeakRun,
  row: UtteranceRow,
  lostAt: number,
  last: boolean
): Effect.Effect<LostTaskFinding, CallFault | StateUnusable> =>
  Effect.gen(function* () {
    const look: Effect.Effect<LostTaskFinding, CallFault | StateUnusable> = Effect.gen(function* () {
      const at = run.now()
      const walk = yield* run.gateway.history(row.announcedAt ?? lostAt)
      const task = walk.find(markerOf(row.utterance.key, row.take))
      if (task !== undefined) return { _tag: "Found", task } as const
      if (yield* isBehind(run, row, { at, walk }, lostAt)) {
        if (at - lostAt >= Duration.toMillis(longestLag))
          return yield* new InvalidResponse({
            words: "its history does not show tasks that it surely has made"
          })
        return yield* Effect.delay(look, nextLook)
      }
      const finding = yield* judge(run, row, walk)
      if (finding._tag === "Found") return finding
      if (!isPast(patience, lostAt, at)) return yield* Effect.delay(look, nextLook)
      if (finding._tag === "Undecidable" || isPast(believedAfter(run), lostAt, at)) return finding
      return last ? yield* Effect.delay(look, nextLook) : ({ _tag: "Unsure" } as const)
    })
    return yield* Effect.delay(look, isPast(patience, lostAt, run.now()) ? Duration.zero : firstLook)
  })

/** Whoever has lost creates sent again that cannot be told from others does not wait for late ones either. */
const believedAfter = ({ echoes, settings }: SpeakRun): Duration.Duration =>
  echoes.seen === false && settings.undecided === "again" ? patience : lateArrival

/**
 * Whether a walk, which began at `at`, lacks tasks of ours that were made about when a create was lost: the history
 * lags, and may lack its task, too.
 */
const isBehind = (
  { store }: SpeakRun,
  { announcedAt }: UtteranceRow,
  { at, walk }: { readonly at: number; readonly walk: HistoryWalk },
  lostAt: number
): Effect.Effect<boolean, StateUnusable> => {
  const age = at - lostAt
  if (age < 0 || age >= Duration.toMillis(stillThere)) return Effect.succeed(false)
  const seen = new Set(walk.tasks.map(({ task }) => task))
  const margin = Duration.toMillis(nearby)
  const from = (announcedAt ?? lostAt) - margin
  return Effect.map(store.madeBetween(from, Math.min(at, lostAt + margin)), (made) =>
    made.some((task) => !seen.has(task))
  )
}

/**
 * Whether so long a time is past since a loss. That of a clock that was set back is: waiting for it could take for
 * ever.
 */
const isPast = (time: Duration.Duration, lostAt: number, now: number): boolean =>
  now < lostAt || now - lostAt >= Duration.toMillis(time)

/** What a walk says that holds no task of the mark. */
const judge = (
  run: SpeakRun,
  row: UtteranceRow,
  walk: HistoryWalk
): Effect.Effect<LostTaskFinding, StateUnusable> => {
  if (!walk.isWhole)
    return Effect.succeed<LostTaskFinding>({
      _tag: "Undecidable",
      why: "the service's history is too long to be searched"
    })
  if (walk.echoes !== undefined) run.echoes.seen = run.echoes.seen === true || walk.echoes
  // A history that is empty after tasks were made tells nothing.
  const mute = walk.tasks.length === 0 && run.counts.created > 0
  if (run.echoes.seen !== false && !mute) return Effect.succeed<LostTaskFinding>({ _tag: "Absent" })
  return Effect.zipRight(run.warn(unlabelled), unlabelledFinding(run, row, walk))
}

const unlabelled =
  "the service's history does not repeat voice_name: a task whose create got no answer is known by provider, voice, length and time where that is certain, and reported where not"

/** Without labels: the one task that is of this provider, voice, length and time, and of no other utterance. */
const unlabelledFinding = (
  run: SpeakRun,
  row: UtteranceRow,
  walk: HistoryWalk
): Effect.Effect<LostTaskFinding, StateUnusable> =>
  Effect.gen(function* () {
    const { undecided } = run.settings
    if (undecided === "again") return { _tag: "Absent" } satisfies LostTaskFinding
    const undecidable = (why: string): LostTaskFinding => ({ _tag: "Undecidable", why })
    if (undecided === "report") return undecidable("the service does not repeat labels")
    const since = (row.announcedAt ?? 0) - matchTolerance
    if (
      walk.tasks.some(
        (task) => task.madeAt === undefined || task.characters === undefined || task.provider === undefined
      )
    )
      return undecidable("the service's history tells neither label nor time, provider and length")
    const { store } = run
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
      : undecidable(`${strange.length} tasks of the history could be it`)
  })
