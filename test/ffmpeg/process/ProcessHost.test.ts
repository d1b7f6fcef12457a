import { createHash, randomBytes } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { getPriority, tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { type StartProcess, startProcess } from "../../../src/ffmpeg/process/ChildProcess.ts"
import { hostedPrograms } from "../../../src/ffmpeg/process/ProcessHost.ts"
import { folder } from "../media.ts"

/** Runs a shell script, in which $0 is `file`; its standard input is `bytes`. */
const script = (start: StartProcess, words: string, bytes?: Buffer, file = "sh") =>
  start("/bin/sh", ["-c", words, file], bytes === undefined ? undefined : Readable.from([bytes]))

const parentOf = (start: StartProcess) =>
  Effect.suspend(() => Effect.map(script(start, "echo $PPID >&2").ended, ({ stderr }) => Number(stderr)))

/** Starts programs until the host starts them. */
const hosted = Effect.gen(function* () {
  const start = yield* hostedPrograms
  for (let count = 0; count < 20; count++) yield* script(start, "true").ended
  const host = yield* Effect.repeat(parentOf(start), { until: (parent) => parent !== process.pid })
  return { start, host }
})

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe.skipIf(process.platform !== "linux")("hostedPrograms", () => {
  it.scopedLive("runs programs like children of this process", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const { start } = yield* hosted
      const file = join(here, "fed")
      const bytes = randomBytes(3_000_000)
      const ends = (each: StartProcess) =>
        Effect.all([
          script(each, "echo é; echo warned >&2; exit 3").ended,
          script(each, 'cat > "$0"; wc -c < "$0" >&2', bytes, file).ended,
          script(each, "exec cat < /nowhere").ended,
          script(each, "exit 0", bytes).ended,
          script(each, "kill -9 $$").ended,
          script(each, "for i in 1 2 3; do printf '%s\\n' ü >&2; sleep 0.05; done").ended
        ]).pipe(Effect.map((all) => all.map((end) => ({ ...end, startFailure: end.startFailure?.message }))))
      expect(yield* ends(start)).toEqual(yield* ends(startProcess))
      yield* script(start, 'cat > "$0"', bytes, file).ended
      const digest = (data: Buffer) => createHash("sha256").update(data).digest("hex")
      expect(digest(readFileSync(file))).toBe(digest(bytes))
    })
  )

  it.scopedLive("its programs give way", () =>
    Effect.gen(function* () {
      const { start } = yield* hosted
      const { stderr } = yield* script(start, "nice >&2").ended
      expect(Number(stderr)).toBe(Math.min(19, getPriority() + 10))
    })
  )

  it.scopedLive("says why a program could not be started", () =>
    Effect.gen(function* () {
      const { start } = yield* hosted
      const { exitCode, startFailure } = yield* start("/nowhere/ffmpeg", []).ended
      expect([exitCode, startFailure?.message]).toEqual([undefined, "spawn /nowhere/ffmpeg ENOENT"])
    })
  )

  it.scopedLive("stops a program before stopping returns", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const { start } = yield* hosted
      const pidFile = join(here, "pid")
      const running = script(start, 'echo $$ > "$0"; exec sleep 600', undefined, pidFile)
      const pid = yield* Effect.repeat(
        Effect.sync(() => (existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0)),
        { schedule: Schedule.spaced("5 millis"), until: (read) => read > 0 }
      ).pipe(Effect.map(() => Number(readFileSync(pidFile, "utf8"))))
      yield* running.stop
      expect(isAlive(pid)).toBe(false)
      expect((yield* running.ended).signal).toBe("SIGTERM")
    })
  )

  it.scopedLive("starts programs in this process again if the host has ended", () =>
    Effect.gen(function* () {
      const { start, host } = yield* hosted
      const running = script(start, "sleep 600")
      process.kill(host, "SIGKILL")
      expect((yield* running.ended).startFailure?.message).toBe("the process that started it has ended")
      const again = yield* Effect.repeat(parentOf(start), { until: (parent) => parent === process.pid })
      expect(again).toBe(process.pid)
    })
  )

  it.live("leaves no process and no file behind", () =>
    Effect.gen(function* () {
      const folders = () => readdirSync(tmpdir()).filter((name) => existsSync(join(tmpdir(), name, "host")))
      const { host, during } = yield* Effect.scoped(
        Effect.map(hosted, (open) => ({ ...open, during: folders() }))
      )
      expect(during).not.toEqual([])
      yield* Effect.repeat(
        Effect.sync(() => isAlive(host)),
        { schedule: Schedule.spaced("5 millis"), until: (alive) => !alive }
      )
      expect(folders().filter((name) => during.includes(name))).toEqual([])
    })
  )
})
