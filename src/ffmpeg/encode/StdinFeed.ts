/** Bytes of samples on their way to ffmpeg's standard input. */
import { Readable } from "node:stream"
import { Effect } from "effect"

/** Bytes that wait between the mix and ffmpeg, so that neither starves. */
const waitingBytes = 1024 * 1024

/**
 * A feed that writes to whatever it is piped into itself, since only who writes learns when bytes were taken and their
 * place can be used again. It is read by no other means.
 */
export class BlockFeed extends Readable {
  private target: NodeJS.WritableStream | undefined
  private waiting = 0

  /** `first` stands before all that is sent. */
  constructor(private readonly first: Uint8Array) {
    super()
  }

  override _read(): void {
    // Nothing is read from it: blocks go straight to the target.
  }

  override pipe<T extends NodeJS.WritableStream>(target: T): T {
    this.target = target
    target.write(this.first)
    this.emit("piped")
    return target
  }

  /**
   * Sends bytes, and returns when there is room for more, or when nothing more is wanted; `taken` is called when they
   * may change, in any case.
   */
  send(bytes: Uint8Array, taken: () => void): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      const goOn = () => {
        this.off("room", look).off("piped", write).off("close", goOn)
        resume(Effect.void)
      }
      const look = () => {
        if (this.waiting < waitingBytes) goOn()
      }
      const write = () => {
        this.write(bytes, taken)
        // Whoever reads is woken before more is computed: what waits behind a full pipe is passed on only then.
        setImmediate(look)
      }
      if (this.destroyed) {
        taken()
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

  private write(bytes: Uint8Array, taken: () => void): void {
    this.waiting += bytes.length
    this.target?.write(bytes, () => {
      taken()
      this.waiting -= bytes.length
      this.emit("room")
    })
  }
}
