/** Watches the jobs that a coordinator awaits: forwards their progress events and reports when they end. */
import { type Job, type JobType, type Queue, QueueEvents } from "bullmq"
import { Deferred, Effect, Queue as Arrivals, Runtime, Schedule, Scope } from "effect"
import type { Redis } from "ioredis"
import { isJobNews, type JobNews } from "../shared/JobPayloads.ts"
import { opened, prefix } from "../shared/Queues.ts"

/** How an awaited job ended: finished by a worker, or removed. */
export type JobEnd = { readonly _tag: "Ended"; readonly job: Job } | { readonly _tag: "Gone" }

/** A watcher of queues and jobs. */
export interface JobWatcher {
  /** Returns a queue. Starts watching it on the first call. */
  readonly queue: (name: string) => Effect.Effect<Queue>
  /** Waits until a job has ended. */
  readonly until: (queue: string, id: string) => Effect.Effect<JobEnd>
  /** The jobs awaited now, with their queues. */
  readonly awaited: () => ReadonlyArray<{ readonly queue: string; readonly id: string }>
}

/** How often awaited jobs are polled that do not wait for a worker, because events may be lost. */
const lookingAgain = Schedule.spaced("15 seconds")

/** The states of jobs that no worker has begun. */
const notBegun: Array<JobType> = ["wait", "prioritized", "waiting-children"]

/** Maximum jobs polled at once. */
const atOnce = 500

interface Awaited {
  readonly queue: string
  readonly id: string
  readonly ended: Deferred.Deferred<JobEnd>
}

/** Options of a watcher. */
interface Watching {
  readonly client: Redis
  readonly callRedis: <A>(ask: () => Promise<A>) => Effect.Effect<A>
  /** Called with polled jobs, before their end is reported. */
  readonly seen: (jobs: ReadonlyArray<Job>) => Effect.Effect<unknown>
  /** Called with workers' progress events of awaited jobs. */
  readonly heard: (news: JobNews) => Effect.Effect<void>
}

/** Makes a watcher that lives as long as the scope. */
export const makeJobWatcher = ({
  client,
  callRedis,
  seen,
  heard
}: Watching): Effect.Effect<JobWatcher, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const fork = Runtime.runFork(yield* Effect.runtime())
    const queues = new Map<string, Queue>()
    const awaited = new Map<string, Awaited>()
    const touched = yield* Arrivals.unbounded<string>()
    const fresh = yield* Arrivals.unbounded<string>()
    const one = yield* Effect.makeSemaphore(1)

    const touch = (queue: string) => (event: { readonly jobId: string }) => {
      const name = nameOf(queue, event.jobId)
      if (awaited.has(name)) touched.unsafeOffer(name)
    }

    const listening = (name: string) =>
      Effect.acquireRelease(
        Effect.promise(async () => {
          const events = new QueueEvents(name, { connection: client, prefix })
          events.on("error", () => {})
          for (const event of ["completed", "failed", "removed"] as const) events.on(event, touch(name))
          events.on("progress", ({ jobId, data }) => {
            if (!awaited.has(nameOf(name, jobId)) || !isJobNews(data)) return
            if (data._tag === "Submitted" || data._tag === "Adopted") touch(name)({ jobId })
            fork(heard(data))
          })
          await events.waitUntilReady()
          return events
        }),
        (events) => Effect.promise(() => events.close().catch(() => {}))
      )

    const queue = (name: string) =>
      one.withPermits(1)(
        Effect.gen(function* () {
          const known = queues.get(name)
          if (known !== undefined) return known
          const made = yield* opened(name, client)
          queues.set(name, made)
          yield* listening(name)
          return made
        }).pipe(Scope.extend(scope))
      )

    const look = (names: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const wanted = [...new Set(names)].flatMap((name) => awaited.get(name) ?? [])
        const found = yield* Effect.forEach(
          wanted,
          (one) =>
            Effect.flatMap(queue(one.queue), (at) =>
              Effect.map(
                callRedis(() => at.getJob(one.id)),
                (job) => ({ one, job })
              )
            ),
          { concurrency: atOnce }
        )
        yield* seen(found.flatMap(({ job }) => job ?? []))
        for (const { one, job } of found) {
          if (job !== undefined && job.finishedOn === undefined) continue
          const end: JobEnd = job === undefined ? { _tag: "Gone" } : { _tag: "Ended", job }
          yield* Deferred.succeed(one.ended, end)
        }
      })

    yield* Arrivals.takeBetween(touched, 1, atOnce).pipe(
      Effect.flatMap((names) => look([...names])),
      Effect.forever,
      Effect.forkScoped
    )
    /** Polls those jobs that workers have begun or that are gone. The others have nothing to tell. */
    const poll = (names: Iterable<string>) =>
      Effect.gen(function* () {
        const wanted = [...names]
        const waiting = new Set<string>()
        for (const name of new Set(wanted.flatMap((one) => awaited.get(one)?.queue ?? []))) {
          const at = yield* queue(name)
          for (const id of yield* callRedis(() => at.getRanges(notBegun, 0, -1)))
            waiting.add(nameOf(name, id))
        }
        yield* touched.offerAll(wanted.filter((name) => !waiting.has(name)))
      })
    yield* Arrivals.takeBetween(fresh, 1, Infinity).pipe(
      Effect.flatMap(poll),
      Effect.forever,
      Effect.forkScoped
    )
    yield* Effect.suspend(() => fresh.offerAll(awaited.keys())).pipe(
      Effect.repeat(lookingAgain),
      Effect.forkScoped
    )

    return {
      queue,
      until: (queue, id) =>
        Effect.gen(function* () {
          const name = nameOf(queue, id)
          const ended = awaited.get(name)?.ended ?? (yield* Deferred.make<JobEnd>())
          awaited.set(name, { queue, id, ended })
          // The job may have ended before this call.
          fresh.unsafeOffer(name)
          return yield* Effect.ensuring(
            Deferred.await(ended),
            Effect.sync(() => awaited.delete(name))
          )
        }),
      awaited: () => [...awaited.values()]
    }
  })

const nameOf = (queue: string, id: string): string => `${queue} ${id}`
