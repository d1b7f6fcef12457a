/**
 * A fleet without a shared folder, as real processes: PostgreSQL, three replicas of the service behind a balancer,
 * Redis, three workers and a coordinator, with a stand-in for S3 and an engine of a fixed speed in this process.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { knownProviders } from "../../src/domain/speech/ProviderProfile.ts"
import * as Keys from "../../src/service/accounts/KeyManagement.ts"
import { checksumsOf } from "../../test/fleet/FleetCommands.ts"
import { freePort } from "../../test/fleet/RedisServer.ts"
import { chance } from "../../test/hostile/Chance.ts"
import { PostgresServer } from "../../test/service/replicas/PostgresServer.ts"
import { S3Server } from "../../test/system/S3Server.ts"
import { command } from "../shared/service.ts"
import { Balancer } from "./Balancer.ts"
import { EngineStub } from "./EngineStub.ts"
import { KilledProcess, type Recovery } from "./KilledProcess.ts"
import { watchRedis } from "./RedisProgress.ts"
import { writeBatch } from "./killedBatch.ts"

/** The parameters of a run. */
export interface KillPlan {
  readonly utterances: number
  /** Milliseconds that the engine takes for a text, and how many it speaks at once. */
  readonly latency: number
  readonly atOnce: number
  /** Tasks in flight at the service: the manifest's `concurrency`. */
  readonly inFlight: number
  /** `--takeover` of the workers and `limits.lease` of the service, in seconds. */
  readonly takeover: number
  readonly lease: number
  /** Milliseconds between two kills; Infinity for none. */
  readonly every: number
  readonly seed: number
}

/** The outcome of a run. */
export interface KillOutcome {
  /** Seconds until the last line was spoken, and until the run had delivered everything and exited with 0. */
  readonly spoken: number
  readonly total: number
  readonly tasks: number
  /** Utterances with more or less than one task; a task's `voice_name` begins with the utterance's marker. */
  readonly notOnce: number
  readonly credits: {
    readonly charged: number
    readonly used: number
    readonly reserved: number
  }
  readonly engine: {
    readonly spokenAgain: number
    readonly wastedSeconds: number
    readonly busyShare: number
  }
  /** The longest time in seconds in which no worker stored a clip, from the first clip to the last. */
  readonly longestPause: number
  readonly kills: Readonly<Record<string, number>>
  readonly recoveries: ReadonlyArray<Recovery>
  readonly ownExits: Readonly<Record<string, ReadonlyArray<string>>>
  /** Checksums of the delivered files. */
  readonly files: Readonly<Record<string, string>>
}

const otherProviders = knownProviders.filter((provider) => provider !== "provider_fast")
const granted = 100_000_000
const pause = (milliseconds: number) => new Promise<void>((resume) => setTimeout(resume, milliseconds))

/** Runs the batch on a new fleet, with kills, and counts what was paid. */
export const runKilled = async (plan: KillPlan): Promise<KillOutcome> => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-kills-"))
  const closing: Array<() => unknown> = [
    () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  ]
  try {
    return await runIn(folder, plan, closing)
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

const runIn = async (folder: string, plan: KillPlan, closing: Array<() => unknown>): Promise<KillOutcome> => {
  const s3 = await S3Server.start()
  closing.push(() => s3.stop())
  Object.assign(process.env, s3.environment)
  const postgres = await PostgresServer.start()
  closing.push(() => postgres.stop())
  const engine = await EngineStub.start(plan.latency, plan.atOnce)
  closing.push(engine.stop)
  const shared = { database: await postgres.database(), files: "s3://audio/service" }
  const key = Redacted.value(
    await Effect.runPromise(Keys.createKey(shared, { name: "kills", credits: granted }))
  )

  const ports = await Promise.all([0, 1, 2].map(() => freePort("127.0.0.1")))
  const balancer = await Balancer.start(() => ports.filter((_, index) => replicas[index]?.isReady))
  closing.push(balancer.stop)
  const baseUrl = `http://127.0.0.1:${balancer.port}`
  const config = join(folder, "service.json")
  writeFileSync(
    config,
    JSON.stringify({
      publicUrl: baseUrl,
      audio: { format: "wav" },
      limits: { lease: plan.lease },
      engines: {
        stub: {
          kind: "openai",
          baseUrl: engine.baseUrl,
          model: "m",
          voices: [{ id: "voice", languages: ["en"] }]
        }
      },
      providers: {
        ...Object.fromEntries(otherProviders.map((provider) => [provider, { enabled: false }])),
        provider_fast: {
          engine: "stub",
          concurrency: plan.atOnce,
          voices: [{ id: "voice", voice: "voice", languages: ["en"] }]
        }
      }
    })
  )
  let storedAt = Infinity
  let longestPause = 0
  /** The variables of a process whose objects in S3 tell that it has finished an utterance. */
  const storing = async (of: () => KilledProcess | undefined) =>
    s3.endpoint((name) => {
      if (!/^(?:share\/clips|service)\/.*\.wav$/u.test(name)) return
      of()?.finished()
      if (!name.startsWith("share/")) return
      const now = performance.now()
      longestPause = Math.max(longestPause, (now - storedAt) / 1000)
      storedAt = now
    })
  const dubwright = (words: ReadonlyArray<string>): readonly [string, ...ReadonlyArray<string>] => [
    process.execPath,
    command,
    ...words
  ]
  const replicas: Array<KilledProcess> = await Promise.all(
    ports.map(async (port, index) => {
      const where = ["--data", join(folder, `replica${index}`), "--config", config, "--port", `${port}`]
      return new KilledProcess({
        kind: "replica",
        words: dubwright([
          ...["serve", ...where, "--quiet"],
          ...["--database", Redacted.value(shared.database), "--files", shared.files]
        ]),
        env: await storing(() => replicas[index]),
        ready: /^listening /u
      })
    })
  )

  const redisPort = await freePort("127.0.0.1")
  mkdirSync(join(folder, "redis"))
  const redis = new KilledProcess({
    kind: "redis",
    words: [
      "redis-server",
      ...["--port", `${redisPort}`, "--bind", "127.0.0.1", "--dir", join(folder, "redis")],
      ...["--appendonly", "yes", "--save", ""]
    ],
    ready: /Ready to accept connections/u
  })
  const fleetUrl = `redis://127.0.0.1:${redisPort}`
  const onFleet = ["--fleet", fleetUrl, "--share", "s3://audio/share"]
  const own = { DUBWRIGHT_API_KEY: key, XDG_CACHE_HOME: join(folder, "cache") }
  const workers: Array<KilledProcess> = await Promise.all(
    [0, 1, 2].map(
      async (index) =>
        new KilledProcess({
          kind: "worker",
          words: dubwright([
            ...["worker", ...onFleet, "--name", `w${index}`, "--takeover", `${plan.takeover}`],
            ...["--cache", join(folder, `cache${index}`), "--concurrency", "256"]
          ]),
          env: { ...own, ...(await storing(() => workers[index])) },
          ready: /is ready/u
        })
    )
  )

  const batch = writeBatch(join(folder, "batch"), plan, baseUrl)
  const out = join(folder, "out")
  let spokenAt = 0
  let exited: () => void = () => {}
  const ended = new Promise<void>((resume) => (exited = resume))
  const coordinator: KilledProcess = new KilledProcess(
    {
      kind: "coordinator",
      words: dubwright([
        "run",
        batch,
        "--state",
        join(folder, "state"),
        "--out",
        out,
        ...onFleet,
        "--events"
      ]),
      env: own,
      ready: /"event":"Planned"/u,
      onLine: (line) => {
        if (!/"event":"(?:Spoken|Delivered)"/u.test(line)) return
        if (line.includes('"Spoken"')) spokenAt = performance.now()
        coordinator.finished()
      }
    },
    (code) => {
      if (code === 0) exited()
      return code === 0
    }
  )
  const all = [redis, ...replicas, ...workers, coordinator]
  for (const each of all) closing.push(() => each.end())
  for (const each of all.slice(0, -1)) await each.start()
  const watching = watchRedis(fleetUrl, redis)
  closing.push(watching)

  const began = performance.now()
  const busyBefore = engine.busy
  void coordinator.start()
  let isOver = false
  const random = chance(plan.seed)
  const killing = (async () => {
    while (plan.every < Infinity) {
      await Promise.race([pause(plan.every), ended])
      if (isOver) return
      const alive = all.filter(({ isAlive }) => isAlive)
      const victim = alive[Math.floor(random() * alive.length)]
      victim?.kill(random() < 0.5 ? 0 : 1_000)
    }
  })()
  await ended
  isOver = true
  const total = (performance.now() - began) / 1000
  await killing
  for (const each of all) await each.end()

  const database = new URL(Redacted.value(shared.database)).pathname.slice(1)
  const perLine = await postgres.run(
    "SELECT voice_name, COUNT(*)::INTEGER AS tasks, SUM(credits)::INTEGER AS credits FROM tasks GROUP BY voice_name",
    database
  )
  const [account] = await postgres.run("SELECT * FROM accounts", database)
  const sum = (name: string) => perLine.reduce((total, row) => total + Number(row[name]), 0)
  const speeches = [...engine.spoken.values()].reduce((all, times) => all + times, 0)
  return {
    spoken: (spokenAt - began) / 1000,
    total,
    tasks: sum("tasks"),
    notOnce: perLine.filter(({ tasks }) => tasks !== 1).length + Math.abs(plan.utterances - perLine.length),
    credits: {
      charged: sum("credits"),
      used: Number(account?.["used"]),
      reserved: Number(account?.["reserved"])
    },
    engine: {
      spokenAgain: speeches - engine.spoken.size,
      wastedSeconds: engine.wasted / 1000,
      busyShare: (engine.busy - busyBefore) / 1000 / plan.atOnce / total
    },
    longestPause,
    kills: Object.fromEntries(
      ["worker", "coordinator", "redis", "replica"].map((kind) => [
        kind,
        all.filter((each) => each.plan.kind === kind).reduce((count, each) => count + each.kills, 0)
      ])
    ),
    recoveries: all.flatMap(({ recoveries }) => recoveries),
    ownExits: Object.fromEntries(
      all.flatMap(({ plan: { kind, words }, ownExits }) =>
        ownExits.length === 0 ? [] : [[`${kind} ${words.join(" ").slice(-20)}`, ownExits] as const]
      )
    ),
    files: checksumsOf(out)
  }
}
