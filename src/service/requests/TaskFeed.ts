/** Streams of events: their limits, and the changes of tasks, which are read once for all streams of an account. */
import { Data, Effect, Exit, Mailbox, Queue, RcMap, type Scope, type Stream } from "effect"
import { TooManyRequests } from "../../contract/Errors.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { TaskEvents } from "../tasks/TaskEvents.ts"
import type { StoredTask } from "../tasks/TaskRecord.ts"
import { TaskStore } from "../tasks/TaskStore.ts"

/** Default limits of open streams: of one account, and in all. */
const accountStreams = 100
const allStreams = 1_000

/** Changes that may wait for one slow client. */
const maxBehind = 1_000

/**
 * Milliseconds between two batches of changes, for each open stream. A batch costs a quarter of that for each stream,
 * so that streams leave time for other requests.
 */
const pausePerStream = 0.2

/** Seconds after which a client may ask again for a stream. */
const askAgain = 10

/** A client reads more slowly than tasks change, and its stream ends. */
export class StreamBehind extends Data.TaggedError("StreamBehind") {
  override get message(): string {
    return `${maxBehind} events were waiting, so this stream ends; open another, and read your unfinished tasks`
  }
}

/** What waits for one client. */
type Reader = Mailbox.Mailbox<StoredTask, StreamBehind>

/** Streams of events. */
export class TaskFeed extends Effect.Service<TaskFeed>()("service/TaskFeed", {
  scoped: Effect.gen(function* () {
    const { streams: maxOfAccount = accountStreams, allStreams: most = allStreams } =
      (yield* ServiceOptions).config.limits ?? {}
    const events = yield* TaskEvents
    const store = yield* TaskStore
    const open = new Map<number, number>()
    let total = 0

    /** The readers of an account, and a fiber that passes on the changes while there are any. */
    const feeds = yield* RcMap.make({
      lookup: (account: number) =>
        Effect.gen(function* () {
          const readers = new Set<Reader>()
          const changed = yield* events.listen(account)
          const passOn = (taskId: string) =>
            Effect.map(store.read(account, taskId), (found) => {
              if (found._tag === "None") return
              for (const reader of readers) {
                if (!reader.unsafeOffer(found.value)) reader.unsafeDone(Exit.fail(new StreamBehind()))
              }
            })
          const batch = Effect.gen(function* () {
            const ids = new Set(yield* Queue.takeBetween(changed, 1, Number.MAX_SAFE_INTEGER))
            yield* Effect.forEach(ids, passOn, { discard: true })
            yield* Effect.sleep(total * pausePerStream)
          })
          yield* Effect.forkScoped(
            Effect.catchAllCause(Effect.forever(batch), (cause) =>
              Effect.zipRight(
                Effect.logError("cannot read changed tasks", cause),
                Effect.sync(() => {
                  for (const reader of readers) reader.unsafeDone(Exit.failCause(cause))
                })
              )
            )
          )
          return readers
        })
    })

    /** Takes a place for a stream of events or speech of an account until the scope closes. */
    const place = (account: number): Effect.Effect<void, TooManyRequests, Scope.Scope> =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          const own = open.get(account) ?? 0
          if (own >= maxOfAccount)
            return full(
              `this account has ${own} open streams of events or speech, the most allowed; close one, or read tasks with Prefer: wait`
            )
          if (total >= most)
            return full(
              "the service has no room for more streams of events or speech; read tasks with Prefer: wait"
            )
          open.set(account, own + 1)
          total++
          return Effect.void
        }),
        () =>
          Effect.sync(() => {
            const left = (open.get(account) ?? 1) - 1
            if (left === 0) open.delete(account)
            else open.set(account, left)
            total--
          })
      )

    return {
      place,

      /** Emits each task of an account after each change, from now until the scope closes. */
      open: (
        account: number
      ): Effect.Effect<Stream.Stream<StoredTask, StreamBehind>, TooManyRequests, Scope.Scope> =>
        Effect.gen(function* () {
          yield* place(account)
          const readers = yield* RcMap.get(feeds, account)
          const reader = yield* Mailbox.make<StoredTask, StreamBehind>({
            capacity: maxBehind,
            strategy: "dropping"
          })
          yield* Effect.acquireRelease(
            Effect.sync(() => readers.add(reader)),
            () =>
              Effect.zipRight(
                Effect.sync(() => readers.delete(reader)),
                reader.shutdown
              )
          )
          return Mailbox.toStream(reader)
        })
    }
  })
}) {}

const full = (message: string) =>
  Effect.fail(new TooManyRequests({ code: "streams_full", message, retry_after: askAgain }))
