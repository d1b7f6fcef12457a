/** Task workers, `concurrency` per provider. Each claims a queued task, speaks it and records the outcome. */
import { stat, open } from "node:fs/promises"
import { join } from "node:path"
import { Cause, Clock, Duration, Effect, Exit, Option, Queue, Schedule } from "effect"
import { millisAt, SampleRate } from "../../domain/time/Units.ts"
import { lazySpeechAligner } from "../../engines/local/alignment/LazyAligner.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import type { Task } from "../../contract/Task.ts"
import type { ServiceConfig } from "../config/ServiceConfig.ts"
import { GivesWay } from "../../system/BackgroundPriority.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { Catalogue, type ServedModel, type ServedProvider } from "../catalogue/Catalogue.ts"
import { EngineRota, type NoEngineLeft, type SpeakTask } from "../failover/EngineRota.ts"
import type { HealthProblem } from "../failover/ServiceHealth.ts"
import { ServiceMetrics } from "../failover/ServiceMetrics.ts"
import { synthesizeTask, blocksOf, type SynthesizedTask } from "./Synthesis.ts"
import { Replica } from "../storage/Replica.ts"
import { RateLimiter } from "../accounts/RateLimiter.ts"
import { TaskFiles } from "../storage/TaskFiles.ts"
import { TaskEvents } from "./TaskEvents.ts"
import { TaskQueue } from "./TaskQueue.ts"
import { TaskStore } from "./TaskStore.ts"
import type { ClaimedTask, Outcome } from "./TaskRecord.ts"
import { inTaskTrace } from "./TaskTraces.ts"
import { taskJson, taskSrt } from "./TaskTranscript.ts"
import { fromInt16 } from "../../audio/pcm/Pcm.ts"
import { sampleBytesOf, wavHeader } from "../../audio/formats/WavHeader.ts"
import { FilesUnwritable, unwritable } from "../storage/FileStore.ts"
import { type EngineUnavailable, passingReasons, type SpeechFailed } from "../../engines/Engine.ts"

/** A task that was in flight at this many crashes of the service fails. */
export const deathsOfATask = 20
/** Part of the time for which the thread that answers is busy. From this on, requests wait. */
const busy = 0.9
/** Milliseconds of the longest rest. Longer tasks take most of their time in an engine, not in this thread. */
const maxRest = 5_000
/** How often replicas look for tasks without a signal, which may be lost while the database is unreachable. */
const lookAgain = "5 seconds"

const make = Effect.gen(function* () {
  const { config, candid } = yield* ServiceOptions
  const catalogue = yield* Catalogue
  const rota = yield* EngineRota
  const metrics = yield* ServiceMetrics
  const queue = yield* TaskQueue
  const limiter = yield* RateLimiter
  const tasks = yield* TaskStore
  const { sharing } = yield* Replica
  const events = yield* TaskEvents
  const files = yield* TaskFiles
  const aligner = yield* lazySpeechAligner
  const audio = audioOf(config)
  const attempts = config.limits?.attempts ?? 3
  const timeout = Duration.seconds(config.limits?.taskTimeout ?? 900)
  let draining = false
  /** Mean seconds that each provider's latest tasks took. */
  const paces = new Map<string, number>()

  const offered = [...catalogue.offer().providers.keys()]
  yield* queue.beat(offered)
  const recovered = yield* queue.recover(deathsOfATask, offered)
  if (recovered.again + recovered.failed > 0)
    yield* Effect.logInfo("recovered tasks of an earlier run").pipe(Effect.annotateLogs(recovered))

  /** Speaks a task with one engine and publishes its files. */
  const speakWith =
    (task: ClaimedTask, model: ServedModel): SpeakTask<Omit<Outcome, "engine">, TaskFailure, Ffmpeg> =>
    (engine, voice) =>
      Effect.gen(function* () {
        const timed = task.wantSrt || task.wantJson
        const spoken = yield* synthesizeTask(engine, { ...task, voice, model, timed }, aligner)
        const workshop = yield* files.workshop(task.taskId)
        const { format } = audio
        const file = join(workshop, `${task.taskId}.${format}`)
        yield* writeAudio(file, spoken, audio)
        const { size } = yield* Effect.promise(() => stat(file))
        if (task.wantSrt) yield* files.write(workshop, task.taskId, "srt", taskSrt(spoken.captions))
        const duration = millisAt(spoken.frames, spoken.rate)
        if (task.wantJson)
          yield* files.write(workshop, task.taskId, "json", taskJson({ ...spoken, duration }))
        yield* files.publish(workshop, task.taskId)
        return { durationMs: duration, bytes: size, format, hasSrt: task.wantSrt, hasJson: task.wantJson }
      }).pipe(Effect.scoped, Effect.timeoutFail({ duration: timeout, onTimeout: () => tooSlow }))

  /** Speaks a task with the provider's engines. Retries temporary failures with backoff. */
  const attempt = (provider: ServedProvider, task: ClaimedTask) =>
    Effect.gen(function* () {
      const offer = catalogue.offer()
      const voice = offer.voices.get(task.voice)
      const model = offer.providers.get(provider.id)?.models.find((each) => each.wire.model_id === task.model)
      if (voice === undefined || model === undefined) return yield* Effect.fail(notOffered)
      const { value, engine } = yield* rota.speak(provider, voice, speakWith(task, model))
      return { ...value, engine }
    }).pipe(
      Effect.retry({
        while: (failure) => failure._tag !== "NoEngineLeft" && verdictOf(failure).passing,
        times: attempts - 1,
        schedule: patience
      })
    )

  /** Speaks one task and records the outcome. If the worker is interrupted, queues the task again. */
  const settle = (provider: ServedProvider, task: ClaimedTask, restore: Restore) =>
    Effect.gen(function* () {
      yield* events.changed(task.account, task.taskId)
      const began = yield* Clock.currentTimeMillis
      const tried = yield* Effect.exit(restore(attempt(provider, task)))
      const taken = ((yield* Clock.currentTimeMillis) - began) / 1000
      if (Exit.isSuccess(tried)) {
        const kept = yield* surely(queue.finish(task.taskId, tried.value), restore)
        // Its owner deleted it, or another replica speaks it now.
        if (!kept && Option.isNone(yield* tasks.read(task.account, task.taskId)))
          yield* files.remove(task.taskId)
        metrics.task(provider.id, "done", task.characters, taken)
        paces.set(provider.id, 0.9 * (paces.get(provider.id) ?? taken) + 0.1 * taken)
        yield* Effect.logInfo("task done").pipe(
          Effect.annotateLogs({ seconds: taken, engine: tried.value.engine })
        )
        return goingOn
      }
      if (Cause.isInterrupted(tried.cause)) {
        yield* surely(queue.giveBack(task.taskId), restore)
        return yield* Effect.interrupt
      }
      const failure = Option.getOrUndefined(Cause.failureOption(tried.cause))
      if (failure?._tag === "NoEngineLeft") {
        yield* surely(queue.giveBack(task.taskId), restore)
        return waiting
      }
      const { code, message } = failure === undefined ? internalFault : verdictOf(failure)
      const reason = failure === undefined ? message : detailOf(failure)
      yield* failure === undefined
        ? Effect.logError("task failed with an internal error", tried.cause)
        : Effect.logWarning("task failed").pipe(Effect.annotateLogs({ code, reason }))
      // Failing on purpose is free: it costs time.
      if (failure !== undefined && !verdictOf(failure).passing) yield* limiter.charge(task.account)
      yield* surely(queue.fail(task.taskId, code, candid ? reason : message), restore)
      metrics.task(provider.id, "failed", task.characters, taken)
      return goingOn
    }).pipe(
      Effect.ensuring(events.changed(task.account, task.taskId)),
      Effect.annotateLogs({ task_id: task.taskId, provider: provider.id })
    )

  /** Rests after a task during which requests waited: speech then takes at most a quarter of the workers' time. */
  const thenRest = <A>(work: Effect.Effect<A, never, Ffmpeg>, restore: Restore) =>
    Effect.suspend(() => {
      const before = performance.eventLoopUtilization()
      const began = performance.now()
      return Effect.tap(work, () => {
        const { utilization } = performance.eventLoopUtilization(before)
        const rest = utilization < busy ? 0 : Math.min(3 * (performance.now() - began), maxRest)
        return restore(Effect.sleep(rest))
      })
    })

  const work = (yield* GivesWay) ? thenRest : <A>(effect: A): A => effect

  /** Claims the next queued task, if there is one, and processes it to its end. */
  const takeTask = (provider: ServedProvider) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        queue.claim(provider.id),
        Option.match({
          onNone: () => Effect.succeed<Next>("listen"),
          onSome: (task) => work(inTaskTrace(task.taskId, settle(provider, task, restore)), restore)
        })
      )
    )

  /**
   * Whether a provider has queued tasks that cannot be spoken now. The engine may be unavailable, its voices may be
   * unknown, or the disk may be full. The tasks then stay queued instead of failing one by one. Logs once when that
   * starts and once when it ends.
   */
  const obstacleFor = (provider: ServedProvider) => {
    let reported: HealthProblem | undefined
    return Effect.gen(function* () {
      const complete = catalogue.offer().providers.get(provider.id)?.complete === true
      const trouble = complete
        ? Option.getOrUndefined(yield* rota.trouble(provider))
        : ("engine_unavailable" as const)
      const hindered = trouble !== undefined && (yield* queue.waits(provider.id))
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
  }

  const providers = [...catalogue.offer().providers.values()]
  const size = providers.reduce((sum, { concurrency }) => sum + concurrency, 0)
  // A worker holds a permit while it has a task: holding all permits means that no task is in flight.
  const permits = yield* Effect.makeSemaphore(size)
  const gate = yield* Effect.makeLatch(true)
  const bells = new Map<string, Queue.Queue<void>>()
  for (const provider of providers) {
    // One signal per worker is enough: a woken worker continues until the queue is empty.
    const bell = yield* Queue.sliding<void>(provider.concurrency)
    bells.set(provider.id, bell)
    const obstacle = obstacleFor(provider)
    const takeOne = gate.whenOpen(permits.withPermits(1)(takeTask(provider)))
    const takeOrWait = Effect.flatMap(obstacle, (hindered) => (hindered ? Effect.succeed(waiting) : takeOne))
    const afterwards: Readonly<Record<Next, Effect.Effect<void>>> = {
      "go-on": Effect.void,
      listen:
        sharing === undefined
          ? Queue.take(bell)
          : Effect.asVoid(Effect.timeoutOption(Queue.take(bell), lookAgain)),
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

    /** When to expect a queued task: its place among its provider's tasks, and the seconds until it is spoken. */
    expected: (provider: string, position: number): Pick<Task, "queue_position" | "queue_seconds"> => {
      const pace = sharing === undefined ? paces.get(provider) : undefined
      const { concurrency = 1 } = catalogue.offer().providers.get(provider) ?? {}
      return {
        queue_position: position,
        ...(pace === undefined ? {} : { queue_seconds: Math.round((position * pace) / concurrency) })
      }
    },

    /** Whether the service is stopping: it accepts no more tasks. */
    draining: () => draining,

    /** Accepts and starts no further tasks, and waits until those in flight have ended. */
    drain: Effect.suspend(() => {
      draining = true
      return Effect.zipRight(gate.close, Effect.asVoid(permits.take(size)))
    })
  }
})

/** Speaks queued tasks until its scope closes; a task that a worker still holds is then queued again. */
export class TaskWorkers extends Effect.Service<TaskWorkers>()("service/TaskWorkers", { scoped: make }) {}

/** The format of the audio. A WAV without a rate keeps the engine's sample rate. */
const audioOf = ({ audio: { format = "mp3", rate, bitrate = 96 } = {} }: ServiceConfig) => {
  const wanted = rate ?? (format === "mp3" ? 24_000 : undefined)
  return { format, rate: wanted === undefined ? undefined : SampleRate.make(wanted), bitrate }
}
type TaskAudioSettings = ReturnType<typeof audioOf>

/** The next step of a worker: take another task, listen for a signal, or wait a second. */
type Next = "go-on" | "listen" | "wait"
const waiting: Next = "wait"
const goingOn: Next = "go-on"

/** Makes a part of an uninterruptible region interruptible again. */
type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Records a task's outcome, or queues it again, retrying until the database can be written. Otherwise the task would
 * stay `processing` until the next start. Only a shutdown interrupts the retries, between two attempts; the task is
 * then queued again.
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

/** Exponential backoff from 500 ms with jitter; never shorter than the engine's `retryAfter`. */
const patience = Schedule.exponential("500 millis").pipe(
  Schedule.jittered,
  Schedule.passthrough<Duration.Duration, TaskFailure | NoEngineLeft, never>,
  Schedule.modifyDelay((failure, delay) =>
    Duration.max(delay, Duration.seconds(failure._tag === "SpeechFailed" ? (failure.retryAfter ?? 0) : 0))
  )
)

/** Writes the file. The output is deterministic: equal speech gives equal bytes. */
const writeAudio = (path: string, spoken: SynthesizedTask, settings: TaskAudioSettings) =>
  settings.format === "wav" && (settings.rate === undefined || settings.rate === spoken.rate)
    ? writeWav(path, spoken)
    : encode(path, spoken, settings)

const encode = Effect.fnUntraced(function* (
  path: string,
  spoken: SynthesizedTask,
  settings: TaskAudioSettings
) {
  const ffmpeg = yield* Ffmpeg
  yield* ffmpeg
    .encode<never, never>(
      {
        feed: { rate: spoken.rate, channels: 1, frames: spoken.frames },
        sinks: [
          {
            path,
            rate: settings.rate ?? spoken.rate,
            format:
              settings.format === "mp3"
                ? { format: "mp3", bitrate: settings.bitrate }
                : { format: "wav", depth: 16 }
          }
        ]
      },
      floatsOf(blocksOf(spoken))
    )
    .pipe(
      Effect.mapError(
        (failure) => new FilesUnwritable({ detail: failure.message, full: failure._tag === "DiskFull" })
      )
    )
})

const floatsOf = function* (blocks: Iterable<Int16Array>) {
  for (const block of blocks) yield fromInt16(block)
}

const writeWav = (path: string, spoken: SynthesizedTask): Effect.Effect<void, FilesUnwritable> =>
  Effect.tryPromise({
    try: async () => {
      const file = await open(path, "wx", 0o600)
      try {
        await file.appendFile(
          wavHeader({ rate: spoken.rate, channels: 1, encoding: "int16", frames: spoken.frames })
        )
        for (const block of blocksOf(spoken)) await file.appendFile(sampleBytesOf(block))
      } finally {
        await file.close()
      }
    },
    catch: unwritable
  })

/** The task's voice or model is no longer offered. */
const notOffered = { _tag: "NotOffered" } as const
/** The attempt took too long. */
const tooSlow = { _tag: "TooSlow" } as const
/** The message about an internal error that a task's owner sees. */
const internalFault = { code: "internal", message: "internal error; it has been logged" }

/** Why an attempt at a task failed. */
type TaskFailure = EngineUnavailable | SpeechFailed | FilesUnwritable | typeof notOffered | typeof tooSlow

/** A failure's full detail, for the log. The task's owner need not see it. */
const detailOf = (failure: TaskFailure): string =>
  "detail" in failure ? failure.detail : verdictOf(failure).message

/** What the task's owner gets to know about a failure, and whether it is temporary. */
interface Verdict {
  readonly code: string
  readonly message: string
  readonly passing: boolean
}

/** Returns the verdict on a failure. */
export const verdictOf = (failure: TaskFailure): Verdict => {
  switch (failure._tag) {
    case "FilesUnwritable":
      return failure.full ? verdicts.DiskFull : verdicts.NotStored
    case "SpeechFailed": {
      const { reason, detail } = failure
      const passing = passingReasons.has(reason)
      const code = reason === "quota" ? "insufficient_quota" : reason.replaceAll("-", "_")
      return { code: passing ? `engine_${code}` : code, message: speechFaults[reason] ?? detail, passing }
    }
    default:
      return verdicts[failure._tag]
  }
}

const verdicts = {
  EngineUnavailable: {
    code: "engine_unavailable",
    message: "the speech engine does not respond; create the task again later",
    passing: true
  },
  DiskFull: {
    code: "disk_full",
    message: "the service's disk is full; tell its operator, and create the task again later",
    passing: false
  },
  NotStored: {
    code: "storage",
    message: "the service could not store the audio; create the task again later",
    passing: true
  },
  NotOffered: {
    code: "not_offered",
    message: "the voice or model is no longer available; choose another",
    passing: false
  },
  TooSlow: {
    code: "timeout",
    message: "synthesis took longer than the service allows; split the text",
    passing: false
  }
} satisfies Readonly<Record<string, Verdict>>

/**
 * Engine errors for clients: the engine's own words may name addresses, programs and folders. Faults of the request
 * itself keep them, because only the client can fix these.
 */
const speechFaults: Readonly<Partial<Record<SpeechFailed["reason"], string>>> = {
  "unknown-voice": "the engine has no such voice; choose another",
  quota:
    "the service's account with this provider is exhausted; ask the service's operator to add credits, then create the task again",
  timeout: "the speech engine took too long; create the task again later, or split the text",
  crashed: "the speech engine crashed on this text; change the text, or use another voice",
  "bad-output": "the speech engine returned no usable audio; create the task again, or use another voice",
  busy: "the speech engine is busy; create the task again later"
}
