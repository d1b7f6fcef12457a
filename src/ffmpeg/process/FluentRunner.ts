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
import { accessSync, constants } from "node:fs"
import { Deferred, Effect, Exit } from "effect"
import ffmpeg from "fluent-ffmpeg"
import { graceMillis } from "./ChildProcess.ts"
import type { Binary } from "./FfmpegBinary.ts"
import type { FfmpegJob } from "./FfmpegJob.ts"

/** How a job ended: its output, and fluent-ffmpeg's message if it failed. */
export interface FluentEnd {
  readonly stdout: string
  readonly stderr: string
  readonly failure: string | undefined
}

/** How many lines of output to keep: more than any probe needs, but a limit on the output about a broken file. */
const keptLines = 50_000

/** Runs a job without a feed until ffmpeg exits. Interruption stops ffmpeg and waits for its exit. Never fails. */
export const runFluently = Effect.fn("FluentRunner.runFluently")(function* (binary: Binary, job: FfmpegJob) {
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
