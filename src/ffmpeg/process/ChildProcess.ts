/** Child processes: started, drained, and surely ended before whoever started them goes on. */
import { type ChildProcess, spawn } from "node:child_process"
import type { Readable } from "node:stream"
import { Deferred, type Duration, Effect, Exit, FiberId } from "effect"

/** What a process said and how it ended. */
export interface ProcessEnd {
  readonly stdout: Buffer
  /** The first and last lines where there were too many to keep. */
  readonly stderr: string
  /** Absent where it was killed or never started. */
  readonly exitCode: number | undefined
  /** Why it never started. */
  readonly startFailure: Error | undefined
}

/** How long a process may take to end after SIGTERM before it is killed. */
const graceMillis = 2_000

/** The most of stderr that is kept from its beginning, and from its end, in characters. */
const keptOfStderr = 256 * 1024

/** Runs a program to its end; interruption ends it first. Never fails: how it ended is in the result. */
export const runProcess = (file: string, args: ReadonlyArray<string>): Effect.Effect<ProcessEnd> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const process = startProcess(file, args)
      const stdout: Array<Buffer> = []
      process.stdout.on("data", (chunk: Buffer) => stdout.push(chunk))
      return { process, stdout }
    }),
    ({ process, stdout }) =>
      Effect.map(process.ended, (ended) => ({ ...ended, stdout: Buffer.concat(stdout) })),
    ({ process }) => process.stop
  )

/** A program under way: its output is the caller's to read, its errors are kept. */
export interface Running {
  readonly stdout: Readable
  /** How it ended, when it has and all its output was read. */
  readonly ended: Effect.Effect<Omit<ProcessEnd, "stdout">>
  readonly stop: Effect.Effect<void>
}

/** Starts a program with nothing on its standard input. */
export const startProcess = (file: string, args: ReadonlyArray<string>): Running => {
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], windowsHide: true })
  const stderr = new Transcript()
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => stderr.add(chunk))
  const settled = Deferred.unsafeMake<Error | undefined>(FiberId.none)
  child.once("error", (cause) => Deferred.unsafeDone(settled, Exit.succeed(cause)))
  child.once("close", () => Deferred.unsafeDone(settled, Exit.succeed(undefined)))
  return {
    stdout: child.stdout,
    ended: Effect.map(Deferred.await(settled), (startFailure) => ({
      stderr: stderr.text(),
      exitCode: child.exitCode !== null && child.exitCode >= 0 ? child.exitCode : undefined,
      startFailure
    })),
    stop: stopProcess(child)
  }
}

/** Like `runProcess`, ended after a time; undefined where the time ran out. */
export const runProcessFor = (
  file: string,
  args: ReadonlyArray<string>,
  limit: Duration.DurationInput
): Effect.Effect<ProcessEnd | undefined> =>
  runProcess(file, args).pipe(
    Effect.timeoutOption(limit),
    Effect.map((ended) => (ended._tag === "Some" ? ended.value : undefined))
  )

/** Ends a child, if it still runs, and waits until it is gone: SIGTERM first, SIGKILL after a grace. */
export const stopProcess = (child: ChildProcess): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
      resume(Effect.void)
      return
    }
    const killing = setTimeout(() => child.kill("SIGKILL"), graceMillis)
    child.once("exit", () => {
      clearTimeout(killing)
      resume(Effect.void)
    })
    child.kill("SIGTERM")
  })

/** A command line as it could be pasted into a shell. */
export const commandLine = (file: string, args: ReadonlyArray<string>): string =>
  [file, ...args]
    .map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ")

/** Text that may be endless, kept from its beginning and its end. */
class Transcript {
  private head = ""
  private tail = ""

  add(chunk: string): void {
    const room = Math.max(0, keptOfStderr - this.head.length)
    this.head += chunk.slice(0, room)
    this.tail = (this.tail + chunk.slice(room)).slice(-keptOfStderr)
  }

  text(): string {
    return this.head + this.tail
  }
}
