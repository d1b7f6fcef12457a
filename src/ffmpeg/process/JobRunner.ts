/**
 * Runs jobs. fluent-ffmpeg runs those that encode nothing: probes, and muxes that copy every stream. Encoders run
 * without it: their scheduling needs the process id, which fluent-ffmpeg does not expose, and most get their input from
 * a stream.
 */
import { Effect } from "effect"
import { commandLine, startProcess } from "./ChildProcess.ts"
import { scheduled } from "./CpuScheduling.ts"
import { type Binary, versionOf } from "./FfmpegBinary.ts"
import { FfmpegFailed } from "./FfmpegErrors.ts"
import type { Feed, FfmpegJob, JobInput, NewerOptions } from "./FfmpegJob.ts"
import { runFluently } from "./FluentRunner.ts"
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
      scheduled(running.child, job)
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
