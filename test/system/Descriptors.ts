/** Takes all of this process's file descriptors, as a busy server may. */
import { closeSync, openSync } from "node:fs"
import { Effect } from "effect"

/** Runs a use of this process without free file descriptors. */
export const withoutDescriptors = <A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const taken: Array<number> = []
      try {
        for (;;) taken.push(openSync("/dev/null", "r"))
      } catch {
        return taken
      }
    }),
    () => use,
    (taken) => Effect.sync(() => taken.forEach((each) => closeSync(each)))
  )
