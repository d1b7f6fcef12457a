/** When the service starts the answer to a request: in a slice of its scheduler, unless the client has left. */
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { defaultScheduler, type Scheduler, type Task } from "effect/Scheduler"
import { embedded } from "../../../src/service/Service.ts"
import { startPriority } from "../../../src/service/TimeSlices.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"

/** A scheduler that starts nothing new until it is asked to; what was started goes on. */
const held = () => {
  const starts: Array<Task> = []
  let arrived = (): void => undefined
  const scheduler: Scheduler = {
    shouldYield: (fiber) => defaultScheduler.shouldYield(fiber),
    scheduleTask: (task, priority) => {
      if (priority < startPriority) return defaultScheduler.scheduleTask(task, priority)
      starts.push(task)
      arrived()
    }
  }
  return {
    scheduler,
    /** Resolves once so many requests wait. */
    waiting: (count: number) =>
      new Promise<void>((resolve) => {
        arrived = () => {
          if (starts.length >= count) resolve()
        }
        arrived()
      }),
    release: () => {
      for (const start of starts.splice(0)) start()
    }
  }
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "dubwright-starts-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

it.scopedLive(
  "starts requests when the scheduler has time for them, and none of clients that have left",
  () =>
    Effect.gen(function* () {
      const { scheduler, waiting, release } = held()
      const { address } = yield* embedded({ dataDir: yield* folder }).pipe(
        Effect.withScheduler(scheduler),
        Effect.provide(bundledFfmpeg)
      )
      yield* Effect.promise(async () => {
        const { hostname, port } = new URL(address)
        const left = connect(Number(port), hostname)
        left.write("GET /left HTTP/1.1\r\nhost: localhost\r\n\r\n")
        await waiting(1)
        left.resetAndDestroy()
        await once(left, "close")
        const [first, second] = [fetch(`${address}/metrics`), fetch(`${address}/none`)]
        await waiting(3)
        release()
        expect((await first).status).toBe(200)
        expect((await second).status).toBe(404)
        const later = fetch(`${address}/metrics`)
        await waiting(1)
        release()
        // All unknown paths are counted as one.
        expect(await (await later).text()).toMatch(/^dubwright_requests_total\{.*status="404"\} 1$/mu)
      })
    }),
  30_000
)
