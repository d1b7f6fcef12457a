/** WAV header writer: RIFF, RF64 beyond 4 GiB, Broadcast Wave time reference, iXML, tags. */
import type { ChannelCount } from "../pcm/Pcm.ts"
import type { Frames, SampleRate } from "../../domain/time/Units.ts"
import { ByteWriter, littleEndian } from "./ByteWriter.ts"

/** Broadcast Wave metadata (bext chunk). */
export interface BroadcastNote {
  /** Position of the first frame on the timeline, in frames at the file's own rate. */
  readonly timeReference: Frames
  /** At most 256 ASCII characters: readers take others for Latin-1. */
  readonly description?: string
  /** At most 32 ASCII characters. */
  readonly originator?: string
  /** The day on which the file was made, as `2026-05-04`. */
  readonly originationDate?: string
  /** How the sound was made, as ASCII lines of EBU R 98 (https://tech.ebu.ch/docs/r/r098.pdf), without line ends. */
  readonly codingHistory?: ReadonlyArray<string>
}

/** The contents of a header. */
export interface WavOptions {
  readonly rate: SampleRate
  readonly channels: ChannelCount
  /** 16-bit or 24-bit integers, or 32-bit floats (±1 at full scale); little-endian. */
  readonly encoding: "int16" | "int24" | "float32"
  /** Frames of the whole file; must be known before the first one is written. */
  readonly frames: number
  readonly broadcast?: BroadcastNote
  /** The content of an iXML chunk (http://www.gallery.co.uk/ixml/). */
  readonly ixml?: string
  readonly tags?: WavTags
}

/** Tags of the LIST INFO chunk. */
export interface WavTags {
  readonly title?: string
  readonly artist?: string
  readonly album?: string
  readonly comment?: string
  readonly keywords?: string
  readonly language?: string
}

/** The size that means "see ds64", or "not known when the header was written". */
export const unknownSize = 0xffff_ffff

/**
 * Encodes everything before the first sample. Interleaved samples follow, then a zero byte if their size is odd. If a
 * 32-bit size would overflow, the header is RF64 with its sizes in a ds64 chunk:
 * https://tech.ebu.ch/docs/tech/tech3306.pdf
 */
export const wavHeader = ({
  rate,
  channels,
  encoding,
  frames,
  broadcast,
  ixml,
  tags = {}
}: WavOptions): Uint8Array => {
  const sample = sampleBytes[encoding]
  const frame = channels * sample
  const data = frames * frame
  const info = infoOf(tags)
  const notes = ixml === undefined ? new Uint8Array(0) : chunkOf("iXML", new TextEncoder().encode(ixml))
  // Integers of more than 16 bits and 5.1 need the extensible format, which maps channels to speakers.
  const isExtensible = encoding === "int24" || channels > 2
  const format = isExtensible ? 40 : encoding === "float32" ? 18 : 16
  const plain =
    12 +
    (broadcast === undefined ? 0 : 8 + bextBytes + historyOf(broadcast).length) +
    8 +
    format +
    (encoding === "float32" ? 12 : 0) +
    info.length +
    notes.length +
    8
  const rest = plain - 8 + data + (data % 2)
  const big = rest >= unknownSize
  const header = new ByteWriter(plain + (big ? 36 : 0))

  header.tag(big ? "RF64" : "RIFF")
  header.u32(big ? unknownSize : rest)
  header.tag("WAVE")
  if (big) {
    header.tag("ds64")
    header.u32(28)
    header.u64(36 + rest)
    header.u64(data)
    header.u64(frames)
    header.u32(0)
  }
  if (broadcast !== undefined) bextChunk(header, broadcast)

  header.tag("fmt ")
  header.u32(format)
  header.u16(isExtensible ? 0xfffe : formatCodes[encoding])
  header.u16(channels)
  header.u32(rate)
  header.u32(rate * frame)
  header.u16(frame)
  header.u16(8 * sample)
  if (isExtensible) {
    header.u16(22)
    header.u16(8 * sample)
    header.u32(speakerMasks[channels])
    header.u16(formatCodes[encoding])
    header.bytes(subformat)
  }
  // Floats need an extension, and a fact chunk with the number of frames.
  if (encoding === "float32") {
    if (!isExtensible) header.u16(0)
    header.tag("fact")
    header.u32(4)
    header.u32(Math.min(frames, unknownSize))
  }
  header.bytes(info)
  header.bytes(notes)
  header.tag("data")
  header.u32(big ? unknownSize : data)
  return header.done()
}

const sampleBytes = { int16: 2, int24: 3, float32: 4 } as const

const formatCodes = { int16: 1, int24: 1, float32: 3 } as const

/** Bits of the speakers: centre; left and right; or these with low-frequency effects and the surrounds. */
const speakerMasks = { 1: 0x4, 2: 0x3, 6: 0x3f } as const

/** The fixed rest of the subformat GUID, after the two bytes of the format code. */
const subformat = Uint8Array.of(0, 0, 0, 0, 16, 0, 128, 0, 0, 170, 0, 56, 155, 113)

/** Returns the little-endian bytes of samples: a view where the machine's byte order allows, else a copy. */
export const sampleBytesOf = (samples: Int16Array | Float32Array): Uint8Array => {
  if (littleEndian) return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  const bytes = new Uint8Array(samples.byteLength)
  const view = new DataView(bytes.buffer)
  if (samples instanceof Int16Array) samples.forEach((sample, i) => view.setInt16(i * 2, sample, true))
  else samples.forEach((sample, i) => view.setFloat32(i * 4, sample, true))
  return bytes
}

/** Encodes the tags as a LIST INFO chunk of zero-terminated strings; empty if there are none. */
const infoOf = (tags: WavTags): Uint8Array => {
  const texts = (
    [
      ["INAM", tags.title],
      ["IART", tags.artist],
      ["IPRD", tags.album],
      ["ICMT", tags.comment],
      ["IKEY", tags.keywords],
      ["ILNG", tags.language]
    ] as const
  ).flatMap(([name, text]) =>
    text === undefined || text === "" ? [] : [{ name, bytes: new TextEncoder().encode(`${text}\0`) }]
  )
  if (texts.length === 0) return new Uint8Array(0)
  const size = texts.reduce((sum, { bytes }) => sum + 8 + bytes.length + (bytes.length % 2), 4)
  const list = new ByteWriter(8 + size)
  list.tag("LIST")
  list.u32(size)
  list.tag("INFO")
  for (const { name, bytes } of texts) {
    list.tag(name)
    list.u32(bytes.length)
    list.bytes(bytes)
    if (bytes.length % 2 === 1) list.bytes(Uint8Array.of(0))
  }
  return list.done()
}

/** Encodes a chunk, padded to an even number of bytes. */
const chunkOf = (name: string, content: Uint8Array): Uint8Array => {
  const chunk = new ByteWriter(8 + content.length + (content.length % 2))
  chunk.tag(name)
  chunk.u32(content.length)
  chunk.bytes(content)
  return chunk.done()
}

/** Where a file's bext chunk, which comes first, has its date. */
export const dateBytes = { from: 340, to: 350 }

/** Bytes of a bext chunk before its coding history. */
const bextBytes = 602

/** The coding history's lines, each with its line end; a zero makes the length even. */
const historyOf = ({ codingHistory = [] }: BroadcastNote): string => {
  const text = codingHistory.map((line) => `${line}\r\n`).join("")
  return text.length % 2 === 0 ? text : `${text}\0`
}

/** Writes the bext chunk of a Broadcast Wave file, version 1: https://tech.ebu.ch/docs/tech/tech3285.pdf */
const bextChunk = (header: ByteWriter, note: BroadcastNote): void => {
  const history = historyOf(note)
  header.tag("bext")
  header.u32(bextBytes + history.length)
  header.text(note.description ?? "", 256)
  header.text(note.originator ?? "", 32)
  header.text("", 32)
  header.text(note.originationDate ?? "", 10)
  header.text("", 8)
  header.u64(note.timeReference)
  header.u16(1)
  header.text("", 64 + 190)
  header.text(history, history.length)
}
