/**
 * Disables the subtitle tracks of an MP4 or MOV. If none is a default, ffmpeg still enables the first, and players show
 * it. ffmpeg has no option to prevent that. Clears the flag in the finished file, one bit in the track header.
 */
import { type FileHandle, open } from "node:fs/promises"
import { attempt } from "../process/FileFaults.ts"

/** Clears the enabled flag of all subtitle tracks in a file. */
export const disableSubtitleTracks = (path: string) =>
  attempt(path, async () => {
    const file = await open(path, "r+")
    try {
      const movie = await movieBox(file)
      if (movie === undefined) return
      const content = Buffer.alloc(movie.end - movie.start)
      await file.read(content, 0, content.length, movie.start)
      for (const at of subtitleHeaders(content)) {
        // A full box (ISO/IEC 14496-12) starts with one byte of version and three of flags. The last bit is
        // track_enabled.
        const flags = Buffer.of((content[at + 3] ?? 0) & ~1)
        await file.write(flags, 0, 1, movie.start + at + 3)
      }
    } finally {
      await file.close()
    }
  })

/** The byte range of a box's content; `end` is exclusive. */
interface Content {
  readonly start: number
  readonly end: number
}

const movieBox = async (file: FileHandle): Promise<Content | undefined> => {
  const { size } = await file.stat()
  const head = Buffer.alloc(16)
  for (let at = 0; at + 8 <= size;) {
    await file.read(head, 0, 16, at)
    const box = boxAt(head, 0, size - at)
    if (box === undefined) return undefined
    if (box.name === "moov") return { start: at + box.start, end: at + box.end }
    at += box.end
  }
  return undefined
}

/** Returns the offsets of the subtitle tracks' headers in a movie box. */
const subtitleHeaders = (movie: Buffer): ReadonlyArray<number> =>
  boxesIn(movie, { start: 0, end: movie.length })
    .filter(({ name }) => name === "trak")
    .flatMap((track) => {
      const parts = boxesIn(movie, track)
      const media = parts.filter(({ name }) => name === "mdia").flatMap((part) => boxesIn(movie, part))
      const handler = media.find(({ name }) => name === "hdlr")
      const kind =
        handler === undefined ? "" : movie.toString("latin1", handler.start + 8, handler.start + 12)
      return ["sbtl", "text", "subt"].includes(kind)
        ? parts.flatMap(({ name, start }) => (name === "tkhd" ? [start] : []))
        : []
    })

interface Box extends Content {
  readonly name: string
}

const boxesIn = (bytes: Buffer, { start, end }: Content): ReadonlyArray<Box> => {
  const boxes: Array<Box> = []
  for (let at = start; at + 8 <= end;) {
    const box = boxAt(bytes, at, end - at)
    if (box === undefined) break
    boxes.push(box)
    at = box.end
  }
  return boxes
}

/** Parses the box at an offset with `left` bytes remaining; undefined if it is not a valid box. */
const boxAt = (bytes: Buffer, at: number, left: number): Box | undefined => {
  const short = bytes.readUInt32BE(at)
  const name = bytes.toString("latin1", at + 4, at + 8)
  // Size 1: a 64-bit size follows the name. Size 0: the box extends to the end of the file.
  const long = short === 1 && at + 16 <= bytes.length
  const size = long ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? left : short
  const head = long ? 16 : 8
  return size < head || size > left ? undefined : { name, start: at + head, end: at + size }
}
