/** How the service is: whether its engines answer and its disk can be written. What is costly to ask is asked now and then only. */
import { randomBytes } from "node:crypto"
import { rm, statfs, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Context, Effect, Option } from "effect"
import type { EngineSet } from "./EngineSet.ts"

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

/** Looks after engines and disk. */
export const make = Effect.fnUntraced(function* (folder: string, engines: EngineSet) {
  const checks = new Map<string, Effect.Effect<EngineHealth>>()
  for (const [name, engine] of engines) {
    const check = engine.check.pipe(
      Effect.timeoutFail({ duration: "10 seconds", onTimeout: () => ({ message: "it does not answer" }) }),
      Effect.match({
        onFailure: ({ message }): EngineHealth => ({ ready: false, reason: message }),
        onSuccess: (): EngineHealth => ({ ready: true, reason: undefined })
      })
    )
    checks.set(name, yield* Effect.cachedWithTTL(check, "10 seconds"))
  }
  const disk = yield* Effect.cachedWithTTL(diskHealth(folder), "2 seconds")
  return {
    /** Whether an engine can work, at most ten seconds ago. */
    engine: (name: string): Effect.Effect<EngineHealth> =>
      checks.get(name) ?? Effect.succeed({ ready: false, reason: "it is not configured" }),
    /** How the data folder is, at most two seconds ago. */
    disk
  }
})

/** How the service is. */
export class Health extends Context.Tag("service/Health")<
  Health,
  Effect.Effect.Success<ReturnType<typeof make>>
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
