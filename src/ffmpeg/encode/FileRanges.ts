/** Reads, copies and writes parts of files block by block, in other threads. */
import type { FileHandle } from "node:fs/promises"

/** Part of a file, in bytes. */
export interface FileRange {
  readonly at: number
  readonly size: number
}

const readBytes = 1024 * 1024

/**
 * Yields a range of a file block by block, while it reads the next one. A block is valid until the next. Throws if the
 * file ends before.
 */
export async function* readRange(file: FileHandle, { at, size }: FileRange): AsyncGenerator<Buffer> {
  const most = Math.min(size, readBytes)
  const [first, second] = [Buffer.allocUnsafe(most), Buffer.allocUnsafe(most)]
  let coming = size > 0 ? readFully(file, first, at, size) : undefined
  try {
    for (let done = 0, other = second; coming !== undefined;) {
      const block = await coming
      done += block.length
      coming = done < size ? readFully(file, other, at + done, size - done) : undefined
      other = other === first ? second : first
      yield block
    }
  } finally {
    // The file may be closed now.
    await coming?.catch(() => undefined)
  }
}

/** Fills a block, or its first `most` bytes, from an offset of a file. Returns what was read. */
const readFully = async (file: FileHandle, block: Buffer, place: number, most: number): Promise<Buffer> => {
  const wanted = block.subarray(0, most)
  for (let at = 0; at < wanted.length;) {
    const { bytesRead } = await file.read(wanted, at, wanted.length - at, place + at)
    if (bytesRead === 0) throw new Error("an earlier version of a file is incomplete")
    at += bytesRead
  }
  return wanted
}

/** Few enough bytes that a block is still in the processor's cache when it is written. */
const copiedBytes = 1024 * 1024

/**
 * Copies a range of a file to offset `to` of another one. Reads one block while it writes others. Calls `wrote` with
 * the bytes of each block.
 */
export const copyRange = async (
  from: FileHandle,
  { at, size }: FileRange,
  into: FileHandle,
  to: number,
  wrote: (bytes: number) => void = () => undefined
): Promise<void> => {
  let next = 0
  const copyBlocks = async () => {
    const block = Buffer.allocUnsafe(Math.min(size, copiedBytes))
    while (next < size) {
      const done = next
      next += block.length
      const bytes = await readFully(from, block, at + done, size - done)
      await writeFully(into, bytes, to + done)
      wrote(bytes.length)
    }
  }
  await Promise.all([copyBlocks(), copyBlocks(), copyBlocks()])
}

/** Writes all bytes at an offset; a single `write` may write only some of them. */
export const writeFully = async (file: FileHandle, bytes: Uint8Array, place: number): Promise<void> => {
  for (let at = 0; at < bytes.length;)
    at += (await file.write(bytes, at, bytes.length - at, place + at)).bytesWritten
}

/** Syncs a file to disk while it is written, so that little is left to do at its end. */
export class RunningSync {
  private waiting = 0
  private running: Promise<void> | undefined
  /** A file reports an error to one sync only. */
  private failure: { readonly cause: unknown } | undefined

  constructor(private readonly file: FileHandle) {}

  /** Counts written bytes. */
  readonly wrote = (bytes: number): void => {
    this.waiting += bytes
    if (this.waiting < syncedBytes || this.running !== undefined) return
    this.waiting = 0
    this.running = this.file
      .datasync()
      .catch((cause: unknown) => void (this.failure ??= { cause }))
      .finally(() => (this.running = undefined))
  }

  /** Syncs the rest. Throws file system errors. */
  async finish(): Promise<void> {
    await this.running
    if (this.failure !== undefined) throw this.failure.cause
    await this.file.datasync()
  }
}

/** Enough bytes that the disk writes them in one go, and few enough that it begins soon. */
const syncedBytes = 16 * 1024 * 1024
