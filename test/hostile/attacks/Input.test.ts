/** Hostile input of the service: JSON, subtitles and markup. Each gets a refusal or speech, never an internal error. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { create, ended, type Started, startService } from "../../service/start.ts"

let service: Started
const folder = mkdtempSync(join(tmpdir(), "dubwright-input-"))
const log = join(folder, "log")
beforeAll(async () => {
  const script = join(folder, "engine.mjs")
  writeFileSync(
    script,
    `import { appendFileSync, readFileSync } from "node:fs"
appendFileSync(${JSON.stringify(log)}, JSON.stringify({ argv: process.argv.slice(2), text: readFileSync(0, "utf8") }) + "\\n")
process.stdout.write(Buffer.alloc(1600, 1))`
  )
  service = await startService({
    audio: { format: "wav" },
    limits: { bodyBytes: 8_000_000 },
    engines: {
      program: {
        kind: "command",
        program: process.execPath,
        args: [script, "{voice}", "{rate}"],
        rawRate: SampleRate.make(8_000),
        voices: [{ id: "one", argument: "--voice" }]
      }
    },
    providers: { provider_local: { engine: "program", voicePrefix: "local-", srtInput: true } }
  })
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

const raw = async (text: string): Promise<readonly [number, string]> => {
  const response = await fetch(`${service.address}/v1/text-to-speech/fast-en-us`, {
    method: "POST",
    headers: { "xi-api-key": service.key, "content-type": "application/json" },
    body: text
  })
  return [response.status, await response.text()]
}

test("hostile JSON is refused, or read as the standard says", async () => {
  const digits = "9".repeat(2_000_000)
  const deep = "[".repeat(1_000_000)
  const tail = `"provider":"provider_fast"}`
  const cases: ReadonlyArray<readonly [string, number]> = [
    [`{"__proto__":{"provider":"provider_fast"},"text":"a"}`, 400],
    [`{"constructor":{"prototype":{"speed":9}},"text":"a",${tail}`, 200],
    [`{"text":"a","__proto__":{"speed":9},${tail}`, 200],
    [`{"text":1,"text":"a",${tail}`, 200],
    [`{"text":"a","text":1,${tail}`, 400],
    [`{"text":${digits},${tail}`, 400],
    [`{"text":"a","speed":${digits},${tail}`, 422],
    [`{"text":"a","speed":1e999,${tail}`, 422],
    [`{"text":"a","x":${deep},${tail}`, 400],
    [`{"text":"a","x":${deep}${"]".repeat(1_000_000)},${tail}`, 400],
    [`{"text":"${"\\u0301".repeat(300_000)}",${tail}`, 413],
    [`{"text":"\\ud800",${tail}`, 400],
    [`{"text":"a\\u0000b",${tail}`, 400]
  ]
  for (const [text, expected] of cases) {
    const [status, answer] = await raw(text)
    const about = `${text.slice(0, 60)}… ${answer.slice(0, 200)}`
    expect(status, about).toBe(expected)
  }
  expect(Object.keys({})).toEqual([])
  expect("speed" in {}).toBe(false)
})

test("an SRT of 100,000 entries is refused by its length, at once", async () => {
  const entries = Array.from({ length: 100_000 }, (_, at) => `${at + 1}\n00:00:00,000 --> 00:00:01,000\nA.\n`)
  const [status, answer] = await raw(
    JSON.stringify({ text: entries.join("\n"), provider: "provider_native" })
  )
  expect([status, JSON.parse(answer).code]).toEqual([422, "voice_of_other_provider"])
  const native = await fetch(`${service.address}/v1/text-to-speech/local-one`, {
    method: "POST",
    headers: { "xi-api-key": service.key, "content-type": "application/json" },
    body: JSON.stringify({ text: entries.join("\n"), provider: "provider_local" })
  })
  expect(native.status).toBe(413)
  await native.arrayBuffer()
})

test("markup, phonemes, combining marks and directions are words for eSpeak NG, not commands", async () => {
  const spoken = async (text: string) => {
    const { task_id } = await create(service, service.key, "fast-en-us", { provider: "provider_fast", text })
    return ended(service, service.key, task_id)
  }
  const long = await spoken(`Hello <break time="20s"/> there.`)
  expect(long.status).toBe("done")
  expect(long.duration).toBeLessThan(15)
  for (const text of [
    "[[h@l'oU]] [[",
    "<speak><voice name='de'>Hallo</voice></speak>",
    `<audio src="file:///etc/passwd"/> Hello.`,
    "a\u0301\u0302\u0303".repeat(200),
    "\u202eevil\u202c \u2066Hello\u2069 \u200f."
  ]) {
    const { status, error } = await spoken(text)
    expect(status === "done" || error?.code === "nothing_to_say", `${text}: ${JSON.stringify(error)}`).toBe(
      true
    )
  }
  // The phonemes of "hello", if they were read as such, would be as long as the word.
  const [phonemes, word] = [await spoken("[[h@l'oU]]"), await spoken("Hello")]
  expect(phonemes.duration).toBeGreaterThan(1.5 * (word.duration ?? 0))
})

test("a command engine gets the text on stdin only, whatever it contains", async () => {
  const texts = [
    "--help",
    "-o /tmp/x",
    "$(touch /tmp/owned) `id` ; rm -rf / | cat > x & ' \" \\ %PATH% ${HOME} !! \n second line",
    "{voice} {output} %s"
  ]
  for (const text of texts) {
    const { task_id } = await create(service, service.key, "local-one", { provider: "provider_local", text })
    expect((await ended(service, service.key, task_id)).status).toBe("done")
  }
  const calls = readFileSync(log, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(calls.map(({ argv }) => argv)).toEqual(texts.map(() => ["--voice", "1"]))
  expect(calls.map(({ text }) => text.trim().split(/\s+/u))).toEqual(
    texts.map((text) => text.trim().split(/\s+/u))
  )
})
