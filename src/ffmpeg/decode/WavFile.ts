/** Reads the header of a WAV file on disk: where its samples are, and their format. */
import { type FileHandle, open } from "node:fs/promises"
import { Either } from "effect"
import { readFormat, rejectWav, type WavFormat, type WavRejected } from "../../audio/formats/WavSamples.ts"

/** The samples of a WAV file. */
export interface WavFileInfo extends WavFormat {
  /** Offset of the first sample in bytes. */
  readonly dataAt: number
  readonly frames: number
  /** Bits of its speakers, in the order of its channels; 0 if the header does not say. */
  readonly speakers: number
  /** The Broadcast Wave time reference: frames since midnight. */
  readonly timeReference?: number
}

/** Reads chunk headers up to the samples. Rejects with file system errors. */
export const wavFileInfo = async (path: string): Promise<Either.Either<WavFileInfo, WavRejected>> => {
  const file = await open(path)
  try {
    return await infoIn(file, (await file.stat()).size)
  } finally {
    await file.close()
  }
}

const infoIn = async (file: FileHandle, size: number): Promise<Either.Either<WavFileInfo, WavRejected>> => {
  const read = async (at: number, length: number) => {
    const bytes = Buffer.alloc(length)
    const { bytesRead } = await file.read(bytes, 0, length, at)
    return bytes.subarray(0, bytesRead)
  }
  const head = await read(0, 12)
  const container = head.toString("latin1", 0, 4)
  if (!["RIFF", "RF64", "BW64"].includes(container) || head.toString("latin1", 8, 12) !== "WAVE")
    return rejectWav("not-wav", "not a WAV file")
  let format: (WavFormat & { readonly speakers: number }) | undefined
  let bigData: number | undefined
  let reference = {}
  for (let at = 12; at + 8 <= size;) {
    const chunk = await read(at, 48)
    const name = chunk.toString("latin1", 0, 4)
    const stated = chunk.readUInt32LE(4)
    if (name === "data") {
      if (format === undefined) return rejectWav("no-format", "the WAV file has samples before its fmt chunk")
      const left = size - at - 8
      // A size that does not fit 32 bits is in the ds64 chunk; writers to pipes leave it open.
      const data = stated === 0xffff_ffff ? (bigData ?? left) : stated
      return data > left
        ? rejectWav(
            "truncated",
            `the WAV file states ${data} bytes of samples but holds ${left}: it is truncated`
          )
        : Either.right({
            ...format,
            ...reference,
            dataAt: at + 8,
            frames: Math.floor((data * 8) / format.bits / format.channels)
          })
    }
    if (name === "ds64" && chunk.length >= 24) bigData = Number(chunk.readBigUInt64LE(16))
    if (name === "bext" && stated >= 346)
      reference = { timeReference: Number((await read(at + 346, 8)).readBigUInt64LE()) }
    if (name === "fmt ") {
      const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length)
      const found = readFormat(view, 8, Math.min(stated, chunk.length - 8))
      if (Either.isLeft(found)) return Either.left(found.left)
      const isExtensible = stated >= 40 && chunk.readUInt16LE(8) === 0xfffe
      format = { ...found.right, speakers: isExtensible ? chunk.readUInt32LE(28) : 0 }
    }
    at += 8 + stated + (stated % 2)
  }
  return rejectWav("no-data", "the WAV file has no samples: its data chunk is missing")
}
