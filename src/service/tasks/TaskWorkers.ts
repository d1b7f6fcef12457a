/** The workers: so many a provider, each taking the oldest waiting task, speaking it, and writing down how it ended. */
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

/** What workers need besides the tasks. */
export interface WorkerOptions {
  readonly catalogue: Context.Tag.Service<Catalogue>
  readonly engines: EngineSet
  readonly metrics: ServiceMetrics
  /** Whether a failed task tells its owner an engine's own words, in which addresses and programs may be named. */
  readonly candid: boolean
  readonly audio: TaskAudioSettings
  /** Tries of a task whose failure may pass. */
  readonly attempts: number
  /** The longest that one try may take. */
  readonly timeout: Duration.DurationInput
}

/** Starts the workers; they end with the scope, and a task that one of them holds then waits again. */
export const startWorkers = Effect.fnUntraced(function* (options: WorkerOptions) {
  const providers = [...options.catalogue.offer().providers.values()].flatMap((provider) => {
    const engine = options.engines.get(provider.engine)
    return engine === undefined ? [] : [{ provider, engine }]
  })
  const size = providers.reduce((sum, { provider }) => sum + provider.concurrency, 0)
  // A worker holds a permit while it has a task: whoever holds all of them knows that no task is under way.
  const permits = yield* Effect.makeSemaphore(size)
  const gate = yield* Effect.makeLatch(true)
  const bells = new Map<string, Queue.Queue<void>>()
  for (const { provider, engine } of providers) {
    // A bell for each worker is enough: whoever hears one goes on until nothing waits.
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
        // A fault of ours costs one task, never the worker.
        Effect.catchAllCause((cause) =>
          Cause.isInterrupted(cause)
            ? Effect.failCause(cause)
            : Effect.as(Effect.logError("a worker stumbled", cause), waiting)
        ),
        Effect.flatMap((next) => afterwards[next])
      )
    )
    yield* Effect.replicateEffect(Effect.forkScoped(worker), provider.concurrency)
  }
  return {
    /** Tells a provider's workers of a new task. */
    wake: (provider: string): Effect.Effect<void> => {
      const bell = bells.get(provider)
      return bell === undefined ? Effect.void : Effect.asVoid(Queue.offer(bell, undefined))
    },
    /** Lets the tasks under way come to their end, and no further one begin. */
    finish: Effect.zipRight(gate.close, Effect.asVoid(permits.take(size)))
  }
})

/**
 * Whether tasks of a provider wait that could not be spoken now: its engine cannot work or has not told its voices, or
 * the disk has no room. They go on waiting then, instead of failing one after the other. That they do, and that they do
 * no longer, stands in the log once.
 */
const obstacleFor = (provider: ServedProvider, options: WorkerOptions) =>
  Effect.map(Effect.all([TaskStore, ServiceHealth]), ([store, health]) => {
    let told: HealthProblem | undefined
    return Effect.gen(function* () {
      const complete = options.catalogue.offer().providers.get(provider.id)?.complete === true
      const trouble = complete
        ? Option.getOrUndefined(yield* health.trouble(provider.engine))
        : ("engine_unavailable" as const)
      const hindered = trouble !== undefined && (yield* store.waits(provider.id))
      if (hindered && told !== trouble) {
        yield* Effect.annotateLogs(Effect.logWarning("tasks wait"), { code: trouble })
        told = trouble
      }
      if (trouble === undefined && told !== undefined) {
        yield* Effect.logInfo("tasks go on")
        told = undefined
      }
      return hindered
    }).pipe(Effect.annotateLogs({ provider: provider.id }))
  })

/** What a worker does next: take another task, listen for one, or wait a while. */
type Next = "go-on" | "listen" | "wait"
const waiting: Next = "wait"
const goingOn: Next = "go-on"

/** Takes the next task, if any waits, and sees it to its end. */
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

/** Lets a part of what cannot be interrupted be so again. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Speaks one task and writes down how it ended; where the worker is stopped meanwhile, the task waits again. */
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
      ? Effect.logError("a task failed for a fault in the service", tried.cause)
      : Effect.logWarning("task failed").pipe(Effect.annotateLogs({ code, reason }))
    yield* surely(store.fail(task.taskId, code, options.candid ? reason : message), restore)
    options.metrics.task(provider.id, "failed", task.characters, taken)
  }).pipe(Effect.annotateLogs({ task_id: task.taskId, provider: provider.id }))

/**
 * Writes down how a task ended, however long the database cannot be written: what is not written down now, nobody would
 * take up before the next start. Only a stop comes between two tries; the task then waits again.
 */
const surely = <A>(write: Effect.Effect<A>, restore: Restore): Effect.Effect<A> => {
  const tried = Effect.sandbox(write).pipe(
    Effect.tapError((cause) => Effect.logError("how a task ended cannot be written down yet", cause))
  )
  const later = Effect.delay(Effect.uninterruptible(tried), "1 second")
  return tried.pipe(
    Effect.catchAll(() => restore(Effect.retry(later, untilWritten))),
    Effect.unsandbox
  )
}

/** A second, then twice as long each time, up to half a minute. */
const untilWritten = Schedule.union(Schedule.exponential("1 second"), Schedule.spaced("30 seconds"))

/**
 * Tries a task as often as its failure may pass, with longer and longer pauses, and leaves its files in their place.
 */
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

/** Half a second, then twice as long each time, and never before an engine that is busy wants to be asked again. */
const patience = Schedule.exponential("500 millis").pipe(
  Schedule.jittered,
  Schedule.passthrough<Duration.Duration, Failure, never>,
  Schedule.modifyDelay((failure, delay) =>
    Duration.max(delay, Duration.seconds(failure._tag === "SpeechFailed" ? (failure.retryAfter ?? 0) : 0))
  )
)

const notOffered = { _tag: "NotOffered" } as const
const tooSlow = { _tag: "TooSlow" } as const
const ourFault = { code: "internal", message: "a fault in the service; it has been logged" }

type Failure = EngineUnavailable | SpeechFailed | FilesUnwritable | typeof notOffered | typeof tooSlow

/** What the log says of a failure: all that is known of it, which its owner need not be told. */
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

/** What a failed task tells its owner, and whether the next try may fare better. */
const verdictOf = (
  failure: Failure
): { readonly code: string; readonly message: string; readonly passing: boolean } => {
  switch (failure._tag) {
    case "EngineUnavailable":
      return { code: "engine_unavailable", message: "the speech engine cannot work now", passing: true }
    case "FilesUnwritable":
      return {
        code: failure.full ? "disk_full" : "storage",
        message: failure.full ? "the service's disk is full" : "the service could not keep the audio",
        passing: !failure.full
      }
    case "NotOffered":
      return { code: "not_offered", message: "the voice or the model is offered no longer", passing: false }
    case "TooSlow":
      return { code: "timeout", message: "speaking took longer than the service allows", passing: false }
    case "SpeechFailed":
      switch (failure.reason) {
        // What lies in the request is told in the engine's words: nobody else can mend it.
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

/** What is wrong with an engine, without its own words: they may name addresses, programs and folders. */
const engineTroubles = {
  timeout: "the speech engine took too long",
  crashed: "the speech engine broke down over it",
  "bad-output": "the speech engine gave no audio that can be used",
  busy: "the speech engine is busy"
}
