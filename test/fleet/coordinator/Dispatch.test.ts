/** A job that ends after a run has read its record, and before the run dispatches its utterances, is paid for once. */
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { NodeContext } from "@effect/platform-node"
import { Queue, QueueEvents } from "bullmq"
import { Context, Effect, Exit, Fiber, Layer, Schedule, Scope } from "effect"
import { expect, test } from "vitest"
import { fleetExecutor } from "../../../src/fleet/coordinator/Coordinator.ts"
import { readLedger } from "../../../src/fleet/shared/Ledger.ts"
import { isAhead } from "../../../src/fleet/shared/LedgerEntry.ts"
import { folderShare } from "../../../src/fleet/shared/FolderShare.ts"
import { connectRedis } from "../../../src/fleet/shared/Redis.ts"
import { Share } from "../../../src/fleet/shared/Share.ts"
import { runWorker } from "../../../src/fleet/worker/Worker.ts"
import { Gateway } from "../../../src/gateway/Gateway.ts"
import { loadBatch } from "../../../src/pipeline/load/BatchLoader.ts"
import { planBatch } from "../../../src/pipeline/plan/BatchPlan.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { Estimates } from "../../../src/store/tables/Estimates.ts"
import { ClipFolder } from "../../../src/store/files/ClipFolder.ts"
import { UtteranceStore } from "../../../src/store/tables/UtteranceStore.ts"
import { UtteranceTransfer, type UtteranceRecord } from "../../../src/store/tables/UtteranceTransfer.ts"
import {
  casting,
  job,
  parts,
  serving,
  settingsFor,
  temporaryFolder,
  utterances
} from "../../hostile/Batch.ts"
import { writeScene } from "../../hostile/Command.ts"
import { calm, HostileService } from "../../hostile/HostileService.ts"
import { planned, submitted } from "../LedgerFixture.ts"
import { hasRedis, RedisServer } from "../RedisServer.ts"

const [first, ...others] = utterances(3)
if (first === undefined) throw new Error("expected three utterances")
const spoken = [first, ...others]

/** A fleet in this process: its Redis, share and service. */
const assembled = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => RedisServer.start()),
    (server) => Effect.promise(() => server.stop())
  )
  const service = yield* serving(new HostileService(calm))
  const redis = yield* connectRedis(server.url, undefined, () => undefined)
  const share = yield* Layer.build(folderShare(join(folder, "share")))
  const machine = yield* Layer.build(parts(join(folder, "machine"), service))
  const queue = yield* Effect.acquireRelease(
    Effect.sync(() => new Queue("speak.provider_fast", { connection: redis.client, prefix: "dubwright" })),
    (queue) => Effect.promise(() => queue.close())
  )

  writeScene(folder, 1)
  const flags = { baseUrl: service.baseUrl, provider: casting.provider, voice: casting.voice }
  const plan = yield* loadBatch([join(folder, "scene.srt")], flags).pipe(
    Effect.flatMap(planBatch),
    Effect.provide(NodeContext.layer),
    Effect.provide(machine)
  )

  /** Starts a run with an empty state of its own: reads the records of its utterances. Returns its speak stage. */
  const run = (name: string, sharedAs: Context.Context<Share> = share) =>
    Effect.gen(function* () {
      const state = yield* Layer.build(
        Layer.mergeAll(
          UtteranceStore.Default,
          UtteranceTransfer.Default,
          ClipFolder.Default,
          Estimates.Default
        ).pipe(Layer.provideMerge(writableState(join(folder, name), Context.get(share, Share).clips)))
      )
      const services = machine.pipe(Context.merge(sharedAs), Context.merge(state))
      yield* Context.get(state, UtteranceStore).plan("batch", job(spoken))
      const executor = yield* fleetExecutor(redis, { ...plan, utterances: spoken }).pipe(
        Effect.provide(services),
        Effect.provide(NodeContext.layer)
      )
      return {
        speak: Effect.provide(executor.speak(settingsFor(spoken), plan), services),
        handover: Context.get(state, UtteranceTransfer)
      }
    })
  const work = runWorker({
    client: redis.client,
    reach: () => Layer.succeed(Gateway, Context.get(machine, Gateway)),
    roles: ["speak"],
    name: "worker",
    concurrency: 8,
    takeover: 20_000,
    printLine: () => Effect.void
  }).pipe(Effect.provide(share), Effect.provide(machine), Effect.provide(NodeContext.layer))
  return { server, service, redis, share: Context.get(share, Share), queue, run, work }
})

/** Two runs have read their records. Then one of them dispatches jobs, which end. */
const endedMeanwhile = (scope: Scope.Scope) =>
  Effect.gen(function* () {
    const fleet = yield* assembled
    const one = yield* Scope.extend(fleet.run("one"), scope)
    const other = yield* fleet.run("two")
    yield* Effect.forkScoped(fleet.work)
    expect(yield* one.speak).toMatchObject({ created: 3 })
    return { ...fleet, other }
  })

describe.skipIf(!hasRedis)("a run that read its records before the jobs of another run ended", () => {
  it.scopedLive("joins these jobs", () =>
    Effect.gen(function* () {
      const { service, queue, other } = yield* endedMeanwhile(yield* Effect.scope)
      const runs = () => Promise.all(spoken.map(async ({ key }) => (await queue.getJob(key))?.processedOn))
      const before = yield* Effect.promise(runs)
      expect(yield* other.speak).toMatchObject({ failed: 0, left: 0 })
      expect(service.charged.length).toBe(3)
      expect(before).toEqual(spoken.map(() => expect.any(Number)))
      expect(yield* Effect.promise(runs)).toEqual(before)
    })
  )

  it.scopedLive("takes their clips over if it had read the records of their tasks", () =>
    Effect.gen(function* () {
      const { service, redis, queue, other } = yield* endedMeanwhile(yield* Effect.scope)
      const runs = () => Promise.all(spoken.map(async ({ key }) => (await queue.getJob(key))?.processedOn))
      const before = yield* Effect.promise(runs)
      const keys = spoken.map(({ key }) => key)
      const records = [...(yield* Effect.promise(() => readLedger(redis.client, keys))).values()].map(
        ({ record: { clip: _, ...record } }): UtteranceRecord => ({ ...record, state: "submitted" })
      )
      expect(records.map(({ tasks }) => tasks.length)).toEqual([1, 1, 1])
      yield* other.handover.takeOver(records)
      expect(yield* other.speak).toMatchObject({ created: 0, failed: 0, left: 0 })
      expect(yield* Effect.promise(runs)).toEqual(before)
      expect(service.charged.length).toBe(3)
    })
  )

  it.scopedLive("uses their clips if the other run has removed them", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { service, redis, queue, other } = yield* endedMeanwhile(scope)
      const entries = Effect.promise(() => redis.client.keys("dubwright:ledger:*"))
      expect((yield* entries).length).toBe(spoken.length)
      yield* Scope.close(scope, Exit.void)
      expect(yield* entries).toEqual([])
      expect(yield* Effect.promise(() => queue.getJob(first.key))).toBeUndefined()
      expect(yield* other.speak).toMatchObject({ failed: 0, left: 0 })
      expect(service.charged.length).toBe(3)
    })
  )
})

describe.skipIf(!hasRedis)("a run that starts again", () => {
  it.scopedLive("asks the share only for clips of lines that have no job", () =>
    Effect.gen(function* () {
      const { share, queue, run } = yield* assembled
      const asked: Array<string> = []
      const counted = Context.make(Share, {
        ...share,
        recordsOf: (keys) => {
          asked.push(...keys)
          return share.recordsOf(keys)
        }
      })
      const one = yield* run("one", counted)
      expect(asked.splice(0)).toEqual(spoken.map(({ key }) => key))
      yield* Effect.forkScoped(one.speak)
      yield* Effect.promise(() => queue.getWaitingCount()).pipe(
        Effect.repeat({
          until: (waiting) => waiting === spoken.length,
          schedule: Schedule.spaced("10 millis")
        })
      )
      yield* run("two", counted)
      expect(asked).toEqual([])
    })
  )
})

describe.skipIf(!hasRedis)("a run whose Redis is down when it dispatches", () => {
  it.scopedLive("waits for it and goes on", () =>
    Effect.gen(function* () {
      const { server, service, redis, run, work } = yield* assembled
      const { client } = redis
      const duplicate = client.duplicate.bind(client)
      const refused = new Promise((resolve) => {
        client.duplicate = (override) => duplicate(override).once("close", resolve)
      })
      yield* Effect.promise(() => server.stop())
      const speaking = yield* Effect.forkScoped(Effect.flatMap(run("one"), ({ speak }) => speak))
      yield* Effect.promise(() => refused)
      yield* Effect.promise(() => server.begin())
      yield* Effect.forkScoped(work)
      expect(yield* Fiber.join(speaking)).toMatchObject({ created: 3, failed: 0, left: 0 })
      expect(service.charged.length).toBe(3)
    })
  )
})

describe.skipIf(!hasRedis)("a worker", () => {
  it.scopedLive(
    "fails a job that is unreadable, or whose ledger entry is, and continues with the others",
    () =>
      Effect.gen(function* () {
        const { service, redis, queue, run, work } = yield* assembled
        yield* Effect.forkScoped(work)
        const events = yield* Effect.acquireRelease(
          Effect.sync(() => new QueueEvents(queue.name, { connection: redis.client, prefix: "dubwright" })),
          (events) => Effect.promise(() => events.close())
        )
        yield* Effect.promise(() => events.waitUntilReady())
        const job = yield* Effect.promise(() => queue.add("ep1 #1", { written: "in another way" }))
        expect(yield* Effect.flip(Effect.tryPromise(() => job.waitUntilFinished(events)))).toMatchObject({
          error: { message: "the job ep1 #1 in Redis is unreadable; check who can write to Redis" }
        })
        yield* Effect.promise(() => redis.client.set(`dubwright:ledger:${first.key}`, "forged"))
        const { speak } = yield* run("one")
        expect(yield* speak).toMatchObject({ created: 2, failed: 1, left: 0 })
        expect(service.charged.map(({ text }) => text).sort()).toEqual(others.map(({ text }) => text).sort())
      })
  )
})

test.each<[string, UtteranceRecord, UtteranceRecord, boolean]>([
  ["a paid task", submitted, planned, true],
  ["a create that may have been sent", { ...planned, state: "announced" }, planned, true],
  ["nothing new", planned, planned, false],
  ["a task that the run has lost since", submitted, { ...submitted, state: "planned", take: 2 }, false],
  [
    "a create of an earlier take",
    { ...submitted, state: "announced" },
    { ...submitted, state: "planned", take: 2 },
    false
  ]
])("a job's record is ahead of the run's if it has what the run lacks: %s", (_, written, own, isSo) => {
  expect(isAhead(written, own)).toBe(isSo)
})
