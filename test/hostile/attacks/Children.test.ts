/** Every program that dubwright starts, by the real command: none gets a key in its environment or its arguments. */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { afterAll, expect, test } from "vitest"
import { emptyFolder, run, type Running, start } from "../../app/process.ts"
import { writePiperVoice } from "../../engines/neural/tinyVoice.ts"
import { bundled } from "../../ffmpeg/binaries.ts"

const cwd = emptyFolder()
const secrets = {
  DUBWRIGHT_LISTEN_KEY: "listen-4f1c9a",
  DUBWRIGHT_REWRITE_KEY: "rewrite-51b2ce",
  DUBWRIGHT_FLEET_PASSWORD: "fleet-77aa01",
  OPENAI_API_KEY: "openai-9d01fe",
  ELEVENLABS_API_KEY: "elevenlabs-3c22ab",
  AWS_SECRET_ACCESS_KEY: "aws-81d0c7"
}
/** Commands that the manifest names for a purpose of their own get their own secrets, such as a chat's token. */
const forNotify = new Set([secrets.OPENAI_API_KEY, secrets.ELEVENLABS_API_KEY, secrets.AWS_SECRET_ACCESS_KEY])

/** Writes a program that appends its environment and its arguments to `NAME.seen`, and then runs `then`. */
const recorder = (name: string, then: string): string => {
  const file = join(cwd, name)
  writeFileSync(file, `#!/bin/sh\n{ env; echo "$@"; } >> "${file}.seen"\n${then}\n`)
  chmodSync(file, 0o755)
  return file
}

/** The environments and arguments of a process's children. */
const childrenOf = (parent: number): ReadonlyArray<string> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((id) => {
      try {
        const of = Number(/\) \S (\d+)/u.exec(readFileSync(`/proc/${id}/stat`, "utf8"))?.[1])
        return of === parent
          ? [readFileSync(`/proc/${id}/cmdline`, "utf8") + readFileSync(`/proc/${id}/environ`, "utf8")]
          : []
      } catch {
        return []
      }
    })

let service: Running | undefined
afterAll(async () => {
  service?.child.kill("SIGTERM")
  await service?.ended
})

test("no program gets a key of dubwright or its engines", async () => {
  const [ffmpeg, notify, listen, rewrite, separate, engine] = [
    recorder("ffmpeg", `exec "${bundled.path}" "$@"`),
    recorder("notify", "cat > /dev/null"),
    recorder("listen", "echo this is line number one"),
    recorder("rewrite", "cat > /dev/null\necho Short."),
    recorder("separate", `"${bundled.path}" -v error -y -i "$1" -vn -ac 2 -ar 48000 -c:a pcm_s24le "$2"`),
    recorder("engine", "cat > /dev/null\nhead -c 48000 /dev/urandom")
  ]
  mkdirSync(join(cwd, "models"))
  const voice = writePiperVoice(join(cwd, "models"), "en_GB-anna-low")
  writeFileSync(
    join(cwd, "service.yaml"),
    JSON.stringify({
      engines: {
        program: {
          kind: "command",
          program: engine,
          args: ["{voice}"],
          rawRate: 8000,
          voices: [{ id: "one", languages: ["en"] }]
        },
        neural: { kind: "sherpa", voices: [voice] }
      },
      providers: {
        provider_program: { engine: "program", voices: "all", voicePrefix: "p-", models: [{ id: "m" }] },
        provider_models: { engine: "neural", voices: "all", voicePrefix: "n-", models: [{ id: "m" }] }
      }
    })
  )
  const env = { ...secrets, DUBWRIGHT_FFMPEG: ffmpeg, DUBWRIGHT_API_KEY: "nativeapikey_of-another-service" }
  service = start(["serve", "--config", "service.yaml", "--data", "data", "--port", "0", "--quiet"], {
    cwd,
    env
  })
  const url = (await service.firstLine).replace("listening ", "")
  const key = (await run(["keys", "create", "--data", "data", "--name", "a"], { cwd })).stdout.trim()
  copyFileSync(resolve("fixtures/last-ferry.mp4"), join(cwd, "film.mp4"))
  writeFileSync(join(cwd, "program.srt"), "1\n00:00:01,000 --> 00:00:02,000\nThis is line number one.\n")
  writeFileSync(join(cwd, "neural.srt"), "1\n00:00:01,000 --> 00:00:04,000\nThis is line number one.\n")
  writeFileSync(
    join(cwd, "batch.yaml"),
    JSON.stringify({
      service: { baseUrl: url },
      notify: { command: [notify] },
      providers: { provider_program: { concurrency: 2 }, provider_models: { concurrency: 2 } },
      defaults: { language: "en", sync: "off" },
      jobs: [
        {
          input: "program.srt",
          provider: "provider_program",
          voice: "p-one",
          video: "film.mp4",
          outputs: ["mp4"],
          rewrite: { command: [rewrite, "{text}"] },
          listen: { command: [listen, "{audio}"] },
          separate: { command: [separate, "{film}", "{bed}"] }
        },
        { input: "neural.srt", provider: "provider_models", voice: "n-en_GB-anna-low", outputs: ["mp3"] }
      ]
    })
  )
  const ran = await run(["run", "batch.yaml"], { cwd, env: { ...env, DUBWRIGHT_API_KEY: key } })
  expect(ran.stderr).toContain("neural: delivered")

  const seen = Object.fromEntries(
    ["ffmpeg", "notify", "listen", "rewrite", "separate", "engine"].map((name) => [
      name,
      readFileSync(join(cwd, `${name}.seen`), "utf8")
    ])
  )
  const neural = childrenOf(service.child.pid ?? 0).filter((child) => child.includes("sherpa-host"))
  if (process.platform === "linux") expect(neural.length).toBe(1)
  const programs = Object.entries({ ...seen, neural: neural.join("PATH=") })
  for (const [name, text] of programs) expect(text, name).toContain("PATH=")
  expect(
    programs.flatMap(([name, text]) =>
      [key, env.DUBWRIGHT_API_KEY, ...Object.values(secrets)]
        .filter((secret) => text.includes(secret) && !(name === "notify" && forNotify.has(secret)))
        .map((secret) => `${name}: ${secret}`)
    )
  ).toEqual([])
}, 120_000)
