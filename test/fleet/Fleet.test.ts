/**
 * Fleets of real processes over a real Redis. `DUBWRIGHT_FLEET=3x400x20` sets the batch of the crash test to 3 jobs of
 * 400 lines, with 20 crashes.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Queue } from "bullmq"
import { Effect } from "effect"
import { Redis } from "ioredis"
import { expect } from "vitest"
import { edition } from "../../src/fleet/shared/JobPayloads.ts"
import { serving, temporaryFolder } from "../hostile/Batch.ts"
import { chance } from "../hostile/Chance.ts"
import { type Started, until } from "../hostile/Command.ts"
import { calm, type Character, HostileService } from "../hostile/HostileService.ts"
import { Fleet, missedWorker } from "./FleetCommands.ts"
import { machines } from "./Machines.ts"
import { freePort, hasRedis, RedisServer } from "./RedisServer.ts"

const [jobs = 2, lines = 24, deaths = 4] = (process.env["DUBWRIGHT_FLEET"] ?? "2x24x4").split("x").map(Number)

/** The number of utterances of the batch. The first line of all jobs is the same utterance. */
const utterances = jobs * (lines - 1) + 1

const network = (count: number) =>
  Effect.acquireRelease(
    Effect.sync(() => machines(count)),
    ({ release }) => Effect.sync(release)
  )

const redisServer = (host?: string, settings: ReadonlyArray<string> = []) =>
  Effect.acquireRelease(
    Effect.promise(() => RedisServer.start(settings, host)),
    (server) => Effect.promise(() => server.stop())
  )

/** Starts a fleet with its own Redis and service. The service behaves well except for `character`. */
const assembled = (character: Partial<Character>, host?: string) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const redis = yield* redisServer(host)
    const service = yield* serving(new HostileService({ ...calm, ...character }, host))
    const all: Array<Started> = []
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        for (const { child } of all) child.kill("SIGKILL")
        await Promise.all(all.map(({ ended }) => ended))
      })
    )
    return {
      folder,
      redis,
      service,
      fleet: new Fleet(folder, service, redis.url),
      /** Registers a process to be killed after the test. */
      begun: (started: Started): Started => {
        all.push(started)
        return started
      }
    }
  })

/** Dumps all data of a Redis as text. */
const contents = async (url: string): Promise<string> => {
  const client = new Redis(url)
  const all: Array<unknown> = []
  for (const name of await client.keys("*")) {
    const kind = await client.type(name)
    if (kind === "hash") all.push(name, await client.hgetall(name))
    else if (kind === "string") all.push(name, await client.get(name))
    else if (kind === "set") all.push(name, await client.smembers(name))
    else if (kind === "list") all.push(name, await client.lrange(name, 0, -1))
    else if (kind === "zset") all.push(name, await client.zrange(name, "0", "-1"))
    else if (kind === "stream") all.push(name, await client.xrange(name, "-", "+"))
  }
  client.disconnect()
  return JSON.stringify(all)
}

/** The lines that failed, in either run, and the last run's other output. */
const toldOf = (before: string, last: string) => {
  const lines = (words: string) => words.replaceAll(/^\d\d:\d\d:\d\d {2}/gmu, "").split("\n")
  const isRefused = (line: string) => /^\S+ #\d+ failed: /u.test(line)
  const refused = new Set([...lines(before), ...lines(last)].filter(isRefused))
  return { refused: [...refused].sort(), words: lines(last).filter((line) => !isRefused(line)) }
}

/** The results of one machine, with a service that behaves well. Every fleet must deliver the same. */
const resultsOfOne = Effect.runSync(
  Effect.cached(
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const service = yield* serving(new HostileService({ ...calm, settle: [5, 20] }))
        const alone = new Fleet(folder, service, "")
        alone.write(jobs, lines)
        const out = join(folder, "out")
        expect(yield* Effect.promise(() => alone.run(join(folder, "state"), out).ended)).toEqual({
          how: 0,
          words: ""
        })
        return alone.results(out)
      })
    )
  )
)

/** Runs a batch on several workers, killing one at random repeatedly and restarting Redis once. */
const dying = (machines: number, deaths: number) =>
  Effect.gen(function* () {
    const { host, on } = yield* network(machines)
    const { folder, fleet, redis, service, begun } = yield* assembled(
      { settle: [200, 700], odds: { "create-drop-after": 0.05, "look-500": 0.05 } },
      host
    )
    fleet.write(jobs, lines, "providers: { provider_fast: { concurrency: 6 } }\n")
    const worker = (machine: number) => begun(fleet.worker(`w${machine}`, on(machine), ["--takeover", "2"]))
    const secrets = yield* Effect.promise(async () => {
      const workers = Array.from({ length: machines }, (_, machine) => worker(machine))
      const run = begun(fleet.run(join(folder, "state")))
      const random = chance(5)
      let secrets = ""
      for (let death = 0; death < deaths; death++) {
        const paid = service.charged.length
        await until(() => service.charged.length > paid + 2 || service.charged.length === utterances)
        const machine = Math.floor(random() * machines)
        workers[machine]?.child.kill("SIGKILL")
        await workers[machine]?.ended
        workers[machine] = worker(machine)
        if (death === 1) {
          secrets = await contents(redis.url)
          await redis.stop()
          await redis.begin()
        }
      }
      expect(await run.ended).toEqual({ how: 0, words: expect.not.stringContaining("fault") })
      return secrets + (await contents(redis.url))
    })
    expect(service.charged.length).toBe(utterances)
    expect(new Set(service.charged.map(({ text }) => text)).size).toBe(utterances)
    const results = fleet.results()
    expect(Object.keys(results)).toContain("ep1/ep1.wav")
    expect(results).toEqual(yield* resultsOfOne)
    expect(secrets).toContain("This is line")
    expect(secrets).not.toContain(service.character.key)
  })

describe.skipIf(!hasRedis)("a fleet", () => {
  it.scopedLive(
    "of four workers survives kills and a Redis restart: same results as one machine, every line paid once",
    () => dying(4, deaths),
    600_000
  )

  it.scopedLive("of two workers does the same", () => dying(2, Math.max(2, deaths / 2)), 600_000)

  it.scopedLive(
    "resumes after an interrupted or killed run, also from another machine",
    () =>
      Effect.gen(function* () {
        const { folder, fleet, service, begun } = yield* assembled({ settle: [200, 500] })
        fleet.write(jobs, lines, "providers: { provider_fast: { concurrency: 4 } }\n")
        yield* Effect.promise(async () => {
          const workers = [1, 2].map((one) => begun(fleet.worker(`w${one}`, [], ["--takeover", "2"])))
          const stopped = begun(fleet.run(join(folder, "one")))
          await until(() => service.charged.length >= 6)
          stopped.child.kill("SIGINT")
          expect(await stopped.ended).toEqual({
            how: 130,
            words: "dubwright: interrupted; progress is saved, run the same command again to continue\n"
          })
          const paid = service.charged.length
          expect(paid).toBeLessThan(lines)

          const killed = begun(fleet.run(join(folder, "one")))
          await until(() => service.charged.length >= paid + 6)
          killed.child.kill("SIGKILL")
          workers[0]?.child.kill("SIGTERM")
          expect(await workers[0]?.ended).toMatchObject({ how: 0 })

          const other = begun(fleet.run(join(folder, "two"), undefined, ["--json"]))
          expect(await other.ended).toEqual({ how: 0, words: "" })
        })
        expect(service.charged.length).toBe(utterances)
        expect(new Set(service.charged.map(({ text }) => text)).size).toBe(utterances)
      }),
    300_000
  )

  it.scopedLive(
    "ends like one machine when a line is rejected, credits run out and the service rate-limits",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const redis = yield* redisServer()
        const odds = { "create-429-retry-after": 0.15, "audio-cut": 0.2, "task-fails": 0.1 }
        const endsOf = (fleet: boolean) =>
          Effect.gen(function* () {
            const refuses = /line 3 of part/u
            const service = yield* serving(new HostileService({ ...calm, odds, refuses }))
            const here = join(folder, fleet ? "fleet" : "alone")
            const one = new Fleet(here, service, redis.url)
            one.write(2, 6, "providers: { provider_fast: { concurrency: 3 } }\n", ["fail", "silence"])
            const worker = fleet ? one.worker("w") : undefined
            const state = join(here, "state")
            const out = fleet ? undefined : join(one.share, "out")
            const ends = yield* Effect.promise(async () => {
              const poor = await one.run(state, out, ["--max-credits", "100"]).ended
              const spent = service.spent
              const rich = await one.run(state, out, ["--max-credits", "1000"]).ended
              worker?.child.kill("SIGTERM")
              await worker?.ended
              return {
                poor: poor.how,
                how: rich.how,
                ...toldOf(poor.words, rich.words),
                isKept: spent <= 100
              }
            })
            const { jobs } = JSON.parse(readFileSync(join(one.share, "out/run.json"), "utf8"))
            const texts = service.charged.filter(({ fate }) => fate === "done").map(({ text }) => text)
            return { ...ends, jobs, texts: texts.sort(), results: one.results() }
          })
        const alone = yield* endsOf(false)
        expect(alone).toMatchObject({ poor: 4, how: 3, isKept: true })
        expect(alone.jobs.map(({ status }: { status: string }) => status)).toEqual(["failed", "delivered"])
        expect(yield* endsOf(true)).toEqual(alone)
      }),
    60_000
  )

  it.scopedLive(
    "takes over a worker that stopped with creates in flight, and ignores it when it wakes",
    () =>
      Effect.gen(function* () {
        const { folder, fleet, service, begun } = yield* assembled({ odds: { "create-hang-after": 1 } })
        fleet.write(1, 4)
        yield* Effect.promise(async () => {
          const stopped = begun(fleet.worker("w1", [], ["--takeover", "2"]))
          const run = begun(fleet.run(join(folder, "state")))
          await until(() => service.charged.length === 4)
          stopped.child.kill("SIGSTOP")
          begun(fleet.worker("w2", [], ["--takeover", "2"]))
          expect(await run.ended).toEqual({ how: 0, words: "" })
          stopped.child.kill("SIGCONT")
          stopped.child.kill("SIGTERM")
          expect((await stopped.ended).how).toBe(0)
        })
        expect(service.charged.length).toBe(4)
      }),
    120_000
  )

  it.scopedLive(
    "worker takes back the jobs of its predecessor before they are taken over",
    () =>
      Effect.gen(function* () {
        const { folder, fleet, service, begun } = yield* assembled({ odds: { "create-hang-after": 1 } })
        fleet.write(1, 4)
        const worker = () => begun(fleet.worker("w1", [], ["--takeover", "3600"]))
        yield* Effect.promise(async () => {
          const killed = worker()
          const run = begun(fleet.run(join(folder, "state")))
          await until(() => service.charged.length === 4)
          killed.child.kill("SIGKILL")
          await killed.ended
          worker()
          expect(await run.ended).toEqual({ how: 0, words: "" })
        })
        expect(service.charged.length).toBe(4)
      }),
    120_000
  )

  it.scopedLive(
    "names a provider that no worker serves, and continues once one does",
    () =>
      Effect.gen(function* () {
        const { folder, fleet, service, begun } = yield* assembled({})
        fleet.write(1, 2)
        yield* Effect.promise(async () => {
          const run = begun(fleet.run(join(folder, "state")))
          await until(() => missedWorker.test(run.words()))
          begun(fleet.worker("w"))
          expect(await run.ended).toEqual({ how: 0, words: "" })
          expect(run.words().split("\n").length).toBe(2)
        })
        expect(service.charged.length).toBe(2)
      }),
    120_000
  )

  it.scopedLive(
    "counts the queued lines of a killed run against the limit",
    () =>
      Effect.gen(function* () {
        const { folder, fleet, service, redis, begun } = yield* assembled({})
        fleet.write(1, 6, "providers: { provider_fast: { creditsPerCharacter: 1 } }\n")
        yield* Effect.promise(async () => {
          const queue = new Queue("speak.provider_fast", {
            connection: { url: redis.url },
            prefix: "dubwright"
          })
          const limited = () => begun(fleet.run(join(folder, "state"), undefined, ["--max-credits", "60"]))
          const killed = limited()
          // Two lines of 25 characters or less fit.
          for (let queued = 0; queued < 2;) queued = await queue.getJobCountByTypes("wait", "prioritized")
          await queue.close()
          killed.child.kill("SIGKILL")
          await killed.ended
          begun(fleet.worker("w"))
          expect((await limited().ended).how).toBe(4)
        })
        expect(service.charged.length).toBe(2)
      }),
    120_000
  )

  it.scopedLive(
    "worker returns a job of another version, reports it and exits",
    () =>
      Effect.gen(function* () {
        const { fleet, redis } = yield* assembled({})
        yield* Effect.promise(async () => {
          const queue = new Queue("speak.provider_fast", {
            connection: { url: redis.url },
            prefix: "dubwright"
          })
          const job = await queue.add("ep1 #1", { edition: edition + 1, written: "in another way" })
          expect(await fleet.worker("w").ended).toEqual({
            how: 2,
            words: expect.stringMatching(
              /^dubwright: .* comes from another version; use the same version of dubwright on .*$/mu
            )
          })
          expect(await job.getState()).toBe("delayed")
          await queue.close()
        })
      }),
    60_000
  )

  it.scopedLive(
    "worker stops on SIGTERM even if its Redis is down",
    () =>
      Effect.gen(function* () {
        const { fleet, redis, service, begun } = yield* assembled({ settle: [60_000, 60_000] })
        fleet.write(1, 4)
        const worker = begun(fleet.worker("w"))
        begun(fleet.run(join(fleet.share, "state")))
        yield* Effect.promise(async () => {
          await until(() => service.charged.length === 4)
          await redis.stop()
          await until(() => worker.words().includes("connection lost"))
          worker.child.kill("SIGTERM")
          expect((await worker.ended).how).toBe(0)
        })
      }),
    60_000
  )

  it.scopedLive(
    "fails with one line if its Redis may evict keys, rejects the password, is not Redis or is unreachable",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const service = yield* serving(new HostileService(calm))
        const evicting = yield* redisServer(undefined, [
          "--maxmemory",
          "50mb",
          "--maxmemory-policy",
          "allkeys-lru"
        ])
        const locked = yield* redisServer(undefined, ["--requirepass", "sesame"])
        const forgetful = yield* redisServer(undefined, ["--appendonly", "no"])
        const endOf = (redis: string) => new Fleet(folder, service, redis).worker("w").ended
        yield* Effect.promise(async () => {
          const nowhere = `redis://127.0.0.1:${await freePort("127.0.0.1")}`
          const ends = await Promise.all(
            [evicting.url, locked.url, service.baseUrl.replace("http", "redis"), nowhere].map(endOf)
          )
          expect(ends).toEqual([
            {
              how: 2,
              words: expect.stringMatching(/^dubwright: .*maxmemory-policy is allkeys-lru.*noeviction\n$/u)
            },
            { how: 2, words: expect.stringMatching(/^dubwright: .*rejects the user name or password.*\n$/u) },
            { how: 2, words: expect.stringMatching(/^dubwright: .*does not respond like Redis.*\n$/u) },
            { how: 2, words: expect.stringMatching(/^dubwright: .*is unreachable.*ECONNREFUSED.*\n$/u) }
          ])
          const warned = new Fleet(folder, service, forgetful.url).worker("w")
          await until(() => warned.words().includes("is ready"))
          warned.child.kill("SIGTERM")
          expect((await warned.ended).words).toMatch(
            /^warning: .*does not persist to disk.*appendonly yes\n/u
          )
        })
      }),
    60_000
  )
})
