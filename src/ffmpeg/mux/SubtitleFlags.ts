/**
 * Where no subtitle of an MP4 or MOV is a default, ffmpeg enables the first all the same, and players show it unasked.
 * It has no option against that: the flag is taken away in the finished file, one bit of the track's header.
 */
import { type FileHandle, open } from "node:fs/promises"
import { attempt } from "../process/PartFile.ts"

/** Leaves no subtitle track of a file enabled. */
export const disableSubtitleTracks = (path: string) =>
  attempt(path, async () => {
    const file = await open(path, "r+")
    try {
      const movie = await movieBox(file)
      if (movie === undefined) return
      const content = Buffer.alloc(movie.end - movie.start)
      await file.read(content, 0, content.length, movie.start)
      for (const at of subtitleHeaders(content)) {
        // A full box begins with its version in one byte and its flags in three: the last bit says whether the track is
        // enabled.
        const flags = Buffer.of((content[at + 3] ?? 0) & ~1)
        await file.write(flags, 0, 1, movie.start + at + 3)
      }
    } finally {
      await file.close()
    }
  })

/** What a box holds: from where up to, not including, where. */
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

/** Where the track headers of a movie's subtitles begin. */
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

/** The box that begins at a place, with `left` bytes from there to the end; undefined for what is none. */
const boxAt = (bytes: Buffer, at: number, left: number): Box | undefined => {
  const short = bytes.readUInt32BE(at)
  const name = bytes.toString("latin1", at + 4, at + 8)
  // 1: the size stands behind the name in eight bytes; 0: up to the end of the file.
  const long = short === 1 && at + 16 <= bytes.length
  const size = long ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? left : short
  const head = long ? 16 : 8
  return size < head || size > left ? undefined : { name, start: at + head, end: at + size }
}
