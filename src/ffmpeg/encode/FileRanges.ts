/** Reads, copies and writes parts of files block by block, in other threads. */
import type { FileHandle } from "node:fs/promises"

/** Part of a file, in bytes. */
export interface FileRange {
  readonly at: number
  readonly size: number
}

const blockBytes = 4 * 1024 * 1024

/** Yields a range of a file block by block. A block is valid until the next. Throws if the file ends before. */
export async function* readRange(file: FileHandle, { at, size }: FileRange): AsyncGenerator<Buffer> {
  const block = Buffer.allocUnsafe(Math.min(size, blockBytes))
  for (let done = 0; done < size;) {
    const { bytesRead } = await file.read(block, 0, Math.min(block.length, size - done), at + done)
    if (bytesRead === 0) throw new Error("an earlier version of a file is incomplete")
    yield block.subarray(0, bytesRead)
    done += bytesRead
  }
}

/** Copies a range of a file to offset `to` of another one. */
export const copyRange = async (
  from: FileHandle,
  range: FileRange,
  into: FileHandle,
  to: number
): Promise<void> => {
  let written = to
  for await (const bytes of readRange(from, range)) {
    await writeFully(into, bytes, written)
    written += bytes.length
  }
}

/** Writes all bytes at an offset; a single `write` may write only some of them. */
export const writeFully = async (file: FileHandle, bytes: Uint8Array, place: number): Promise<void> => {
  for (let at = 0; at < bytes.length;)
    at += (await file.write(bytes, at, bytes.length - at, place + at)).bytesWritten
}
