/**
 * The disk of a simulated machine. It replaces what the project uses of the file system's syncing: nothing is really
 * synced, but it is known what was. After a power cut, only that is certainly left, and of a log any part that was
 * written since; after a kill, everything is left.
 *
 * Import it first, in a process of its own: modules take the functions of the file system when they are loaded.
 */
import files, {
  copyFileSync,
  existsSync,
  fstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync
} from "node:fs"
import promises from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"

type Done = (fault: Error | null) => void

const { renameSync } = files
/** Bytes of each open file that were synced, by its path. */
const synced = new Map<string, number>()
/** Files renamed since the last sync. */
const renamed = new Set<string>()
let listen = (): void => undefined
let isFull = false

/** Calls a listener before and after each sync, and before each renaming; returns the function that stops it. */
export const onDiskEvent = (listener: () => void): (() => void) => {
  listen = listener
  return () => {
    listen = () => undefined
  }
}

/** Fills the disk, or frees it. */
export const setFull = (full: boolean): void => {
  isFull = full
}

const noSpace = () =>
  Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC", errno: -28 })

const fdatasync = (file: number, done: Done): void => {
  listen()
  if (isFull) {
    queueMicrotask(() => done(noSpace()))
    return
  }
  synced.set(readlinkSync(`/proc/self/fd/${file}`), fstatSync(file).size)
  renamed.clear()
  queueMicrotask(() => {
    listen()
    done(null)
  })
}

Object.assign(files, {
  fdatasync,
  renameSync: (from: string, to: string): void => {
    listen()
    renameSync(from, to)
    renamed.add(to)
  }
})
// In another thread, they would end at any time.
Object.assign(promises, {
  rm: async (path: string) => rmSync(path, { force: true }),
  readdir: async (path: string) => readdirSync(path)
})
syncBuiltinESMExports()

/** Forgets what was synced of a log that is gone: the database was closed. */
export const forgetClosedLog = (folder: string): void => {
  const log = join(folder, "state.sqlite-wal")
  if (!existsSync(log)) synced.delete(log)
}

/** Copies a state folder as a crash leaves it. `draw` returns numbers from 0 to 1. */
export const copyAfterCrash = (
  from: string,
  to: string,
  how: "kill" | "power cut",
  draw: () => number
): void => {
  mkdirSync(join(to, "clips"), { recursive: true })
  copyFileSync(join(from, "state.sqlite"), join(to, "state.sqlite"))
  const log = join(from, "state.sqlite-wal")
  if (existsSync(log)) {
    const bytes = readFileSync(log)
    const certain = synced.get(log) ?? 0
    const left = how === "kill" ? bytes.length : certain + Math.floor(draw() * (bytes.length - certain + 1))
    const copy = join(to, "state.sqlite-wal")
    writeFileSync(copy, bytes.subarray(0, left))
    // What a power cut left is on the disk.
    synced.set(copy, how === "kill" ? certain : left)
  }
  for (const name of readdirSync(join(from, "clips"))) {
    const path = join(from, "clips", name)
    if (how === "kill" || !renamed.has(path) || draw() < 0.5) copyFileSync(path, join(to, "clips", name))
  }
}
