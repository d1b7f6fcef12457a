/**
 * How the service is: whether its engines answer and its disk can be written. What is costly to ask is asked now and
 * then only.
 */
import { randomBytes } from "node:crypto"
import { rm, statfs, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Context, Effect, Fiber, Option } from "effect"
import type { EngineSet } from "../catalogue/EngineSet.ts"

/** Whether an engine can work now. */
export interface EngineHealth {
  readonly ready: boolean
  readonly reason: string | undefined
}

/** How the data folder is. */
export interface DiskHealth {
  readonly freeBytes: number
  readonly writable: boolean
}

/** Why no task of an engine can be spoken now. */
export type HealthProblem = "disk_full" | "engine_unavailable"

/** Looks after engines and disk, until the scope closes; `freeDisk` is how many bytes must be free. */
export const makeServiceHealth = Effect.fnUntraced(function* (
  folder: string,
  engines: EngineSet,
  freeDisk: number
) {
  const checks = new Map<string, Effect.Effect<EngineHealth>>()
  for (const [name, engine] of engines) {
    let ready = true
    /**
     * Stands in the log once when it goes and once when it comes back: what is wrong with it is for nobody else's eyes.
     */
    const told = (health: EngineHealth) => {
      if (health.ready === ready) return Effect.void
      ready = health.ready
      return ready
        ? Effect.annotateLogs(Effect.logInfo("an engine is back"), { engine: name })
        : Effect.annotateLogs(Effect.logWarning("an engine is away"), { engine: name, reason: health.reason })
    }
    const check = engine.check.pipe(
      Effect.timeoutFail({ duration: "10 seconds", onTimeout: () => ({ message: "it does not answer" }) }),
      Effect.match({
        onFailure: ({ message }): EngineHealth => ({ ready: false, reason: message }),
        onSuccess: (): EngineHealth => ({ ready: true, reason: undefined })
      }),
      Effect.tap(told)
    )
    checks.set(name, yield* keptFresh(check, 10))
  }
  const disk = yield* keptFresh(diskHealth(folder), 2)
  const roomy = Effect.map(disk, ({ writable, freeBytes }) => writable && freeBytes >= freeDisk)
  const engine = (name: string): Effect.Effect<EngineHealth> =>
    checks.get(name) ?? Effect.succeed({ ready: false, reason: "it is not configured" })
  return {
    /** Whether an engine can work: as it was ten seconds ago at most, or last where it takes long to tell. */
    engine,
    /** How the data folder is: as it was two seconds ago at most, or last where it takes long to tell. */
    disk,
    /** Whether the data folder can take more audio. */
    roomy,
    /** What keeps tasks of an engine from being spoken now, if anything does. */
    trouble: (name: string): Effect.Effect<Option.Option<HealthProblem>> =>
      Effect.gen(function* () {
        if (!(yield* roomy)) return Option.some("disk_full")
        return (yield* engine(name)).ready ? Option.none() : Option.some("engine_unavailable")
      })
  }
})

/**
 * What is costly to ask, asked anew once the answer is so many seconds old. It is asked on its own: whoever goes away
 * does not take the question along, and whoever comes waits a second at most, then takes the answer before. Only the
 * first is waited for to its end.
 */
const keptFresh = <A>(question: Effect.Effect<A>, seconds: number) =>
  Effect.map(Effect.scope, (scope) => {
    let last: { readonly answer: A; readonly at: bigint } | undefined
    let asking: Fiber.RuntimeFiber<A> | undefined
    const ask = Effect.tap(question, (answer) =>
      Effect.map(Clock.currentTimeNanos, (at) => (last = { answer, at }))
    )
    return Effect.gen(function* () {
      // Not the time of day, which may be put back.
      const now = yield* Clock.currentTimeNanos
      const known = last
      if (known !== undefined && now - known.at < BigInt(seconds) * 1_000_000_000n) return known.answer
      if (asking === undefined || asking.unsafePoll() !== null) asking = yield* Effect.forkIn(ask, scope)
      const answer = Fiber.join(asking)
      return known === undefined
        ? yield* answer
        : Option.getOrElse(yield* Effect.timeoutOption(answer, "1 second"), () => known.answer)
    })
  })

/** How the service is. */
export class ServiceHealth extends Context.Tag("service/Health")<
  ServiceHealth,
  Effect.Effect.Success<ReturnType<typeof makeServiceHealth>>
>() {}

/** Free space, and whether a file can really be written: permissions alone do not tell a full or read-only disk. */
const diskHealth = (folder: string): Effect.Effect<DiskHealth> =>
  Effect.gen(function* () {
    const space = yield* Effect.option(Effect.tryPromise(() => statfs(folder)))
    const probe = join(folder, `probe-${randomBytes(6).toString("hex")}`)
    const written = yield* Effect.option(
      Effect.tryPromise(async () => {
        await writeFile(probe, "probe", { flag: "wx" })
        await rm(probe)
      })
    )
    return {
      freeBytes: Option.match(space, { onNone: () => 0, onSome: (each) => each.bavail * each.bsize }),
      writable: Option.isSome(written)
    }
  })
