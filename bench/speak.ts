/**
 * Benchmarks the speak stage against the ideal.
 *
 * - (a) 2,000 utterances, each done after 400 ms, 16 in flight: ideal time / time, and polls per task.
 * - (b) 10,000 utterances of a service without latency. Compared with a bare undici loop that sends the same requests,
 *   and with that loop plus the minimum of disk writes that prevents paying twice.
 * - (c) The real command, on a finished batch: seconds compared with `dubwright --version`, creates, memory.
 * - (d) The real command, one film to WAV: memory with 2,000 lines in 2 h and with 20,000 in 10 h, and their ratio;
 *   first spoken and delivered, then only delivered, the median of three.
 * - (e) The real command, 2,000 lines of 3 s each, sped up into their slots, in the formats of providers: WAV, and MP3
 *   at several rates.
 *
 *     node bench/run.mjs speak [a|b|c|d|e] [utterances…]
 *
 * Output goes to the temporary folder; set TMPDIR to use another one. On ext4, creating files is about thirty times
 * slower for minutes after thousands of files nearby were deleted, as a benchmark does at its end. On a freshly made
 * file system of its own, (b) is repeatable.
 */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { open, rename } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import Sqlite from "better-sqlite3"
import { Effect, Layer, Redacted } from "effect"
import { Agent, request } from "@effect/platform-node/Undici"
import { tuneGc } from "../src/app/layers/GcTuning.ts"
import { Casting } from "../src/domain/speech/Casting.ts"
import { JobId, ProviderId, VoiceId } from "../src/domain/values/Ids.ts"
import { profileOf, ProviderProfile } from "../src/domain/speech/ProviderProfile.ts"
import { makeUtterance } from "../src/domain/speech/Utterance.ts"
import { locateConfigured } from "../src/ffmpeg/process/FfmpegBinary.ts"
import { Ffmpeg } from "../src/ffmpeg/Ffmpeg.ts"
import { Gateway } from "../src/gateway/Gateway.ts"
import { ServiceAddress } from "../src/gateway/exchange/ServiceAddress.ts"
import { HttpTransport } from "../src/gateway/exchange/HttpTransport.ts"
import { silent } from "../src/pipeline/Progress.ts"
import { speakUtterances } from "../src/pipeline/speak/SpeakStage.ts"
import { defaultSpeakSettings } from "../src/pipeline/speak/SpeakSettings.ts"
import { ClipFolder } from "../src/store/files/ClipFolder.ts"
import { Estimates } from "../src/store/tables/Estimates.ts"
import { writableState } from "../src/store/state/StateDatabase.ts"
import { UtteranceStore } from "../src/store/tables/UtteranceStore.ts"
import { babble } from "../test/hostile/Babble.ts"
import { ffmpegTook } from "./shared/mixPeers.ts"

const atOnce = 16
const provider = ProviderId.make("provider_fast")
const profile = ProviderProfile.make({ ...profileOf(provider), concurrency: atOnce })
const casting = Casting.make({ provider, voice: VoiceId.make("v1") })

/**
 * Starts the service in a separate process; `audio` is the file to answer with, if any. `figures` reads its counters.
 */
const service = async (latency: number, ...audio: ReadonlyArray<string>) => {
  const child = spawn(
    process.execPath,
    [new URL("latencyService.mjs", import.meta.url).pathname, String(latency), ...audio],
    {
      stdio: ["ignore", "pipe", "inherit"]
    }
  )
  const base = await new Promise<string>((ready) =>
    child.stdout.once("data", (line) => ready(String(line).trim()))
  )
  return {
    base,
    figures: async (): Promise<{ made: number; looks: number; most: number }> =>
      JSON.parse(await (await request(`${base}/figures`)).body.text()),
    stop: () => child.kill()
  }
}

const batch = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const words = `No. ${i}`
    return { utterance: makeUtterance(casting, "text", words, [words]), label: `ep01 #${i}` }
  })

/** Plans and speaks a batch in a folder; returns the times in milliseconds, and a summary. */
const run = (base: string, folder: string, utterances: ReturnType<typeof batch>) => {
  const parts = Layer.mergeAll(
    Layer.mergeAll(UtteranceStore.Default, ClipFolder.Default, Estimates.Default).pipe(
      Layer.provideMerge(writableState(folder))
    ),
    Ffmpeg.Default,
    Gateway.Default.pipe(
      Layer.provide(HttpTransport.Default),
      Layer.provide(
        Layer.succeed(ServiceAddress, {
          baseUrl: new URL(base),
          key: Redacted.make("k"),
          answerWithin: "30 seconds",
          audioWithin: "2 minutes"
        })
      )
    ),
    silent
  )
  return Effect.gen(function* () {
    const store = yield* UtteranceStore
    const from = performance.now()
    yield* store.plan("bench", [{ job: JobId.make("ep01"), utterances }])
    const planned = performance.now()
    const summary = yield* speakUtterances({
      ...defaultSpeakSettings,
      keys: utterances.map((one) => one.utterance.key),
      profileOf: () => profile
    })
    return { millis: performance.now() - from, planning: planned - from, summary }
    // Like the command without a collector.
  }).pipe(Effect.provide(parts), Effect.withTracerEnabled(false), Effect.runPromise)
}

/** The disk writes of a loop. The loop waits for each of them. */
interface Safety {
  readonly announced: (at: number) => Promise<void>
  readonly submitted: (at: number, task: string) => Promise<void>
  readonly fetched: (at: number, audio: Uint8Array) => Promise<void>
}

/** Writes nothing: a crash would lose everything paid for. */
const forgetful: Safety = {
  announced: () => Promise.resolve(),
  submitted: () => Promise.resolve(),
  fetched: () => Promise.resolve()
}

/**
 * The minimum that prevents paying twice or losing audio if the machine crashes. A row is on disk before a create, then
 * its task id, then the audio file before the row that names it. Changes requested together are committed together.
 */
const careful = (folder: string): Safety => {
  const db = new Sqlite(join(folder, "state.sqlite"))
  db.pragma("journal_mode = WAL")
  db.pragma("synchronous = FULL")
  db.exec("CREATE TABLE line (at INTEGER PRIMARY KEY, state TEXT, task TEXT, checksum TEXT)")
  const announce = db.prepare("INSERT INTO line VALUES (?, 'announced', NULL, NULL)")
  const submit = db.prepare("UPDATE line SET state = 'submitted', task = ? WHERE at = ?")
  const fetch = db.prepare("UPDATE line SET state = 'fetched', checksum = ? WHERE at = ?")
  let wished: Array<{ readonly change: () => void; readonly done: () => void }> = []
  const commit = () => {
    const all = wished
    wished = []
    db.transaction(() => all.forEach(({ change }) => change()))()
    all.forEach(({ done }) => done())
  }
  const committed = (change: () => void) =>
    new Promise<void>((done) => {
      if (wished.push({ change, done }) === 1) setImmediate(commit)
    })
  return {
    announced: (at) => committed(() => announce.run(at)),
    submitted: (at, task) => committed(() => submit.run(task, at)),
    fetched: async (at, audio) => {
      const path = join(folder, `${at}.wav`)
      const part = await open(`${path}.part`, "w")
      await part.writeFile(audio)
      await part.sync()
      await part.close()
      await rename(`${path}.part`, path)
      const checksum = createHash("sha256").update(audio).digest("hex")
      await committed(() => fetch.run(checksum, at))
    }
  }
}

/** Sends the same requests by hand, with the same number in flight. */
const bare = async (
  base: string,
  utterances: ReturnType<typeof batch>,
  { announced, submitted, fetched }: Safety
): Promise<number> => {
  const dispatcher = new Agent()
  const from = performance.now()
  let next = 0
  const worker = async () => {
    for (let at = next++; at < utterances.length; at = next++) {
      const one = utterances[at]
      if (one === undefined) continue
      await announced(at)
      const created = await request(`${base}/v1/text-to-speech/v1`, {
        dispatcher,
        method: "POST",
        headers: { "content-type": "application/json", "xi-api-key": "k" },
        body: JSON.stringify({ text: one.utterance.text, provider, voice_name: one.label })
      })
      const { task_id } = JSON.parse(await created.body.text())
      await submitted(at, task_id)
      const task = await request(`${base}/v1/task/${task_id}`, { dispatcher, headers: { "xi-api-key": "k" } })
      const { audio_url } = JSON.parse(await task.body.text())
      const audio = await request(`${base}${audio_url}`, { dispatcher, headers: { "xi-api-key": "k" } })
      await fetched(at, await audio.body.bytes())
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const time = performance.now() - from
  await dispatcher.close()
  return time
}

/** Returns the result of `work`, and the CPU milliseconds it took in this process. */
const cpuOf = async <A>(work: () => Promise<A>): Promise<readonly [A, number]> => {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return [result, (user + system) / 1000]
}

const seconds = (millis: number) => `${(millis / 1000).toFixed(2)} s`
const peak = () => `${Math.round(process.resourceUsage().maxRSS / 1024)} MB peak`

const inFolder = async <A>(work: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-bench-"))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const command = fileURLToPath(new URL("../../../dist/dubwright.mjs", import.meta.url))

/** Makes a process print its peak memory, in kB, as the last line on stderr. */
const tellingMemory =
  "--import=data:text/javascript,process.on('exit',()=>process.stderr.write('%5Cn'+process.resourceUsage().maxRSS))"

/** Runs the real command in a folder; returns seconds, and its peak memory in MB. */
const commanded = (words: ReadonlyArray<string>, cwd: string) =>
  new Promise<{ seconds: number; memory: number }>((done, failed) => {
    const from = performance.now()
    const child = spawn(process.execPath, [command, ...words], {
      cwd,
      env: { ...process.env, DUBWRIGHT_API_KEY: "k", NODE_OPTIONS: tellingMemory },
      stdio: ["ignore", "ignore", "pipe"]
    })
    let said = ""
    child.stderr.on("data", (chunk) => (said += String(chunk)))
    child.once("close", (code) =>
      code === 0
        ? done({
            seconds: (performance.now() - from) / 1000,
            memory: Math.round(Number(said.slice(said.lastIndexOf("\n"))) / 1024)
          })
        : failed(new Error(said))
    )
  })

interface Written {
  readonly lines: number
  /** Seconds from one line to the next. */
  readonly every: number
}

/** Writes a batch of films with the given outputs. */
const writeBatch = (
  folder: string,
  base: string,
  outputs: ReadonlyArray<string>,
  films: ReadonlyArray<Written>
): void => {
  const time = (at: number) => new Date(at * 1000).toISOString().slice(11, 23).replace(".", ",")
  let number = 0
  films.forEach(({ lines, every }, film) =>
    writeFileSync(
      join(folder, `film${film}.srt`),
      Array.from(
        { length: lines },
        (_, i) => `${i + 1}\n${time(i * every)} --> ${time((i + 0.75) * every)}\nNo. ${number++}\n`
      ).join("\n")
    )
  )
  const jobs = films.map((_, film) => ({ input: `film${film}.srt` }))
  const defaults = { provider, voice: "v1", outputs }
  const providers = { [provider]: { concurrency: atOnce } }
  writeFileSync(
    join(folder, "batch.json"),
    JSON.stringify({ service: { baseUrl: base }, providers, defaults, jobs })
  )
}

/** Splits `count` lines into episodes of a thousand. */
const episodes = (count: number): ReadonlyArray<Written> =>
  Array.from({ length: Math.ceil(count / 1_000) }, (_, episode) => ({
    lines: Math.min(1_000, count - episode * 1_000),
    every: 2
  }))

const [which = "all", ...counts] = process.argv.slice(2)
const [count] = counts

if (which === "a" || which === "all") {
  const utterances = batch(Number(count ?? 2_000))
  const latency = 400
  const spoken = await service(latency)
  await inFolder(async (folder) => {
    const { millis, summary } = await run(spoken.base, folder, utterances)
    const ideal = Math.ceil(utterances.length / atOnce) * latency
    const { looks, made, most } = await spoken.figures()
    console.log(
      `(a) ${made} tasks, ${summary.failed} failed: ${seconds(millis)}, ideal ${seconds(ideal)}, ratio ${(ideal / millis).toFixed(3)}; ` +
        `${(looks / made).toFixed(2)} polls per task; ${most} in flight at most; ${peak()}`
    )
  })
  spoken.stop()
}

if (which === "b" || which === "all") {
  const utterances = batch(Number(count ?? 10_000))
  const spoken = await service(0)
  await bare(spoken.base, utterances.slice(0, 500), forgetful)
  const [floor, floorCpu] = await cpuOf(() => bare(spoken.base, utterances, forgetful))
  await inFolder(async (folder) => {
    const [safe, cpu] = await cpuOf(() => bare(spoken.base, utterances, careful(folder)))
    console.log(
      `(b) the loop, with rows and clips written to disk: ${seconds(safe)}, ratio ${(safe / floor).toFixed(2)}; CPU ${seconds(cpu)}`
    )
  })
  // Like the command.
  tuneGc()
  await inFolder(async (folder) => {
    const [{ millis, planning, summary }, cpu] = await cpuOf(() => run(spoken.base, folder, utterances))
    console.log(
      `(b) ${utterances.length} utterances, ${summary.failed} failed: ${seconds(millis)} (planning ${seconds(planning)}), ` +
        `bare loop ${seconds(floor)}, ratio ${(millis / floor).toFixed(2)}; ` +
        `CPU ${seconds(cpu)}, bare loop ${seconds(floorCpu)}; ${peak()}`
    )
  })
  spoken.stop()
}

if (which === "c" || which === "all") {
  const spoken = await service(0)
  for (const size of counts.length > 0 ? counts.map(Number) : [2_000, 10_000])
    await inFolder(async (folder) => {
      writeBatch(folder, spoken.base, ["srt"], episodes(size))
      const first = await commanded(["run", "batch.json", "--quiet"], folder)
      const before = await spoken.figures()
      const version = await commanded(["--version"], folder)
      const again = await commanded(["run", "batch.json", "--quiet"], folder)
      const after = await spoken.figures()
      console.log(
        `(c) ${size} utterances: first ${first.seconds.toFixed(2)} s, ${first.memory} MB; again ${again.seconds.toFixed(2)} s, ` +
          `--version ${version.seconds.toFixed(2)} s, ${after.made - before.made} creates, ${again.memory} MB peak`
      )
    })
  spoken.stop()
}

if (which === "d" || which === "all") {
  const spoken = await service(0)
  const peaks: Array<{ readonly first: number; readonly again: number }> = []
  for (const { hours, lines } of [
    { hours: 2, lines: 2_000 },
    { hours: 10, lines: 20_000 }
  ])
    await inFolder(async (folder) => {
      writeBatch(folder, spoken.base, ["wav"], [{ lines, every: (hours * 3_600) / lines }])
      const first = await commanded(["run", "batch.json", "--quiet"], folder)
      const again: Array<Awaited<ReturnType<typeof commanded>>> = []
      for (let round = 0; round < 3; round++) {
        rmSync(join(folder, "out"), { recursive: true })
        again.push(await commanded(["run", "batch.json", "--quiet"], folder))
      }
      const [, median = first] = again.sort((a, b) => a.memory - b.memory)
      peaks.push({ first: first.memory, again: median.memory })
      console.log(
        `(d) a film of ${hours} h, ${lines} lines: first ${first.seconds.toFixed(1)} s, ${first.memory} MB; ` +
          `delivered again ${median.seconds.toFixed(1)} s, ${median.memory} MB peak`
      )
    })
  const [short, long] = peaks
  if (short !== undefined && long !== undefined)
    console.log(
      `(d) memory of the long film / of the short one: first ${(long.first / short.first).toFixed(2)}, ` +
        `delivered again ${(long.again / short.again).toFixed(2)}`
    )
  spoken.stop()
}

if (which === "e" || which === "all") {
  const lines = Number(count ?? 2_000)
  await inFolder(async (folder) => {
    const { path: ffmpeg } = await Effect.runPromise(locateConfigured)
    const said = join(folder, "said.wav")
    writeFileSync(said, babble("It is some three seconds long, like most of what is said in films."))
    for (const { name, options } of [
      { name: "24.wav", options: [] },
      { name: "24.mp3", options: ["-ar", "24000", "-b:a", "64k"] },
      { name: "32.mp3", options: ["-ar", "32000", "-b:a", "128k"] },
      { name: "44.mp3", options: ["-ar", "44100", "-b:a", "128k"] }
    ]) {
      const audio = join(folder, name)
      ffmpegTook(ffmpeg, ["-i", said, ...options, audio])
      const spoken = await service(0, audio)
      await inFolder(async (batchFolder) => {
        writeBatch(batchFolder, spoken.base, ["wav"], [{ lines, every: 4.8 }])
        const { seconds: took, memory } = await commanded(["run", "batch.json", "--quiet"], batchFolder)
        console.log(`(e) ${lines} lines in ${name}: ${took.toFixed(1)} s, ${memory} MB peak`)
      })
      spoken.stop()
    }
  })
}
