/**
 * A batch on many machines, here processes of one machine, beside the same batch on one.
 *
 * (a) utterances that take 400 ms each at the service, on 1, 2 and 4 workers of 4 at once each, under a limit of 12 for
 * all: seconds
 *     spoken in, beside the least possible, and the most at once that the service saw.
 * (b) the same with 8 at once: no fleet, beside a fleet with one worker.
 * (c) six episodes of half an hour, all clips at hand: seconds until they are delivered, on 1, 2 and 4 workers. This
 * falls with cores. (d) 10,000 utterances handed out and not taken: memory of Redis.
 *
 * `node bench/run.mjs fleet [a|b|c|d] [utterances]`; wants redis-server.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Redis } from "ioredis"
import { RedisServer } from "../test/fleet/RedisServer.ts"

const latency = 400
const command = fileURLToPath(new URL("../../../dist/dubwright.mjs", import.meta.url))
const env = { ...process.env, DUBWRIGHT_API_KEY: "k" }

/** Starts the service in a process of its own. */
const service = async () => {
  const program = fileURLToPath(new URL("latencyService.mjs", import.meta.url))
  const child = spawn(process.execPath, [program, `${latency}`], { stdio: ["ignore", "pipe", "inherit"] })
  const base = await new Promise<string>((ready) =>
    child.stdout.once("data", (line) => ready(String(line).trim()))
  )
  const figures = async (): Promise<{ made: number; most: number }> =>
    JSON.parse(await (await fetch(`${base}/figures`)).text())
  return { base, figures, stop: () => child.kill() }
}

const clock = (at: number) => new Date(at * 1000).toISOString().slice(11, 23).replace(".", ",")

/** A batch of episodes in a share; `words` are what a line says. */
const write = (
  share: string,
  base: string,
  limit: number,
  episodes: number,
  lines: number,
  words: (episode: number, line: number) => string,
  outputs: ReadonlyArray<string>
): void => {
  mkdirSync(share, { recursive: true })
  for (let episode = 0; episode < episodes; episode++)
    writeFileSync(
      join(share, `ep${episode}.srt`),
      Array.from(
        { length: lines },
        (_, i) => `${i + 1}\n${clock(i * 3)} --> ${clock(i * 3 + 2)}\n${words(episode, i)}\n`
      ).join("\n")
    )
  writeFileSync(
    join(share, "batch.json"),
    JSON.stringify({
      service: { baseUrl: base },
      providers: { provider_fast: { concurrency: limit } },
      defaults: { provider: "provider_fast", voice: "v1", outputs },
      jobs: Array.from({ length: episodes }, (_, episode) => ({ input: `ep${episode}.srt` }))
    })
  )
}

/** Starts a command and waits for a word of it. */
const begun = async (words: ReadonlyArray<string>, word: string): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [command, ...words], { env, stdio: ["ignore", "ignore", "pipe"] })
  await new Promise<void>((ready) => {
    let said = ""
    child.stderr.on("data", (chunk) => {
      said += String(chunk)
      if (said.includes(word)) ready()
    })
  })
  return child
}

/**
 * Runs a batch; when it was planned, when its last line was spoken and when all was delivered, in milliseconds since
 * 1970.
 */
const ran = (words: ReadonlyArray<string>) =>
  new Promise<{ planned: number; spoken: number; delivered: number }>((done, failed) => {
    const child = spawn(process.execPath, [command, "run", ...words, "--events"], {
      env,
      stdio: ["ignore", "ignore", "pipe"]
    })
    let said = ""
    child.stderr.on("data", (chunk) => (said += String(chunk)))
    child.once("close", (code) => {
      if (code !== 0) return failed(new Error(said.slice(-2_000)))
      const last = new Map<string, number>()
      for (const line of said.split("\n").filter((one) => one.startsWith("{"))) {
        const { event, at } = JSON.parse(line)
        last.set(event, Date.parse(at))
      }
      const of = (event: string) => last.get(event) ?? 0
      done({ planned: of("Planned"), spoken: of("Spoken"), delivered: of("Delivered") })
    })
  })

/** With a Redis, a service and so many workers. */
const withFleet = async <A>(
  workers: number,
  atOnce: number,
  work: (parts: {
    folder: string
    share: string
    base: string
    redis: string
    figures: () => Promise<{ made: number; most: number }>
  }) => Promise<A>,
  prepare: (share: string, base: string) => void
): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-bench-"))
  const share = join(folder, "share")
  const redis = await RedisServer.start()
  const { base, figures, stop } = await service()
  prepare(share, base)
  const children = await Promise.all(
    Array.from({ length: workers }, (_, i) =>
      begun(
        ["worker", "--fleet", redis.url, "--share", share, "--name", `w${i}`, "--concurrency", `${atOnce}`],
        "at work"
      )
    )
  )
  try {
    return await work({ folder, share, base, redis: redis.url, figures })
  } finally {
    for (const child of children) child.kill("SIGKILL")
    stop()
    await redis.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const fleetWords = (share: string, folder: string, redis: string) => [
  join(share, "batch.json"),
  ...["--state", join(folder, "state"), "--out", join(share, "out"), "--fleet", redis, "--share", share]
]

const seconds = (millis: number) => `${(millis / 1000).toFixed(2)} s`
const [which = "all", count] = process.argv.slice(2)

if (which === "a" || which === "all") {
  const lines = Number(count ?? 240)
  const limit = 12
  for (const workers of [1, 2, 4]) {
    await withFleet(
      workers,
      4,
      async ({ folder, share, redis, figures }) => {
        const { planned, spoken } = await ran(fleetWords(share, folder, redis))
        const ideal = (lines * latency) / Math.min(limit, workers * 4)
        const { made, most } = await figures()
        console.log(
          `(a) ${workers} workers: ${made} spoken in ${seconds(spoken - planned)}, ideal ${seconds(ideal)} (${(ideal / (spoken - planned)).toFixed(2)}); at most ${most} at once, limit ${limit}`
        )
      },
      (share, base) => write(share, base, limit, 2, lines / 2, (e, i) => `No. ${e} ${i}`, ["srt"])
    )
  }
}

if (which === "b" || which === "all") {
  const lines = Number(count ?? 400)
  const limit = 8
  const prepare = (share: string, base: string) =>
    write(share, base, limit, 2, lines / 2, (e, i) => `No. ${e} ${i}`, ["wav", "srt"])
  const alone = await withFleet(
    0,
    limit,
    async ({ folder, share }) => {
      const { planned, spoken, delivered } = await ran([
        join(share, "batch.json"),
        ...["--state", join(folder, "state"), "--out", join(folder, "out")]
      ])
      console.log(
        `(b) no fleet: spoken in ${seconds(spoken - planned)}, delivered in ${seconds(delivered - planned)}`
      )
      return delivered - planned
    },
    prepare
  )
  await withFleet(
    1,
    limit,
    async ({ folder, share, redis }) => {
      const { planned, spoken, delivered } = await ran(fleetWords(share, folder, redis))
      const whole = delivered - planned
      console.log(
        `(b) one worker: spoken in ${seconds(spoken - planned)}, delivered in ${seconds(whole)}: ${((whole / alone - 1) * 100).toFixed(1)} % more`
      )
    },
    prepare
  )
}

if (which === "c" || which === "all") {
  for (const workers of [1, 2, 4]) {
    await withFleet(
      workers,
      32,
      async ({ folder, share, redis, base }) => {
        await ran(fleetWords(share, folder, redis))
        // Another rate of the same clips is nothing but a delivery.
        write(share, base, 32, 6, 600, (_, i) => `No. ${i % 60}`, ["wav", "flac"])
        const { planned, delivered } = await ran(fleetWords(share, folder, redis))
        console.log(
          `(c) ${workers} workers: 6 episodes of half an hour delivered in ${seconds(delivered - planned)}`
        )
      },
      (share, base) => write(share, base, 32, 6, 600, (_, i) => `No. ${i % 60}`, ["srt"])
    )
  }
}

if (which === "d" || which === "all") {
  const lines = Number(count ?? 10_000)
  await withFleet(
    0,
    1,
    async ({ folder, share, redis }) => {
      const client = new Redis(redis)
      const used = async () => Number(/used_memory:(\d+)/u.exec(await client.info("memory"))?.[1])
      const before = await used()
      const run = spawn(process.execPath, [command, "run", ...fleetWords(share, folder, redis)], {
        env,
        stdio: ["ignore", "ignore", "inherit"]
      })
      const from = performance.now()
      while ((await client.llen("dubwright:speak.provider_fast:wait")) < lines)
        await new Promise((later) => setTimeout(later, 50))
      console.log(
        `(d) ${lines} utterances in Redis: ${((await used()) - before) / 1e6} MB, handed out in ${seconds(performance.now() - from)} of the run`
      )
      run.kill("SIGINT")
      const left = performance.now()
      await new Promise((ended) => run.once("close", ended))
      console.log(
        `(d) taken back after Ctrl-C in ${seconds(performance.now() - left)}; ${((await used()) - before) / 1e6} MB left`
      )
      client.disconnect()
    },
    (share, base) =>
      write(
        share,
        base,
        8,
        10,
        lines / 10,
        (e, i) => `This is line ${i} of episode ${e}, as long as many are.`,
        ["srt"]
      )
  )
}
