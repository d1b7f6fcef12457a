/** The client of a worker thread. docs/decisions/worker-threads.md says why it is our own. */
import { type Transferable, Worker, type WorkerOptions } from "node:worker_threads"
import { Data, Effect } from "effect"
import type { RequestMessage, ResponseMessage } from "./ThreadServer.ts"

/** The thread ended before it responded: it crashed, was closed, or exited. */
export class ThreadEnded extends Data.TaggedError("ThreadEnded")<{ readonly detail: string }> {}

/**
 * A thread and its pending requests. It starts with the object. Its output is discarded. A thread that has ended is not
 * restarted: `ended` says why, and requests fail.
 */
export class WorkerThread<Request, Response> {
  private readonly worker: Worker
  private readonly pending = new Map<number, (response: Response | ThreadEnded) => void>()
  private count = 0
  /** Why the thread ended; undefined while it runs. */
  ended: ThreadEnded | undefined

  constructor(program: string, options: Pick<WorkerOptions, "workerData" | "resourceLimits"> = {}) {
    this.worker = new Worker(program, { ...options, execArgv: [], stdout: true, stderr: true })
    this.worker.stdout.resume()
    this.worker.stderr.resume()
    // One permanent set of listeners: removing a Worker's last listener also stops its messages.
    this.worker.on("message", ({ id, response }: ResponseMessage<Response>) => this.settle(id, response))
    this.worker.on("error", (cause) => this.endWith(`crashed: ${messageOf(cause)}`))
    this.worker.on("exit", (code) => this.endWith(`ended with code ${code}`))
  }

  /** How many requests have no response yet. */
  get waiting(): number {
    return this.pending.size
  }

  /** Sends a request; `settle` gets its response. Buffers in `moved` are transferred instead of copied. */
  send(
    request: Request,
    moved: ReadonlyArray<Transferable>,
    settle: (response: Response | ThreadEnded) => void
  ): void {
    if (this.ended !== undefined) return settle(this.ended)
    const id = ++this.count
    this.pending.set(id, settle)
    const message: RequestMessage<Request> = { id, request }
    this.worker.postMessage(message, moved)
  }

  /** Sends a request and waits for its response. If interrupted, the thread still works on it. */
  ask(request: Request, moved: ReadonlyArray<Transferable> = []): Effect.Effect<Response, ThreadEnded> {
    return Effect.async((resume) =>
      this.send(request, moved, (response) =>
        resume(response instanceof ThreadEnded ? Effect.fail(response) : Effect.succeed(response))
      )
    )
  }

  /** Ends the thread, even in the middle of a request; pending requests fail. */
  readonly close: Effect.Effect<void> = Effect.promise(() => {
    this.endWith("was closed")
    return this.worker.terminate()
  })

  private settle(id: number, response: Response): void {
    this.pending.get(id)?.(response)
    this.pending.delete(id)
  }

  private endWith(detail: string): void {
    this.ended ??= new ThreadEnded({ detail })
    for (const settle of this.pending.values()) settle(this.ended)
    this.pending.clear()
  }
}

/** Returns the message of a thread's error, which is not always an Error after the transfer between threads. */
const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : "unknown cause")
