/** Append-only log file of runs, with timestamps and rotation. */
import { appendFileSync, existsSync, renameSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { Either } from "effect"
import { makeFolder } from "../../system/Folder.ts"
import { badUsage, type CommandEnded } from "../ExitCodes.ts"
import { unstyled } from "./ControlCharacters.ts"

/** Size in bytes above which the log is rotated when a run begins. */
export const longLog = 5_000_000

/** Number of rotated logs kept; `.1` is the newest. */
export const keptLogs = 5

/** Writes one line. */
export type LogLine = (line: string) => void

/** Opens a log for appending, rotating it if needed; fails if it cannot be written. */
export const openLog = (file: string): Either.Either<LogLine, CommandEnded> =>
  Either.try({
    try: () => {
      makeFolder(dirname(file))
      if (existsSync(file) && statSync(file).size > longLog) setAside(file)
      appendFileSync(file, "")
      return (line) => {
        try {
          appendFileSync(file, `${stamp(new Date())}  ${unstyled(line)}\n`)
        } catch {
          // A full disk must not stop the run.
        }
      }
    },
    catch: (cause) =>
      badUsage(
        `--log ${file}: cannot be written: ${cause instanceof Error ? cause.message : String(cause)}; choose another file`
      )
  })

const setAside = (file: string): void => {
  for (let older = keptLogs; older >= 1; older--) {
    const from = older === 1 ? file : `${file}.${older - 1}`
    if (existsSync(from)) renameSync(from, `${file}.${older}`)
  }
}

/** Formats local date and time, `2026-11-21 06:00:00`. */
const stamp = (now: Date): string =>
  `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())} ${now.toTimeString().slice(0, 8)}`

const two = (value: number): string => String(value).padStart(2, "0")
