/**
 * Runs jobs with fluent-ffmpeg, and works around its pitfalls:
 *
 * - It splits an option given alone, or in an array, at its space. Options are passed as separate arguments.
 * - Before the first job it starts ffmpeg twice to list formats and encoders. Both checks are disabled: ffmpeg itself
 *   rejects what it does not support.
 * - It takes a relative path with a colon for a protocol. All paths here are absolute.
 * - If the binary is missing, it throws out of an event handler. Its listener is replaced after a failed start.
 * - It reports an input stream's error, or a kill, before the process has exited. The runner waits for the exit.
 * - It ignores a kill before the start. The runner waits for the start, then stops the process.
 * - If an input stream is destroyed without an error, it never settles. A feed that closes early fails the job.
 */
import { ChildProcess } from "node:child_process"
import { Deferred, Effect, Exit } from "effect"
import ffmpeg from "fluent-ffmpeg"
import type { Binary } from "./FfmpegBinary.ts"
import { FfmpegFailed } from "./FfmpegErrors.ts"
import type { Feed, FfmpegJob } from "./FfmpegJob.ts"
import { commandLine, stopProcess } from "./ChildProcess.ts"
import { scheduled } from "./CpuScheduling.ts"

/** The output of a finished job. */
export interface JobOutcome {
  readonly stdout: string
  readonly stderr: string
}

/** How many lines of output to keep: more than any probe needs, but a cap for what a broken file can cause. */
const keptLines = 50_000

/** How many characters from the end of stderr an error carries. */
const tailLength = 2_000

/** Runs a job until ffmpeg exits. Interruption stops ffmpeg and waits for its exit. Always destroys `feed`. */
export const runJob = Effect.fn("FluentRunner.runJob")(function* (
  binary: Binary,
  job: FfmpegJob,
  feed?: Feed
) {
  const settled = yield* Deferred.make<JobOutcome, FfmpegFailed>()
  const started = yield* Deferred.make<ChildProcess | undefined>()
  return yield* Effect.acquireUseRelease(
    Effect.sync(() => start(binary, job, feed, started, settled)),
    () => Deferred.await(settled),
    () =>
      Effect.sync(() => feed?.destroy()).pipe(
        Effect.zipRight(Deferred.await(started)),
        Effect.flatMap((child) => (child === undefined ? Effect.void : stopProcess(child)))
      )
  )
})

const start = (
  binary: Binary,
  job: FfmpegJob,
  feed: Feed | undefined,
  started: Deferred.Deferred<ChildProcess | undefined>,
  settled: Deferred.Deferred<JobOutcome, FfmpegFailed>
): void => {
  const command = commandOf(binary, job, feed)
  let child: ChildProcess | undefined
  const fail = (stderr: string) =>
    Deferred.unsafeDone(settled, Exit.fail(failureOf(binary, job, child, stderr)))
  command.on("start", () => {
    child = childOf(command)
    if (child !== undefined && child.pid === undefined) {
      child.removeAllListeners("error")
      child.once("error", (cause) => fail(cause.message))
    }
    if (job.encodes > 0 && child !== undefined) scheduled(child, job.encodes)
    Deferred.unsafeDone(started, Exit.succeed(child))
  })
  command.on("error", (error, _stdout, stderr) => {
    Deferred.unsafeDone(started, Exit.succeed(child))
    fail(stderr ? `${stderr}\n${error.message}` : error.message)
  })
  command.on("end", (stdout, stderr) =>
    Deferred.unsafeDone(settled, Exit.succeed({ stdout: stdout ?? "", stderr: stderr ?? "" }))
  )
  feed?.once("close", () => {
    if (!feed.readableEnded) fail("the input closed before all of it was read")
  })
  command.run()
}

const commandOf = (binary: Binary, job: FfmpegJob, feed: Feed | undefined): ffmpeg.FfmpegCommand => {
  const command = ffmpeg({ stdoutLines: keptLines })
  command.setFfmpegPath(binary.path)
  Object.assign(command, {
    _checkCapabilities: (checked: () => void) => checked(),
    availableEncoders: (told: (failure: null, encoders: object) => void) => told(null, {})
  })
  for (const { source, options } of job.inputs) {
    command.input(source === "stdin" ? (feed ?? source) : source)
    command.inputOptions(...quietly(options))
  }
  if (job.filters.length > 0) command.complexFilter([...job.filters])
  for (const { target, options } of job.outputs) {
    command.output(target)
    command.outputOptions(...quietly(options))
  }
  return command
}

/** Prepends options that keep ffmpeg quiet. As no option is alone then, fluent-ffmpeg splits none. */
const quietly = (options: ReadonlyArray<string>): ReadonlyArray<string> => [
  "-hide_banner",
  "-nostdin",
  "-nostats",
  ...options
]

/** Returns the child process of a started command, whose field is not in the type definitions. */
const childOf = (command: ffmpeg.FfmpegCommand): ChildProcess | undefined => {
  const child: unknown = Reflect.get(command, "ffmpegProc")
  return child instanceof ChildProcess ? child : undefined
}

const failureOf = (
  binary: Binary,
  job: FfmpegJob,
  child: ChildProcess | undefined,
  stderr: string
): FfmpegFailed => {
  const exitCode = child?.exitCode ?? -1
  return new FfmpegFailed({
    purpose: job.purpose,
    command: commandLine(binary.path, child?.spawnargs.slice(1) ?? []),
    ...(exitCode < 0 ? {} : { exitCode }),
    stderrTail: stderr.slice(-tailLength)
  })
}
