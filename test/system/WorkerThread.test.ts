/** The client of worker threads, with a small program. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { WorkerThread } from "../../src/system/WorkerThread.ts"

/**
 * Responds with twice the number it got. It answers 0 only after a 1, throws at a negative number, and never answers
 * 99.
 */
const program = join(mkdtempSync(join(tmpdir(), "dubwright-")), "double.mjs")
writeFileSync(
  program,
  `import { parentPort, workerData } from "node:worker_threads"
  let late = []
  parentPort.on("message", ({ id, request }) => {
    if (request < 0) throw new Error("no number")
    if (request === 0) return late.push(id)
    if (request === 99) return
    if (request instanceof Uint8Array) return parentPort.postMessage({ id, response: request.length })
    parentPort.postMessage({ id, response: request * workerData })
    if (request === 1) for (const each of late) parentPort.postMessage({ id: each, response: 0 })
  })`
)
const thread = Effect.acquireRelease(
  Effect.sync(() => new WorkerThread<number | Uint8Array, number>(program, { workerData: 2 })),
  ({ close }) => close
)

it.scopedLive("each request gets its own response, whatever their order", () =>
  Effect.gen(function* () {
    const doubling = yield* thread
    const asked = Effect.forEach([0, 7, 1], (request) => doubling.ask(request), { concurrency: "unbounded" })
    expect(yield* asked).toEqual([0, 14, 2])
    expect(doubling.waiting).toBe(0)
  })
)

it.scopedLive("moves buffers instead of copying them", () =>
  Effect.gen(function* () {
    const bytes = new Uint8Array(5)
    expect(yield* (yield* thread).ask(bytes, [bytes.buffer])).toBe(5)
    expect(bytes.length).toBe(0)
  })
)

it.scopedLive("a crash fails pending and later requests", () =>
  Effect.gen(function* () {
    const crashing = yield* thread
    const failures = yield* Effect.forEach([99, -1], (request) => Effect.flip(crashing.ask(request)), {
      concurrency: "unbounded"
    })
    const after = yield* Effect.flip(crashing.ask(3))
    expect([...failures, after].map(({ detail }) => detail)).toEqual(Array(3).fill("crashed: no number"))
    expect(crashing.ended).toBe(after)
  })
)

it.scopedLive("closing it fails pending requests", () =>
  Effect.gen(function* () {
    const closing = yield* thread
    const pending = yield* Effect.fork(Effect.flip(closing.ask(99)))
    yield* Effect.yieldNow()
    yield* closing.close
    expect((yield* Fiber.join(pending)).detail).toBe("was closed")
  })
)
