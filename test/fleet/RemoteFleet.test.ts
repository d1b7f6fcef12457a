/** A fleet without a shared folder: each machine has a folder of its own, and S3 is between them. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { describe, it } from "@effect/vitest"
import { Queue } from "bullmq"
import { Effect } from "effect"
import { Redis } from "ioredis"
import { expect } from "vitest"
import { serving, temporaryFolder } from "../hostile/Batch.ts"
import { bundled } from "../ffmpeg/binaries.ts"
import { type Started, until } from "../hostile/Command.ts"
import { calm, HostileService } from "../hostile/HostileService.ts"
import { S3Server } from "../system/S3Server.ts"
import { Fleet } from "./FleetCommands.ts"
import { hasRedis, RedisServer } from "./RedisServer.ts"

const lines = 16
const utterances = 2 * lines - 1
const settings = { outputs: "wav, srt, otio, mp4", video: "film.mp4" }

const writeBatch = (fleet: Fleet) => {
  const words = ["-v", "error", "-f", "lavfi", "-i", `testsrc=size=160x90:rate=25:duration=${lines * 3}`]
  expect(
    spawnSync(bundled.path, [
      ...words,
      "-c:v",
      "mpeg4",
      "-fflags",
      "+bitexact",
      join(fleet.share, "film.mp4")
    ]).status
  ).toBe(0)
  fleet.write(2, lines, "", [], settings)
}

const assembled = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const redis = yield* Effect.acquireRelease(
    Effect.promise(() => RedisServer.start()),
    (server) => Effect.promise(() => server.stop())
  )
  const s3 = yield* Effect.acquireRelease(
    Effect.promise(() => S3Server.start()),
    (server) => Effect.promise(() => server.stop())
  )
  const service = yield* serving(new HostileService({ ...calm, settle: [200, 600] }))
  const all: Array<Started> = []
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      for (const { child } of all) child.kill("SIGKILL")
      await Promise.all(all.map(({ ended }) => ended))
    })
  )
  const remote = {
    address: "s3://audio/dub",
    env: { ...s3.environment, XDG_CACHE_HOME: join(folder, "cache") }
  }
  const fleet = new Fleet(folder, service, redis.url, remote)
  return {
    folder,
    redis,
    s3,
    service,
    fleet,
    worker: (name: string) => {
      const cache = join(folder, name)
      const made = fleet.worker(name, [], ["--takeover", "2", "--cache", cache])
      all.push(made)
      return { ...made, cache }
    },
    run: (state: string) => {
      const made = fleet.run(join(folder, state))
      all.push(made)
      return made
    }
  }
})

describe.skipIf(!hasRedis)("a fleet with a share in S3", () => {
  it.scopedLive(
    "delivers what one machine delivers, though workers and the run are killed, and pays for each line once",
    () =>
      Effect.gen(function* () {
        const { folder, fleet, service, s3, worker, run } = yield* assembled
        const well = yield* serving(new HostileService({ ...calm, settle: [5, 20] }))
        const alone = new Fleet(yield* temporaryFolder, well, "")
        writeBatch(alone)
        expect(
          yield* Effect.promise(() => alone.run(join(folder, "alone"), join(alone.share, "out")).ended)
        ).toEqual({ how: 0, words: "" })
        writeBatch(fleet)
        yield* Effect.promise(async () => {
          const first = worker("one")
          const other = worker("two")
          const killed = run("state")
          await until(() => service.charged.length > 4)
          killed.child.kill("SIGKILL")
          first.child.kill("SIGKILL")
          await killed.ended
          worker("three")
          expect(await run("state").ended).toEqual({ how: 0, words: "" })
          expect(service.charged.length).toBe(utterances)
          expect(new Set(service.charged.map(({ text }) => text)).size).toBe(utterances)
          expect(fleet.results()).toEqual(alone.results(join(alone.share, "out")))
          expect(Object.keys(fleet.results())).toContain("ep1/ep1.mp4")

          // Another machine has no state, but finds all clips. It sends nothing to the service.
          rmSync(join(fleet.share, "out"), { recursive: true })
          expect(await run("another").ended).toEqual({ how: 0, words: "" })
          expect(service.charged.length).toBe(utterances)
          expect(fleet.results()).toEqual(alone.results(join(alone.share, "out")))

          // Results and workers' folders do not pile up.
          expect([...s3.objects.keys()].filter((name) => name.includes("/results/"))).toEqual([])
          other.child.kill("SIGTERM")
          expect(await other.ended).toMatchObject({ how: 0 })
          expect(readdirSync(join(other.cache, "work"))).toEqual([])
        })
      }),
    300_000
  )

  it.scopedLive(
    "makes each delivery once, though the run is killed before they are finished",
    () =>
      Effect.gen(function* () {
        const { fleet, redis, service, worker, run } = yield* assembled
        fleet.write(2, 4, "", [], { outputs: "wav, srt, otio" })
        mkdirSync(join(fleet.share, "out"))
        const queue = new Queue("deliver", { connection: { url: redis.url }, prefix: "dubwright" })
        const client = new Redis(redis.url)
        yield* Effect.addFinalizer(() => Effect.promise(() => queue.close()))
        yield* Effect.addFinalizer(() => Effect.sync(() => client.disconnect()))
        yield* Effect.promise(async () => {
          worker("one")
          const killed = run("state")
          await until(() => service.charged.length === 7)
          killed.child.kill("SIGKILL")
          await killed.ended
          while ((await queue.getCompletedCount()) < 2) await pause(50)
          expect(await run("state").ended).toEqual({ how: 0, words: "" })
          const events = await client.xrange("dubwright:deliver:events", "-", "+")
          expect(events.filter(([, [, event]]) => event === "completed").length).toBe(2)
          expect(existsSync(join(fleet.share, "out/ep2/ep2.wav"))).toBe(true)
        })
      }),
    300_000
  )

  it.scopedLive(
    "speaks a clip again from its task if the share has lost it",
    () =>
      Effect.gen(function* () {
        const { fleet, service, s3, worker, run } = yield* assembled
        fleet.write(1, 4)
        mkdirSync(join(fleet.share, "out"))
        yield* Effect.promise(async () => {
          worker("one")
          expect(await run("state").ended).toEqual({ how: 0, words: "" })
          const clip = [...s3.objects.keys()].find((name) => name.endsWith(".wav")) ?? ""
          s3.objects.delete(clip)
          expect(await run("state").ended).toEqual({ how: 0, words: "" })
          expect(s3.objects.has(clip)).toBe(true)
          expect(service.charged.length).toBe(4)
          expect(existsSync(join(fleet.share, "out/ep1/ep1.wav"))).toBe(true)
        })
      }),
    300_000
  )
})
