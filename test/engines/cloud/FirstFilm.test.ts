/** The example of docs/engines/cloud.md, followed word for word: two cloud engines and a local one dub a film. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { run, start } from "../../app/process.ts"
import { walkEngine } from "../../conformance/EngineWalk.ts"
import { azure } from "./servers/AzureServer.ts"
import { elevenLabs } from "./servers/ElevenLabsServer.ts"
import { startStandIn } from "./servers/StandIn.ts"

const page = readFileSync("docs/engines/cloud.md", "utf8")

/** The example's file with this name. */
const fileOf = (name: string): string => {
  const blocks = [...page.matchAll(/^ {3}```yaml\n([^]*?)^ {3}```$/gmu)].map(([, block = ""]) =>
    block.replaceAll(/^ {3}/gmu, "")
  )
  return blocks.find((block) => block.startsWith(`# ${name}\n`)) ?? ""
}

const script = `1
00:00:00,500 --> 00:00:02,500
ANNA: Hôm nay trời đẹp quá.

2
00:00:03,000 --> 00:00:05,000
BO: Vâng, chúng ta ra biển nhé?

3
00:00:05,500 --> 00:00:08,000
NAM: Tôi đi với hai người.
`

/** Replaces the addresses of the example by those of the test. */
const replaced = (text: string, ...pairs: ReadonlyArray<readonly [string, string]>): string =>
  pairs.reduce((last, [from, to]) => {
    expect(last).toContain(from)
    return last.replace(from, to)
  }, text)

it.scopedLive("two engines are set up with the page alone, and dub a film at the first attempt", () =>
  Effect.gen(function* () {
    const eleven = yield* startStandIn(elevenLabs)
    const second = yield* startStandIn(azure)
    const cwd = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "dubwright-cloud-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const settings = replaced(
      fileOf("service.yaml"),
      ["kind: elevenlabs,", `kind: elevenlabs, baseUrl: "${eleven.baseUrl}",`],
      ["kind: azure,", `kind: azure, baseUrl: "${second.baseUrl}",`]
    )
    writeFileSync(join(cwd, "service.yaml"), settings)
    writeFileSync(join(cwd, "harbour.vi.srt"), script)
    const data = ["--data", "service-data"]
    const { AZURE_SPEECH_KEY = "" } = azure.env
    const env = { ...elevenLabs.env, AZURE_SPEECH_KEY }
    const service = yield* Effect.acquireRelease(
      Effect.sync(() =>
        start(["serve", "--config", "service.yaml", "--port", "0", "--quiet", ...data], { cwd, env })
      ),
      ({ child, ended }) =>
        Effect.promise(() => {
          child.kill("SIGTERM")
          return ended
        })
    )
    const address = (yield* Effect.promise(() => service.firstLine)).replace("listening ", "")
    const created = yield* Effect.promise(() => run(["keys", "create", "--name", "studio", ...data], { cwd }))
    const client = { cwd, env: { DUBWRIGHT_API_KEY: created.stdout.trim() } }
    const manifest = replaced(fileOf("harbour.yaml"), ["http://127.0.0.1:8080", address])
    writeFileSync(join(cwd, "harbour.yaml"), manifest)

    const listed = yield* Effect.promise(() =>
      run(["voices", "--base-url", address, "--provider", "provider_fast", "--search", "vi-VN"], client)
    )
    expect(listed.stdout).toContain("az-vi-VN-HoaiMyNeural")
    const dubbed = yield* Effect.promise(() => run(["run", "harbour.yaml", "--max-credits", "20000"], client))
    expect([dubbed.code, eleven.broken, second.broken]).toEqual([0, [], []])
    const takes = [eleven.calls.filter(elevenLabs.isSpeech), second.calls.filter(azure.isSpeech)]
    expect(takes.map(({ length }) => length)).toEqual([1, 1])
    expect(existsSync(join(cwd, "out/harbour.vi/harbour.vi.wav"))).toBe(true)
    // No output contains a key.
    for (const secret of Object.values(env)) expect(`${dubbed.stdout}${dubbed.stderr}`).not.toContain(secret)
  })
)

it.scopedLive("the conformance check passes a good engine, and finds the faults of others", () =>
  Effect.gen(function* () {
    const { baseUrl, broken, next } = yield* startStandIn(elevenLabs)
    const [variable = "", key = ""] = Object.entries(elevenLabs.env)[0] ?? []
    process.env["DUBWRIGHT_TEST_VOICES"] = key
    const said: Array<string> = []
    const walked = (keyVariable: string) =>
      Effect.promise(() =>
        walkEngine(
          {
            engine: "eleven",
            config: { engines: { eleven: { kind: "elevenlabs", baseUrl, keyVariable } } },
            voice: undefined,
            text: undefined,
            speaks: true
          },
          () => undefined,
          (line) => said.push(line)
        )
      )
    expect((yield* walked("DUBWRIGHT_TEST_VOICES")).map(({ point, verdict }) => [verdict, point])).toEqual([
      ["holds", "it lists its voices"],
      ["holds", "it refuses an unknown voice"],
      ["holds", "it refuses a text that is too long"],
      ["holds", "Rachel speaks"],
      ["holds", "it gives the times of words"]
    ])
    expect(said).toEqual([
      "speaking 45 characters with Rachel (21m00Tcm4TlvDq8ikWAM), which the provider charges"
    ])
    next(elevenLabs.refusals.quota)
    expect((yield* walked("DUBWRIGHT_TEST_VOICES")).at(-1)).toMatchObject({
      point: "it speaks",
      verdict: "broken"
    })
    expect(yield* walked(`NO_${variable}`)).toMatchObject([
      { point: "it lists its voices", verdict: "broken" }
    ])
    expect(broken).toEqual([])
    delete process.env["DUBWRIGHT_TEST_VOICES"]
  })
)
