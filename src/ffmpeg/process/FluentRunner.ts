/**
 * Jobs run by fluent-ffmpeg, with its sharp edges covered:
 *
 * - it splits an option given alone, or in an array, at its space: options are handed over as separate arguments;
 * - before the first job it starts ffmpeg twice, to list formats and encoders, and refuses what ffmpeg itself would:
 * neither is done;
 * - it takes a relative path with a colon for a protocol: paths here are absolute;
 * - a binary that vanished makes it throw out of an event handler: its listener is replaced when the start has failed;
 * - it reports an input stream's error, or obeys a kill, before the process is gone: the exit is waited for;
 * - a kill before the start is ignored: the start is waited for, then the process is ended;
 * - an input stream destroyed without an error never settles: a feed that closes before its end is made a failure.
 */
import { ChildProcess } from "node:child_process"
import { Deferred, Effect, Exit } from "effect"
import ffmpeg from "fluent-ffmpeg"
import type { Binary } from "./FfmpegBinary.ts"
import { FfmpegFailed } from "./FfmpegErrors.ts"
import type { Feed, FfmpegJob } from "./FfmpegJob.ts"
import { commandLine, stopProcess } from "./ChildProcess.ts"
import { scheduled } from "./CpuScheduling.ts"

/** What a finished job wrote. */
export interface JobOutcome {
  readonly stdout: string
  readonly stderr: string
}

/** Lines of output that are kept: more than any probe needs, less than a broken file can make ffmpeg say. */
const keptLines = 50_000

/** How much of ffmpeg's last words an error carries, in characters. */
const tailLength = 2_000

/** Runs a job to its end. Interruption ends ffmpeg and returns when it is gone; `feed` is destroyed in any case. */
export const runJob = Effect.fn("Fluent.runJob")(function* (binary: Binary, job: FfmpegJob, feed?: Feed) {
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
    if (!feed.readableEnded) fail("the input ended before all of it was read")
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

/** Options with words in front that only keep ffmpeg quiet: never alone, they are never split. */
const quietly = (options: ReadonlyArray<string>): ReadonlyArray<string> => [
  "-hide_banner",
  "-nostdin",
  "-nostats",
  ...options
]

/** The child of a command that has started; its field is not part of the typed interface. */
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
