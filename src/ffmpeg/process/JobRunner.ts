/**
 * Runs jobs. fluent-ffmpeg runs those that encode nothing: probes, and muxes that copy every stream. Encoders run
 * without it: to give way, they need the process id, which fluent-ffmpeg does not expose, and most get their input from
 * a stream.
 */
import { Effect, Deferred, Exit } from "effect"
import { accessSync, constants } from "node:fs"
import ffmpeg from "fluent-ffmpeg"
import { commandLine, startProcess, graceMillis } from "./ChildProcess.ts"
import { versionOf, type Binary } from "./FfmpegBinary.ts"
import { FfmpegFailed } from "./FfmpegErrors.ts"
import type { Feed, FfmpegJob, JobInput, NewerOptions } from "./FfmpegJob.ts"
import { giveWay, GivesWay } from "../../system/BackgroundPriority.ts"

/** How many characters from the end of stderr an error carries. */
const tailLength = 2_000

/** Runs a job until ffmpeg exits. Interruption stops ffmpeg and waits for its exit. Always destroys `feed`. */
export const runJob = Effect.fn("JobRunner.runJob")(function* (binary: Binary, job: FfmpegJob, feed?: Feed) {
  const { stdout, stderr, failure, exitCode } = yield* job.encodes === 0 && feed === undefined
    ? Effect.map(runFluently(binary, forVersion(binary, job)), (ended) => ({
        ...ended,
        exitCode: exitCodeIn(ended.failure)
      }))
    : runEncoder(binary, job, feed, yield* GivesWay)
  if (failure === undefined) return { stdout, stderr }
  return yield* new FfmpegFailed({
    purpose: job.purpose,
    command: commandLine(binary.path, argumentsOf(binary, job)),
    ...(exitCode === undefined ? {} : { exitCode }),
    // With an exit code, ffmpeg itself says why.
    stderrTail: (exitCode === undefined ? `${stderr}\n${failure}`.trim() : stderr).slice(-tailLength)
  })
})

/** Returns the exit code that fluent-ffmpeg's message names. */
const exitCodeIn = (failure = ""): number | undefined => {
  const code = /^ffmpeg exited with code (\d+)/u.exec(failure)?.[1]
  return code === undefined ? undefined : Number(code)
}

/** Some versions of ffmpeg exit with 0 when the last bytes of a file find no space. */
const unfinished = /(?:^|[\r\n]|\] |speed=\S*\s*)Error (?:writing trailer of|closing file) /u

const runEncoder = (binary: Binary, job: FfmpegJob, feed: Feed | undefined, givesWay: boolean) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const running = startProcess(binary.path, argumentsOf(binary, job), feed)
      running.stdout.resume()
      if (givesWay && running.child.pid !== undefined) giveWay(running.child.pid)
      return running
    }),
    ({ ended }) =>
      Effect.raceFirst(
        Effect.map(ended, ({ stderr, exitCode, signal, startFailure }) => ({
          stdout: "",
          stderr,
          exitCode,
          failure:
            startFailure !== undefined
              ? startFailure.message
              : exitCode === undefined
                ? `ffmpeg was killed with signal ${signal ?? "unknown"}`
                : exitCode > 0 || unfinished.test(stderr)
                  ? `ffmpeg exited with code ${exitCode}`
                  : undefined
        })),
        cutOff(feed)
      ),
    ({ stop }) =>
      Effect.zipRight(
        Effect.sync(() => feed?.destroy()),
        stop
      )
  )

/** Ends if a feed closes before all of it was read. ffmpeg would wait for the rest. */
const cutOff = (feed: Feed | undefined) =>
  Effect.async<{ stdout: string; stderr: string; exitCode: undefined; failure: string }>((resume) => {
    feed?.once("close", () => {
      const failure = "the input closed before all of it was read"
      if (!feed.readableEnded)
        resume(Effect.succeed({ stdout: "", stderr: "", exitCode: undefined, failure }))
    })
  })

/** Returns a job's arguments for a binary. */
const argumentsOf = (binary: Binary, job: FfmpegJob): ReadonlyArray<string> => {
  const { inputs, filters, outputs } = forVersion(binary, job)
  return [
    ...["-hide_banner", "-nostdin", "-nostats", "-y"],
    ...inputs.flatMap(({ source, options }) => [...options, "-i", source === "stdin" ? "pipe:0" : source]),
    ...(filters.length === 0 ? [] : ["-filter_complex", filters.join(";")]),
    ...outputs.flatMap(({ target, options }) => [...options, target])
  ]
}

/** Merges the options that a binary's version knows into the others. */
const forVersion = (binary: Binary, job: FfmpegJob): FfmpegJob => {
  const version = versionOf(binary)
  const isKnown = ({ from: { major, minor } }: NewerOptions): boolean =>
    version !== undefined && version.major * 100 + version.minor >= major * 100 + minor
  const merged = <A extends Omit<JobInput, "source">>({ newer = [], ...part }: A) => ({
    ...part,
    options: [...part.options, ...newer.filter(isKnown).flatMap(({ options }) => options)]
  })
  return { ...job, inputs: job.inputs.map(merged), outputs: job.outputs.map(merged) }
}

/**
 * Runs jobs with fluent-ffmpeg, by its public methods only, and works around its pitfalls:
 *
 * - It splits an option given alone, or in an array, at its space. Options are passed as separate arguments.
 * - Before the first job it starts ffmpeg twice to list formats and encoders. The runner replaces the two methods that
 *   do so, because ffmpeg itself rejects what it does not support.
 * - It takes a relative path with a colon for a protocol. All paths here are absolute.
 * - If the binary is missing, it throws out of an event handler. The runner looks for the binary first.
 * - It ignores a kill before the start. The runner waits for the start, then stops the process.
 */

/** How a job ended: its output, and fluent-ffmpeg's message if it failed. */
interface FluentEnd {
  readonly stdout: string
  readonly stderr: string
  readonly failure: string | undefined
}

/** How many lines of output to keep: more than any probe needs, but a limit on the output about a broken file. */
const keptLines = 50_000

/** Runs a job without a feed until ffmpeg exits. Interruption stops ffmpeg and waits for its exit. Never fails. */
const runFluently = Effect.fn("JobRunner.runFluently")(function* (binary: Binary, job: FfmpegJob) {
  const missing = problemOf(binary.path)
  if (missing !== undefined) return { stdout: "", stderr: "", failure: missing }
  const started = yield* Deferred.make<void>()
  const settled = yield* Deferred.make<FluentEnd>()
  const begun = Exit.succeed(undefined)
  return yield* Effect.acquireUseRelease(
    Effect.sync(() => {
      const command = commandOf(binary, job)
      command.on("start", () => Deferred.unsafeDone(started, begun))
      command.on("error", ({ message }, stdout, stderr) => {
        Deferred.unsafeDone(started, begun)
        Deferred.unsafeDone(
          settled,
          Exit.succeed({ stdout: stdout ?? "", stderr: stderr ?? "", failure: message })
        )
      })
      command.on("end", (stdout, stderr) =>
        Deferred.unsafeDone(
          settled,
          Exit.succeed({ stdout: stdout ?? "", stderr: stderr ?? "", failure: undefined })
        )
      )
      command.run()
      return command
    }),
    () => Deferred.await(settled),
    (command) =>
      Effect.gen(function* () {
        yield* Deferred.await(started)
        if (yield* Deferred.isDone(settled)) return
        command.kill("SIGTERM")
        const killing = setTimeout(() => command.kill("SIGKILL"), graceMillis)
        yield* Deferred.await(settled)
        clearTimeout(killing)
      })
  )
})

/** Why a binary cannot be started, as Node says it; undefined if nothing is known. */
const problemOf = (path: string): string | undefined => {
  try {
    accessSync(path, constants.X_OK)
    return undefined
  } catch (cause) {
    return `spawn ${path} ${cause instanceof Error && "code" in cause ? String(cause.code) : "failed"}`
  }
}

/** The callback that receives fluent-ffmpeg's lists. */
type Listed = (failure: null, list: object) => void

const commandOf = (binary: Binary, job: FfmpegJob): ffmpeg.FfmpegCommand => {
  const command = ffmpeg({ stdoutLines: keptLines })
  command.setFfmpegPath(binary.path)
  const format = { description: "", canDemux: true, canMux: true }
  const formats = [...job.inputs, ...job.outputs]
    .flatMap(({ options }) => options)
    .map((word) => [word, format] as const)
  Object.assign(command, {
    availableFormats: (listed: Listed) => listed(null, Object.fromEntries(formats)),
    availableEncoders: (listed: Listed) => listed(null, {})
  })
  for (const { source, options } of job.inputs) command.input(source).inputOptions(...quietly(options))
  if (job.filters.length > 0) command.complexFilter([...job.filters])
  for (const { target, options } of job.outputs) command.output(target).outputOptions(...quietly(options))
  return command
}

/** Prepends options that keep ffmpeg quiet. This way, no option is given alone, and fluent-ffmpeg splits none. */
const quietly = (options: ReadonlyArray<string>): ReadonlyArray<string> => [
  "-hide_banner",
  "-nostdin",
  "-nostats",
  ...options
]
