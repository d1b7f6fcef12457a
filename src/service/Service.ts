/** The aggregation service, put together: `serve` for a process of its own, `embedded` inside another. */
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
  /** Made where it is missing. One service at a time. */
  readonly dataDir: string
  readonly config: ServiceConfig
}

/** What keeps the service from starting; each says in a line how to mend it. */
export type ServeFailed = Database.DataFolderUnusable | ConfigRejected | CatalogueRejected | ListenFailed

/** A service that listens. */
export interface Serving {
  /** `http://HOST:PORT`. */
  readonly address: string
}

/**
 * Runs the service until the scope closes; it listens when this succeeds. Closing lets the tasks under way come to
 * their end, within the time that the settings give, takes no new ones meanwhile and still answers all other requests.
 */
export const serve = (options: ServeOptions): Effect.Effect<Serving, ServeFailed, Scope.Scope | Ffmpeg> =>
  Effect.map(
    run(options, { durable: true, candid: false, drain: options.config.limits?.drain ?? 20 }),
    ({ address }) => ({ address })
  )

/** A service that another process carries inside it. */
export interface EmbeddedOptions {
  readonly dataDir: string
  readonly config?: ServiceConfig
}

/**
 * Runs the service inside this process, on a free port that only this machine reaches, with a key of its own to an
 * account that has no limit and that no list shows. The account and its tasks stay in the data folder, so a later run
 * finds them again; the key is new each time. Audio is WAV unless the settings say otherwise: both ends are here, and
 * nothing is gained by packing it.
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
        config: { ...config, audio: { format: "wav", ...config.audio } }
      },
      // Its one client is whoever runs it.
      { durable: false, candid: true, drain: config.limits?.drain ?? 0 }
    )
    return { address, key: yield* keys.embed }
  })

/** How a task that was under way each time the service died is treated: after so many deaths it has failed. */
const deathsOfATask = 20

/** How a service is run; `drain` is in seconds. */
interface Manner {
  readonly durable: boolean
  /** Whether clients are told an engine's own words. */
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
                ? `another service runs on this data folder${failure.holder === undefined ? "" : `, process ${failure.holder.pid}`}; stop it, or name another with --data`
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
    const engines = yield* EngineSet.openEngines(config)
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
      yield* Effect.logInfo("tasks of an earlier run").pipe(Effect.annotateLogs(recovered))
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
    const desk: Context.Tag.Service<RequestContext> = {
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
    const app = yield* webApp(Context.add(services, RequestContext, desk), metrics)
    // Spans that nobody collects would be made for each request and each question to the database.
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
        // A finalizer cannot be interrupted unless it allows it: without that, its time limit would not hold.
        yield* Effect.timeoutOption(Effect.interruptible(workers.finish), `${manner.drain} seconds`)
      })
    )
    return { address, keys }
  })

const audioOf = ({ audio = {} }: ServiceConfig): TaskAudioSettings =>
  audio.format === "wav"
    ? { format: "wav", rate: audio.rate === undefined ? undefined : SampleRate.make(audio.rate) }
    : { format: "mp3", rate: SampleRate.make(audio.rate ?? 24_000), bitrate: audio.bitrate ?? 96 }

/**
 * Forgets tasks that ended so many milliseconds ago, and files whose task is gone. What cannot be forgotten now is
 * tried again later.
 */
const forgetting = (age: number) =>
  Effect.gen(function* () {
    const store = yield* TaskStore
    const files = yield* TaskFiles.TaskFiles
    yield* orLater(files.sweep(store.existing))
    const old = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const gone = yield* store.expire(now - age, 200)
      yield* Effect.forEach(gone, files.remove, { discard: true })
      return gone.length
    })
    const all = Effect.repeat(old, { until: (count) => count < 200 })
    yield* Effect.repeat(
      orLater(all),
      Schedule.spaced(`${Math.min(600_000, Math.max(1_000, age / 10))} millis`)
    )
  })

/** A full disk or a locked database passes. */
const orLater = <A>(work: Effect.Effect<A>): Effect.Effect<void> =>
  Effect.catchAllDefect(Effect.asVoid(work), (defect) =>
    Effect.logError("what is old cannot be forgotten yet", defect)
  )
