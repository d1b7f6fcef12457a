/**
 * Compares a batch on a fleet with the same batch on one machine. The machines are processes on this one.
 *
 * - (a) Utterances that take 400 ms each at the service, on 1, 2 and 4 workers. Each has 4 in flight, under a total
 *   limit of 12. Prints seconds spent speaking, the ideal, and the most in flight that the service saw.
 * - (b) The same with 8 in flight: no fleet, compared with a fleet of one worker.
 * - (c) Six episodes of half an hour, all clips cached: seconds until they are delivered, on 1, 2 and 4 workers. This
 *   falls with the number of cores.
 * - (d) 10,000 utterances queued but not taken: memory of Redis.
 *
 *     node bench/run.mjs fleet [a|b|c|d] [utterances]
 *
 * Requires redis-server.
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

/** Starts the service in a separate process. */
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

/** Writes a batch of episodes to the share; `words` returns the text of a line. */
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

/** Starts a command and waits until it prints a word. */
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
 * Runs a batch. Returns when it was planned, when its last line was spoken, and when all was delivered, in milliseconds
 * since 1970.
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

/** Runs `work` with a Redis server, a service and `workers` workers. */
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
        "is ready"
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
          `(a) ${workers} workers: ${made} spoken in ${seconds(spoken - planned)}, ideal ${seconds(ideal)} (ratio ${(ideal / (spoken - planned)).toFixed(2)}); at most ${most} in flight, limit ${limit}`
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
        // Another sample rate of the same clips needs a delivery only.
        write(share, base, 32, 6, 600, (_, i) => `No. ${i % 60}`, ["wav", "flac"])
        const { planned, delivered } = await ran(fleetWords(share, folder, redis))
        console.log(
          `(c) ${workers} workers: 6 half-hour episodes delivered in ${seconds(delivered - planned)}`
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
        `(d) ${lines} utterances in Redis: ${((await used()) - before) / 1e6} MB, queued ${seconds(performance.now() - from)} after the start`
      )
      run.kill("SIGINT")
      const left = performance.now()
      await new Promise((ended) => run.once("close", ended))
      console.log(
        `(d) withdrawn after Ctrl-C in ${seconds(performance.now() - left)}; ${((await used()) - before) / 1e6} MB left`
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
