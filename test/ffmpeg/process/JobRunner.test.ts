import { readFileSync } from "node:fs"
import { chmod, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import type { Binary } from "../../../src/ffmpeg/process/FfmpegBinary.ts"
import { FfmpegFailed } from "../../../src/ffmpeg/process/FfmpegErrors.ts"
import { runJob } from "../../../src/ffmpeg/process/JobRunner.ts"
import type { FfmpegJob } from "../../../src/ffmpeg/process/FfmpegJob.ts"
import { folder, plainFolder } from "../media.ts"
import { bundled } from "../binaries.ts"

const pcmInput = { source: "stdin", options: ["-f", "s16le", "-ar", "48000", "-ac", "1"] } as const

const toWav = (target: string, ...options: ReadonlyArray<string>): FfmpegJob => ({
  purpose: "try",
  inputs: [pcmInput],
  filters: [],
  outputs: [{ target, options: ["-map", "0:a", ...options, "-f", "wav", "-y"] }],
  encodes: 1
})

/** A shell script in place of ffmpeg. */
const impostor = (here: string, work: string) =>
  Effect.promise(async (): Promise<Binary> => {
    const path = join(here, "ffmpeg")
    await writeFile(path, `#!/bin/sh\n${work}\n`)
    await chmod(path, 0o755)
    return { path, source: "PATH", version: "0" }
  })

const plainJob: FfmpegJob = {
  purpose: "do nothing",
  inputs: [{ source: "/dev/null", options: [] }],
  filters: [],
  outputs: [{ target: "-", options: [] }],
  encodes: 0
}

const fedJob: FfmpegJob = { ...plainJob, inputs: [{ source: "stdin", options: [] }], encodes: 1 }

const nothingFed = () => {
  const feed = new PassThrough()
  feed.end()
  return feed
}

describe("runJob", () => {
  // This must be the first test, since fluent-ffmpeg checks once per process.
  it.scopedLive("starts ffmpeg only for the job", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const binary = yield* impostor(here, 'echo "$@" >> "$0.calls"')
      yield* runJob(binary, plainJob)
      expect(yield* Effect.promise(() => readFile(`${binary.path}.calls`, "utf8"))).toBe(
        "-hide_banner -nostdin -nostats -i /dev/null -y -hide_banner -nostdin -nostats -\n"
      )
    })
  )

  it.scopedLive("fails if the end of a file finds no space, though ffmpeg exits with 0", () =>
    Effect.gen(function* () {
      const words = "size=8kB speed=N/A    Error writing trailer of a.flac: No space left on device"
      const binary = yield* impostor(yield* folder, `echo "${words}" >&2`)
      const failure = yield* Effect.flip(runJob(binary, fedJob, nothingFed()))
      expect(failure.stderrTail).toContain("No space left on device")
    })
  )

  it.scopedLive("passes every option unchanged", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const binary = bundled
      const target = join(here, "a.wav")
      const feed = new PassThrough()
      feed.end(Buffer.alloc(9_600))
      yield* runJob(binary, toWav(target, "-metadata", "title=Two words"), feed)
      const bytes = yield* Effect.promise(() => readFile(target))
      expect(bytes.toString("latin1")).toContain("Two words\0")
      expect(feed.destroyed).toBe(true)
    })
  )

  it.scopedLive("reports ffmpeg's command line and output if it fails", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const binary = bundled
      const feed = new PassThrough()
      feed.end(Buffer.alloc(9_600))
      const failure = yield* Effect.flip(runJob(binary, toWav(join(here, "a.wav"), "-c:a", "no such"), feed))
      expect(failure).toMatchObject({ _tag: "FfmpegFailed", purpose: "try", exitCode: expect.any(Number) })
      expect(failure.command.startsWith(`${binary.path} -hide_banner`)).toBe(true)
      expect(failure.command).toContain("-c:a 'no such'")
      expect(failure.message).toMatch(
        /^could not try: ffmpeg exited with code \d+: .*Unknown encoder 'no such'; this ffmpeg lacks a required feature: set DUBWRIGHT_FFMPEG to/u
      )
    })
  )

  it.scopedLive("fails instead of hanging if the input is destroyed without an error", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const binary = bundled
      const feed = new PassThrough()
      feed.write(Buffer.alloc(9_600))
      const fiber = yield* Effect.fork(Effect.flip(runJob(binary, toWav(join(here, "a.wav")), feed)))
      yield* Effect.yieldNow()
      feed.destroy()
      expect((yield* Fiber.join(fiber)).reason).toBe("the input closed before all of it was read")
    })
  )

  it.scopedLive("fails instead of crashing if the binary vanished after it was located", () =>
    Effect.gen(function* () {
      const here = yield* plainFolder
      const binary = yield* impostor(here, "exit 0")
      yield* runJob(binary, plainJob)
      yield* Effect.promise(() => rm(binary.path))
      for (const [job, feed] of [
        [plainJob, undefined],
        [fedJob, nothingFed()]
      ] as const) {
        const failure = yield* Effect.flip(runJob(binary, job, feed))
        expect(failure).toEqual(
          new FfmpegFailed({
            purpose: "do nothing",
            command: failure.command,
            stderrTail: `spawn ${binary.path} ENOENT`
          })
        )
        expect(failure.message).toBe(
          `could not do nothing: ffmpeg did not finish: spawn ${binary.path} ENOENT`
        )
      }
    })
  )

  it.scopedLive("waits for the process to exit on interruption, even before it has started", () =>
    Effect.gen(function* () {
      const here = yield* plainFolder
      const trace = join(here, "pid")
      const binary = yield* impostor(here, `echo $$ > ${trace}; while :; do sleep 1; done`)
      const fiber = yield* Effect.fork(runJob(binary, plainJob))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
      // The program may have been stopped before its first line. If it ran that line, it must have ended since.
      const pid = Number(yield* Effect.promise(() => readFile(trace, "utf8").catch(() => "")))
      if (pid > 0) expect(() => process.kill(pid, 0)).toThrow(/ESRCH/u)
      expect((yield* fiber.await)._tag).toBe("Failure")
    })
  )

  it.scopedLive("stops a busy process on interruption", () =>
    Effect.gen(function* () {
      const here = yield* plainFolder
      const trace = join(here, "pid")
      const binary = yield* impostor(here, `echo $$ > ${trace}; while :; do sleep 1; done`)
      const fiber = yield* Effect.fork(runJob(binary, plainJob))
      const pid = yield* Effect.promise(() => readFile(trace, "utf8").catch(() => "")).pipe(
        Effect.map(Number),
        Effect.repeat({ until: (found) => found > 0, schedule: Schedule.spaced("20 millis") }),
        Effect.zipRight(Effect.promise(() => readFile(trace, "utf8"))),
        Effect.map(Number)
      )
      yield* Fiber.interrupt(fiber)
      expect(() => process.kill(pid, 0)).toThrow(/ESRCH/u)
    })
  )

  it.scopedLive("reports no exit code if ffmpeg was killed", () =>
    Effect.gen(function* () {
      const binary = yield* impostor(yield* plainFolder, "kill -9 $$")
      for (const [job, feed] of [
        [plainJob, undefined],
        [fedJob, nothingFed()]
      ] as const) {
        const failure = yield* Effect.flip(runJob(binary, job, feed))
        expect(failure.exitCode).toBeUndefined()
        expect(failure.message).toBe(
          "could not do nothing: ffmpeg did not finish: ffmpeg was killed with signal SIGKILL"
        )
      }
    })
  )

  it.scopedLive("reports the exit code and stderr of a job of either kind", () =>
    Effect.gen(function* () {
      const binary = yield* impostor(yield* plainFolder, "echo no such filter >&2; exit 8")
      for (const [job, feed] of [
        [plainJob, undefined],
        [fedJob, nothingFed()]
      ] as const) {
        const failure = yield* Effect.flip(runJob(binary, job, feed))
        expect([failure.exitCode, failure.reason]).toEqual([8, "no such filter"])
      }
    })
  )

  it.scopedLive("gives an encoder all it is fed, and its arguments in ffmpeg's order", () =>
    Effect.gen(function* () {
      const here = yield* plainFolder
      const binary = yield* impostor(here, 'echo "$*" > "$0.call"; cat > "$0.fed"')
      const feed = new PassThrough()
      feed.end(Buffer.alloc(300_000, "sound"))
      const input = { source: "/gains", options: ["-f", "f32le"] }
      yield* runJob(
        binary,
        { ...fedJob, inputs: [...fedJob.inputs, input], filters: ["[0]a[x]", "[x]b[y]"] },
        feed
      )
      expect(yield* Effect.promise(() => readFile(`${binary.path}.call`, "utf8"))).toBe(
        "-hide_banner -nostdin -nostats -y -i pipe:0 -f f32le -i /gains -filter_complex [0]a[x];[x]b[y] -\n"
      )
      expect((yield* Effect.promise(() => readFile(`${binary.path}.fed`))).length).toBe(300_000)
    })
  )

  it("touches nothing private of fluent-ffmpeg", () => {
    const source = readFileSync(join(import.meta.dirname, "../../../src/ffmpeg/process/JobRunner.ts"), "utf8")
    expect(source).not.toMatch(/\b_[a-z]|ffmpegProc|Reflect/u)
  })
})
