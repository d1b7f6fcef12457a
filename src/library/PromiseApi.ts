/** The library as promises: `dub`, `plan`, `verify` and `serve` of the package's main entry. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { Cause, ConfigProvider, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { createKey } from "../service/accounts/KeyManagement.ts"
import type { KeyOptions } from "../service/accounts/KeyRecord.ts"
import type { ServiceConfig } from "../service/config/ServiceConfig.ts"
import { decodeConfig } from "../service/config/ServiceConfigFile.ts"
import { serve } from "../service/Service.ts"
import type { ProgressEvent } from "../pipeline/Progress.ts"
import { silent } from "../pipeline/Progress.ts"
import { dubInEffect, planInEffect, verifyInEffect } from "./EffectApi.ts"
import { engineOf, type SpeechEngine } from "./EngineFunction.ts"
import { ffmpegAt, ffmpegOnPath } from "./layers/FfmpegLayers.ts"
import { type ListenerFault, type LogEntry, logTo, progressTo } from "./layers/Listeners.ts"
import { embeddedService, engineService, manifestService, remoteService } from "./layers/ServiceLayers.ts"
import type { BatchCallOptions, DubCallOptions } from "./LibraryOptions.ts"
import type { DubOutcome, PlanOutcome, VerifyOutcome } from "./Outcomes.ts"

/** The service that speaks: the bundled one in this process, a remote one, or an engine. */
export type ServiceChoice =
  | "embedded"
  /** Without `url`, the manifest names the service. */
  | { readonly url?: string | undefined; readonly key: string }
  | SpeechEngine

/** Options of every function. */
export interface HostOptions {
  /** Interrupts the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The path of ffmpeg; default: the one on PATH, else the one in an npm package. */
  readonly ffmpeg?: string | undefined
  /** Receives log entries; without it, they are discarded. */
  readonly onLog?: ((entry: LogEntry) => unknown) | undefined
}

/** Environment variables that a function may read. */
export type EnvironmentValues = Readonly<Record<string, string | undefined>>

/** Options of every function on a batch. */
export interface SpeakingOptions extends HostOptions {
  /** Variables with addresses and keys of the manifest's `listen` and `rewrite`; default: none. */
  readonly env?: EnvironmentValues | undefined
  /** Default: the service that the manifest names, else the bundled one, which needs no account. */
  readonly service?: ServiceChoice | undefined
}

/** Options of `dub`. */
export type DubPromiseOptions = DubCallOptions &
  SpeakingOptions & {
    /** Hears every event of the run. An exception in it does not affect the run. */
    readonly onProgress?: ((event: ProgressEvent) => unknown) | undefined
  }

/** Options of `plan` and `verify`. */
export type BatchPromiseOptions = BatchCallOptions & SpeakingOptions

/** Dubs a batch. Rejects if it cannot start; a job that fails later is part of the result. */
export const dubAsync = async (options: DubPromiseOptions): Promise<DubOutcome> => {
  const { onProgress } = options
  const fault: ListenerFault = { message: undefined }
  const progress = onProgress === undefined ? silent : progressTo(onProgress, fault)
  const outcome = await promised(
    Effect.provide(dubInEffect(options), Layer.merge(batchLayer(options), progress)),
    options,
    options.env
  )
  return fault.message === undefined
    ? outcome
    : { ...outcome, notices: [...outcome.notices, `onProgress threw an error: ${fault.message}`] }
}

/** Plans a batch: finds the utterances that a run would send, and their price. Spends nothing and writes nothing. */
export const planAsync = (options: BatchPromiseOptions): Promise<PlanOutcome> =>
  promised(Effect.provide(planInEffect(options), batchLayer(options)), options, options.env)

/** Compares a batch's delivered audio with its reports, cue by cue. */
export const verifyAsync = (options: BatchPromiseOptions): Promise<VerifyOutcome> =>
  promised(Effect.provide(verifyInEffect(options), batchLayer(options)), options, options.env)

/** Options of `serve`. */
export interface ServeAsyncOptions extends HostOptions {
  /** The folder for accounts, tasks and audio; created if missing. One service may use it at a time. */
  readonly data: string
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined
  /** Default: 0, any free port. */
  readonly port?: number | undefined
  /** The settings of docs/service.md. */
  readonly config?: ServiceConfig | undefined
  /** Engines that providers in `config` may use, by their names. */
  readonly engines?: ReadonlyArray<SpeechEngine> | undefined
  /** Environment variables that engines in `config` may use; default: none. */
  readonly env?: EnvironmentValues | undefined
}

/** A service that listens. */
export interface RunningService {
  /** `http://HOST:PORT`. */
  readonly url: string
  /** Creates a key, by default of a new account without a credit limit. */
  readonly createKey: (options: KeyOptions) => Promise<string>
  /** Stops the service; tasks in flight are finished first, up to `limits.drain` seconds. */
  readonly close: () => Promise<void>
}

/** Starts the speech service. It runs until `close`, or until `signal` aborts. */
export const serveAsync = async (options: ServeAsyncOptions): Promise<RunningService> => {
  const { data, host = "127.0.0.1", port = 0, config = {}, engines = [], signal, env } = options
  const scope = await Effect.runPromise(Scope.make())
  const close = () => promised(Scope.close(scope, Exit.void), {})
  const started = Effect.gen(function* () {
    const settings = yield* decodeConfig(config)
    const own = new Map(engines.map((engine) => [engine.name, engineOf(engine)]))
    return yield* serve({ host, port, dataDir: data, config: settings, engines: own })
  }).pipe(Scope.extend(scope), Effect.provide(ffmpegLayer(options)))
  try {
    const { address } = await promised(started, options, env)
    signal?.addEventListener("abort", () => void close(), { once: true })
    return {
      url: address,
      createKey: (wanted) => promised(Effect.map(createKey(data, wanted), Redacted.value), {}),
      close
    }
  } catch (cause) {
    await close()
    throw cause
  }
}

const ffmpegLayer = ({ ffmpeg }: HostOptions) => (ffmpeg === undefined ? ffmpegOnPath : ffmpegAt(ffmpeg))

const serviceLayer = (service: ServiceChoice | undefined) => {
  if (service === undefined) return manifestService
  if (service === "embedded") return embeddedService
  if ("key" in service) return remoteService({ url: service.url, key: Redacted.make(service.key) })
  return engineService(engineOf(service), { concurrency: service.concurrency })
}

/** Everything that work on a batch needs, except progress. */
const batchLayer = (options: SpeakingOptions) =>
  Layer.mergeAll(
    Layer.provideMerge(serviceLayer(options.service), ffmpegLayer(options)),
    NodeFileSystem.layer,
    NodePath.layer
  )

/**
 * Runs an effect without Effect's default logger, spans and environment. Rejects with the failure itself, or with the
 * reason of the signal that interrupted it.
 */
const promised = async <A, E>(
  effect: Effect.Effect<A, E>,
  { signal, onLog }: HostOptions,
  env: EnvironmentValues = {}
): Promise<A> => {
  const known = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const]
  )
  const exit = await Effect.runPromiseExit(
    effect.pipe(
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(known))),
      Effect.provide(logTo(onLog)),
      Effect.withTracerEnabled(false)
    ),
    signal === undefined ? {} : { signal }
  )
  if (Exit.isSuccess(exit)) return exit.value
  if (signal?.aborted === true && Cause.isInterruptedOnly(exit.cause)) throw signal.reason
  throw Cause.squash(exit.cause)
}
