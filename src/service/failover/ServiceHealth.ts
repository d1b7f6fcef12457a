/** Health of the engines and the disk. Results of costly checks are cached: 10 s for engines, 2 s for the disk. */
import { randomBytes } from "node:crypto"
import { rm, statfs, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Duration, Effect, Fiber, Option } from "effect"
import { EngineSet } from "../catalogue/EngineSet.ts"
import { ServiceOptions } from "../config/ServiceOptions.ts"
import { DataFolder } from "../storage/DataFolder.ts"
import { FileStore } from "../storage/FileStore.ts"

/** Whether an engine is available. */
export interface EngineHealth {
  readonly ready: boolean
  readonly reason: string | undefined
}

/** State of the data folder's disk. */
export interface DiskHealth {
  readonly freeBytes: number
  /** Whether files can be written there, and stored in S3 if the service uses it. */
  readonly writable: boolean
}

/** Why a provider's tasks cannot be spoken now. */
export type HealthProblem = "disk_full" | "engine_unavailable"

const make = Effect.gen(function* () {
  const { path } = yield* DataFolder
  const { config } = yield* ServiceOptions
  const freeDisk = config.limits?.freeDisk ?? 50_000_000
  const checks = new Map<string, Effect.Effect<EngineHealth>>()
  for (const [name, engine] of yield* EngineSet) {
    let ready = true
    /** Logs each change of availability once. The reason goes only to the log, never to clients. */
    const announce = (health: EngineHealth) => {
      if (health.ready === ready) return Effect.void
      ready = health.ready
      return ready
        ? Effect.annotateLogs(Effect.logInfo("engine is available again"), { engine: name })
        : Effect.annotateLogs(Effect.logWarning("engine is unavailable"), {
            engine: name,
            reason: health.reason
          })
    }
    const { checkWithin = 10 } = engine
    const check = engine.check.pipe(
      Effect.timeoutFail({
        duration: Duration.seconds(checkWithin),
        onTimeout: () => ({ message: `no response within ${checkWithin} s` })
      }),
      Effect.match({
        onFailure: ({ message }): EngineHealth => ({ ready: false, reason: message }),
        onSuccess: (): EngineHealth => ({ ready: true, reason: undefined })
      }),
      Effect.tap(announce)
    )
    checks.set(name, yield* keptFresh(check, 10))
  }
  const { isReachable } = yield* FileStore
  const disk = yield* keptFresh(
    Effect.zipWith(diskHealth(path), isReachable, (local, reachable) => ({
      ...local,
      writable: local.writable && reachable
    })),
    2
  )
  const isRoomy = ({ writable, freeBytes }: DiskHealth): boolean => writable && freeBytes >= freeDisk
  const unknown = Effect.succeed<EngineHealth>({ ready: false, reason: "it is not configured" })
  return {
    /** Availability of an engine, at most 10 s old; the last known result if the check takes more than 1 s. */
    engine: (name: string): Effect.Effect<EngineHealth> => checks.get(name) ?? unknown,
    /** State of the disk, at most 2 s old; the last known result if the check takes more than 1 s. */
    disk,
    /** Whether a data folder in this state is writable and has enough free space. */
    isRoomy
  }
})

/** Checks of the engines and the disk. */
export class ServiceHealth extends Effect.Service<ServiceHealth>()("service/Health", { scoped: make }) {}

/**
 * Caches the result of a costly check for `seconds`. The check runs in a fiber of its own, so an interrupted caller
 * does not cancel it. The first call after half of the time starts a refresh, so that under load nobody waits for one.
 * Callers after the whole time wait up to 1 s for it and then get the previous result. The first result is always
 * awaited.
 */
const keptFresh = <A>(question: Effect.Effect<A>, seconds: number) =>
  Effect.map(Effect.all([Effect.scope, Effect.clock]), ([scope, clock]) => {
    let last: { readonly answer: A; readonly at: bigint } | undefined
    let asking: Fiber.RuntimeFiber<A> | undefined
    const ask = Effect.tap(question, (answer) =>
      Effect.sync(() => (last = { answer, at: clock.unsafeCurrentTimeNanos() }))
    )
    // A monotonic clock: the time of day may be set back.
    const age = () => (last === undefined ? Infinity : Number(clock.unsafeCurrentTimeNanos() - last.at) / 1e9)
    return Effect.gen(function* () {
      const known = last
      if (known !== undefined && age() < seconds / 2) return known.answer
      if (asking === undefined || asking.unsafePoll() !== null) asking = yield* Effect.forkIn(ask, scope)
      if (known !== undefined && age() < seconds) return known.answer
      // Joining the fiber would give this request the trace and the annotations of the one that started the check.
      const answer = Effect.flatten(Fiber.await(asking))
      if (known === undefined) return yield* answer
      return Option.getOrElse(yield* Effect.timeoutOption(answer, "1 second"), () => known.answer)
    })
  })

/** Reads the free space and writes a probe file: permissions alone do not reveal a full or read-only disk. */
const diskHealth = (folder: string): Effect.Effect<DiskHealth> =>
  Effect.gen(function* () {
    const space = yield* Effect.option(Effect.tryPromise(() => statfs(folder)))
    const probe = join(folder, `probe-${randomBytes(6).toString("hex")}`)
    const written = yield* Effect.option(
      Effect.tryPromise(async () => {
        await writeFile(probe, "probe", { flag: "wx", mode: 0o600 })
        await rm(probe)
      })
    )
    return {
      freeBytes: Option.match(space, { onNone: () => 0, onSome: (each) => each.bavail * each.bsize }),
      writable: Option.isSome(written)
    }
  })
