/** Unpacks an archive of a voice (tar, with bzip2 or gzip). Refuses everything but plain files and folders. */
import { createReadStream, createWriteStream } from "node:fs"
import { mkdir, open } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { extract, type Header } from "tar-stream"
import unbzip2 from "unbzip2-stream"
import { VoiceNotAdded } from "./VoiceFault.ts"

/** Limits on the contents of an archive. */
export interface UnpackLimits {
  /** The voice's id, for errors. */
  readonly voice: string
  /** Maximum bytes of all files. */
  readonly bytes: number
}

/** A voice has at most some hundred files, most of them eSpeak NG's. */
const maxFiles = 5_000
/** Room for the headers of an archive's entries. */
const headers = 10_000_000

/**
 * Unpacks `archive` into `folder`, without the archive's own root folder. Throws `VoiceNotAdded`, or the system's
 * error. `progress` is called with the number of unpacked bytes.
 */
export const unpackArchive = async (
  archive: string,
  folder: string,
  limits: UnpackLimits,
  progress: (bytes: number) => void
): Promise<void> => {
  const fault = (detail: string) =>
    new VoiceNotAdded({
      voice: limits.voice,
      reason: "files",
      detail: `the archive ${detail}; nothing was installed`
    })
  let files = 0
  let bytes = 0
  let unpacked = 0
  const bounded = new Transform({
    transform: (chunk: Buffer, _, done) => {
      unpacked += chunk.length
      if (unpacked > limits.bytes + headers) return done(fault(`unpacks to more than ${limits.bytes} bytes`))
      progress(unpacked)
      done(null, chunk)
    }
  })
  /** Returns the path of an entry's file; undefined for a folder. */
  const targetOf = (header: Header): string | undefined => {
    const path = safePath(header, fault)
    bytes += header.size ?? 0
    if (++files > maxFiles) throw fault(`has more than ${maxFiles} files`)
    if (bytes > limits.bytes) throw fault(`unpacks to more than ${limits.bytes} bytes`)
    return header.type === "directory" || path === undefined ? undefined : join(folder, ...path)
  }
  const entries = extract()
  // The pipeline does not notice a failed entry if it has passed on everything by then.
  const refused = new Promise<never>((_, reject) => {
    entries.on("entry", (header, entry, next) => {
      // A refused entry has no reader. It fails with the archive, and an error without a listener ends the process.
      entry.on("error", () => undefined)
      const write = async () => {
        const target = targetOf(header)
        if (target === undefined) return void entry.resume()
        await mkdir(dirname(target), { recursive: true })
        await pipeline(entry, createWriteStream(target, { flags: "wx", mode: 0o644 }))
      }
      write().then(() => next(), reject)
    })
  })
  const source = createReadStream(archive)
  const unpacking = (async () => pipeline(source, await decoderOf(archive, fault), bounded, entries))()
  try {
    await Promise.race([unpacking, refused])
  } catch (cause) {
    unpacking.catch(() => undefined)
    source.destroy()
    if (cause instanceof VoiceNotAdded || (cause instanceof Error && "code" in cause && isSystem(cause.code)))
      throw cause
    throw fault("is damaged or incomplete")
  }
  if (files === 0) throw fault("is empty")
}

/** Whether a code is the system's, such as ENOSPC, not a library's. */
const isSystem = (code: unknown): boolean => typeof code === "string" && /^E[A-Z]+$/u.test(code)

/** Returns an entry's path below the root folder; undefined for the root folder itself. */
const safePath = ({ name, type }: Header, fault: (detail: string) => VoiceNotAdded) => {
  const shown = JSON.stringify(name.slice(0, 200))
  if (type !== "file" && type !== "directory" && type !== "contiguous-file")
    throw fault(`contains ${shown}, which is a ${type ?? "special file"}, not a file or folder`)
  const parts = name.split("/").filter((part) => part !== "" && part !== ".")
  if (name.startsWith("/") || /[\\:\0]/u.test(name) || parts.includes(".."))
    throw fault(`contains the path ${shown}, which leads out of its folder`)
  const below = parts.slice(1)
  if (type !== "directory" && below.length === 0)
    throw fault(`contains ${shown} outside of a folder; expected one folder with the voice's files`)
  return below.length === 0 ? undefined : below
}

/** Returns the decoder of an archive by its first bytes. */
const decoderOf = async (archive: string, fault: (detail: string) => VoiceNotAdded) => {
  const handle = await open(archive, "r")
  try {
    const { buffer } = await handle.read(Buffer.alloc(3), 0, 3, 0)
    if (buffer.toString("latin1") === "BZh") return unbzip2()
    if (buffer[0] === 0x1f && buffer[1] === 0x8b) return createGunzip()
    throw fault("is neither a .tar.bz2 nor a .tar.gz file")
  } finally {
    await handle.close()
  }
}
