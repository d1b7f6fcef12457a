/** Decides which files have arrived: those that have stopped changing. */

/** A file's size and modification time; undefined if the file does not exist. */
export interface FileStamp {
  readonly size: number
  /** Time of the last modification, in milliseconds since 1970. */
  readonly modified: number
}

/** A file's last stamp, and the time since which it has not changed. */
export interface Sighting {
  readonly stamp: FileStamp | undefined
  /** Milliseconds since 1970. */
  readonly since: number
}

export type Sightings = ReadonlyMap<string, Sighting>

/**
 * Updates the sightings. A new file counts from its last modification, so a finished file that is moved here has
 * arrived at once. A file that changed since the last check counts from now.
 */
export const seeFiles = (
  before: Sightings,
  stamps: ReadonlyMap<string, FileStamp | undefined>,
  now: number
): Sightings =>
  new Map(
    Array.from(stamps, ([path, stamp]) => {
      const last = before.get(path)
      const since =
        last === undefined
          ? Math.min(now, stamp?.modified ?? now)
          : isSame(last.stamp, stamp)
            ? last.since
            : now
      return [path, { stamp, since }]
    })
  )

/** Whether a file is there, has content, and has not changed for `settle` milliseconds. */
export const hasArrived = (sighting: Sighting | undefined, now: number, settle: number): boolean =>
  sighting?.stamp !== undefined && sighting.stamp.size > 0 && now - sighting.since >= settle

/** A text that changes with the file. */
export const stampText = (sighting: Sighting | undefined): string =>
  sighting?.stamp === undefined ? "none" : `${sighting.stamp.size} ${sighting.stamp.modified}`

const isSame = (one: FileStamp | undefined, other: FileStamp | undefined): boolean =>
  one?.size === other?.size && one?.modified === other?.modified
