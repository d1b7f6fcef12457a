/** Unpacks the parts of an office document (OOXML) that hold text, within bounds. */
import { unzipSync } from "fflate"

/** Maximum unpacked size of one part, and of all parts, in bytes. */
const maxPart = 256 * 1024 * 1024

/** The kind of an office document. */
export type OfficeKind = "xlsx" | "docx"

/** The parts of a document as text, or why they cannot be read. */
export interface OfficeParts {
  readonly kind: OfficeKind | undefined
  readonly parts: ReadonlyMap<string, string>
  readonly fault: string | undefined
}

const wanted =
  /^(?:word\/document\.xml|xl\/(?:workbook|sharedStrings|styles)\.xml|xl\/_rels\/workbook\.xml\.rels|xl\/worksheets\/[^/]+\.xml)$/u

/** Whether bytes begin like a ZIP archive. */
export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4

/** Unpacks a document. Never throws. */
export const officeParts = (bytes: Uint8Array): OfficeParts => {
  let total = 0
  let isTooLarge = false
  try {
    const files = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!wanted.test(name)) return false
        total += originalSize
        isTooLarge ||= total > maxPart
        return !isTooLarge
      }
    })
    const parts = new Map(Object.entries(files).map(([name, part]) => [name, new TextDecoder().decode(part)]))
    const kind = parts.has("word/document.xml") ? "docx" : parts.has("xl/workbook.xml") ? "xlsx" : undefined
    return { kind, parts, fault: isTooLarge ? "its text is larger than 256 MB" : undefined }
  } catch (thrown) {
    return { kind: undefined, parts: new Map(), fault: thrown instanceof Error ? thrown.message : "damaged" }
  }
}
