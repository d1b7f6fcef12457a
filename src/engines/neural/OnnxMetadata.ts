/**
 * Reads and writes the metadata of ONNX models. A model is a protobuf message, `ModelProto`:
 * https://github.com/onnx/onnx/blob/main/onnx/onnx.proto. Only its top-level fields are read, not its weights.
 */
import { type FileHandle, open } from "node:fs/promises"

/** The field with the graph and its weights, and the field with the metadata, once for each entry. */
const graphField = 7
const metadataField = 14
/** The highest field number of a model so far is 26. A file with a field above 100 is not a model. */
const maxField = 100
/** Maximum bytes of one metadata entry. */
const maxEntry = 4 * 1024 * 1024
/** Maximum top-level fields. */
const maxFields = 100_000

/** Returns a model's metadata; if the file is not a complete model, returns the fault. */
export const readOnnxMetadata = async (file: string): Promise<ReadonlyMap<string, string> | string> => {
  const handle = await open(file, "r")
  try {
    return await readFields(handle, (await handle.stat()).size)
  } finally {
    await handle.close()
  }
}

const readFields = async (handle: FileHandle, size: number) => {
  if (size === 0) return "it is empty"
  const found = new Map<string, string>()
  let hasGraph = false
  let at = 0
  for (let count = 0; at < size && count < maxFields; count++) {
    const head = await bytesAt(handle, at, Math.min(20, size - at))
    const tag = varint(head, 0)
    const field = tag === undefined ? 0 : Math.floor(tag.value / 8)
    if (tag === undefined || field === 0 || field > maxField) return "it is not an ONNX model"
    const second = varint(head, tag.end)
    if (second === undefined) return "it is incomplete"
    switch (tag.value % 8) {
      case 0:
        at += second.end
        break
      case 2: {
        const from = at + second.end
        at = from + second.value
        if (at > size) return "it is incomplete"
        hasGraph ||= field === graphField
        if (field === metadataField && second.value <= maxEntry) {
          const [key, value] = entryOf(await bytesAt(handle, from, second.value))
          if (key !== undefined) found.set(key, value ?? "")
        }
        break
      }
      default:
        return "it is not an ONNX model"
    }
  }
  return hasGraph ? found : "it is not an ONNX model"
}

const bytesAt = async (handle: FileHandle, at: number, length: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at)
  return buffer.subarray(0, bytesRead)
}

/** Reads a varint of at most 2^53; undefined if it does not end within the bytes. */
const varint = (bytes: Uint8Array, from: number) => {
  let value = 0
  let scale = 1
  for (let at = from; at < bytes.length && at < from + 8; at++) {
    const byte = bytes[at] ?? 0
    value += (byte & 127) * scale
    if (byte < 128) return { value, end: at + 1 }
    scale *= 128
  }
  return undefined
}

/** Reads an entry: field 1 is its key, field 2 its value. */
const entryOf = (bytes: Buffer): readonly [string?, string?] => {
  const parts: [string?, string?] = []
  let at = 0
  while (at < bytes.length) {
    const tag = varint(bytes, at)
    const length = tag === undefined ? undefined : varint(bytes, tag.end)
    if (tag === undefined || length === undefined || tag.value % 8 !== 2) break
    at = length.end + length.value
    const field = Math.floor(tag.value / 8)
    if (field === 1 || field === 2) parts[field - 1] = bytes.toString("utf8", length.end, at)
  }
  return parts
}

/** Returns the bytes that add metadata to a model when they are appended to its file. */
export const onnxMetadataBytes = (entries: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat(
    Object.entries(entries).map(([key, value]) =>
      delimited(
        metadataField,
        Buffer.concat([delimited(1, Buffer.from(key)), delimited(2, Buffer.from(value))])
      )
    )
  )

const delimited = (field: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([field * 8 + 2]), lengthBytes(content.length), content])

const lengthBytes = (length: number): Buffer => {
  const bytes: Array<number> = []
  let rest = length
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}
