/** Counts the versions of jobs' sounds: a delivery replaces the sound before it writes the report and the pages. */
import { statSync } from "node:fs"

interface WatchedSound {
  readonly path: string
  readonly version: string | undefined
  readonly count: number
}

/** Makes the counts of a review, which begin at 0. */
export const makeSoundCounts = () => {
  const sounds = new Map<string, WatchedSound>()
  const seen = (job: string, path: string): WatchedSound => {
    const before = sounds.get(job)
    // Between two renames, there may be no file.
    const version = versionOf(path) ?? before?.version
    const isOther = before !== undefined && (before.version !== version || before.path !== path)
    const now = { path, version, count: (before?.count ?? 0) + (isOther ? 1 : 0) }
    sounds.set(job, now)
    return now
  }
  return {
    /** Begins to count the versions of a job's file. Call it before a delivery. */
    watch: (job: string, path: string): void => void seen(job, path),
    /** How often the job's sound was seen to have changed. */
    of: (job: string): number => {
      const known = sounds.get(job)
      return known === undefined ? 0 : seen(job, known.path).count
    }
  }
}

/** Differs for each version of a file: a delivery puts another file in its place. Links to it do not count. */
const versionOf = (path: string): string | undefined => {
  try {
    const { ino, mtimeNs } = statSync(path, { bigint: true })
    return `${ino} ${mtimeNs}`
  } catch {
    return undefined
  }
}
