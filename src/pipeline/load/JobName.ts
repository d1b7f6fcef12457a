/** Names of jobs: what one is called whose manifest says nothing, and which are one on a disk. */
import { mostBytes, avoidDeviceName, withoutForbidden } from "../../domain/values/FileName.ts"

/** Letters of a job's name at most, as `JobId` has it. */
const mostLetters = 120

/** A file's name without its ending, with what no disk takes left out, and what is too long cut off. */
export const jobNameFrom = (stem: string): string => {
  const letters = Array.from(avoidDeviceName(trimmed(withoutForbidden(stem))))
  while (isTooLong(letters.join(""))) letters.pop()
  return trimmed(letters.join(""))
}

/**
 * The same for names that are one folder on some disk: there are those that do not tell A from a, or how an accent is
 * written.
 */
export const folderNameOf = (name: string): string => name.normalize("NFC").toLowerCase()

const isTooLong = (name: string): boolean => name.length > mostLetters || Buffer.byteLength(name) > mostBytes

/** Without dots and spaces at its ends. */
const trimmed = (name: string): string => name.replace(/^[.\s]+|[.\s]+$/gu, "")
