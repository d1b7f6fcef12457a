/** Job names: the default id from an input's file name, and a comparison as file systems make it. */
import { maxBytes, avoidDeviceName, withoutForbidden } from "../../domain/values/FileName.ts"

/** Maximum length of a job's name, as in `JobId`. */
const maxLetters = 120

/** Makes a job's name from a file name without extension: removes forbidden characters and truncates it. */
export const jobNameFrom = (stem: string): string => {
  const letters = Array.from(avoidDeviceName(trimmed(withoutForbidden(stem))))
  while (isTooLong(letters.join(""))) letters.pop()
  return trimmed(letters.join(""))
}

/**
 * Returns the same text for names that some file systems treat as equal: they ignore case or Unicode normalization.
 */
export const folderNameOf = (name: string): string => name.normalize("NFC").toLowerCase()

const isTooLong = (name: string): boolean => name.length > maxLetters || Buffer.byteLength(name) > maxBytes

/** Removes dots and spaces from both ends. */
const trimmed = (name: string): string => name.replace(/^[.\s]+|[.\s]+$/gu, "")
