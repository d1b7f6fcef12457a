/** Searches the service's history for the task of a create whose response was lost, and decides whether one exists. */
import { Clock, Duration, Effect } from "effect"
import type { TaskId } from "../../domain/values/Ids.ts"
import { markerOf } from "../../domain/task/TaskMarker.ts"
import { InvalidResponse, type CallFault } from "../../gateway/GatewayErrors.ts"
import type { HistoryWalk } from "../../gateway/requests/TaskHistory.ts"
import type { PastTask } from "../../gateway/exchange/TaskSnapshot.ts"
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
const maxLag = Duration.minutes(2)

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

/** Difference up to which the task may still be the create's: services report local times, and clocks are set. */
const clockTolerance = 24 * 3_600_000

/**
 * Searches for the task of an announced utterance. `lostAt` is when its response was lost or, in a later run, when it
 * was announced. With `last`, nothing searches again: `Unsure` then means that the history stayed empty, which does not
 * show that it would list the task.
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
          if (at - lostAt >= Duration.toMillis(maxLag))
            return yield* new InvalidResponse({
              words: "its history does not list tasks that it is known to have created"
            })
          return yield* Effect.delay(look, nextLook)
        }
        const finding = yield* judge(row, walk)
        if (finding._tag === "Found") return finding
        if (!isPast(patience, lostAt, at)) return yield* Effect.delay(look, nextLook)
        if (finding._tag === "Undecidable") return finding
        const isBelieved = isPast(yield* believedAfter, lostAt, at)
        if (finding._tag === "Absent" && isBelieved) return finding
        return last && !isBelieved ? yield* Effect.delay(look, nextLook) : ({ _tag: "Unsure" } as const)
      }
    )
    const now = yield* Clock.currentTimeMillis
    return yield* Effect.delay(look, isPast(patience, lostAt, now) ? Duration.zero : firstLook)
  }).pipe(
    Effect.tap(({ _tag }) => logDebug("searched for a lost task", _tag)),
    inSpan("LostTaskRecovery.findLostTask")
  )

/**
 * Returns the id by which a service's history lists a task that it does not know any more; undefined if the task is
 * gone: the whole history lists others of ours, but not this one. A service that lags may answer 404 for a task that it
 * lists, and one that answers a create with the request's id lists the task under its own. If the history cannot be
 * read, the task may still exist.
 */
export const listedTask = (
  row: UtteranceRow,
  task: TaskId,
  takenAt: number
): Effect.Effect<TaskId | undefined, never, SpeakContext> =>
  Effect.gen(function* () {
    const gateway = yield* Gateway
    const store = yield* UtteranceStore
    const { undecided } = yield* SpeakConfig
    const now = yield* Clock.currentTimeMillis
    const { find, tasks, isWhole } = yield* gateway.history(takenAt)
    const marked = find(markerOf(row.utterance.key, row.take))
    if (marked !== undefined || !isPast(lateArrival, takenAt, now)) return marked?.task ?? task
    const ours = yield* store.ours(tasks.map((one) => one.task))
    const isGone = undecided === "again" || (isWhole && ours.size > 0)
    return isGone && tasks.every((one) => one.task !== task) ? undefined : task
  }).pipe(Effect.orElseSucceed(() => task))

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

/**
 * Interprets a walk that contains no task with the marker. Only a history that was seen to list our labels can show
 * that one is missing.
 */
const judge = (
  row: UtteranceRow,
  walk: HistoryWalk
): Effect.Effect<LostTaskFinding, StateUnusable, SpeakContext> =>
  Effect.gen(function* () {
    const { listsLabels, sawListedLabels, sawLabels } = yield* ServiceWatch
    const { undecided } = yield* SpeakConfig
    const { counts, warn } = yield* SpeakCounters
    if (!walk.isWhole)
      return {
        _tag: "Undecidable",
        why: "the service's history is too long to search"
      } as const
    if (walk.echoes !== undefined) sawLabels(walk.echoes)
    if (walk.echoes === true) sawListedLabels()
    const isEmpty = walk.tasks.length === 0
    if (listsLabels() && !isEmpty) return { _tag: "Absent" } as const
    // Nothing is known of this history yet: another task may show whether it has labels.
    if (isEmpty && counts.created === 0 && undecided !== "again") return { _tag: "Unsure" } as const
    yield* warn(unlabelled)
    return yield* unlabelledFinding(row, walk)
  })

const unlabelled =
  "the service's history does not return voice_name, so markers cannot identify lost tasks; set service.undecided in the manifest to choose what happens to their lines"

/**
 * Without labels, accepts the only task that matches text, voice, length, provider and time, as far as the history
 * lists them, and that belongs to no other utterance.
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
    if (!walk.tasks.every(isTold))
      return undecidable("the service's history lists neither voice_name nor time, provider and length")
    const announcedAt = row.announcedAt ?? 0
    const { casting, characters, text } = row.utterance
    const like = walk.tasks.filter(
      (task) =>
        (task.provider === undefined || task.provider === casting.provider) &&
        (task.characters === undefined || task.characters === characters) &&
        (task.voice === undefined || task.voice === casting.voice) &&
        (task.text === undefined || isTextOf(task.text, text)) &&
        (task.madeAt ?? announcedAt) >= announcedAt - clockTolerance
    )
    const ours = yield* store.ours(like.map((task) => task.task))
    const strange = like.filter((task) => !ours.has(task.task))
    const timely = strange.filter(({ madeAt = announcedAt }) => madeAt >= announcedAt - matchTolerance)
    const [only] = timely
    if (only === undefined) {
      if (strange.length > 0)
        return undecidable("a task in its history matches but for its time: compare this machine's clock")
      // A history that counts characters in another way would never match.
      const counts = yield* store.charactersOf(walk.tasks.map((task) => task.task))
      const isProven = walk.tasks.some(
        (task) => task.characters !== undefined && counts.get(task.task) === task.characters
      )
      return isProven ? { _tag: "Absent" } : undecidable("no task in its history matches")
    }
    const rivals = only.text === undefined ? yield* store.announcedLike(row.utterance) : 1
    return timely.length === 1 && rivals === 1
      ? ({ _tag: "Found", task: only } satisfies LostTaskFinding)
      : undecidable(`${timely.length} tasks in the service's history match`)
  })

/** Whether a history tells enough of a task to say whose it is. */
const isTold = ({ madeAt, characters, provider, voice, text }: PastTask): boolean =>
  text === undefined
    ? madeAt !== undefined && characters !== undefined && provider !== undefined
    : madeAt !== undefined || voice !== undefined

/** Letters of a text's beginning that a history must repeat, to be recognized. */
const minBeginning = 40

/** Whether a history's text is the given one, or its beginning. */
const isTextOf = (listed: string, text: string): boolean => {
  const [one, whole] = [listed, text].map((some) => some.normalize("NFC").replaceAll(/\s+/gu, " ").trim())
  if (one === undefined || whole === undefined) return false
  const beginning = one.replace(/(\.{3}|…)$/u, "")
  return one === whole || (beginning.length >= minBeginning && whole.startsWith(beginning))
}
