/**
 * What a run knows of the service's answers: whether they can be read, and whether each belongs to the line that it is
 * for. A service that answers otherwise stops the run before it is paid for many lines.
 */
import { Clock, Deferred, Effect } from "effect"
import { distance } from "fastest-levenshtein"
import type { TaskId, UtteranceKey } from "../../../domain/values/Ids.ts"
import { Unusable, type UnreadableCreate } from "../../../gateway/GatewayErrors.ts"
import type { UtteranceRow } from "../../../store/tables/UtteranceRow.ts"
import { UtteranceStore } from "../../../store/tables/UtteranceStore.ts"
import { Left } from "../FaultPolicy.ts"
import type { Halt } from "../SpeakSettings.ts"
import { StopSignal } from "./StopSignal.ts"

/** Creates that may be in flight, or answered without a task, until one was answered with a task. */
const maxInDoubt = 3

/** Milliseconds without any answer after which one more may be in doubt: responses that hang can perhaps be read. */
const patience = 15_000

/** Lines that the service may mix up before the run stops. */
const maxMixedUp = 3

/**
 * In a fleet's worker, the stop signal is that of one utterance, not of the run.
 * @effect-expect-leaking StopSignal
 */
export class AnswerTrust extends Effect.Service<AnswerTrust>()("pipeline/AnswerTrust", {
  effect: Effect.gen(function* () {
    const store = yield* UtteranceStore
    let isRead = false
    let hasEnded = false
    let limit = maxInDoubt
    let raisedAt = yield* Clock.currentTimeMillis
    let inFlight = 0
    let unread = 0
    let mixedUp = 0
    let halt: Halt | undefined
    let changed = yield* Deferred.make<void>()
    const tasks = new Map<TaskId, UtteranceRow>()
    let sounds: Map<string, UtteranceKey> | undefined

    const notify = Effect.gen(function* () {
      const before = changed
      changed = yield* Deferred.make<void>()
      yield* Deferred.succeed(before, undefined)
    })

    const halted = (reason: Halt) =>
      Effect.gen(function* () {
        halt ??= reason
        const { stop } = yield* StopSignal
        yield* stop(halt)
        yield* notify
      })

    /** Runs a create. Until the service has answered one with a task, few may be in doubt at once. */
    const admitted = <A, E, R>(create: Effect.Effect<A, E, R>): Effect.Effect<A, E | Left, R | StopSignal> =>
      Effect.gen(function* () {
        const { halted: stoppedBy, stopped } = yield* StopSignal
        while (halt === undefined && !isRead && inFlight + unread >= limit) {
          yield* Effect.timeoutOption(Effect.raceFirst(Deferred.await(changed), stopped), patience)
          if (stoppedBy() !== undefined) return yield* new Left()
          const now = yield* Clock.currentTimeMillis
          if (hasEnded || now - raisedAt < patience) continue
          raisedAt = now
          limit++
        }
        if (halt !== undefined) return yield* Effect.zipRight(halted(halt), new Left())
        if (isRead) return yield* create
        inFlight++
        return yield* Effect.ensuring(
          create,
          Effect.suspend(() => {
            inFlight--
            return notify
          })
        )
      })

    /** Records that the service named a create's task. Fails if it is the task of another line. */
    const named = (row: UtteranceRow, task: TaskId): Effect.Effect<void, Unusable, StopSignal> =>
      Effect.gen(function* () {
        const wasRead = isRead
        isRead = true
        unread = 0
        if (!wasRead) yield* notify
        const other = tasks.get(task)
        if (other === undefined) tasks.set(task, row)
        else if (other.utterance.key !== row.utterance.key)
          return yield* mixed(`task ${task} is the answer to ${other.label} and to ${row.label}`)
      })

    const mixed = (words: string): Effect.Effect<never, Unusable, StopSignal> =>
      Effect.gen(function* () {
        const fault = new Unusable({ words: `the service mixes up lines: ${words}` })
        if (++mixedUp >= maxMixedUp)
          yield* halted({
            reason: "unreadable",
            words: `${fault.message}; nothing more is sent; check the service, or set service.dialect in the manifest`
          })
        return yield* fault
      })

    return {
      admitted,
      named,
      /** Records that a create was answered, or that its connection ended. */
      ended: (): void => {
        hasEnded = true
      },
      /** Counts a create that was answered without a task that can be read; stops the run after a few in a row. */
      unreadable: (fault: UnreadableCreate): Effect.Effect<void, never, StopSignal> =>
        Effect.suspend(() =>
          ++unread < maxInDoubt ? Effect.void : halted({ reason: "unreadable", words: fault.message })
        ),
      mixed,
      /** Whether any audio was readable. */
      hasHeard: () => (sounds?.size ?? 0) > 0,
      /** Fails if the audio of a line is that of another line whose text is another. */
      heard: (row: UtteranceRow, checksum: string) =>
        Effect.gen(function* () {
          sounds ??= new Map(
            (yield* Effect.withTracerEnabled(store.clipChecksums, false)).map((clip) => [
              clip.checksum,
              clip.key
            ])
          )
          const { key } = row.utterance
          const other = sounds.get(checksum)
          if (other === undefined) sounds.set(checksum, key)
          if (other === undefined || other === key) return
          const [known] = yield* store.rows([other])
          if (known !== undefined && areUnlike(wordsOf(known), wordsOf(row)))
            return yield* mixed(`the audio of ${row.label} is that of ${known.label}, whose text is another`)
        })
    }
  })
}) {}

const wordsOf = ({ utterance }: UtteranceRow): string =>
  utterance.said
    .join(" ")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "")

/** Least letters of the longer of two texts that can be told apart: short words may sound the same. */
const minTold = 8

/** Whether two texts cannot sound the same: an engine may speak "two" and "too" alike, and a number as its words. */
const areUnlike = (one: string, other: string): boolean => {
  const longest = Math.max(one.length, other.length)
  const isNumeric = /\p{N}/u.test(one + other)
  return longest >= minTold && !isNumeric && distance(one, other) > longest / 2
}
