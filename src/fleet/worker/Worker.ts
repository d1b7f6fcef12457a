/**
 * A worker of a fleet: processes utterances and deliveries from the queues until it is stopped. Then it takes no more
 * jobs, gives those in flight 5 s to end, and returns the rest to their queues.
 */
import { Worker as QueueWorker, DelayedError, WaitingError, type Job, type Queue } from "bullmq"
import { Context, Deferred, Effect, Fiber, Layer, Runtime, Schedule, Schema, Cause, Exit } from "effect"
import type { Redis } from "ioredis"
import { FileSystem } from "@effect/platform"
import { ProviderId, type UtteranceKey } from "../../domain/values/Ids.ts"
import { knownProviders } from "../../domain/speech/ProviderProfile.ts"
import { Progress, type ProgressEvent } from "../../pipeline/Progress.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { Deliveries } from "../../store/tables/Deliveries.ts"
import { UtteranceTransfer, type UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import { passingState } from "../../store/state/StateDatabase.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { JobUnusable, versionMismatch, type FleetUnusable } from "../shared/FleetErrors.ts"
import { recoverFleet, slowFleet } from "../shared/FleetRateLimit.ts"
import {
  DeliverEnd,
  DeliverPayload,
  isJobNews,
  isOtherEdition,
  SpeakEnd,
  SpeakPayload
} from "../shared/JobPayloads.ts"
import { deliverQueue, opened, prefix, queuesKey, speakQueue } from "../shared/Queues.ts"
import type { Role } from "../shared/WorkerRoles.ts"
import { Share } from "../shared/Share.ts"
import { fencedStore, type Hold, type FencedStoreParts } from "./FencedStore.ts"
import { makeSpeakProcessor, type Reach } from "./SpeakProcessor.ts"
import { deliverToResult } from "../../pipeline/deliver/DeliveryOutcome.ts"
import { placeJob, settledJob } from "../../pipeline/place/JobPlacement.ts"
import type { JobResult } from "../../pipeline/report/JobResult.ts"
import { readLedger } from "../shared/Ledger.ts"
import { keptPlan, type PlannedDelivery } from "../shared/PlanFile.ts"
import { relative } from "node:path"

/** Settings of a worker. */
export interface WorkerSettings<E> {
  readonly client: Redis
  readonly reach: Reach<E>
  readonly roles: ReadonlyArray<Role>
  /** Its name in queue monitors. It takes back the jobs of a dead worker of the same name. */
  readonly name: string
  /** Maximum utterances in flight per provider. */
  readonly concurrency: number
  /** Silence after which other workers take over its jobs, in milliseconds. */
  readonly takeover: number
  readonly printLine: (line: string) => Effect.Effect<void>
}

/** When the worker stops: time for jobs in flight to end by themselves, and then again to return the others. */
const ending = "5 seconds"

/** How often to look for queues of new providers. */
const lookingFor = Schedule.spaced("2 seconds")

/**
 * How many times longer a delivering worker may be silent: mixing can keep a machine busy for seconds, and a delivery
 * taken over starts anew.
 */
const deliveryTakeover = 2

/** How long to defer a delivery with missing utterances, in milliseconds. */
const early = 2_000

/** Runs a worker until it is interrupted or a fatal error occurs, such as a lost shared folder. */
export const runWorker = <E>(settings: WorkerSettings<E>) => Effect.scoped(working(settings))

const working = Effect.fnUntraced(function* <E>(settings: WorkerSettings<E>) {
  const { client, takeover } = settings
  const share = yield* Share
  const holds = new Map<UtteranceKey, Hold>()
  const parts: FencedStoreParts = { client, holds }
  const active = new Map<string, JobInHand>()
  const state = passingState(share.clips)
  const passing = Layer.mergeAll(
    UtteranceStore.Default,
    UtteranceTransfer.Default,
    ClipFolder.Default,
    Estimates.Default,
    Deliveries.Default
  ).pipe(Layer.provideMerge(state))
  const base = yield* Layer.build(passing)
  const services = yield* Layer.build(Layer.provideMerge(fencedStore(parts), Layer.succeedContext(base)))
  const queues = new Map<string, Queue>()

  /** Forwards events that the coordinator cannot observe, and slows the whole fleet down on a 429. */
  const emit = (event: ProgressEvent): Effect.Effect<void> =>
    Effect.sync(() => {
      const queue = "provider" in event ? queues.get(speakQueue(event.provider)) : undefined
      if (queue !== undefined && event._tag === "ProviderPaced")
        void slowFleet(client, queue, event.waitingSeconds * 1_000).catch(() => {})
      if (queue !== undefined && event._tag === "Submitted") void recoverFleet(client, queue).catch(() => {})
      if (!isJobNews(event)) return
      const about =
        "utterance" in event
          ? active.get(event.utterance)
          : [...active.values()].find(({ job }) => !("job" in event) || job.name === event.job)
      void about?.job.updateProgress(event).catch(() => {})
    })
  const progress = Layer.succeed(Progress, { emit })

  const fault = yield* Deferred.make<never, Fault<E>>()

  const processorOf = makeJobProcessors(active, fault)
  const interrupt = Runtime.runFork(yield* Effect.runtime())
  const workers: Array<QueueWorker> = []
  const add = (
    queue: Queue,
    process: (job: Job, token?: string) => Promise<unknown>,
    concurrency: number,
    silence = takeover
  ) =>
    Effect.promise(async () => {
      const left = await jobsLeftBy(settings.name, queue, client).catch(() => [])
      const worker = new QueueWorker(queue.name, process, {
        connection: client,
        prefix,
        name: settings.name,
        concurrency,
        lockDuration: silence,
        // Two checks find a job without a lock.
        stalledInterval: Math.max(500, takeover / 5),
        // Never fails a job because workers crashed: it records each paid task, so another worker continues the job.
        maxStalledCount: 1_000_000,
        drainDelay: 2,
        metrics: { maxDataPoints: 60 * 24 * 7 }
      })
      worker.on("error", () => {})
      worker.on("lockRenewalFailed", (ids) => {
        // Another worker has taken these jobs over, or soon will.
        for (const id of ids) {
          const running = active.get(id)
          if (running !== undefined) interrupt(Fiber.interrupt(running.fiber))
        }
      })
      workers.push(worker)
      // A worker that is closed before it is ready returns nothing; its successor does.
      if (left.length > 0)
        void worker.waitUntilReady().then(
          () => returnJobs(left),
          () => {}
        )
    })

  if (settings.roles.includes("speak")) {
    const context = Context.merge(services, yield* Layer.build(progress))
    const processor = yield* Effect.provide(makeSpeakProcessor(parts, settings.reach), context)
    const runtime = yield* Effect.provide(Effect.runtime<Needs<typeof processor>>(), context)
    const handle = (job: Job) =>
      Effect.gen(function* () {
        const handled = yield* processor(yield* understood(job, readSpeak), job.timestamp)
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
        const queue = yield* opened(name, client)
        queues.set(name, queue)
        yield* add(queue, processorOf(runtime, handle), settings.concurrency)
      }
    })
    yield* look
    yield* Effect.forkScoped(Effect.repeat(look, lookingFor))
  }
  if (settings.roles.includes("deliver")) {
    // A separate store: the speak processor removes an utterance as soon as it ends, even while a delivery uses it.
    const own = yield* Layer.build(passing)
    const context = Context.merge(own, yield* Layer.build(progress))
    const processor = yield* Effect.provide(makeDeliverProcessor(client), context)
    const runtime = yield* Effect.provide(Effect.runtime<Needs<typeof processor>>(), context)
    const handle = (job: Job) =>
      Effect.gen(function* () {
        const handled = yield* processor(yield* understood(job, readDeliver))
        return handled._tag === "Ended"
          ? { value: writeDeliverEnd(handled.end) }
          : { until: Date.now() + early }
      })
    yield* add(
      yield* opened(deliverQueue, client),
      processorOf(runtime, handle),
      1,
      deliveryTakeover * takeover
    )
  }
  yield* settings.printLine(
    `worker ${settings.name} is ready: ${settings.roles.join(" and ")}, clips and results in ${share.name}`
  )

  const closed = Effect.promise(() => Promise.all(workers.map((worker) => worker.close())))
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      const closing = yield* Effect.forkDaemon(closed)
      yield* inTime(Fiber.await(closing))
      if (active.size === 0) return
      yield* settings.printLine(
        `returned ${active.size} unfinished ${active.size === 1 ? "job" : "jobs"} to the queue`
      )
      const interrupted = Fiber.interruptAll([...active.values()].map(({ fiber }) => fiber))
      // If Redis does not respond, nothing can be returned; other workers take the jobs over later.
      yield* inTime(Effect.zipRight(interrupted, Fiber.await(closing)))
    })
  )
  return yield* Deferred.await(fault)
})

/** Waits for an effect, up to 5 s, while the worker stops. */
const inTime = <A>(something: Effect.Effect<A>) =>
  something.pipe(
    Effect.disconnect,
    Effect.timeoutOption(ending),
    Effect.interruptible,
    // Waits in its own fiber: an interrupted fiber could not wait.
    Effect.forkDaemon,
    Effect.flatMap(Fiber.await)
  )

/** Errors that end a worker: its folder, its key or the fleet is unusable. */
type Fault<E> = StateUnusable | FleetUnusable | E

type Needs<Hand extends (...given: never) => Effect.Effect<unknown, unknown, unknown>> =
  ReturnType<Hand> extends Effect.Effect<infer _A, infer _E, infer R> ? R : never

/** Reads a job's data. Data of another version ends the worker; anything else that is unreadable fails the job. */
const understood = <A, E>({ name, data }: Job, read: (data: unknown) => Effect.Effect<A, E>) =>
  Effect.mapError(read(data), () =>
    isOtherEdition(data)
      ? versionMismatch("Redis", "a job in it")
      : new JobUnusable({
          words: `the job ${name.slice(0, 80)} in Redis is unreadable; check who can write to Redis`
        })
  )

const readSpeak = Schema.decodeUnknown(SpeakPayload)
const writeSpeakEnd = Schema.encodeSync(SpeakEnd)
const readDeliver = Schema.decodeUnknown(DeliverPayload)
const writeDeliverEnd = Schema.encodeSync(DeliverEnd)

/** Result of processing: ended, or too early because some utterances are not spoken yet. */
type Delivered = { readonly _tag: "Ended"; readonly end: DeliverEnd } | { readonly _tag: "Early" }

/** Records read at once. */
const recordsAtOnce = 64

/** Makes the processor. */
const makeDeliverProcessor = (client: Redis) =>
  Effect.gen(function* () {
    const share = yield* Share
    const handover = yield* UtteranceTransfer
    const fs = yield* FileSystem.FileSystem

    /** Reads the utterances' records: from beside their clips, else from the ledger. */
    const recordsOf = ({ plan, takes, failed }: PlannedDelivery) =>
      Effect.gen(function* () {
        const uses = new Map([...plan.uses, ...takes].map(({ utterance }) => [utterance.key, utterance]))
        const found = new Map<UtteranceKey, UtteranceRecord>(
          failed.map((record) => [record.utterance.key, record])
        )
        const beside = yield* Effect.forEach(
          uses.keys(),
          // A clip that is missing or incomplete shows when it is fetched.
          (key) =>
            Effect.map(
              share.recordOf(key, () => Effect.succeed(true)),
              (record) => [key, record] as const
            ),
          { concurrency: recordsAtOnce }
        )
        for (const [key, record] of beside) if (record !== undefined) found.set(key, record)
        const clipless = beside.flatMap(([key, record]) => (record === undefined ? [key] : []))
        for (const [key, { record }] of yield* Effect.promise(() => readLedger(client, clipless)))
          found.set(key, record)
        return { keys: [...uses.keys()], found }
      })

    return ({ plan: name }: DeliverPayload) =>
      Effect.gen(function* () {
        const planned = yield* keptPlan(share, name)
        const { plan, takes, out, inputs } = planned
        const { keys, found } = yield* recordsOf(planned)
        const firsts = new Set(plan.uses.map(({ utterance }) => utterance.key))
        const clipless = keys.filter((key) => firsts.has(key) && found.get(key)?.clip === undefined)
        if (clipless.some((key) => found.get(key)?.state !== "failed"))
          return { _tag: "Early" } satisfies Delivered
        if (clipless.length > 0 && plan.job.onFailure === "fail") return ended({ status: "incomplete" })
        yield* share.fetchClips(found.values())
        if (!(yield* share.files.fetchInputs(inputs)))
          return ended({
            status: "unfinished",
            error: "a film or background was deleted from the share; run again to send it again",
            looks: 0
          })
        yield* handover.takeOver([...found.values()])
        const settled = yield* settledJob(plan, takes, out, new Map())
        const result = yield* deliverToResult(yield* placeJob(settled))
        const results = yield* share.files.sendResults(name, out, plan.job.id)
        return ended(endOf(result, out, settled.digest, results))
      }).pipe(Effect.provideService(FileSystem.FileSystem, fs))
  })

const ended = (end: DeliverEnd): Delivered => ({ _tag: "Ended", end })

const endOf = (result: JobResult, out: string, digest: string, results: string | undefined): DeliverEnd => {
  const { metrics, last, looks } = result
  const figures = { metrics, last, looks, results }
  return result.status === "delivered"
    ? { ...figures, status: "delivered", digest, files: result.files.map((file) => relative(out, file)) }
    : { ...figures, status: result.status, error: result.error }
}

/** A job that this worker is processing. */
interface JobInHand {
  readonly job: Job
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
}

/** Outcome of a job: ended with a value, or deferred until a time in milliseconds since 1970. */
type JobOutcome<A> = { readonly value: A } | { readonly until: number }

/** How long the jobs of a worker that ends because of a fatal error are deferred, in milliseconds. */
const givenBack = 5_000

/**
 * Makes the processors of a worker's queues. `active` holds the jobs in hand, by id. An error other than `JobUnusable`
 * ends the worker through `fault`.
 */
const makeJobProcessors =
  <F>(active: Map<string, JobInHand>, fault: Deferred.Deferred<never, F>) =>
  <A, R>(
    context: Runtime.Runtime<R>,
    handle: (job: Job) => Effect.Effect<JobOutcome<A>, F | JobUnusable, R>
  ) => {
    const fork = Runtime.runFork(context)
    const awaited = Runtime.runPromise(context)
    return async (job: Job, token?: string): Promise<A> => {
      if (token === undefined || job.id === undefined) throw new WaitingError()
      const { id } = job
      // The queue may return a job to this worker that it still works on, for example after Redis was down.
      for (let before = active.get(id); before !== undefined; before = active.get(id)) {
        await awaited(Fiber.interrupt(before.fiber))
        if (active.get(id) === before) active.delete(id)
      }
      const fiber = fork(handle(job))
      const own: JobInHand = { job, fiber }
      active.set(id, own)
      try {
        const exit = await awaited(Fiber.await(fiber))
        if (Exit.isSuccess(exit)) {
          if ("value" in exit.value) return exit.value.value
          await job.moveToDelayed(exit.value.until, token)
          throw new DelayedError()
        }
        const failure = Cause.failureOption(exit.cause)
        if (failure._tag === "Some" && !(failure.value instanceof JobUnusable)) {
          await awaited(Deferred.fail(fault, failure.value))
          await job.moveToDelayed(Date.now() + givenBack, token)
          throw new DelayedError()
        }
        if (Cause.isInterruptedOnly(exit.cause)) {
          // Returns the job if this worker still holds it; otherwise the call fails, which is ignored.
          await job.moveToWait(token).catch(() => {})
          throw new WaitingError()
        }
        const error = Cause.squash(exit.cause)
        throw error instanceof Error ? new Error(error.message) : new Error(String(error))
      } finally {
        if (active.get(id) === own) active.delete(id)
      }
    }
  }

/**
 * Returns the jobs that a worker's predecessor left when it died. A predecessor is a worker of the same name that is
 * not connected to Redis any more. Without this, its jobs would wait until their locks expire.
 */

/** A job that a dead worker holds, with the token of its lock. */
interface LeftJob {
  readonly job: Job
  readonly token: string
}

/**
 * Returns the jobs of a queue that a dead worker of this name holds. Must be called before a new worker of the name
 * connects to the queue. Returns none if a worker of the name is connected, or if Redis does not list connections.
 */
export const jobsLeftBy = async (name: string, queue: Queue, client: Redis) => {
  const isPerhapsAlive = (connection: string | undefined) =>
    connection === undefined || connection.endsWith(`:w:${name}`)
  const workers = await queue.getWorkers()
  if (workers.some(({ rawname }) => isPerhapsAlive(rawname))) return []
  const left: Array<LeftJob> = []
  for (const job of await queue.getActive()) {
    if (job.processedBy !== name || job.id === undefined) continue
    const token = await client.get(queue.toKey(`${job.id}:lock`))
    if (token !== null) left.push({ job, token })
  }
  return left
}

/** Returns jobs to the front of their queue, except those that a worker has taken over meanwhile. */
export const returnJobs = async (left: ReadonlyArray<LeftJob>): Promise<void> => {
  // A job that was taken over has another lock, and the call fails.
  for (const { job, token } of left) await job.moveToWait(token).catch(() => {})
}
