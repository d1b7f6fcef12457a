/** Runs a program once with text on stdin, limited in time and output. Returns only after the program has ended. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Data, type Duration, Effect, Either, Schedule } from "effect"
import { ownSystem, programsNamed, programStart } from "../../system/ProgramSearch.ts"

/** A program to run, without a shell: each argument reaches it unchanged. */
export interface ChildProgram {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly stdin: string
  /** Maximum bytes of output. */
  readonly maxBytes: number
  readonly timeout: Duration.DurationInput
}

/** Why a program returned no usable output; internal to the engine that runs it. */
export class ProgramFailed extends Data.TaggedError("ProgramFailed")<{
  readonly reason: "not-started" | "busy" | "exit" | "too-much" | "timeout"
  /** A system error code, or an exit code or signal with the end of stderr. */
  readonly detail: string
}> {}

/** Milliseconds between SIGTERM and SIGKILL. */
const graceMillis = 2_000
/** How many characters of the end of stderr are kept. */
const keptOfStderr = 2_000

/** Runs a program; returns its stdout once it exits with code 0. Interruption, timeout or too much output kills it. */
export const runProgram = (program: ChildProgram): Effect.Effect<Buffer, ProgramFailed> =>
  Effect.async<Buffer, ProgramFailed>((resume) => {
    const start = programStart(program.file, program.args, ownSystem(program.env), program.cwd)
    if (Either.isLeft(start))
      return resume(Effect.fail(new ProgramFailed({ reason: "not-started", detail: start.left })))
    const { file, args, windowsVerbatimArguments } = start.right
    const child = spawn(file, args, {
      windowsVerbatimArguments,
      cwd: program.cwd,
      env: program.env,
      shell: false,
      stdio: "pipe",
      windowsHide: true,
      // A process group of its own, so that the program's children can be ended with it.
      detached: process.platform !== "win32"
    })
    const output: Array<Buffer> = []
    let size = 0
    let words = ""
    const fail = (reason: ProgramFailed["reason"], detail: string) =>
      resume(Effect.fail(new ProgramFailed({ reason, detail })))
    child.once("error", (cause) => {
      if (child.pid !== undefined) return
      const code = errorCode(cause)
      fail(isShortage(code) ? "busy" : "not-started", code)
    })
    child.once("close", (code, signal) => {
      if (child.pid === undefined) return
      if (code === 0) resume(Effect.succeed(Buffer.concat(output)))
      else
        fail(
          "exit",
          `${code === null ? `ended by ${signal ?? "a signal"}` : `exit code ${code}`}${lastWords(words)}`
        )
    })
    // Without free file descriptors it has no pipes. The error follows.
    if (child.pid === undefined) return
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size <= program.maxBytes) output.push(chunk)
      else {
        output.length = 0
        resume(Effect.zipRight(ended(child), tooMuch(program)))
      }
    })
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      words = (words + chunk).slice(-keptOfStderr)
    })
    // A program may end without reading all of its input.
    child.stdin.on("error", () => undefined)
    child.stdin.end(program.stdin)
    return ended(child)
  }).pipe(
    Effect.timeoutFail({
      duration: program.timeout,
      onTimeout: () =>
        new ProgramFailed({ reason: "timeout", detail: "it exceeded its timeout and was killed" })
    })
  )

/** Runs a program and returns the file it wrote; empty if it wrote none. `maxBytes` also limits the file. */
export const runProgramToFile = (program: ChildProgram, output: string) => {
  const size = Effect.promise(() =>
    stat(output).then(
      (found) => found.size,
      () => 0
    )
  )
  const bounded = Effect.filterOrFail(
    size,
    (bytes) => bytes <= program.maxBytes,
    () => tooMuch(program)
  )
  return Effect.raceFirst(
    runProgram(program),
    Effect.zipRight(Effect.repeat(bounded, Schedule.spaced("250 millis")), Effect.never)
  ).pipe(
    Effect.zipRight(bounded),
    Effect.flatMap((bytes) =>
      bytes === 0 ? Effect.succeed(Buffer.alloc(0)) : Effect.promise(() => readFile(output))
    )
  )
}

/** Uses a temporary folder, which is removed afterwards. `name` is part of its name. */
export const inTemporaryFolder = <A, E, R>(
  name: string,
  use: (folder: string) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), `dubwright-${name}-`))),
    use,
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  )

/** Fills the placeholders of an argument, such as `{language}`. Unknown ones stay, as do those inside the values. */
export const filledArgument = (arg: string, values: Readonly<Record<string, string>>): string =>
  arg.replace(
    /\{(\w+)\}/gu,
    (written, key: string) => (Object.hasOwn(values, key) ? values[key] : undefined) ?? written
  )

const tooMuch = (program: ChildProgram) =>
  new ProgramFailed({
    reason: "too-much",
    detail: `it wrote more than ${program.maxBytes} bytes and was killed`
  })

/** Whether a command exists and is executable: a path, or a name in one of the folders of the environment's PATH. */
export const located = (command: string, env: ChildProgram["env"]): Effect.Effect<boolean> =>
  Effect.sync(() => programsNamed(command, ownSystem(env)).length > 0)

/** Ends the program and its process group: SIGTERM, then SIGKILL. Cannot reach processes that have left the group. */
const ended = (child: ChildProcess): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    if (child.pid === undefined) return resume(Effect.void)
    child.stdout?.destroy()
    child.stderr?.destroy()
    if (child.exitCode !== null || child.signalCode !== null) {
      // It has exited, but one of its children still holds its output open.
      signal(child, "SIGKILL")
      return resume(Effect.void)
    }
    const killing = setTimeout(() => signal(child, "SIGKILL"), graceMillis)
    child.once("exit", () => {
      clearTimeout(killing)
      signal(child, "SIGKILL")
      resume(Effect.void)
    })
    signal(child, "SIGTERM")
  })

const signal = (child: ChildProcess, name: "SIGTERM" | "SIGKILL"): void => {
  if (child.pid === undefined) return
  try {
    if (process.platform === "win32") child.kill(name)
    else process.kill(-child.pid, name)
  } catch {
    // No process of the group is left.
  }
}

/** Whether the machine has no file descriptors or processes left for now. */
const isShortage = (code: string): boolean => ["EMFILE", "ENFILE", "EAGAIN"].includes(code)

const lastWords = (stderr: string): string => {
  const line = stderr.replace(/[\s\p{Cc}]+/gu, " ").trim()
  return line === "" ? "" : `: ${line.slice(-400)}`
}

const errorCode = (cause: Error): string => ("code" in cause ? String(cause.code) : cause.message)
