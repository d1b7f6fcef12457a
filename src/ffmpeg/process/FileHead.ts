/** Says what a file is that ffmpeg cannot read, from its first bytes. */
import { open } from "node:fs/promises"

/** Returns a file's first bytes; undefined if it cannot be read. */
export const headOf = async (path: string): Promise<Uint8Array | undefined> => {
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read({ buffer: new Uint8Array(512) })
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

/** Describes a file that begins like text: a page or message that a server sent instead of audio. */
export const textIn = (head: Uint8Array): string | undefined => {
  const start = new TextDecoder().decode(head.subarray(0, 200), { stream: true }).trimStart()
  if (/^<(!doctype|html|head|body|\?xml)/iu.test(start)) return `a web page or XML ("${excerpt(start)}")`
  if (/^[[{]/u.test(start) && isReadable(start)) return `JSON ("${excerpt(start)}")`
  return isReadable(start) ? `text ("${excerpt(start)}")` : undefined
}

const excerpt = (text: string): string => text.replaceAll(/\s+/gu, " ").slice(0, 60)

const isReadable = (text: string): boolean => !/[\u0000-\u0008\u000E-\u001F\uFFFD]/u.test(text.slice(0, 150))
