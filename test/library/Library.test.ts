/** Programs that use the library, with the bundled service, the real ffmpeg and the real SQLite. */
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test, vi } from "vitest"
import {
  dub,
  InputRejected,
  plan,
  type ProgressEvent,
  serve,
  type SpeechEngine,
  StateBusy,
  verify
} from "../../src/index.ts"

const root = mkdtempSync(join(tmpdir(), "dubwright-library-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const cue = "1\n00:00:01,000 --> 00:00:04,000\nThe harbour is quiet.\n"

/** A folder with one subtitle. */
const folderWith = (name: string, text = cue): string => {
  const folder = join(root, name)
  mkdirSync(folder)
  writeFileSync(join(folder, "line.srt"), text)
  return folder
}

test("dubs one cue", async () => {
  const cwd = folderWith("one")
  const events: Array<ProgressEvent["_tag"]> = []
  const { status, jobs } = await dub({
    manifest: { jobs: [{ input: "line.srt", language: "en" }] },
    cwd,
    onProgress: ({ _tag }) => events.push(_tag)
  })
  expect([status, jobs[0]?.files]).toEqual([
    "done",
    ["wav", "srt"].map((ending) => join(cwd, `out/line/line.${ending}`))
  ])
  expect(events).toEqual(expect.arrayContaining(["Planned", "Submitted", "Spoken", "Delivered"]))
})

/** An engine whose speech is a tone that swells and fades, 15 characters a second. */
const tone = (name: string, said: Array<string> = []): SpeechEngine => ({
  name,
  voices: [{ id: "low", languages: ["en"] }],
  speak: ({ text }) => {
    said.push(text)
    const samples = new Int16Array(text.length * 1_600)
    const fade = (at: number) => Math.sin((Math.PI * at) / samples.length)
    return { rate: 24_000, samples: samples.map((_, at) => 8_000 * fade(at) * Math.sin(at / 8)) }
  }
})

test("an engine of ten lines replaces the service", async () => {
  const said: Array<string> = []
  const { status, jobs } = await dub({
    files: "line.srt",
    cwd: folderWith("engine"),
    service: tone("hum", said)
  })
  expect([status, said, jobs[0]?.metrics?.spoken]).toEqual(["done", ["The harbour is quiet."], 1])
})

test("passes addresses and keys of helpers from env, and from nowhere else", async () => {
  const keys: Array<string | undefined> = []
  const recogniser = createServer((request, response) => {
    keys.push(request.headers.authorization)
    request.resume().on("end", () => response.end('{"text":"The harbour is quiet."}'))
  })
  await once(recogniser.listen(0, "127.0.0.1"), "listening")
  const address = recogniser.address()
  const port = typeof address === "object" ? address?.port : undefined
  const manifest = { defaults: { listen: {} }, jobs: [{ input: "line.srt", language: "en" }] }
  const cwd = folderWith("helpers")
  const warnings = async (env?: Record<string, string>) => {
    const told: Array<string> = []
    const onProgress = (event: ProgressEvent) => event._tag === "Warning" && told.push(event.message)
    await dub({ manifest, cwd, service: tone("hum"), env, onProgress })
    return told
  }
  try {
    expect(await warnings()).toEqual([expect.stringContaining("set listen.command or listen.baseUrl")])
    const url = `http://127.0.0.1:${port}/v1`
    expect(await warnings({ DUBWRIGHT_LISTEN_URL: url, DUBWRIGHT_LISTEN_KEY: "sesame" })).toEqual([])
    expect(keys).toEqual(["Bearer sesame"])
  } finally {
    recogniser.close()
  }
})

describe("a batch that was dubbed", () => {
  const cwd = folderWith("dubbed")
  const manifest = { name: "harbour", jobs: [{ input: "line.srt", outputs: ["wav"] as const }] }

  test("is priced before, spends nothing again, and is verified", async () => {
    const before = await plan({ manifest, cwd })
    expect([before.ok, before.report.total.utterances, before.report.total.reused]).toEqual([true, 1, 0])
    expect(existsSync(join(cwd, "out"))).toBe(false)
    const first = await dub({ manifest, cwd })
    expect([first.report.tasks.created, first.jobs[0]?.unchanged]).toEqual([1, false])
    const second = await dub({ manifest, cwd })
    expect([second.report.tasks.created, second.jobs[0]?.unchanged]).toEqual([0, true])
    const heard = await verify({ manifest, cwd })
    expect([heard.ok, heard.jobs.map(({ id }) => id)]).toEqual([true, ["line"]])
    expect(readdirSync(cwd).sort()).toEqual([".dubwright", "line.srt", "out"])
  })
})

test("a listener that throws does not stop the run, and the result says so", async () => {
  const { status, notices } = await dub({
    files: "line.srt",
    cwd: folderWith("listener"),
    onProgress: () => {
      throw new Error("no pen")
    }
  })
  expect([status, notices.at(-1)]).toEqual(["done", "onProgress threw an error: no pen"])
})

test("prints nothing, and leaves the process's signals alone", async () => {
  const written = [
    vi.spyOn(process.stdout, "write").mockReturnValue(true),
    vi.spyOn(process.stderr, "write").mockReturnValue(true)
  ]
  const listeners = () => ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => process.listenerCount(signal))
  const before = listeners()
  await dub({ files: "line.srt", cwd: folderWith("quiet") })
  const texts = written.flatMap((spy) => spy.mock.calls.map(([text]) => text))
  for (const spy of written) spy.mockRestore()
  expect([texts, listeners()]).toEqual([[], before])
})

test("a faulty batch rejects with all faults, before anything is written", async () => {
  const cwd = folderWith("faulty")
  const faulty = { jobs: [{ input: "line.srt", speed: -1, outputs: ["wave"] }] }
  // @ts-expect-error: "wave" is not an output.
  const failure = await dub({ manifest: faulty, cwd }).catch((cause: unknown) => cause)
  expect(failure).toBeInstanceOf(InputRejected)
  expect(String(failure)).toMatch(/manifest: jobs\[0\]\.speed: [^]*manifest: jobs\[0\]\.outputs/u)
  expect(readdirSync(cwd)).toEqual(["line.srt"])
})

test("an unknown option is a fault", async () => {
  const options = { files: "line.srt", cwd: root, maxCredit: 5 }
  await expect(dub(options)).rejects.toThrow("options: maxCredit: unknown key; did you mean maxCredits?")
})

test("a signal interrupts a run, and the next run continues", async () => {
  const cwd = folderWith("interrupted")
  const stop = new AbortController()
  const reason = new Error("enough")
  const first = dub({
    files: "line.srt",
    cwd,
    signal: stop.signal,
    onProgress: ({ _tag }) => {
      if (_tag === "Submitted") stop.abort(reason)
    }
  })
  await expect(first).rejects.toBe(reason)
  expect((await dub({ files: "line.srt", cwd })).status).toBe("done")
})

test("two runs on one state folder do not mix", async () => {
  const cwd = folderWith("busy")
  const ends = await Promise.allSettled([1, 2].map(() => dub({ files: "line.srt", cwd })))
  expect(ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []))[0]).toBeInstanceOf(StateBusy)
})

test("a service with an own engine serves a run that names its URL and key", async () => {
  const service = await serve({
    data: join(root, "service"),
    engines: [tone("hum")],
    config: { providers: { choir: { engine: "hum", voices: [{ id: "choir-low", voice: "low" }] } } }
  })
  const key = await service.createKey({ name: "films", credits: 1_000 })
  const { status, credits } = await dub({
    files: "line.srt",
    cwd: folderWith("remote"),
    voice: "choir-low",
    service: { url: service.url, key },
    maxCredits: 100
  })
  await service.close()
  expect([status, credits]).toEqual(["done", { spent: 21, left: 979 }])
  await expect(fetch(`${service.url}/v1/health-check`)).rejects.toThrow()
})

test("a manifest that names a remote service needs its key", async () => {
  const manifest = {
    service: { baseUrl: "http://127.0.0.1:9" },
    jobs: [{ input: "line.srt", voice: "v", provider: "provider_fast" }]
  }
  await expect(dub({ manifest, cwd: folderWith("keyless") })).rejects.toThrow(
    "the service at http://127.0.0.1:9 needs a key; pass service: { key } with its key"
  )
})
