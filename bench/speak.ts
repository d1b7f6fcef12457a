/**
 * How fast the speak stage is beside what is possible.
 *
 * (a) 2,000 utterances, each done after 400 ms, 16 at once: ideal time / time, and looks a task.
 * (b) 10,000 utterances of a service without latency, beside a bare undici loop that sends the same requests.
 * (c) the same batch again: what it takes to see that nothing is left.
 *
 * `node bench/run.mjs speak [a|b] [utterances]`
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { Agent, request } from "undici"
import { Casting } from "../src/domain/Casting.ts"
import { JobId, ProviderId, VoiceId } from "../src/domain/Ids.ts"
import { profileOf, ProviderProfile } from "../src/domain/ProviderProfile.ts"
import { makeUtterance } from "../src/domain/Utterance.ts"
import { Ffmpeg } from "../src/ffmpeg/Ffmpeg.ts"
import { Gateway } from "../src/gateway/Gateway.ts"
import { ServiceAddress } from "../src/gateway/ServiceAddress.ts"
import { Wire } from "../src/gateway/Wire.ts"
import { silent } from "../src/pipeline/Progress.ts"
import { speak } from "../src/pipeline/Speak.ts"
import { usualSettings } from "../src/pipeline/SpeakSettings.ts"
import { ClipFolder } from "../src/store/ClipFolder.ts"
import { Learned } from "../src/store/Learned.ts"
import { writableState } from "../src/store/StateFolder.ts"
import { UtteranceStore } from "../src/store/UtteranceStore.ts"

const atOnce = 16
const provider = ProviderId.make("provider_fast")
const profile = ProviderProfile.make({ ...profileOf(provider), concurrency: atOnce })
const casting = Casting.make({ provider, voice: VoiceId.make("v1") })

/** Starts the service in a process of its own; `figures` reads what it counted. */
const service = async (latency: number) => {
  const child = spawn(
    process.execPath,
    [new URL("latencyService.mjs", import.meta.url).pathname, String(latency)],
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

/** Plans and speaks a batch in a folder; returns milliseconds and the peak of memory in MB. */
const run = (base: string, folder: string, utterances: ReturnType<typeof batch>) => {
  const parts = Layer.mergeAll(
    Layer.mergeAll(UtteranceStore.Default, ClipFolder.Default, Learned.Default).pipe(
      Layer.provideMerge(writableState(folder))
    ),
    Ffmpeg.Default,
    Gateway.Default.pipe(
      Layer.provide(Wire.Default),
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
    const summary = yield* speak({
      ...usualSettings,
      keys: utterances.map((one) => one.utterance.key),
      profileOf: () => profile
    })
    return { millis: performance.now() - from, planning: planned - from, summary }
  }).pipe(Effect.provide(parts), Effect.runPromise)
}

/** The same requests by hand, as many at once, their bodies read and forgotten. */
const bare = async (base: string, utterances: ReturnType<typeof batch>): Promise<number> => {
  const dispatcher = new Agent()
  const from = performance.now()
  let next = 0
  const worker = async () => {
    for (let one = utterances[next++]; one !== undefined; one = utterances[next++]) {
      const created = await request(`${base}/v1/text-to-speech/v1`, {
        dispatcher,
        method: "POST",
        headers: { "content-type": "application/json", "xi-api-key": "k" },
        body: JSON.stringify({ text: one.utterance.text, provider, voice_name: one.label })
      })
      const { task_id } = JSON.parse(await created.body.text())
      const task = await request(`${base}/v1/task/${task_id}`, { dispatcher, headers: { "xi-api-key": "k" } })
      const { audio_url } = JSON.parse(await task.body.text())
      const audio = await request(`${base}${audio_url}`, { dispatcher, headers: { "xi-api-key": "k" } })
      await audio.body.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const time = performance.now() - from
  await dispatcher.close()
  return time
}

/** Milliseconds of processor time that work took in this process. */
const cpuOf = async <A>(work: () => Promise<A>): Promise<readonly [A, number]> => {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return [result, (user + system) / 1000]
}

const seconds = (millis: number) => `${(millis / 1000).toFixed(2)} s`
const peak = () => `${Math.round(process.resourceUsage().maxRSS / 1024)} MB at most`

const inFolder = async <A>(work: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-bench-"))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [which = "all", count] = process.argv.slice(2)

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
        `${(looks / made).toFixed(2)} looks a task; ${most} under way at most; ${peak()}`
    )
  })
  spoken.stop()
}

if (which === "b" || which === "all") {
  const utterances = batch(Number(count ?? 10_000))
  const spoken = await service(0)
  await bare(spoken.base, utterances.slice(0, 500))
  const [floor, floorCpu] = await cpuOf(() => bare(spoken.base, utterances))
  await inFolder(async (folder) => {
    const [{ millis, planning, summary }, cpu] = await cpuOf(() => run(spoken.base, folder, utterances))
    console.log(
      `(b) ${utterances.length} utterances, ${summary.failed} failed: ${seconds(millis)} (planning ${seconds(planning)}), ` +
        `bare loop ${seconds(floor)}, ratio ${(millis / floor).toFixed(2)}; ` +
        `processor ${seconds(cpu)} and ${seconds(floorCpu)}; ${peak()}`
    )
    const before = await spoken.figures()
    const again = await run(spoken.base, folder, utterances)
    const after = await spoken.figures()
    console.log(
      `(c) again: ${seconds(again.millis)}, ${after.made - before.made} creates, ${again.summary.reused} reused`
    )
  })
  spoken.stop()
}
