/** The real command when no service is listening, and when its bundled service's disk is full. */
import { createServer } from "node:net"
import { mkdirSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryFolder } from "./Batch.ts"
import { runIn, startedBy, writeScene } from "./Command.ts"

/** A port that no one listens on. */
const freePort = Effect.promise(
  () =>
    new Promise<number>((told) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const address = server.address()
        server.close(() => told(typeof address === "object" && address !== null ? address.port : 0))
      })
    })
)

it.scopedLive(
  "reports a wrong port in one line and in run.json, and exits with code 3",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      writeScene(folder, 3)
      const service = `http://127.0.0.1:${yield* freePort}`
      const options = ["--voice", "v1", "--provider", "provider_fast", "--base-url", service, "--quiet"]
      const places = ["--state", join(folder, "state"), "--out", join(folder, "out")]
      const { how, words } = yield* Effect.promise(
        () => startedBy("key", ["run", join(folder, "scene.srt"), ...options, ...places]).ended
      )
      expect(how, words).toBe(3)
      expect(words).toContain(`${service}: connection refused (`)
      expect(words).toContain(
        "check the port of --base-url or service:, and that the service is running, then run again"
      )
      expect(runIn(folder).stopped?.reason).toBe("unreachable")
    }),
  120_000
)

const done = (program: string, ...words: ReadonlyArray<string>): boolean =>
  spawnSync(program, words, { stdio: "ignore" }).status === 0

it.scopedLive(
  "reports a full disk under the bundled service instead of waiting (needs permission to mount)",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      writeScene(folder, 3)
      const disk = join(folder, "disk")
      mkdirSync(disk)
      const mounted = yield* Effect.acquireRelease(
        Effect.sync(() => done("mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk)),
        (mounted) => Effect.sync(() => mounted && done("umount", "-l", disk))
      )
      if (!mounted) return
      const options = ["--voice", "fast-en-us", "--provider", "provider_fast", "--embedded", "--quiet"]
      const state = join(disk, "state")
      const places = ["--state", state, "--out", join(folder, "out")]
      const { how, words } = yield* Effect.promise(
        () => startedBy("key", ["run", join(folder, "scene.srt"), ...options, ...places]).ended
      )
      expect(how, words).toBe(3)
      expect(words).toContain(`${state}: no space left on its disk; free some and run again`)
      expect(words).not.toContain("as the service asks")
    }),
  120_000
)
