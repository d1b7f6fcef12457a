/** The key and other secrets of the environment are in no file and no message, and no other program gets them. */
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundled } from "../../ffmpeg/binaries.ts"
import { serving, temporaryFolder } from "../Batch.ts"
import { start } from "../../app/process.ts"
import { reached, writeScene } from "../Command.ts"
import { calm, type Character, HostileService } from "../HostileService.ts"

const key = "nativeapikey_0123456789abcdef0123456789abcdef"

const secrets = {
  DUBWRIGHT_LISTEN_KEY: "listen-4f1c9a",
  DUBWRIGHT_FLEET_PASSWORD: "fleet-77aa01"
}

/** All files below a folder. */
const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())

/** Writes a program that appends its environment and its arguments to `seen`, and then runs `then`. */
const recorder = (folder: string, name: string, then: string): string => {
  const file = join(folder, name)
  writeFileSync(file, `#!/bin/sh\n{ env; echo "$@"; } >> "${join(folder, `${name}.seen`)}"\n${then}\n`)
  chmodSync(file, 0o755)
  return file
}

/** A collector of traces, with all that it received. */
const traceCollector = Effect.acquireRelease(
  Effect.promise(async () => {
    const received: Array<string> = []
    const server = createServer((request, response) => {
      received.push(JSON.stringify(request.headers))
      request.on("data", (piece) => received.push(String(piece)))
      request.on("end", () => response.end("{}"))
    })
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
    const bound = server.address()
    return { server, received, url: `http://127.0.0.1:${typeof bound === "object" ? bound?.port : ""}` }
  }),
  ({ server }) => Effect.sync(() => (server.closeAllConnections(), server.close()))
)

/** How a run is made to fail. */
interface Failure {
  /** How the service differs from a good one; "absent" if nothing listens at its address. */
  readonly service?: Partial<Character> | "absent"
  readonly options?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Interrupted as soon as this many tasks are charged. */
  readonly interruptedAfter?: number
}

/** Runs a scene with everything that starts programs or writes files. Returns all that was written or printed. */
const written = ({
  service: character = {},
  options = ["--verbose", "--log-level", "trace"],
  env = {},
  interruptedAfter
}: Failure) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const collector = yield* traceCollector
    const service = yield* serving(
      new HostileService({ ...calm, key, ...(character === "absent" ? {} : character) })
    )
    const { baseUrl } = service
    if (character === "absent") yield* Effect.promise(() => service.stop())
    writeScene(folder, 3)
    const [ffmpeg, notify, listen] = [
      recorder(folder, "ffmpeg", `exec "${bundled.path}" "$@"`),
      recorder(folder, "notify", "cat > /dev/null"),
      recorder(folder, "listen", "echo this is line number one")
    ]
    writeFileSync(
      join(folder, "night.yaml"),
      JSON.stringify({
        service: { baseUrl },
        notify: { command: [notify] },
        jobs: [
          {
            input: "scene.srt",
            provider: "provider_fast",
            voice: "v1",
            outputs: ["mp3", "srt"],
            listen: { command: [listen, "{audio}"] }
          }
        ]
      })
    )
    const words = ["run", "night.yaml", ...options, "--log", join(folder, "night.log")]
    const { child, ended } = start(words, {
      cwd: folder,
      env: {
        ...secrets,
        DUBWRIGHT_API_KEY: key,
        CHAT_TOKEN: "chat-token",
        DUBWRIGHT_FFMPEG: ffmpeg,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        ...env
      }
    })
    const { code, stdout, stderr } = yield* Effect.promise(async () => {
      if (interruptedAfter !== undefined) {
        await reached(service, interruptedAfter)
        child.kill("SIGINT")
      }
      return ended
    })
    const files = filesIn(folder).map((file) => [file.slice(folder.length + 1), readFileSync(file, "latin1")])
    const traces = collector.received.join("\n")
    const all: Record<string, string> = { stdout, stderr, traces, ...Object.fromEntries(files) }
    return { code, all }
  })

/** The files and outputs that contain one of the secrets. */
const leaks = (all: Readonly<Record<string, string>>) =>
  Object.entries(all).flatMap(([place, text]) =>
    [key, ...Object.values(secrets)]
      .filter((secret) => text.includes(secret))
      .map((secret) => `${place}: ${secret}`)
  )

it.scopedLive(
  "are in no file, no message, and no other program's environment",
  () =>
    Effect.gen(function* () {
      const { code, all } = yield* written({})
      expect(code).toBe(0)
      expect(leaks(all)).toEqual([])
      expect(all["traces"]).toContain("HttpTransport.send")
      for (const program of ["ffmpeg", "notify", "listen"]) expect(all[`${program}.seen`]).toContain("PATH=")
      // A program that the manifest names gets its own secrets.
      expect(all["notify.seen"]).toContain("CHAT_TOKEN=chat-token")
      expect(Object.keys(all).filter((place) => all[place]?.includes("chat-token"))).toEqual(["notify.seen"])
    }),
  60_000
)

/** Replaces a function of Node.js by one that throws the key: a fault in dubwright itself. */
const broken = `import crypto from "node:crypto"
const key = process.env.DUBWRIGHT_API_KEY
crypto.createHash = () => { throw new Error("no " + key) }`

it.scopedLive.each<readonly [string, number, string, Failure]>([
  ["is rejected and repeated by the service", 4, "[key]", { service: { key: "nativeapikey_another" } }],
  [
    "is used by a service that fails",
    0,
    "",
    { service: { odds: { "create-500-after": 1, "create-garbage-after": 1, "audio-html": 1 } } }
  ],
  [
    "is in each message of the service, and names its engine",
    3,
    "[key]",
    { service: { repeatsKey: true, odds: { "task-fails": 1 }, refuses: /number 2/u }, options: ["--events"] }
  ],
  [
    "is for a service that is unreachable",
    3,
    "connection refused",
    { service: "absent", options: ["--events"] }
  ],
  [
    "is used by a run that is interrupted",
    130,
    "interrupted",
    { service: { settle: [60_000, 60_000] }, interruptedAfter: 1 }
  ],
  [
    "is in the message of an internal error",
    1,
    "internal error",
    { env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(broken)}` } }
  ]
])(
  "are in none of these if the key %s",
  ([, expected, words, failure]) =>
    Effect.gen(function* () {
      const { code, all } = yield* written(failure)
      expect(code, all["stderr"]).toBe(expected)
      expect(leaks(all)).toEqual([])
      expect(all["stderr"]).toContain(words)
    }),
  120_000
)
