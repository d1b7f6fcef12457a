/** Assembles and runs the speech service: `serve` as its own process, `embedded` inside another. */
import { Context, Effect, Layer, Schedule, Stream, type Redacted, type Scope } from "effect"
import type { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import type { Engine } from "../engines/Engine.ts"
import { KeyStore } from "./accounts/KeyStore.ts"
import { RateLimiter } from "./accounts/RateLimiter.ts"
import { catalogueLayer } from "./catalogue/CatalogueRefresh.ts"
import type { CatalogueRejected } from "./catalogue/CatalogueResolver.ts"
import { EngineSet } from "./catalogue/EngineSet.ts"
import type { ServiceConfig } from "./config/ServiceConfig.ts"
import type { ConfigRejected } from "./config/ServiceConfigFile.ts"
import { ServiceOptions } from "./config/ServiceOptions.ts"
import { EngineRota } from "./failover/EngineRota.ts"
import { ServiceHealth } from "./failover/ServiceHealth.ts"
import { ServiceMetrics } from "./failover/ServiceMetrics.ts"
import type { ListenFailed } from "./http/HttpServer.ts"
import { makeTimeSlices } from "./TimeSlices.ts"
import { WebServer } from "./WebApp.ts"
import { serviceDatabase } from "./storage/Database.ts"
import { DataFolder, type DataFolderUnusable } from "./storage/DataFolder.ts"
import { folderStore } from "./storage/FileStore.ts"
import { WebhookSignature } from "./storage/WebhookSignature.ts"
import { webhookSending } from "./WebhookSender.ts"
import { HttpTransport } from "../gateway/exchange/HttpTransport.ts"
import { GivesWay } from "../system/BackgroundPriority.ts"
import { Secret } from "./storage/Secret.ts"
import type { SharedStorageUrls } from "./storage/SharedStorageUrls.ts"
import { TaskFiles } from "./storage/TaskFiles.ts"
import { TaskEvents } from "./tasks/TaskEvents.ts"
import { TaskFeed } from "./requests/TaskFeed.ts"
import { TaskIntake } from "./requests/TaskIntake.ts"
import { TaskQueue } from "./tasks/TaskQueue.ts"
import { taskRetention } from "./tasks/TaskRetention.ts"
import { TaskStore } from "./tasks/TaskStore.ts"
import { TaskWaiting } from "./requests/TaskWaiting.ts"
import { TaskWorkers, deathsOfATask } from "./tasks/TaskWorkers.ts"
import { Catalogue } from "./catalogue/Catalogue.ts"
import { Replica } from "./storage/Replica.ts"

/** Where the service listens and where it stores its data. */
export interface ServeOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Created if missing. Only one service may use it at a time. */
  readonly dataDir: string
  /** The storage that this service shares with its replicas; if absent, all data is in the data folder. */
  readonly shared?: SharedStorageUrls
  readonly config: ServiceConfig
  /** Engines of the host program, by the names that providers use for them. */
  readonly engines?: ReadonlyMap<string, Engine>
}

/** Errors that prevent the service from starting. Each message is one line and says how to fix it. */
export type ServeFailed = DataFolderUnusable | ConfigRejected | CatalogueRejected | ListenFailed

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
  Layer.build(service({ ...options, durable: true, candid: false, drain: 20 })).pipe(
    Effect.withScheduler(makeTimeSlices()),
    Effect.provideService(GivesWay, true),
    Effect.map((built) => ({ address: Context.get(built, WebServer).address }))
  )

/** Options of a service that runs inside another process. */
export interface EmbeddedOptions {
  readonly dataDir: string
  readonly config?: ServiceConfig
  readonly engines?: ReadonlyMap<string, Engine>
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
    const { dataDir, engines, config = {} } = options
    const built = yield* Layer.build(
      service({
        host: "127.0.0.1",
        port: 0,
        dataDir,
        ...(engines === undefined ? {} : { engines }),
        config: { ...config, audio: { format: "wav", ...config.audio } },
        // The only client is the process that runs it.
        durable: false,
        candid: true,
        drain: 0
      })
    )
    const { address } = Context.get(built, WebServer)
    return { address, key: yield* Context.get(built, KeyStore).embed }
  })

/** How to run the service. */
interface RunOptions extends ServeOptions {
  readonly durable: boolean
  readonly candid: boolean
  /** Default of `limits.drain`, in seconds. */
  readonly drain: number
}

/** The whole service. Each line needs only those below it, and ends before them. */
const service = ({ dataDir, durable, drain, shared, ...options }: RunOptions) =>
  draining(options.config.limits?.drain ?? drain).pipe(
    Layer.provideMerge(Layer.mergeAll(taskRetention, webhookSending, replication)),
    Layer.provideMerge(WebServer.Default),
    Layer.provideMerge(Layer.mergeAll(TaskFeed.Default, TaskIntake.Default, TaskWaiting.Default)),
    Layer.provideMerge(TaskWorkers.Default),
    Layer.provideMerge(
      Layer.mergeAll(TaskStore.Default, TaskQueue.Default, KeyStore.Default, TaskEvents.Default)
    ),
    Layer.provideMerge(EngineRota.Default),
    Layer.provideMerge(Layer.mergeAll(ServiceHealth.Default, ServiceMetrics.Default, RateLimiter.Default)),
    Layer.provideMerge(catalogueLayer),
    Layer.provideMerge(EngineSet.layer),
    Layer.provideMerge(TaskFiles.Default),
    Layer.provideMerge(Layer.mergeAll(WebhookSignature.Default, HttpTransport.Default)),
    Layer.provideMerge(
      shared === undefined ? ownStorage : sharedStorage(shared, options.config.limits?.lease)
    ),
    Layer.provideMerge(DataFolder.locked({ path: dataDir, durable })),
    Layer.provide(Layer.succeed(ServiceOptions, options))
  )

/** Everything in the data folder. */
const ownStorage = Layer.mergeAll(serviceDatabase, folderStore, Secret.Default)

/** Storage that replicas share. Its code is loaded when it is used. */
const sharedStorage = (urls: SharedStorageUrls, lease: number | undefined) =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("./storage/SharedStorage.ts")),
      (shared) => shared.sharedStorage(urls, lease)
    )
  )

/** At the end, waits for the tasks in flight, while the service still answers. */
const draining = (seconds: number) =>
  Layer.scopedDiscard(
    Effect.flatMap(TaskWorkers, ({ drain }) =>
      // Finalizers are uninterruptible by default: without this the timeout would have no effect.
      Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(drain), `${seconds} seconds`))
    )
  )

/** Runs beside the workers if this process is a replica, and signs off at the end. */
const replication = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { sharing } = yield* Replica
    if (sharing === undefined) return
    const catalogue = yield* Catalogue
    const queue = yield* TaskQueue
    const workers = yield* TaskWorkers
    const events = yield* TaskEvents
    const beat = Effect.suspend(() => queue.beat([...catalogue.offer().providers.keys()]))
    const rescue = Effect.flatMap(queue.recover(deathsOfATask), (rescued) =>
      rescued.again + rescued.failed === 0
        ? Effect.void
        : Effect.annotateLogs(Effect.logInfo("recovered tasks of a replica that died"), rescued)
    )
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.sandbox(queue.leave)))
    yield* Effect.forkScoped(
      Effect.repeat(
        Effect.catchAllCause(Effect.zipRight(beat, rescue), (cause) =>
          Effect.logError("cannot reach the database yet", cause)
        ),
        Schedule.spaced(sharing.lease / 3)
      )
    )
    yield* Effect.forkScoped(
      Stream.runForEach(sharing.changes, ({ account, taskId, status, provider }) =>
        Effect.zipRight(
          events.reported(account, taskId),
          status === "queued" ? workers.wake(provider) : Effect.void
        )
      )
    )
  })
)
