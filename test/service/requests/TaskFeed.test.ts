/** Streams of events: each change is read once, a slow client ends only its own stream, and their number is limited. */
import { expect, it } from "@effect/vitest"
import { Chunk, Effect, Exit, Fiber, Layer, Option, Scope, Stream, TestClock } from "effect"
import { ServiceOptions } from "../../../src/service/config/ServiceOptions.ts"
import { TaskFeed } from "../../../src/service/requests/TaskFeed.ts"
import { Replica } from "../../../src/service/storage/Replica.ts"
import { TaskEvents } from "../../../src/service/tasks/TaskEvents.ts"
import type { StoredTask } from "../../../src/service/tasks/TaskRecord.ts"
import { TaskStore } from "../../../src/service/tasks/TaskStore.ts"

const stored = (taskId: string): StoredTask => ({
  taskId,
  status: "queued",
  provider: "p",
  model: "m",
  voice: "v",
  voiceName: undefined,
  characters: 1,
  credits: 1,
  createdAt: 0,
  completedAt: undefined,
  durationMs: undefined,
  format: undefined,
  hasSrt: false,
  hasJson: false,
  engine: undefined,
  error: undefined
})

/** Provides a feed, and the ids of the tasks that it has read. */
const withFeed = <A, E>(
  use: (read: ReadonlyArray<string>) => Effect.Effect<A, E, TaskFeed | TaskEvents | Scope.Scope>,
  limits = {}
) =>
  Effect.suspend(() => {
    const read: Array<string> = []
    const store = Layer.mock(TaskStore, {
      _tag: "service/TaskStore",
      read: (_, taskId) =>
        taskId === "broken"
          ? Effect.die("no database")
          : Effect.sync(() => {
              read.push(taskId)
              return Option.some(stored(taskId))
            })
    })
    const options = Layer.succeed(ServiceOptions, { config: { limits }, candid: false, host: "", port: 0 })
    return use(read).pipe(
      Effect.provide(
        TaskFeed.Default.pipe(
          Layer.provideMerge(Layer.mergeAll(TaskEvents.Default, store)),
          Layer.provide(Layer.mergeAll(options, Layer.succeed(Replica, { id: "", sharing: undefined })))
        )
      )
    )
  })

it.scoped("reads each change once for all streams of an account", () =>
  withFeed((read) =>
    Effect.gen(function* () {
      const feed = yield* TaskFeed
      const events = yield* TaskEvents
      const fibers = yield* Effect.replicateEffect(
        Effect.flatMap(feed.open(1), (tasks) => Effect.fork(Stream.runCollect(Stream.take(tasks, 3)))),
        50
      )
      for (const id of ["a", "b", "b"]) yield* events.changed(1, id)
      yield* events.changed(2, "another account's")
      yield* TestClock.adjust("1 second")
      yield* events.changed(1, "a")
      yield* TestClock.adjust("1 second")
      for (const tasks of yield* Fiber.join(Fiber.all(fibers))) {
        expect(Chunk.toReadonlyArray(tasks).map(({ taskId }) => taskId)).toEqual(["a", "b", "a"])
      }
      expect(read).toEqual(["a", "b", "a"])
    })
  )
)

it.scoped("ends the stream of a client that reads too slowly, and no other", () =>
  withFeed(() =>
    Effect.gen(function* () {
      const feed = yield* TaskFeed
      const events = yield* TaskEvents
      const slow = yield* feed.open(1)
      const other = yield* Effect.fork(Stream.runCount(Stream.take(yield* feed.open(1), 1_500)))
      for (let at = 0; at < 1_500; at++) {
        yield* events.changed(1, `${at}`)
        if (at % 100 === 99) yield* TestClock.adjust("1 second")
      }
      expect(yield* Fiber.join(other)).toBe(1_500)
      const seen: Array<string> = []
      const end = yield* Effect.exit(
        Stream.runForEach(slow, ({ taskId }) => Effect.sync(() => seen.push(taskId)))
      )
      expect(seen).toEqual(Array.from({ length: 1_000 }, (_, at) => `${at}`))
      expect(Exit.isFailure(end) && end.cause).toMatchObject({ error: { _tag: "StreamBehind" } })
    })
  )
)

it.scoped("ends all streams of an account if its tasks cannot be read, so that clients reconnect", () =>
  withFeed(() =>
    Effect.gen(function* () {
      const feed = yield* TaskFeed
      const events = yield* TaskEvents
      const broken = yield* feed.open(1)
      yield* events.changed(1, "broken")
      expect(Exit.isFailure(yield* Effect.exit(Stream.runDrain(broken)))).toBe(true)
    })
  )
)

it.scoped("limits the streams of an account and in all, and frees the places of those that end", () =>
  withFeed(
    () =>
      Effect.gen(function* () {
        const feed = yield* TaskFeed
        const scope = yield* Scope.make()
        const opened = (account: number) => Effect.asVoid(feed.open(account))
        const refusal = (account: number) => Effect.flip(opened(account))
        yield* Scope.extend(Effect.replicateEffect(opened(1), 2), scope)
        expect(yield* refusal(1)).toMatchObject({
          code: "streams_full",
          message: /^this account has 2 open/u
        })
        yield* opened(2)
        expect(yield* refusal(3)).toMatchObject({
          code: "streams_full",
          message: /^the service has no room/u
        })
        yield* Scope.close(scope, Exit.void)
        yield* opened(1)
        yield* opened(3)
      }),
    { streams: 2, allStreams: 3 }
  )
)
