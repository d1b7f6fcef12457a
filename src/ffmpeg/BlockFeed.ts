/** Blocks of samples on their way to ffmpeg's standard input, without a new buffer for each. */
import { Readable } from "node:stream"
import { Effect } from "effect"

/** Bytes that wait between the mix and ffmpeg, so that neither starves. */
const waitingBytes = 1024 * 1024

/**
 * A feed that writes to whatever it is piped into itself, since only who writes learns when a buffer was taken and can be used
 * again. It is read by no other means.
 */
export class BlockFeed extends Readable {
  private target: NodeJS.WritableStream | undefined
  private readonly spare: Array<Buffer> = []
  private waiting = 0

  override _read(): void {
    // Nothing is read from it: blocks go straight to the target.
  }

  override pipe<T extends NodeJS.WritableStream>(target: T): T {
    this.target = target
    this.emit("piped")
    return target
  }

  /** Copies a block and sends it; returns when there is room for more, or when nothing more is wanted. */
  send(block: Float32Array | Int16Array): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      const goOn = () => {
        this.off("room", look).off("piped", write).off("close", goOn)
        resume(Effect.void)
      }
      const look = () => {
        if (this.waiting < waitingBytes) goOn()
      }
      const write = () => {
        this.write(block)
        // Whoever reads is woken before more is computed: what waits behind a full pipe is passed on only then.
        setImmediate(look)
      }
      if (this.destroyed) return goOn()
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

  private write(block: Float32Array | Int16Array): void {
    const size = block.byteLength
    const at = this.spare.findIndex((buffer) => buffer.length >= size)
    const buffer = at < 0 ? Buffer.allocUnsafeSlow(size) : this.spare.splice(at, 1)[0]
    if (buffer === undefined) return
    buffer.set(new Uint8Array(block.buffer, block.byteOffset, size))
    this.waiting += size
    this.target?.write(buffer.subarray(0, size), () => {
      this.spare.push(buffer)
      this.waiting -= size
      this.emit("room")
    })
  }
}
