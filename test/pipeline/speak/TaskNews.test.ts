/** Events say when a task has ended. Without them, or when their stream breaks, tasks are polled. */
import { createServer, type ServerResponse } from "node:http"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue, Redacted, Stream, TestClock } from "effect"
import { TaskId } from "../../../src/domain/values/Ids.ts"
import { Gateway } from "../../../src/gateway/Gateway.ts"
import { followTasks, StreamBroken, type TaskNotice } from "../../../src/gateway/requests/TaskFollowing.ts"
import { TaskNews } from "../../../src/pipeline/speak/services/TaskNews.ts"
import { readsOf } from "../StandIn.ts"

const health = (events: boolean) => ({
  status: "ok" as const,
  version: "",
  providers: [],
  disk: { free_bytes: 0, writable: true },
  queue: { queued: 0, processing: 0, limit: 0 },
  ...(events ? { events: { path: "/v1/tasks/events" } } : {})
})

/** Runs a test with a service whose streams are fed from a queue; a failure breaks the open one. */
const withNews = <A>(
  events: boolean,
  run: (
    news: TaskNews,
    send: (...notices: ReadonlyArray<TaskNotice | StreamBroken>) => Effect.Effect<unknown>,
    opened: () => number
  ) => Effect.Effect<A>
) =>
  Effect.gen(function* () {
    const queue = yield* Queue.unbounded<TaskNotice | StreamBroken>()
    let opened = 0
    const gateway = Layer.mock(Gateway, {
      _tag: "gateway/Gateway",
      reads: { ...readsOf(Effect.never), health: Effect.succeed(health(events)) },
      follow: Stream.suspend(() => {
        opened++
        return Stream.fromQueue(queue, { maxChunkSize: 1 }).pipe(
          Stream.mapEffect((notice) => (notice instanceof StreamBroken ? notice : Effect.succeed(notice)))
        )
      })
    })
    return yield* Effect.flatMap(TaskNews, (news) =>
      run(
        news,
        (...notices) => Effect.zipRight(Queue.offerAll(queue, notices), settled),
        () => opened
      )
    ).pipe(Effect.provide(Layer.provide(TaskNews.Default, gateway)))
  })

/** Lets other fibers run. */
const settled = Effect.repeatN(Effect.yieldNow(), 50)
const [one, two] = [TaskId.make("one"), TaskId.make("two")]
const ended = (task: TaskId): TaskNotice => ({ _tag: "Ended", task })

it.scoped("a service that does not state events is never asked for them", () =>
  withNews(false, (news, _send, opened) =>
    Effect.gen(function* () {
      expect(yield* news.epoch).toBeUndefined()
      yield* settled
      expect(yield* news.epoch).toBeUndefined()
      expect(yield* news.ended(one, undefined, 1_000)).toBe(false)
      expect(opened()).toBe(0)
    })
  )
)

it.scoped("an event ends the wait, also if it came before the wait began", () =>
  withNews(true, (news, send) =>
    Effect.gen(function* () {
      expect(yield* news.epoch).toBeUndefined()
      yield* send({ _tag: "Open" })
      const epoch = yield* news.epoch
      const waiting = yield* Effect.fork(news.ended(one, epoch, 30_000))
      yield* send(ended(two))
      expect(yield* Fiber.poll(waiting)).toMatchObject({ _tag: "None" })
      yield* send(ended(one))
      expect(yield* Fiber.join(waiting)).toBe(true)
      expect(yield* news.ended(two, epoch, 30_000)).toBe(true)
    })
  )
)

it.scoped("remembers the last 10,000 tasks, and copies none of them for a further event", () =>
  withNews(true, (news, send) =>
    Effect.gen(function* () {
      yield* news.epoch
      yield* send({ _tag: "Open" })
      const epoch = yield* news.epoch
      const remembered = epoch?.ended
      yield* send(...Array.from({ length: 10_003 }, (_, at) => ended(TaskId.make(`task-${at}`))))
      while (remembered?.has(TaskId.make("task-10002")) === false) yield* settled
      expect([epoch?.ended === remembered, remembered?.size]).toEqual([true, 10_000])
      expect([2, 3, 10_002].map((at) => remembered?.has(TaskId.make(`task-${at}`)))).toEqual([
        false,
        true,
        true
      ])
      expect(yield* news.ended(TaskId.make("task-3"), epoch, 30_000)).toBe(true)
    })
  )
)

it.scoped("a broken stream ends every wait, and is opened again for later tasks", () =>
  withNews(true, (news, send, opened) =>
    Effect.gen(function* () {
      yield* news.epoch
      yield* send({ _tag: "Open" })
      const before = yield* news.epoch
      const waiting = yield* Effect.fork(news.ended(one, before, 30_000))
      yield* send(new StreamBroken({ words: "cut off" }))
      expect(yield* Fiber.join(waiting)).toBe(false)
      expect(yield* news.epoch).toBeUndefined()
      yield* TestClock.adjust("1 second")
      yield* send({ _tag: "Open" })
      expect(opened()).toBe(2)
      const after = yield* news.epoch
      expect(after).not.toBe(before)
      // The event of a task from before may have been missed: it is polled.
      expect(yield* news.ended(one, before, 30_000)).toBe(false)
    })
  )
)

it.scoped("a stream that was open is opened again after a second, however often it broke before", () =>
  withNews(true, (news, send, opened) =>
    Effect.gen(function* () {
      const broken = new StreamBroken({ words: "cut off" })
      yield* news.epoch
      for (const seconds of [1, 2, 4, 8]) {
        yield* send(broken)
        yield* TestClock.adjust(`${seconds} seconds`)
      }
      expect(opened()).toBe(5)
      for (const reopened of [6, 7, 8]) {
        yield* send({ _tag: "Open" })
        yield* send(broken)
        yield* TestClock.adjust("1 second")
        expect(opened()).toBe(reopened)
      }
    })
  )
)

it.scoped("a lost event only delays the poll", () =>
  withNews(true, (news, send) =>
    Effect.gen(function* () {
      yield* news.epoch
      yield* send({ _tag: "Open" })
      const waiting = yield* Effect.fork(
        Effect.flatMap(news.epoch, (epoch) => news.ended(one, epoch, 30_000))
      )
      yield* TestClock.adjust("29 seconds")
      expect(yield* Fiber.poll(waiting)).toMatchObject({ _tag: "None" })
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(waiting)).toBe(false)
    })
  )
)

/** Follows a server whose responses are written by `answer`; returns what was seen until the stream broke. */
const followed = (answer: (response: ServerResponse, path: string, key: unknown) => void) =>
  Effect.acquireUseRelease(
    Effect.promise(
      () =>
        new Promise<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((request, response) =>
            answer(response, request.url ?? "", request.headers["xi-api-key"])
          )
          server.listen(0, "127.0.0.1", () => resume(server))
        })
    ),
    (server) => {
      const bound = server.address()
      const port = typeof bound === "object" && bound !== null ? bound.port : 0
      const seen: Array<TaskNotice> = []
      return followTasks({
        baseUrl: new URL(`http://127.0.0.1:${port}/base/`),
        key: Redacted.make("key-0")
      }).pipe(
        Stream.runForEach((notice) => Effect.sync(() => void seen.push(notice))),
        Effect.flip,
        Effect.map(({ words }) => ({ seen, words }))
      )
    },
    (server) => Effect.sync(() => (server.closeAllConnections(), server.close()))
  )

const task = (id: string, status: string) =>
  JSON.stringify({ task_id: id, status, audio_url: status === "done" ? "u" : undefined })

it.live("reads events in any pieces, and ignores those that belong to no task", () =>
  Effect.gen(function* () {
    const text = [
      ": waiting\n\n",
      `event: task\ndata: ${task("a", "queued")}\n\n`,
      `event: task\r\ndata: ${task("b", "done")}\r\n\r\n`,
      "data: {\n\n",
      "event: other\n\n",
      `data: ${task("c", "failed")}\n\n`
    ].join("")
    const { seen, words } = yield* followed((response, path, key) => {
      expect([path, key]).toEqual(["/base/v1/tasks/events", "key-0"])
      response.writeHead(200, { "content-type": "text/event-stream" })
      for (let at = 0; at < text.length; at += 7) response.write(text.slice(at, at + 7))
      response.end(() => response.destroy())
    })
    expect(seen).toEqual([{ _tag: "Open" }, ended(TaskId.make("b")), ended(TaskId.make("c"))])
    expect(words).toBe("cut off")
  })
)

it.live("a redirect, a page and an endless event break the stream; the key goes nowhere else", () =>
  Effect.gen(function* () {
    const paths: Array<string> = []
    const redirected = yield* followed((response, path) => {
      paths.push(path)
      response.writeHead(302, { location: "/elsewhere" }).end()
    })
    expect([redirected.words, paths]).toEqual(["HTTP 302", ["/base/v1/tasks/events"]])
    const page = yield* followed((response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<p>")
    )
    expect(page.words).toBe("HTTP 200")
    const endless = yield* followed((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(`data: ${"x".repeat(1_100_000)}`)
    })
    expect(endless).toEqual({ seen: [{ _tag: "Open" }], words: "an event that is too long" })
  })
)
