/** A program run once: fed on stdin, drained, bounded, and surely gone before whoever started it goes on. */
import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:fs"
import { access, readFile, stat } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { Data, type Duration, Effect, Schedule } from "effect"

/** What is run. There is no shell: each argument reaches the program as it is. */
export interface ChildProgram {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly stdin: string
  /** Bytes of stdout at most. */
  readonly maxBytes: number
  readonly timeout: Duration.DurationInput
}

/** Why a program gave nothing that can be used; internal to the engine that runs it. */
export class ProgramFailed extends Data.TaggedError("ProgramFailed")<{
  readonly reason: "not-started" | "exit" | "too-much" | "timeout"
  /** What it was: a system error's code, an exit code or a signal, and the last words on stderr. */
  readonly detail: string
}> {}

/** How long a program may take to end after SIGTERM. */
const graceMillis = 2_000
/** The end of stderr that is kept, in characters. */
const keptOfStderr = 2_000

/**
 * What the program wrote on stdout, once it has ended with code 0. Interruption, a timeout or too much output ends it.
 */
export const runProgram = (program: ChildProgram): Effect.Effect<Buffer, ProgramFailed> =>
  Effect.async<Buffer, ProgramFailed>((resume) => {
    const child = spawn(program.file, program.args, {
      cwd: program.cwd,
      env: program.env,
      shell: false,
      stdio: "pipe",
      windowsHide: true,
      // A group of its own, so that what the program itself has started ends with it.
      detached: process.platform !== "win32"
    })
    const output: Array<Buffer> = []
    let size = 0
    let words = ""
    const fail = (reason: ProgramFailed["reason"], detail: string) =>
      resume(Effect.fail(new ProgramFailed({ reason, detail })))
    child.once("error", (cause) => {
      if (child.pid === undefined) fail("not-started", errorCode(cause))
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
      onTimeout: () => new ProgramFailed({ reason: "timeout", detail: "it took too long and was ended" })
    })
  )

/**
 * The file that a program wrote, once it has ended with code 0; empty if it wrote none. The file's size is bounded too.
 */
export const runProgramToFile = (
  program: ChildProgram,
  output: string
): Effect.Effect<Buffer, ProgramFailed> => {
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

const tooMuch = (program: ChildProgram) =>
  new ProgramFailed({
    reason: "too-much",
    detail: `it wrote more than ${program.maxBytes} bytes and was ended`
  })

/** Whether there is such a program: a path, or a name in one of PATH's folders. */
export const located = (command: string, path: string): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    const places = /[\\/]/u.test(command)
      ? [command]
      : path.split(delimiter).map((folder) => join(folder, command))
    const endings = process.platform === "win32" ? ["", ".exe"] : [""]
    for (const place of places.flatMap((start) => endings.map((ending) => start + ending))) {
      const runs = await access(place, constants.X_OK).then(
        () => true,
        () => false
      )
      if (runs) return true
    }
    return false
  })

/** Ends the program and whatever it started: SIGTERM, then SIGKILL. What has left its group can only be left alone. */
const ended = (child: ChildProcess): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    if (child.pid === undefined) return resume(Effect.void)
    child.stdout?.destroy()
    child.stderr?.destroy()
    if (child.exitCode !== null || child.signalCode !== null) {
      // It has ended, but something that it started still holds its output open.
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
    // Nothing of the group is left.
  }
}

const lastWords = (stderr: string): string => {
  const line = stderr.replace(/[\s\p{Cc}]+/gu, " ").trim()
  return line === "" ? "" : `: ${line.slice(-400)}`
}

const errorCode = (cause: Error): string => ("code" in cause ? String(cause.code) : cause.message)
