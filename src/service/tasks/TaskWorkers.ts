/** Task workers, `concurrency` per provider. Each claims a queued task, speaks it and records the outcome. */
import { join } from "node:path"
import { Cause, Clock, type Context, Duration, Effect, Exit, Option, Queue, Schedule } from "effect"
import { millisAt } from "../../domain/time/Units.ts"
import type { Engine, EngineUnavailable, SpeechFailed } from "../../engines/Engine.ts"
import { type TaskAudioSettings, writeAudio } from "./TaskAudio.ts"
import type { Catalogue, ServedProvider } from "../catalogue/Catalogue.ts"
import type { EngineSet } from "../catalogue/EngineSet.ts"
import { ServiceHealth, type HealthProblem } from "../health/ServiceHealth.ts"
import type { ServiceMetrics } from "../health/ServiceMetrics.ts"
import { synthesizeTask } from "./Synthesis.ts"
import { type FilesUnwritable, TaskFiles } from "../storage/TaskFiles.ts"
import type { ClaimedTask } from "./TaskRecord.ts"
import { TaskStore } from "./TaskStore.ts"
import { taskJson, taskSrt } from "./TaskTranscript.ts"

/** Options of the workers. */
export interface WorkerOptions {
  readonly catalogue: Context.Tag.Service<Catalogue>
  readonly engines: EngineSet
  readonly metrics: ServiceMetrics
  /** Whether a failed task shows its owner the engine's own error, which may name addresses and programs. */
  readonly candid: boolean
  readonly audio: TaskAudioSettings
  /** Maximum attempts per task while its failures are temporary. */
  readonly attempts: number
  /** Maximum duration of one attempt. */
  readonly timeout: Duration.DurationInput
}

/** Starts the workers. They stop with the scope; a task that one of them holds is queued again. */
export const startWorkers = Effect.fnUntraced(function* (options: WorkerOptions) {
  const providers = [...options.catalogue.offer().providers.values()].flatMap((provider) => {
    const engine = options.engines.get(provider.engine)
    return engine === undefined ? [] : [{ provider, engine }]
  })
  const size = providers.reduce((sum, { provider }) => sum + provider.concurrency, 0)
  // A worker holds a permit while it has a task: holding all permits means that no task is in flight.
  const permits = yield* Effect.makeSemaphore(size)
  const gate = yield* Effect.makeLatch(true)
  const bells = new Map<string, Queue.Queue<void>>()
  for (const { provider, engine } of providers) {
    // One signal per worker is enough: a woken worker continues until the queue is empty.
    const bell = yield* Queue.sliding<void>(provider.concurrency)
    bells.set(provider.id, bell)
    const obstacle = yield* obstacleFor(provider, options)
    const takeOne = gate.whenOpen(permits.withPermits(1)(takeTask(provider, engine, options)))
    const takeOrWait = Effect.flatMap(obstacle, (hindered) => (hindered ? Effect.succeed(waiting) : takeOne))
    const afterwards: Readonly<Record<Next, Effect.Effect<void>>> = {
      "go-on": Effect.void,
      listen: Queue.take(bell),
      wait: Effect.sleep("1 second")
    }
    const worker = Effect.forever(
      takeOrWait.pipe(
        // An internal error costs one task, never the worker.
        Effect.catchAllCause((cause) =>
          Cause.isInterrupted(cause)
            ? Effect.failCause(cause)
            : Effect.as(Effect.logError("worker iteration failed", cause), waiting)
        ),
        Effect.flatMap((next) => afterwards[next])
      )
    )
    yield* Effect.replicateEffect(Effect.forkScoped(worker), provider.concurrency)
  }
  return {
    /** Wakes one of a provider's workers for a new task. */
    wake: (provider: string): Effect.Effect<void> => {
      const bell = bells.get(provider)
      return bell === undefined ? Effect.void : Effect.asVoid(Queue.offer(bell, undefined))
    },
    /** Starts no further tasks and waits until those in flight have ended. */
    finish: Effect.zipRight(gate.close, Effect.asVoid(permits.take(size)))
  }
})

/**
 * Whether a provider has queued tasks that cannot be spoken now. The engine may be unavailable, its voices may be
 * unknown, or the disk may be full. The tasks then stay queued instead of failing one by one. Logs once when that
 * starts and once when it ends.
 */
const obstacleFor = (provider: ServedProvider, options: WorkerOptions) =>
  Effect.map(Effect.all([TaskStore, ServiceHealth]), ([store, health]) => {
    let reported: HealthProblem | undefined
    return Effect.gen(function* () {
      const complete = options.catalogue.offer().providers.get(provider.id)?.complete === true
      const trouble = complete
        ? Option.getOrUndefined(yield* health.trouble(provider.engine))
        : ("engine_unavailable" as const)
      const hindered = trouble !== undefined && (yield* store.waits(provider.id))
      if (hindered && reported !== trouble) {
        yield* Effect.annotateLogs(Effect.logWarning("tasks delayed"), { code: trouble })
        reported = trouble
      }
      if (trouble === undefined && reported !== undefined) {
        yield* Effect.logInfo("tasks resumed")
        reported = undefined
      }
      return hindered
    }).pipe(Effect.annotateLogs({ provider: provider.id }))
  })

/** What a worker does next: take another task, listen for a signal, or wait a second. */
type Next = "go-on" | "listen" | "wait"
const waiting: Next = "wait"
const goingOn: Next = "go-on"

/** Claims the next queued task, if there is one, and processes it to its end. */
const takeTask = (provider: ServedProvider, engine: Engine, options: WorkerOptions) =>
  Effect.flatMap(TaskStore, (store) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        store.claim(provider.id),
        Option.match({
          onNone: () => Effect.succeed<Next>("listen"),
          onSome: (task) => Effect.as(settle(provider, engine, task, options, restore), goingOn)
        })
      )
    )
  )

/** Makes a part of an uninterruptible region interruptible again. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Speaks one task and records the outcome. If the worker is interrupted, queues the task again. */
const settle = (
  provider: ServedProvider,
  engine: Engine,
  task: ClaimedTask,
  options: WorkerOptions,
  restore: Restore
) =>
  Effect.gen(function* () {
    const store = yield* TaskStore
    const files = yield* TaskFiles
    const began = yield* Clock.currentTimeMillis
    const tried = yield* Effect.exit(restore(attempt(provider, engine, task, options)))
    const taken = ((yield* Clock.currentTimeMillis) - began) / 1000
    if (Exit.isSuccess(tried)) {
      const kept = yield* surely(store.finish(task.taskId, tried.value), restore)
      if (!kept) yield* files.remove(task.taskId)
      options.metrics.task(provider.id, "done", task.characters, taken)
      yield* Effect.logInfo("task done").pipe(Effect.annotateLogs({ seconds: taken }))
      return
    }
    if (Cause.isInterrupted(tried.cause)) {
      yield* store.giveBack(task.taskId)
      return yield* Effect.interrupt
    }
    const failure = Option.getOrUndefined(Cause.failureOption(tried.cause))
    const { code, message } = failure === undefined ? ourFault : verdictOf(failure)
    const reason = failure === undefined ? message : detailOf(failure)
    yield* failure === undefined
      ? Effect.logError("task failed with an internal error", tried.cause)
      : Effect.logWarning("task failed").pipe(Effect.annotateLogs({ code, reason }))
    yield* surely(store.fail(task.taskId, code, options.candid ? reason : message), restore)
    options.metrics.task(provider.id, "failed", task.characters, taken)
  }).pipe(Effect.annotateLogs({ task_id: task.taskId, provider: provider.id }))

/**
 * Records a task's outcome, retrying until the database can be written. An unrecorded task would stay `processing`
 * until the next start. Only a shutdown interrupts the retries, between two attempts; the task is then queued again.
 */
const surely = <A>(write: Effect.Effect<A>, restore: Restore): Effect.Effect<A> => {
  const tried = Effect.sandbox(write).pipe(
    Effect.tapError((cause) => Effect.logError("cannot record the task's outcome yet", cause))
  )
  const later = Effect.delay(Effect.uninterruptible(tried), "1 second")
  return tried.pipe(
    Effect.catchAll(() => restore(Effect.retry(later, untilWritten))),
    Effect.unsandbox
  )
}

/** Exponential backoff from 1 s, capped at 30 s. */
const untilWritten = Schedule.union(Schedule.exponential("1 second"), Schedule.spaced("30 seconds"))

/** Speaks a task and publishes its files. Retries temporary failures with backoff, up to `attempts` attempts. */
const attempt = (provider: ServedProvider, engine: Engine, task: ClaimedTask, options: WorkerOptions) =>
  Effect.gen(function* () {
    const offer = options.catalogue.offer()
    const voice = offer.voices.get(task.voice)
    const model = offer.providers.get(provider.id)?.models.find((each) => each.wire.model_id === task.model)
    if (voice === undefined || model === undefined) return yield* Effect.fail(notOffered)
    const spoken = yield* synthesizeTask(engine, { ...task, voice, model })
    const files = yield* TaskFiles
    const workshop = yield* files.workshop(task.taskId)
    const { format } = options.audio
    yield* writeAudio(join(workshop, `${task.taskId}.${format}`), spoken, options.audio)
    if (task.wantSrt) yield* files.write(workshop, task.taskId, "srt", taskSrt(spoken.captions))
    const duration = millisAt(spoken.frames, spoken.rate)
    if (task.wantJson) yield* files.write(workshop, task.taskId, "json", taskJson({ ...spoken, duration }))
    yield* files.publish(workshop, task.taskId)
    return { durationMs: duration, format, hasSrt: task.wantSrt, hasJson: task.wantJson }
  }).pipe(
    Effect.scoped,
    Effect.timeoutFail({ duration: options.timeout, onTimeout: () => tooSlow }),
    Effect.retry({
      while: (failure) => verdictOf(failure).passing,
      times: options.attempts - 1,
      schedule: patience
    })
  )

/** Exponential backoff from 500 ms with jitter; never shorter than the engine's `retryAfter`. */
const patience = Schedule.exponential("500 millis").pipe(
  Schedule.jittered,
  Schedule.passthrough<Duration.Duration, Failure, never>,
  Schedule.modifyDelay((failure, delay) =>
    Duration.max(delay, Duration.seconds(failure._tag === "SpeechFailed" ? (failure.retryAfter ?? 0) : 0))
  )
)

const notOffered = { _tag: "NotOffered" } as const
const tooSlow = { _tag: "TooSlow" } as const
const ourFault = { code: "internal", message: "internal error; it has been logged" }

type Failure = EngineUnavailable | SpeechFailed | FilesUnwritable | typeof notOffered | typeof tooSlow

/** A failure's full detail, for the log. The task's owner need not see it. */
const detailOf = (failure: Failure): string => {
  switch (failure._tag) {
    case "EngineUnavailable":
    case "SpeechFailed":
    case "FilesUnwritable":
      return failure.detail
    case "NotOffered":
    case "TooSlow":
      return verdictOf(failure).message
  }
}

/** The error code and message for the task's owner, and whether the failure is temporary. */
const verdictOf = (
  failure: Failure
): { readonly code: string; readonly message: string; readonly passing: boolean } => {
  switch (failure._tag) {
    case "EngineUnavailable":
      return { code: "engine_unavailable", message: "the speech engine is unavailable", passing: true }
    case "FilesUnwritable":
      return {
        code: failure.full ? "disk_full" : "storage",
        message: failure.full ? "the service's disk is full" : "the service could not store the audio",
        passing: !failure.full
      }
    case "NotOffered":
      return { code: "not_offered", message: "the voice or model is no longer available", passing: false }
    case "TooSlow":
      return { code: "timeout", message: "synthesis took longer than the service allows", passing: false }
    case "SpeechFailed":
      switch (failure.reason) {
        // Faults of the request itself keep the engine's words: only the client can fix them.
        case "nothing-to-say":
        case "too-long":
        case "refused":
          return { code: failure.reason.replaceAll("-", "_"), message: failure.detail, passing: false }
        case "unknown-voice":
          return { code: "unknown_voice", message: "the engine has no such voice", passing: false }
        case "timeout":
        case "crashed":
        case "bad-output":
        case "busy":
          return {
            code: `engine_${failure.reason.replaceAll("-", "_")}`,
            message: engineTroubles[failure.reason],
            passing: true
          }
      }
  }
}

/** Engine errors for clients. The engine's own words may name addresses, programs and folders. */
const engineTroubles = {
  timeout: "the speech engine took too long",
  crashed: "the speech engine crashed on this text",
  "bad-output": "the speech engine returned no usable audio",
  busy: "the speech engine is busy"
}
