/** `plan` against a service on loopback: the key, the balance, the price of SRT and the disk. */
import { existsSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { video } from "../ffmpeg/media.ts"
import { runHere } from "./cli/inProcess.ts"
import { emptyFolder } from "./process.ts"

const said = [
  "Hello there my friend, it is cold.",
  "How are you? I am fine, thank you, sir.",
  "The boat leaves at nine, so do come."
]
const srt = said
  .map((words, i) => `${i + 1}\n00:00:0${i * 3 + 1},000 --> 00:00:0${i * 3 + 3},000\n${words}\n`)
  .join("\n")

const answers: Readonly<Record<string, unknown>> = {
  "/v1/health-check": {},
  "/v1/credits": { credits: 60, unlimited: false, used: 0, reserved: 0 },
  "/v1/providers": { providers: [{ provider: "provider_native", default_model_id: "m1" }] },
  "/v1/models": { models: [{ provider: "provider_native", model_id: "m1", credits_per_character: 1 }] },
  "/v1/voices": { voices: [{ voice_id: "v", provider: "provider_native", name: "V" }] }
}

const service = createServer((request, response) => {
  const key = request.headers["xi-api-key"] ?? request.headers.authorization
  const known = key?.includes("right") === true
  response.writeHead(known ? 200 : 401, { "content-type": "application/json" })
  const path = (request.url ?? "").split("?")[0] ?? ""
  response.end(JSON.stringify(known ? (answers[path] ?? {}) : { message: "this key is unknown" }))
})
let baseUrl = ""
beforeAll(
  () =>
    new Promise<void>((ready) => {
      service.listen(0, "127.0.0.1", () => {
        const address = service.address()
        baseUrl = `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`
        ready()
      })
    })
)
afterAll(() => service.close())

const planned = (key: string, ...words: ReadonlyArray<string>) => plannedWith("", key, ...words)

const plannedWith = (settings: string, key: string, ...words: ReadonlyArray<string>) => {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, "film.srt"), srt)
  const job = "{ input: film.srt, provider: provider_native, voice: v }"
  writeFileSync(join(cwd, "batch.yaml"), `${settings}\njobs: [${job}]\n`)
  const given = ["batch.yaml", "--base-url", baseUrl]
  return runHere(["plan", ...given, ...words], { cwd, env: { DUBWRIGHT_API_KEY: key } })
}

describe("plan", () => {
  test("lists every program that the manifest would start, as doctor does, and starts none", async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, "film.srt"), srt)
    writeFileSync(
      join(cwd, "batch.yaml"),
      `service: { baseUrl: "${baseUrl}" }
notify: { command: [sh, -c, "touch started"] }
defaults:
  provider: provider_native
  voice: v
  listen: { command: [heard, "{audio}"] }
  rewrite: { command: [./shorter] }
jobs:
  - input: film.srt
  - { id: other, input: film.srt, listen: off }
`
    )
    const env = { DUBWRIGHT_API_KEY: "right" }
    const { stderr } = await runHere(["plan", "batch.yaml", "--quiet"], { cwd, env })
    const { stdout } = await runHere(["doctor", "batch.yaml", "--json"], { cwd, env })
    const programs = ["heard {audio} (listen)", "./shorter (rewrite)", 'sh -c "touch started" (notify)']
    expect(stderr.split("\n").filter((line) => line.includes("a run starts"))).toEqual(
      programs.map((program) => `note: a run starts ${program}`)
    )
    expect(JSON.parse(stdout)).toEqual(
      expect.arrayContaining(
        programs.map((program) => ({ name: "Program", state: "well", found: `a run starts ${program}` }))
      )
    )
    expect(existsSync(join(cwd, "started"))).toBe(false)
  })

  test("exits with code 4 and one line if the service rejects the key", async () => {
    const { code, stdout, stderr } = await planned("wrong")
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(
        /^dubwright: the service rejected the key: [^\n]*this key is unknown \(HTTP 401\)\n$/u
      )
    ])
    expect(stdout).toContain("1 task would be created")
  })

  test("compares the cost with the balance, and sends the cheaper form of subtitles", async () => {
    const { code, stdout } = await planned("right", "--fail-on", "balance")
    expect(code).toBe(3)
    expect(stdout.split("\n").slice(4)).toEqual([
      `1 task would be created on ${baseUrl}.`,
      "Needs 111 credits; the account has 60: 51 short.",
      'Subtitles are sent as plain text, 99 characters less than as SRT; the audio is split at the cues ("nativeInput: srt" sends SRT).',
      ""
    ])
  })

  test("reports what SRT adds, if the manifest chooses SRT", async () => {
    const { stdout } = await plannedWith("defaults: { nativeInput: srt }", "right")
    expect(stdout.split("\n").slice(4)).toEqual([
      `1 task would be created on ${baseUrl}.`,
      "Needs 210 credits; the account has 60: 150 short.",
      "SRT is billed including cue numbers and times: 101 characters (+93 %) on top of 109.",
      ""
    ])
    const json = await plannedWith("defaults: { nativeInput: srt }", "right", "--json")
    expect(json.code).toBe(0)
    const srt = { characters: 210, markup: 101 }
    expect(JSON.parse(json.stdout)).toMatchObject({
      jobs: [{ srt }],
      total: { srt, credits: 210 },
      balance: { credits: 60, unlimited: false, short: 150 },
      disk: [{ needed: expect.any(Number), free: expect.any(Number) }]
    })
  })

  test("says once how a subtitle fits its film", async () => {
    const cwd = emptyFolder()
    await Effect.runPromise(video(join(cwd, "film.mp4"), { seconds: 100, rate: "5" }))
    const cues = Array.from({ length: 30 }, (_, at) => {
      const [from, to] = [1, 3].map((second) =>
        new Date((3 * at + second) * 1_000).toISOString().slice(11, 19)
      )
      return `${at + 1}\n${from},000 --> ${to},000\nNobody came that night.\n`
    })
    writeFileSync(join(cwd, "film.en.srt"), cues.join("\n"))
    const { stdout, stderr } = await runHere(["plan", "film.en.srt", "--video", "film.mp4", "--embedded"], {
      cwd
    })
    expect(`${stdout}${stderr}`.match(/no speech was found in the film's sound/gu)).toHaveLength(1)
  })

  test("warns once per job and reason of lines that a bundled voice cannot read", async () => {
    const cwd = emptyFolder()
    const cues = (...texts: ReadonlyArray<string>) =>
      texts
        .map((text, at) => `${at + 1}\n00:00:0${at * 3},000 --> 00:00:0${at * 3 + 2},000\n${text}\n`)
        .join("\n")
    writeFileSync(join(cwd, "a.ja.srt"), cues("私は学生です", "こんにちは", "東京です"))
    writeFileSync(join(cwd, "b.vi.srt"), cues("Привет, друзья", "Đảo nhỏ ngoài khơi"))
    writeFileSync(join(cwd, "c.zh.srt"), cues("我是学生", "东京"))
    const { code, stdout } = await runHere(["plan", "*.srt", "--embedded", "--json"], { cwd })
    expect(code).toBe(0)
    expect(JSON.parse(stdout).notices).toEqual([
      "job a.ja: 2 of 3 lines cannot be spoken (cues 1, 3): the voice reads kana but not kanji; write the text in kana (for example with a lexicon), or use another provider's voice",
      "job b.vi: 1 of 2 lines cannot be spoken (cue 1): the voice cannot read Cyrillic letters; use a text in its language (vi), or a voice of the text's language"
    ])
  })

  test("sends a line's tone only to a provider with a form for it", async () => {
    const cwd = emptyFolder()
    writeFileSync(join(cwd, "film.srt"), "1\n00:00:01,000 --> 00:00:03,000\n{tone: whispers} Quick!\n")
    const characters = async (providers: string, voice: string): Promise<unknown> => {
      writeFileSync(
        join(cwd, "film.yaml"),
        `service: embedded\n${providers}\njobs: [{ input: film.srt, language: en, ${voice} }]\n`
      )
      const { stdout } = await runHere(["plan", "film.yaml", "--json"], { cwd })
      return JSON.parse(stdout).total.characters
    }
    const form = '{ tone: "[{tone}] {text}" }'
    const aria = "provider: provider_expressive, voice: aria"
    const native = "provider: provider_native, voice: vi-anna"
    expect(await characters("", aria)).toBe("Quick!".length)
    expect(await characters(`providers: { provider_expressive: ${form} }`, aria)).toBe(
      "[whispers] Quick!".length
    )
    const srt = await characters("", native)
    expect(await characters(`providers: { provider_native: ${form} }`, native)).toBe(srt)
  })
})
