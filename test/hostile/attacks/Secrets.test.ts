/** The key and other secrets of the environment are in no file and no message, and no other program gets them. */
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundled } from "../../ffmpeg/binaries.ts"
import { serving, temporaryFolder } from "../Batch.ts"
import { startedBy, writeScene } from "../Command.ts"
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

/** Runs a scene with everything that starts programs or writes files. Returns all that was written or printed. */
const written = (character: Partial<Character>, given = key, how = ["--verbose", "--log-level", "trace"]) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const collector = yield* traceCollector
    const service = yield* serving(new HostileService({ ...calm, key, ...character }))
    writeScene(folder, 3)
    const [ffmpeg, notify, listen] = [
      recorder(folder, "ffmpeg", `exec "${bundled.path}" "$@"`),
      recorder(folder, "notify", "cat > /dev/null"),
      recorder(folder, "listen", "echo this is line number one")
    ]
    writeFileSync(
      join(folder, "night.yaml"),
      JSON.stringify({
        service: { baseUrl: service.baseUrl },
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
    const words = ["run", join(folder, "night.yaml"), ...how]
    const { how: code, words: said } = yield* Effect.promise(
      () =>
        startedBy(given, [...words, "--log", join(folder, "night.log")], {
          env: {
            ...secrets,
            CHAT_TOKEN: "chat-token",
            DUBWRIGHT_FFMPEG: ffmpeg,
            OTEL_EXPORTER_OTLP_ENDPOINT: collector.url
          }
        }).ended
    )
    const files = filesIn(folder).map((file) => [file.slice(folder.length + 1), readFileSync(file, "latin1")])
    const traces = collector.received.join("\n")
    const all: Record<string, string> = { stderr: said, traces, ...Object.fromEntries(files) }
    return { how: code, all }
  })

/** The files and outputs that contain one of the secrets. */
const leaks = (all: Readonly<Record<string, string>>, given = key) =>
  Object.entries(all).flatMap(([place, text]) =>
    [given, ...Object.values(secrets)]
      .filter((secret) => text.includes(secret))
      .map((secret) => `${place}: ${secret}`)
  )

it.scopedLive(
  "are in no file, no message, and no other program's environment",
  () =>
    Effect.gen(function* () {
      const { how, all } = yield* written({})
      expect(how).toBe(0)
      expect(leaks(all)).toEqual([])
      expect(all["traces"]).toContain("HttpTransport.send")
      for (const program of ["ffmpeg", "notify", "listen"]) expect(all[`${program}.seen`]).toContain("PATH=")
      // A program that the manifest names gets its own secrets.
      expect(all["notify.seen"]).toContain("CHAT_TOKEN=chat-token")
      expect(Object.keys(all).filter((place) => all[place]?.includes("chat-token"))).toEqual(["notify.seen"])
    }),
  60_000
)

it.scopedLive.each([
  ["is rejected and repeated by the service", { key: "nativeapikey_another" }, 4],
  [
    "is used by a service that fails",
    { odds: { "create-500-after": 1, "create-garbage-after": 1, "audio-html": 1 } },
    0
  ],
  [
    "is in each message of the service, and names its engine",
    { repeatsKey: true, odds: { "task-fails": 1 }, refuses: /number 2/u },
    3,
    ["--events"]
  ]
] as const)(
  "are in none of these if the key %s",
  ([, character, code, options]) =>
    Effect.gen(function* () {
      const { how, all } = yield* written(character, key, options?.slice())
      expect(how).toBe(code)
      expect(leaks(all)).toEqual([])
      if (code !== 0) expect(all["stderr"]).toContain("[key]")
    }),
  120_000
)
