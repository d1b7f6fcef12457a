/** A service states its limits and prices: plans and runs use them, and nothing that was paid is paid again. */
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeEach, expect, test } from "vitest"
import { dub, type ManifestInput, plan } from "../../src/index.ts"
import { babble } from "../hostile/Babble.ts"

const root = mkdtempSync(join(tmpdir(), "dubwright-stated-"))

/** What the service states about its provider, and the texts of the tasks that it was paid for. */
let provider: Record<string, unknown> = {}
let second: Record<string, unknown> = {}
let models: ReadonlyArray<Record<string, unknown>> = []
let paid: ReadonlyArray<{ readonly text: string; readonly speed?: number; readonly export_srt?: boolean }> =
  []

const answers: Readonly<Record<string, () => unknown>> = {
  "/v1/health-check": () => ({ status: "ok" }),
  "/v1/credits": () => ({ credits: 1_000_000 }),
  "/v1/providers": () => ({ providers: [provider, second].filter((one) => "provider" in one) }),
  "/v1/models": () => ({ models }),
  "/v1/voices": () => ({
    voices: ["provider_lowcost", "provider_native"].map((id) => ({ voice_id: "low", provider: id }))
  }),
  "/v1/tasks": () => ({ tasks: [] })
}

const service = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "", "http://service")
  const [, kind, id = ""] = /^\/(?:v1\/)?(task|audio)\/(.*)$/u.exec(pathname) ?? []
  let sent = ""
  request.on("data", (bytes) => (sent += String(bytes)))
  request.on("end", () => {
    if (kind === "audio") return response.end(babble(paid[Number(id)]?.text ?? ""))
    if (request.method === "POST") paid = [...paid, JSON.parse(sent)]
    const answer =
      request.method === "POST"
        ? { task_id: String(paid.length - 1) }
        : kind === "task"
          ? { task_id: id, status: "done", audio_url: `${url}/audio/${id}` }
          : answers[pathname]?.()
    response.statusCode = answer === undefined ? 404 : 200
    return response.setHeader("content-type", "application/json").end(JSON.stringify(answer ?? {}))
  })
})

let port = 0
let url = ""
const leave = () => {
  service.close()
  service.closeAllConnections()
}
afterAll(() => {
  leave()
  rmSync(root, { recursive: true, force: true })
})
beforeEach(async () => {
  if (!service.listening) await once(service.listen(port, "127.0.0.1"), "listening")
  const address = service.address()
  port = typeof address === "object" ? (address?.port ?? 0) : 0
  url = `http://127.0.0.1:${port}`
  provider = { provider: "provider_lowcost" }
  second = { provider: "provider_native" }
  models = []
  paid = []
})

/** A sentence of about 70 characters for each boat. */
const sentenceOf = (boats: number) =>
  `${Array.from({ length: boats }, (_, at) => `boat ${at} lies still under the lamp at the end of its own old pier`).join(", and ")}.`

/** A batch of one narration, of a long sentence and a short one, in a folder of its own. */
const batchOf = (name: string, boats: number, changes: Partial<ManifestInput> = {}) => {
  const cwd = mkdtempSync(join(root, `${name}-`))
  writeFileSync(join(cwd, "script.txt"), `${sentenceOf(boats)}\n\nThe end of it all.\n`)
  return {
    cwd,
    manifest: {
      jobs: [{ input: "script.txt", voice: "low", provider: "provider_lowcost", language: "en" }],
      ...changes
    },
    service: { url, key: "key" },
    outputs: ["wav"] as const
  }
}

const states = (features: Record<string, unknown>, more = {}) => {
  provider = { provider: "provider_lowcost", features, ...more }
}

/** A word that no limit below 400 characters lets through. */
const longWord = `${"a".repeat(400)}.\n`

test("cuts texts at the stated maximum, pays each once, and an offline plan still knows it", async () => {
  states({ max_characters: 300 })
  const batch = batchOf("long", 5)
  const { report } = await plan(batch)
  expect((await dub(batch)).status).toBe("done")
  expect(report.total.utterances).toBe(paid.length)
  expect(new Set(paid.map(({ text }) => text)).size).toBe(paid.length)
  expect(Math.max(...paid.map(({ text }) => text.length))).toBeLessThanOrEqual(300)
  leave()
  writeFileSync(join(batch.cwd, "script.txt"), longWord)
  const { report: offline } = await plan(batch)
  expect(offline.faults.map(({ message }) => message)).toEqual([expect.stringContaining("at most 300 char")])
})

test("assumes 2,000 characters and pays as before if the service states nothing", async () => {
  const batch = batchOf("silent", 5)
  const { report } = await plan(batch)
  expect([report.total.utterances, report.notices]).toEqual([2, []])
  provider = second = {}
  expect((await plan(batch)).report.total).toEqual(report.total)
  expect((await dub(batch)).status).toBe("done")
  expect(paid.map(({ text }) => text.length)).toEqual([sentenceOf(5).length, 18])
})

test("shows the stated price, of the model if that is listed", async () => {
  const batch = batchOf("price", 1)
  const credits = async () => {
    const { characters, credits: price = 0 } = (await plan(batch)).report.total
    return price / characters
  }
  states({ credits_per_character: 3 })
  expect(await credits()).toBe(3)
  states({}, { default_model_id: "m2" })
  models = [
    { model_id: "m1", provider: "provider_lowcost", credits_per_character: 7 },
    { model_id: "m2", provider: "provider_lowcost", credits_per_character: 0.5 }
  ]
  expect(await credits()).toBe(0.5)
  await dub(batch)
  leave()
  writeFileSync(join(batch.cwd, "script.txt"), "A new text for the same voice.\n")
  expect(await credits()).toBe(0.5)
})

test("prefers the manifest to the service, in every rule", async () => {
  states({
    max_characters: 300,
    min_characters: 200,
    srt_input: true,
    transcript: "with_transcript",
    controls: { speed: { min: 0.9, max: 1.1 } }
  })
  const named = (rules: NonNullable<ManifestInput["providers"]>[string]) => {
    const jobs = [{ input: "script.txt", voice: "low", provider: "provider_lowcost", speed: 1.5 }]
    const batch = batchOf("manifest", 1, { jobs, providers: { provider_lowcost: rules } })
    writeFileSync(join(batch.cwd, "script.txt"), longWord)
    return batch
  }
  const faults = (await plan(named({}))).report.faults.map(({ message }) => message)
  expect(faults).toEqual([expect.stringContaining("at most 300 characters")])
  const short = (await plan(named({ maxChars: 500 }))).report.faults.map(({ message }) => message)
  expect(short).toEqual([expect.stringContaining("speed: 1.5: provider_lowcost accepts 0.9 to 1.1")])
  const own = named({
    maxChars: 500,
    minChars: 0,
    srtInput: false,
    transcript: "export_srt",
    controls: { speed: { min: 0.5, max: 2 } }
  })
  expect((await dub(own)).status).toBe("done")
  expect(paid).toEqual([expect.objectContaining({ speed: 1.5, export_srt: true })])
})

test("ignores values that cannot be meant, and says so once", async () => {
  states({
    max_characters: 0,
    min_characters: "some",
    srt_input: "perhaps",
    transcript: 4,
    controls: { speed: { min: 2, max: 1 } }
  })
  const batch = batchOf("absurd", 5)
  const { ok, report } = await plan(batch)
  expect([ok, report.total.utterances, report.notices]).toEqual([
    true,
    2,
    [
      expect.stringMatching(
        /max_characters 0; .*min_characters "some"|min_characters "some"; .*max_characters 0/u
      )
    ]
  ])
  states({ max_characters: 100, min_characters: 400 })
  expect((await plan(batch)).report.notices).toEqual([expect.stringContaining("above max_characters")])
})

test("pays nothing again for a finished batch when the service states other rules", async () => {
  const jobs = [{ input: "lines.srt", voice: "low", provider: "provider_native", speed: 1.8, language: "en" }]
  const batch = batchOf("finished", 5, { jobs: [...batchOf("unused", 1).manifest.jobs, ...jobs] })
  const cues = Array.from(
    { length: 6 },
    (_, at) =>
      `${at + 1}\n00:00:${10 + at * 4},000 --> 00:00:${13 + at * 4},000\nThe boats lie still, number ${at}.\n`
  )
  writeFileSync(join(batch.cwd, "lines.srt"), cues.join("\n"))
  expect((await dub(batch)).status).toBe("done")
  const before = paid.length
  const all = (await plan(batch)).report.total.utterances
  const others: ReadonlyArray<Record<string, unknown>> = [
    { max_characters: 300, controls: { speed: { min: 0.9, max: 1.1 } } },
    { max_characters: 150, min_characters: 0, srt_input: false },
    { srt_input: true, controls: {} }
  ]
  for (const features of others) {
    provider = { provider: "provider_lowcost", features }
    second = { provider: "provider_native", features }
    rmSync(join(batch.cwd, "out"), { recursive: true })
    const { report } = await plan(batch)
    expect([report.total.characters, report.total.reused, report.faults]).toEqual([0, all, []])
    expect([(await dub(batch)).status, paid.length]).toEqual(["done", before])
  }
})

test("pays nothing again for subtitles that were sent as SRT, now that text is chosen", async () => {
  const job = { input: "lines.srt", voice: "low", provider: "provider_native", language: "en" }
  const batch = batchOf("chosen", 1, { jobs: [{ ...job, nativeInput: "srt" }] })
  const cues = (texts: ReadonlyArray<string>) =>
    texts.map((text, at) => `${at + 1}\n00:00:${10 + at * 4},000 --> 00:00:${13 + at * 4},000\n${text}\n`)
  const lines = Array.from({ length: 6 }, (_, at) => `The boats lie still, number ${at}.`)
  writeFileSync(join(batch.cwd, "lines.srt"), cues(lines).join("\n"))
  expect((await dub(batch)).status).toBe("done")
  const before = paid.length
  const open = { ...batch, manifest: { jobs: [job] } }
  expect((await plan(open)).report.total).toMatchObject({ characters: 0, underWay: 0 })
  expect([(await dub(open)).status, paid.length]).toEqual(["done", before])
  writeFileSync(join(batch.cwd, "lines.srt"), cues(lines.map((line) => `${line} Now they go.`)).join("\n"))
  expect((await plan(open)).report.total.srt).toMatchObject({ characters: 0, saved: expect.any(Number) })
})
