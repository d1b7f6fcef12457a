/**
 * Starts programs in a small process of its own. On Linux, starting a program copies the page tables of the process
 * that starts it: 8 ms for a process of 300 MB, in which it does nothing else.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { Deferred, Effect, Exit, FiberId, type Scope } from "effect"
import { builtProgram } from "../../system/BuiltProgram.ts"
import {
  feedTo,
  graceMillis,
  type Running,
  type StartProcess,
  startProcess,
  StderrText
} from "./ChildProcess.ts"

/** What to start. */
export interface HostedStart {
  readonly file: string
  readonly args: ReadonlyArray<string>
}

/** How a program ended. */
export interface HostedEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly startFailure?: string
}

/** How many programs this process starts by itself, before starting another process is worth its 45 MB. */
const worthAHost = 20

/**
 * Starts programs in this process at first, and in a host once there were many. Their stdout is discarded. The host
 * ends with the scope. Other systems than Linux need none.
 */
export const hostedPrograms: Effect.Effect<StartProcess, never, Scope.Scope> = Effect.gen(function* () {
  const program = builtProgram("process-host.mjs")
  if (process.platform !== "linux" || program === undefined) return startProcess
  let count = 0
  let host: ProcessHost | undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => host?.close()))
  return (file, args, feed) => {
    if (++count === worthAHost) host = new ProcessHost(program)
    return host?.isListening === true ? host.start(file, args, feed) : startProcess(file, args, feed)
  }
})

/** Asks a process to end. False if it has ended. */
const signalled = (pid: number): boolean => {
  try {
    return process.kill(pid, "SIGTERM")
  } catch {
    return false
  }
}

const lost: HostedEnd = {
  exitCode: null,
  signal: null,
  startFailure: "the process that started it has ended"
}

/** Parses how a program ended. The host is part of the same build, so it is not checked. */
const endIn = (text: string): HostedEnd => JSON.parse(text)

/** The process, and the socket on which it listens. */
class ProcessHost {
  private readonly folder = mkdtempSync(join(tmpdir(), "dubwright-"))
  private readonly socket = join(this.folder, "host")
  private readonly child: ChildProcess
  /** False before it listens, and after it has ended. */
  isListening = false

  constructor(program: string) {
    this.child = spawn(process.execPath, [program, this.socket], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // An interrupt from the terminal is for the main process, which then ends this one.
      detached: true
    })
    this.child.once("message", () => (this.isListening = true))
    this.child.once("error", () => this.close())
    this.child.once("exit", () => this.close())
    this.child.unref()
    this.child.channel?.unref()
  }

  readonly start: StartProcess = (file, args, feed) => {
    const started: HostedStart = { file, args }
    const connection = connect(this.socket)
    connection.write(`${JSON.stringify(started)}\n`)
    feedTo(connection, feed)
    const stderr = new StderrText()
    const settled = Deferred.unsafeMake<HostedEnd>(FiberId.none)
    let pid: number | undefined
    let received = ""
    connection.setEncoding("utf8").on("data", (chunk: string) => {
      received += chunk
      const line = pid === undefined ? received.indexOf("\n") : -1
      if (line >= 0) {
        pid = Number(received.slice(0, line))
        received = received.slice(line + 1)
      }
      const end = received.indexOf("\0")
      if (pid === undefined || end >= 0) return
      stderr.add(received)
      received = ""
    })
    // A program that exits early leaves input unread.
    connection.once("end", () => connection.destroy())
    connection.once("close", () => {
      const end = received.indexOf("\0")
      stderr.add(received.slice(0, Math.max(0, end)))
      Deferred.unsafeDone(settled, Exit.succeed(end < 0 ? lost : endIn(received.slice(end + 1))))
    })
    const running: Running = {
      child: undefined,
      stdout: new PassThrough().end(),
      ended: Effect.map(Deferred.await(settled), ({ exitCode, signal, startFailure }) => ({
        stderr: stderr.text(),
        exitCode: exitCode ?? undefined,
        signal: signal ?? undefined,
        startFailure: startFailure === undefined ? undefined : new Error(startFailure)
      })),
      stop: Effect.suspend(() => {
        if (connection.closed) return Effect.void
        // The host kills a program whose connection closes.
        const end = () => {
          if (pid === undefined || !signalled(pid)) connection.destroy()
        }
        if (pid === undefined) connection.once("data", end)
        else end()
        const killing = setTimeout(() => connection.destroy(), graceMillis)
        return Effect.map(Deferred.await(settled), () => clearTimeout(killing))
      })
    }
    return running
  }

  close(): void {
    this.isListening = false
    this.child.kill("SIGKILL")
    rmSync(this.folder, { recursive: true, force: true })
  }
}
