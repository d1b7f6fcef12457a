import { spawn } from "node:child_process"
import { once } from "node:events"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { withoutDescriptors } from "../../system/Descriptors.ts"
import { commandLine, runProcess, stopProcess } from "../../../src/ffmpeg/process/ChildProcess.ts"

const script = (code: string) => runProcess(process.execPath, ["-e", code])

describe("runProcess", () => {
  it.live("returns a program's output and exit code", () =>
    Effect.gen(function* () {
      const ended = yield* script(
        "process.stdout.write('out'); process.stderr.write('err'); process.exitCode = 3"
      )
      expect({ ...ended, stdout: ended.stdout.toString() }).toEqual({
        stdout: "out",
        stderr: "err",
        exitCode: 3,
        startFailure: undefined
      })
    })
  )

  it.live("drains more output than a pipe holds, and keeps its beginning and end", () =>
    Effect.gen(function* () {
      const ended = yield* script(
        "process.stderr.write('first ' + 'x'.repeat(4e6) + ' last'); process.stdout.write('y'.repeat(3e6))"
      )
      expect(ended.exitCode).toBe(0)
      expect(ended.stdout.length).toBe(3_000_000)
      expect(ended.stderr.startsWith("first x")).toBe(true)
      expect(ended.stderr.endsWith("x last")).toBe(true)
      expect(ended.stderr.length).toBeLessThan(1_000_000)
    })
  )

  it.live("reports why a program could not be started", () =>
    Effect.gen(function* () {
      const ended = yield* runProcess("/nowhere/at all", [])
      expect(ended).toMatchObject({ exitCode: undefined, startFailure: { code: "ENOENT" } })
    })
  )

  it.live.skipIf(process.platform === "win32")("reports that no file descriptor is free", () =>
    Effect.gen(function* () {
      const ended = yield* withoutDescriptors(runProcess(process.execPath, []))
      expect(ended).toMatchObject({ stdout: Buffer.alloc(0), startFailure: { code: "EMFILE" } })
    })
  )

  it.live("has no exit code for a program that was killed", () =>
    Effect.gen(function* () {
      const ended = yield* script("process.kill(process.pid, 'SIGKILL')")
      expect(ended).toMatchObject({ exitCode: undefined, startFailure: undefined })
    })
  )

  it.live("has stopped the program when interruption returns", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(script("setInterval(() => {}, 1000)"))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
      const exit = yield* fiber.await
      expect(exit._tag).toBe("Failure")
    })
  )
})

describe("stopped", () => {
  it.live("kills a program that ignores SIGTERM", () =>
    Effect.gen(function* () {
      const child = spawn(process.execPath, [
        "-e",
        "process.on('SIGTERM', () => {}); console.log('deaf'); setInterval(() => {}, 1000)"
      ])
      yield* Effect.promise(() => once(child.stdout, "data"))
      yield* stopProcess(child)
      expect(child.signalCode).toBe("SIGKILL")
    })
  )

  it.live("returns at once for a program that has ended, or never started", () =>
    Effect.gen(function* () {
      const child = spawn(process.execPath, ["-e", ""])
      yield* Effect.promise(() => once(child, "exit"))
      yield* stopProcess(child)
      const unborn = spawn("/nowhere/at all")
      unborn.on("error", () => undefined)
      yield* stopProcess(unborn)
      expect([child.exitCode, unborn.pid]).toEqual([0, undefined])
    })
  )
})

describe("commandLine", () => {
  it("quotes words that a shell would split", () => {
    expect(commandLine("/bin/ffmpeg", ["-i", "a b's.wav", "-metadata", "title=Ä", "[x]"])).toBe(
      "/bin/ffmpeg -i 'a b'\\''s.wav' -metadata 'title=Ä' '[x]'"
    )
  })
})
