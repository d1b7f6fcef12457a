/** A log kept over many runs: lines with their times, and older logs set aside before it grows too long. */
import { appendFileSync, existsSync, renameSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { Either } from "effect"
import { makeFolder } from "../../store/state/Folder.ts"
import { badUsage, type CommandEnded } from "../ExitCodes.ts"

/** A log file longer than this is set aside when a run begins, in bytes. */
export const longLog = 5_000_000

/** So many older logs are kept, `.1` the youngest. */
export const keptLogs = 5

/** Writes one line. */
export type LogLine = (line: string) => void

/** Opens a log to append to; fails where it cannot be written. */
export const openLog = (file: string): Either.Either<LogLine, CommandEnded> =>
  Either.try({
    try: () => {
      makeFolder(dirname(file))
      if (existsSync(file) && statSync(file).size > longLog) setAside(file)
      appendFileSync(file, "")
      return (line) => {
        try {
          appendFileSync(file, `${stamp(new Date())}  ${stripVTControlCharacters(line)}\n`)
        } catch {
          // A disk that is full must not end a run that could go on.
        }
      }
    },
    catch: (cause) =>
      badUsage(`--log ${file}: cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`)
  })

const setAside = (file: string): void => {
  for (let older = keptLogs; older >= 1; older--) {
    const from = older === 1 ? file : `${file}.${older - 1}`
    if (existsSync(from)) renameSync(from, `${file}.${older}`)
  }
}

/** Date and time of day in the user's own zone, `2026-11-21 06:00:00`. */
const stamp = (now: Date): string =>
  `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())} ${now.toTimeString().slice(0, 8)}`

const two = (value: number): string => String(value).padStart(2, "0")
