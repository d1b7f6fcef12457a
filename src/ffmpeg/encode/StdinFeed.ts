/** Feeds samples to ffmpeg's standard input with backpressure. */
import { Readable } from "node:stream"
import { Effect } from "effect"

/** How many bytes to queue between the mix and ffmpeg, so that neither waits for the other. */
const waitingBytes = 1024 * 1024

/**
 * A readable stream that writes to its pipe target directly. Only the writer learns when bytes were consumed and their
 * buffer can be reused. It cannot be read in any other way.
 */
export class BlockFeed extends Readable {
  private target: NodeJS.WritableStream | undefined
  private waiting = 0

  /** `first` is written before everything else. */
  constructor(private readonly first: Uint8Array) {
    super()
  }

  override _read(): void {
    // Nothing to do: blocks are written to the target directly.
  }

  override pipe<T extends NodeJS.WritableStream>(target: T): T {
    this.target = target
    target.write(this.first)
    this.emit("piped")
    return target
  }

  /**
   * Sends bytes. Returns when the queue has room again or, if ffmpeg has closed its input, when ffmpeg has ended and
   * this feed is destroyed. In either case, sets the flag `taken` to 0 when the bytes may be overwritten, and notifies
   * a thread that waits for that.
   */
  send(bytes: Uint8Array, taken?: Int32Array): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      const goOn = () => {
        this.off("room", look).off("piped", write).off("close", goOn)
        resume(Effect.void)
      }
      const look = () => {
        if (this.waiting < waitingBytes && this.target?.writable !== false) goOn()
      }
      const write = () => {
        this.write(bytes, taken)
        // Let the event loop flush the pipe before more is computed.
        setImmediate(look)
      }
      if (this.destroyed) {
        release(taken)
        return goOn()
      }
      this.on("room", look).once("close", goOn)
      if (this.target === undefined) this.once("piped", write)
      else write()
    })
  }

  /** Ends ffmpeg's input. */
  readonly finish = Effect.sync(() => {
    if (this.target === undefined) this.once("piped", () => this.target?.end())
    else this.target.end()
  })

  private write(bytes: Uint8Array, taken: Int32Array | undefined): void {
    this.waiting += bytes.length
    this.target?.write(bytes, () => {
      release(taken)
      this.waiting -= bytes.length
      this.emit("room")
    })
  }
}

/** Sets a flag to 0 and notifies who waits for it, once bytes in shared memory may be overwritten. */
export const release = (taken: Int32Array | undefined): void => {
  if (taken === undefined) return
  Atomics.store(taken, 0, 0)
  Atomics.notify(taken, 0)
}
