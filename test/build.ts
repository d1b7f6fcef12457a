/**
 * Vitest global setup: builds dist/ from the current sources. Tests need it, because engines run in a bundled worker
 * and commands in a bundle. Gives the run a temporary folder of its own, and deletes it with all that tests leave.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A folder in memory with room for all temporary files: there, the thousands of syncs to disk take no time. */
const memory = (): string | undefined => {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm")
    const canRun = !/ \/dev\/shm \S+ \S*\bnoexec\b/u.test(readFileSync("/proc/mounts", "utf8"))
    return canRun && bavail * bsize > 4 * 2 ** 30 ? "/dev/shm" : undefined
  } catch {
    return undefined
  }
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH")
  }
}

/** Creates a run's folder, and deletes those of runs that were killed. Their names have the runs' process ids. */
const runFolder = (parent: string): string => {
  for (const name of readdirSync(parent)) {
    const pid = /^dubwright-tests-(\d+)-/u.exec(name)?.[1]
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 5 })
  }
  return mkdtempSync(join(parent, `dubwright-tests-${process.pid}-`))
}

const setup = (): (() => void) => {
  const run = spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" })
  if (run.status !== 0) throw new Error("the build failed; see the output above")
  const folder = runFolder(memory() ?? tmpdir())
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o711)
  // Unix reads the first, Windows the others.
  for (const name of ["TMPDIR", "TEMP", "TMP"]) process.env[name] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

export default setup
