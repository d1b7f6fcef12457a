/** Runs child processes: collects their output, and ends them before an interruption returns. */
import { type ChildProcess, spawn } from "node:child_process"
import { Readable, type Writable } from "node:stream"
import { Deferred, type Duration, Effect, Exit, FiberId } from "effect"

/** The output and exit of a process. */
export interface ProcessEnd {
  readonly stdout: Buffer
  /** The beginning and the end, if it was too long to keep. */
  readonly stderr: string
  /** Undefined if it was killed or never started. */
  readonly exitCode: number | undefined
  /** The signal that killed it. */
  readonly signal: string | undefined
  /** Why it could not be started; undefined if it was. */
  readonly startFailure: Error | undefined
}

/** How long a process may take to exit after SIGTERM before it gets SIGKILL. */
export const graceMillis = 2_000

/** How many characters of stderr to keep, at its beginning and again at its end. */
const keptOfStderr = 256 * 1024

/** Runs a program until it exits. Interruption stops it first. Never fails: errors are in the result. */
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

/** A running program. The caller reads stdout; stderr is collected. */
export interface Running {
  readonly child: ChildProcess
  readonly stdout: Readable
  /** Waits until the program has exited and all its output was read. */
  readonly ended: Effect.Effect<Omit<ProcessEnd, "stdout">>
  readonly stop: Effect.Effect<void>
}

/** Starts a program. Its standard input is `feed`, if given. */
export const startProcess = (file: string, args: ReadonlyArray<string>, feed?: Readable): Running => {
  const child = spawn(file, args, { stdio: ["pipe", "pipe", "pipe"], windowsHide: true })
  const settled = Deferred.unsafeMake<Error | undefined>(FiberId.none)
  child.once("error", (cause) => Deferred.unsafeDone(settled, Exit.succeed(cause)))
  child.once("close", () => Deferred.unsafeDone(settled, Exit.succeed(undefined)))
  const stderr = new StderrText()
  // Without free file descriptors, `spawn` returns a child without pipes, and the error follows.
  const started = child.pid !== undefined
  if (started) {
    feedTo(child.stdin, feed)
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => stderr.add(chunk))
  } else feed?.on("error", () => undefined)
  return {
    child,
    stdout: started ? child.stdout : Readable.from([]),
    ended: Effect.map(Deferred.await(settled), (startFailure) => ({
      stderr: stderr.text(),
      exitCode: child.exitCode !== null && child.exitCode >= 0 ? child.exitCode : undefined,
      signal: child.signalCode ?? undefined,
      startFailure
    })),
    stop: stopProcess(child)
  }
}

/**
 * Sends a feed to a program's standard input. A program that exits early closes its input; its exit code says more than
 * the failed write.
 */
const feedTo = (input: Writable, feed: Readable | undefined): void => {
  input.on("error", () => undefined)
  if (feed === undefined) input.end()
  else feed.on("error", () => undefined).pipe(input)
}

/** Like `runProcess`, with a timeout; undefined if that passed. */
export const runProcessFor = (file: string, args: ReadonlyArray<string>, limit: Duration.DurationInput) =>
  runProcess(file, args).pipe(
    Effect.timeoutOption(limit),
    Effect.map((ended) => (ended._tag === "Some" ? ended.value : undefined))
  )

/** Stops a child that still runs, and waits until it has exited: SIGTERM first, SIGKILL after a grace period. */
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

/** Formats a command line, quoted so that it can be pasted into a shell. */
export const commandLine = (file: string, args: ReadonlyArray<string>): string =>
  [file, ...args]
    .map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ")

/** Keeps the beginning and the end of text of any length. */
class StderrText {
  private head = ""
  private tail = ""

  add(chunk: string): void {
    const space = Math.max(0, keptOfStderr - this.head.length)
    this.head += chunk.slice(0, space)
    this.tail = (this.tail + chunk.slice(space)).slice(-keptOfStderr)
  }

  text(): string {
    return this.head + this.tail
  }
}
