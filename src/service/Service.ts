/** Assembles and runs the speech service: `serve` as its own process, `embedded` inside another. */
import { HttpMiddleware } from "@effect/platform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Context, Effect, Layer, type Redacted, Schedule, type Scope } from "effect"
import { SampleRate } from "../domain/time/Units.ts"
import { version } from "../domain/values/Version.ts"
import type { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import { lockFolder } from "../store/state/WriterLock.ts"
import type { TaskAudioSettings } from "./tasks/TaskAudio.ts"
import { Catalogue } from "./catalogue/Catalogue.ts"
import type { CatalogueRejected } from "./catalogue/CatalogueResolver.ts"
import * as Database from "./storage/Database.ts"
import { RequestContext } from "./http/RequestContext.ts"
import * as EngineSet from "./catalogue/EngineSet.ts"
import * as Health from "./health/ServiceHealth.ts"
import * as KeyStore from "./accounts/KeyStore.ts"
import { listenHttp, type ListenFailed } from "./http/HttpServer.ts"
import { ServiceMetrics } from "./health/ServiceMetrics.ts"
import { refreshCatalogue } from "./catalogue/CatalogueRefresh.ts"
import * as Pace from "./accounts/RateLimiter.ts"
import * as Secret from "./storage/Secret.ts"
import type { ServiceConfig } from "./config/ServiceConfig.ts"
import type { ConfigRejected } from "./config/ServiceConfigFile.ts"
import * as TaskFiles from "./storage/TaskFiles.ts"
import { TaskStore } from "./tasks/TaskStore.ts"
import { webApp } from "./http/WebApp.ts"
import * as Workers from "./tasks/TaskWorkers.ts"

/** Where the service listens and what it keeps. */
export interface ServeOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Created if missing. Only one service may use it at a time. */
  readonly dataDir: string
  readonly config: ServiceConfig
  /** Engines of the host program, by the names that providers use for them. */
  readonly engines?: EngineSet.EngineSet
}

/** Errors that prevent the service from starting. Each message is one line and says how to fix it. */
export type ServeFailed = Database.DataFolderUnusable | ConfigRejected | CatalogueRejected | ListenFailed

/** A listening service. */
export interface Serving {
  /** `http://HOST:PORT`. */
  readonly address: string
}

/**
 * Starts the service; it listens once this succeeds, until the scope closes. Closing waits for in-flight tasks, up to
 * `limits.drain` seconds. Meanwhile the service rejects new tasks and still answers all other requests.
 */
export const serve = (options: ServeOptions): Effect.Effect<Serving, ServeFailed, Scope.Scope | Ffmpeg> =>
  Effect.map(
    run(options, { durable: true, candid: false, drain: options.config.limits?.drain ?? 20 }),
    ({ address }) => ({ address })
  )

/** Options of a service that runs inside another process. */
export interface EmbeddedOptions {
  readonly dataDir: string
  readonly config?: ServiceConfig
  readonly engines?: EngineSet.EngineSet
}

/**
 * Runs the service inside this process, on a free loopback port. Returns a key to a hidden account without a credit
 * limit. The account and its tasks stay in the data folder, so a later run finds them; the key is new each time.
 * Audio is WAV unless the settings say otherwise: compressing gains nothing within one machine.
 */
export const embedded = (
  options: EmbeddedOptions
): Effect.Effect<Serving & { readonly key: Redacted.Redacted<string> }, ServeFailed, Scope.Scope | Ffmpeg> =>
  Effect.gen(function* () {
    const config = options.config ?? {}
    const { address, keys } = yield* run(
      {
        host: "127.0.0.1",
        port: 0,
        dataDir: options.dataDir,
        ...(options.engines === undefined ? {} : { engines: options.engines }),
        config: { ...config, audio: { format: "wav", ...config.audio } }
      },
      // The only client is the process that runs it.
      { durable: false, candid: true, drain: config.limits?.drain ?? 0 }
    )
    return { address, key: yield* keys.embed }
  })

/** A task that was in flight at this many crashes of the service fails. */
const deathsOfATask = 20

/** How to run the service; `drain` is in seconds. */
interface Manner {
  readonly durable: boolean
  /** Whether clients see an engine's own error messages. */
  readonly candid: boolean
  readonly drain: number
}

const run = (options: ServeOptions, manner: Manner) =>
  Effect.gen(function* () {
    const { config, dataDir } = options
    const { limits = {}, keep = {} } = config
    yield* Database.makeDataFolder(dataDir)
    yield* lockFolder(dataDir).pipe(
      Effect.mapError(
        (failure) =>
          new Database.DataFolderUnusable({
            folder: dataDir,
            detail:
              failure._tag === "StateBusy"
                ? `another service uses this data folder${failure.holder === undefined ? "" : ` (process ${failure.holder.pid})`}; stop it, or choose another folder with --data`
                : failure.message
          })
      )
    )
    const secret = yield* Secret.loadSecret(dataDir)
    const database = yield* Layer.build(
      Layer.fresh(Database.serviceDatabase(dataDir, { durable: manner.durable }))
    )
    const sql = Context.get(database, SqlClient)
    const keys = KeyStore.makeKeyStore(sql, secret)
    const engines = yield* EngineSet.openEngines(config, options.engines)
    const catalogue = yield* refreshCatalogue(config, engines)
    const files = TaskFiles.makeTaskFiles(dataDir, secret, {
      addressSeconds: (keep.addressHours ?? 24) * 3_600,
      durable: manner.durable
    })
    yield* files.prepare
    const health = yield* Health.makeServiceHealth(dataDir, engines, limits.freeDisk ?? 50_000_000)
    const metrics = new ServiceMetrics()
    let draining = false

    const store = yield* Effect.provide(
      TaskStore,
      Layer.provide(TaskStore.layer, Layer.succeedContext(database))
    )
    const recovered = yield* store.recover(deathsOfATask, [...catalogue.offer().providers.keys()])
    if (recovered.again + recovered.failed > 0) {
      yield* Effect.logInfo("recovered tasks of an earlier run").pipe(Effect.annotateLogs(recovered))
    }
    const services = Context.empty().pipe(
      Context.add(TaskStore, store),
      Context.add(TaskFiles.TaskFiles, files),
      Context.add(Health.ServiceHealth, health),
      Context.add(Catalogue, catalogue)
    )
    const workers = yield* Effect.provide(
      Workers.startWorkers({
        catalogue,
        engines,
        metrics,
        candid: manner.candid,
        audio: audioOf(config),
        attempts: limits.attempts ?? 3,
        timeout: `${limits.taskTimeout ?? 900} seconds`
      }),
      services
    )
    const requestContext: Context.Tag.Service<RequestContext> = {
      version,
      bodyBytes: limits.bodyBytes ?? 256_000,
      timeline: limits.timeline ?? 14_400,
      queue: limits.queue ?? 10_000,
      candid: manner.candid,
      publicUrl: config.publicUrl,
      draining: () => draining,
      wake: workers.wake,
      recognise: keys.recognise,
      pace: Pace.makeRateLimiter(limits.requestsPerSecond)
    }
    const app = yield* webApp(Context.add(services, RequestContext, requestContext), metrics)
    // Without this, every request and database query would create an unused span.
    const handler = yield* NodeHttpServer.makeHandler(app).pipe(
      Effect.locally(HttpMiddleware.currentTracerDisabledWhen, () => true),
      Effect.withTracerEnabled(false),
      Effect.provide(NodeHttpServer.layerContext)
    )
    const { address } = yield* listenHttp(handler, {
      host: options.host,
      port: options.port,
      connections: limits.connections ?? 2_000,
      requestSeconds: limits.requestTimeout ?? 30
    })
    yield* Effect.forkScoped(Effect.provide(forgetting((keep.days ?? 30) * 86_400_000), services))
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        draining = true
        // Finalizers are uninterruptible by default: without this the timeout would have no effect.
        yield* Effect.timeoutOption(Effect.interruptible(workers.finish), `${manner.drain} seconds`)
      })
    )
    return { address, keys }
  })

const audioOf = ({ audio = {} }: ServiceConfig): TaskAudioSettings =>
  audio.format === "wav"
    ? { format: "wav", rate: audio.rate === undefined ? undefined : SampleRate.make(audio.rate) }
    : { format: "mp3", rate: SampleRate.make(audio.rate ?? 24_000), bitrate: audio.bitrate ?? 96 }

/** Deletes tasks that ended more than `age` milliseconds ago, and files without a task. Failures are retried later. */
const forgetting = (age: number) =>
  Effect.gen(function* () {
    const store = yield* TaskStore
    const files = yield* TaskFiles.TaskFiles
    yield* orLater(files.sweep(store.existing))
    const old = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const expired = yield* store.expire(now - age, 200)
      yield* Effect.forEach(expired, files.remove, { discard: true })
      return expired.length
    })
    const all = Effect.repeat(old, { until: (count) => count < 200 })
    yield* Effect.repeat(
      orLater(all),
      Schedule.spaced(`${Math.min(600_000, Math.max(1_000, age / 10))} millis`)
    )
  })

/** Logs a defect instead of failing: a full disk or a locked database is temporary. */
const orLater = <A>(work: Effect.Effect<A>): Effect.Effect<void> =>
  Effect.catchAllDefect(Effect.asVoid(work), (defect) =>
    Effect.logError("cannot delete expired tasks yet", defect)
  )
