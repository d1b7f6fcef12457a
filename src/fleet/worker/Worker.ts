/**
 * A worker of a fleet: takes utterances and deliveries out of the queues until it is told to stop, then takes no more,
 * lets what it has in hand end within a little while, and gives the rest back.
 */
import { DelayedError, type Job, type Queue, Worker as QueueWorker, WaitingError } from "bullmq"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Runtime, Schedule, Schema } from "effect"
import type { Redis } from "ioredis"
import { knownProviders, ProviderId, type UtteranceKey } from "../../domain/values/Ids.ts"
import { Progress, type ProgressEvent } from "../../pipeline/Progress.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { Deliveries } from "../../store/tables/Deliveries.ts"
import { UtteranceTransfer } from "../../store/tables/UtteranceTransfer.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import { passingState } from "../../store/state/StateFolder.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { makeDeliverProcessor } from "./DeliverProcessor.ts"
import { type FleetUnusable, versionMismatch } from "../shared/FleetErrors.ts"
import { recoverFleet, slowFleet } from "../shared/FleetRateLimit.ts"
import { type Hold, fencedStore, type FencedStoreParts } from "../shared/FencedStore.ts"
import { DeliverEnd, DeliverPayload, isJobNews, SpeakEnd, SpeakPayload } from "../shared/JobPayloads.ts"
import { deliverQueue, jobKey, opened, prefix, queuesKey, speakQueue } from "../shared/Queues.ts"
import type { Role } from "../shared/WorkerRoles.ts"
import type { SharedFolder } from "../shared/SharedFolder.ts"
import { makeSpeakProcessor, type Reach } from "./SpeakProcessor.ts"

/** What a worker is told. */
export interface WorkerSettings<E> {
  readonly client: Redis
  readonly share: SharedFolder
  readonly reach: Reach<E>
  readonly roles: ReadonlyArray<Role>
  /** What it is called where jobs are watched. */
  readonly name: string
  /** Utterances of a provider in its hands at once. */
  readonly concurrency: number
  /** How long it may be silent before its work is another's, in milliseconds. */
  readonly takeover: number
  readonly told: (line: string) => Effect.Effect<void>
}

/**
 * How long what is in hand may take to end by itself when the worker is told to stop, and then again to be given back.
 */
const ending = "5 seconds"

/** How often it is looked for queues of providers that were not there before. */
const lookingFor = Schedule.spaced("2 seconds")

/** How long a delivery whose utterances are not all there is left alone, in milliseconds. */
const early = 2_000

/** A worker whose share gave way gives its work back for so long, in milliseconds. */
const givenBack = 5_000

/** Works until it is interrupted, or until the shared folder gives way. */
export const runWorker = <E>(settings: WorkerSettings<E>) => Effect.scoped(working(settings))

const working = Effect.fnUntraced(function* <E>(settings: WorkerSettings<E>) {
  const { client, share, takeover } = settings
  const holds = new Map<UtteranceKey, Hold>()
  const parts: FencedStoreParts = { client, share, takeover, holds }
  const inHand = new Map<string, InHand>()
  const state = passingState(share.clips)
  const passing = Layer.mergeAll(
    UtteranceStore.Default,
    UtteranceTransfer.Default,
    ClipFolder.Default,
    Estimates.Default,
    Deliveries.Default
  ).pipe(Layer.provideMerge(state))
  const base = yield* Layer.build(passing)
  const told = yield* Layer.build(Layer.provideMerge(fencedStore(parts), Layer.succeedContext(base)))
  const queues = new Map<string, Queue>()

  /** Passes on what the coordinator cannot see, and slows the whole fleet where the service asks for it. */
  const emit = (event: ProgressEvent): Effect.Effect<void> =>
    Effect.sync(() => {
      const queue = "provider" in event ? queues.get(speakQueue(event.provider)) : undefined
      if (queue !== undefined && event._tag === "LanePaced")
        void slowFleet(client, queue, event.waitingSeconds * 1_000).catch(() => {})
      if (queue !== undefined && event._tag === "Submitted") void recoverFleet(client, queue).catch(() => {})
      if (!isJobNews(event)) return
      const about =
        "utterance" in event
          ? inHand.get(event.utterance)
          : [...inHand.values()].find(({ job }) => !("job" in event) || job.name === event.job)
      void about?.job.updateProgress(event).catch(() => {})
    })
  const progress = Layer.succeed(Progress, { emit })

  const fault = yield* Deferred.make<never, Fault<E>>()

  /** A queue's processor: an effect for each job, which may end it, put it off, or leave it to whoever has it now. */
  const processor = <A, R>(
    context: Runtime.Runtime<R>,
    handle: (job: Job, token: string) => Effect.Effect<Outcome<A>, Fault<E>, R>
  ) => {
    const fork = Runtime.runFork(context)
    const awaited = Runtime.runPromise(context)
    return async (job: Job, token?: string): Promise<A> => {
      if (token === undefined || job.id === undefined) throw new WaitingError()
      const { id } = job
      const fiber = fork(handle(job, token))
      inHand.set(id, { job, fiber })
      try {
        const exit = await awaited(Fiber.await(fiber))
        if (Exit.isSuccess(exit)) {
          if ("value" in exit.value) return exit.value.value
          await job.moveToDelayed(exit.value.until, token)
          throw new DelayedError()
        }
        const failure = Cause.failureOption(exit.cause)
        if (failure._tag === "Some") {
          await awaited(Deferred.fail(fault, failure.value))
          await job.moveToDelayed(Date.now() + givenBack, token)
          throw new DelayedError()
        }
        if (Cause.isInterruptedOnly(exit.cause)) {
          // Given back where it is still this worker's; where it is another's, there is nothing to give.
          await job.moveToWait(token).catch(() => {})
          throw new WaitingError()
        }
        throw new Error(String(Cause.squash(exit.cause)))
      } finally {
        inHand.delete(id)
      }
    }
  }

  const interrupt = Runtime.runFork(yield* Effect.runtime())
  const workers: Array<QueueWorker> = []
  const add = (name: string, process: (job: Job, token?: string) => Promise<unknown>, concurrency: number) =>
    Effect.sync(() => {
      const worker = new QueueWorker(name, process, {
        connection: client,
        prefix,
        name: settings.name,
        concurrency,
        lockDuration: takeover,
        stalledInterval: Math.max(1_000, takeover / 4),
        // However many workers die over it: what was paid for is in the job, and it is gone on with.
        maxStalledCount: 1_000_000,
        drainDelay: 2,
        metrics: { maxDataPoints: 60 * 24 * 7 }
      })
      worker.on("error", () => {})
      worker.on("lockRenewalFailed", (ids) => {
        // It is another's by now, or will be.
        for (const id of ids) {
          const held = inHand.get(id)
          if (held !== undefined) interrupt(Fiber.interrupt(held.fiber))
        }
      })
      workers.push(worker)
    })

  if (settings.roles.includes("speak")) {
    const context = Context.merge(told, yield* Layer.build(progress))
    const hand = yield* Effect.provide(makeSpeakProcessor(parts, settings.reach), context)
    const runtime = yield* Effect.provide(Effect.runtime<Needs<typeof hand>>(), context)
    const handle = (job: Job, token: string) =>
      Effect.gen(function* () {
        const parcel = yield* understood(readSpeak(job.data))
        const { key } = parcel.record.utterance
        const handled = yield* hand({ jobKey: jobKey(job.queueName, key), token, parcel })
        if (handled._tag === "Ended") return { value: writeSpeakEnd(handled.end) }
        return { until: handled.until }
      })
    const known = new Set<string>()
    const look = Effect.gen(function* () {
      const names = yield* Effect.promise(() => client.hkeys(queuesKey))
      const usual = knownProviders.map((provider) => speakQueue(ProviderId.make(provider)))
      for (const name of new Set([...usual, ...names])) {
        if (known.has(name)) continue
        known.add(name)
        queues.set(name, yield* opened(name, client))
        yield* add(name, processor(runtime, handle), settings.concurrency)
      }
    })
    yield* look
    yield* Effect.forkScoped(Effect.repeat(look, lookingFor))
  }
  if (settings.roles.includes("deliver")) {
    // A store of its own: what is spoken here is forgotten as soon as it is done, under the hands of whoever delivers
    // it.
    const own = yield* Layer.build(passing)
    const context = Context.merge(own, yield* Layer.build(progress))
    const hand = yield* Effect.provide(makeDeliverProcessor(client, share), context)
    const runtime = yield* Effect.provide(Effect.runtime<Needs<typeof hand>>(), context)
    const handle = (job: Job) =>
      Effect.gen(function* () {
        const handled = yield* hand(yield* understood(readDeliver(job.data)))
        return handled._tag === "Ended"
          ? { value: writeDeliverEnd(handled.end) }
          : { until: Date.now() + early }
      })
    yield* add(deliverQueue, processor(runtime, handle), 1)
  }
  yield* settings.told(
    `worker ${settings.name} at work: ${settings.roles.join(" and ")}, clips and results in ${share.root}`
  )

  const closed = Effect.promise(() => Promise.all(workers.map((worker) => worker.close())))
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      const closing = yield* Effect.forkDaemon(closed)
      yield* inTime(Fiber.await(closing))
      if (inHand.size === 0) return
      yield* settings.told(`given back to the others: ${inHand.size} of its jobs`)
      const interrupted = Fiber.interruptAll([...inHand.values()].map(({ fiber }) => fiber))
      // Where Redis does not answer, nothing can be given back: the others take it over.
      yield* inTime(Effect.zipRight(interrupted, Fiber.await(closing)))
    })
  )
  return yield* Deferred.await(fault)
})

/** Waits for something as long as a worker that is told to stop may wait. */
const inTime = <A>(something: Effect.Effect<A>) =>
  something.pipe(
    Effect.disconnect,
    Effect.timeoutOption(ending),
    Effect.interruptible,
    // A fiber of its own waits: whoever is interrupted would cut its own waiting short.
    Effect.forkDaemon,
    Effect.flatMap(Fiber.await)
  )

/** What ends a worker: its folder, its key, its place in the fleet are not as they should be. */
type Fault<E> = StateUnusable | FleetUnusable | E

/** A job that this worker is at. */
interface InHand {
  readonly job: Job
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
}

/** How a job goes on: ended with a value, or put off. */
type Outcome<A> = { readonly value: A } | { readonly until: number }

type Needs<Hand extends (...given: never) => Effect.Effect<unknown, unknown, unknown>> =
  ReturnType<Hand> extends Effect.Effect<infer _A, infer _E, infer R> ? R : never

/** A parcel that this version can read. */
const understood = <A, E>(parcel: Effect.Effect<A, E>) =>
  Effect.mapError(parcel, () => versionMismatch("Redis", "a job in it"))

const readSpeak = Schema.decodeUnknown(SpeakPayload)
const writeSpeakEnd = Schema.encodeSync(SpeakEnd)
const readDeliver = Schema.decodeUnknown(DeliverPayload)
const writeDeliverEnd = Schema.encodeSync(DeliverEnd)
