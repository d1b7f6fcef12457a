/** A process of the fleet, which is killed and started again, and the time until it does useful work again. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"

/** What is killed. */
export type ProcessKind = "worker" | "coordinator" | "redis" | "replica"

/** How to start a process. */
export interface ProcessPlan {
  readonly kind: ProcessKind
  readonly words: readonly [program: string, ...args: ReadonlyArray<string>]
  readonly env?: Readonly<Record<string, string>>
  /** The line of its output that says that it is ready. */
  readonly ready: RegExp
  readonly onLine?: (line: string) => void
}

/** What followed a kill; times in milliseconds. */
export interface Recovery {
  readonly kind: ProcessKind
  /** From the start of the new process to the first utterance finished through it. */
  readonly sinceStart: number
  /** From the line that says that it is ready; from its start if it finished an utterance earlier. */
  readonly sinceReady: number
  /** False if it was killed again, or the run was over, before it finished an utterance. */
  readonly isFinished: boolean
}

/** Pause before a process that has ended by itself is started again, as a supervisor does, in milliseconds. */
const supervision = 500

export class KilledProcess {
  private child: ChildProcess | undefined
  private startedAt = 0
  private readyAt: number | undefined
  private isAwaited = false
  private isOver = false
  private readonly onReady: Array<() => void> = []
  readonly recoveries: Array<Recovery> = []
  /** How it ended by itself: exit codes with the last lines printed. */
  readonly ownExits: Array<string> = []
  kills = 0

  constructor(
    readonly plan: ProcessPlan,
    /** Whether an exit with this code is the end of the work, not a fault. */
    private readonly isEnd: (code: number | null) => boolean = () => false
  ) {}

  get isReady(): boolean {
    return this.readyAt !== undefined
  }

  get isAlive(): boolean {
    return this.child !== undefined
  }

  /** Starts it; resolves when it is ready for the first time. */
  start(): Promise<void> {
    const { words, env, ready, onLine } = this.plan
    const [program, ...args] = words
    const child = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.child = child
    this.startedAt = performance.now()
    this.readyAt = undefined
    const last: Array<string> = []
    const read = (stream: Readable) =>
      createInterface({ input: stream }).on("line", (line) => {
        if (child !== this.child) return
        if (last.push(line) > 4) last.shift()
        onLine?.(line)
        if (this.readyAt !== undefined || !ready.test(line)) return
        this.readyAt = performance.now()
        for (const tell of this.onReady.splice(0)) tell()
      })
    read(child.stdout)
    read(child.stderr)
    child.once("close", (code, signal) => {
      if (child !== this.child) return
      this.child = undefined
      this.readyAt = undefined
      if (this.isOver || this.isEnd(code)) return
      this.ownExits.push(`exit ${code ?? signal}: ${last.join(" | ").slice(0, 500)}`)
      setTimeout(() => {
        if (!this.isOver && this.child === undefined) void this.start()
      }, supervision)
    })
    return new Promise((resume) => this.onReady.push(resume))
  }

  /** Kills it, and starts it again after `pause` milliseconds. */
  kill(pause: number): void {
    const { child } = this
    if (child === undefined) return
    this.settle(false)
    this.kills++
    this.child = undefined
    this.readyAt = undefined
    child.kill("SIGKILL")
    // The system has freed its ports when it has reaped it.
    child.once("exit", () =>
      setTimeout(() => {
        if (this.isOver) return
        this.isAwaited = true
        void this.start()
      }, pause)
    )
  }

  /** An utterance was finished through it. */
  finished(): void {
    if (this.child !== undefined) this.settle(true)
  }

  private settle(isFinished: boolean): void {
    if (!this.isAwaited) return
    this.isAwaited = false
    const now = performance.now()
    this.recoveries.push({
      kind: this.plan.kind,
      sinceStart: now - this.startedAt,
      sinceReady: now - (this.readyAt ?? this.startedAt),
      isFinished
    })
  }

  /** Ends it for good. */
  async end(): Promise<void> {
    this.isOver = true
    this.settle(false)
    const { child } = this
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGKILL")
    await once(child, "exit")
  }
}
