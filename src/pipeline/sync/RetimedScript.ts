/** Moves the cues of a subtitle in time, and keeps the file's times of moved cues. */
import type { SyncReport } from "../../domain/report/FilmSync.ts"
import { Cue, LostCue, type Script, Subtitle } from "../../domain/speech/Cue.ts"
import { type Millis, millis } from "../../domain/time/Units.ts"

/** Where a cue is in its file. */
export interface SourceTimes {
  readonly start: Millis
  readonly end: Millis
}

/** A script whose cues were moved. */
export interface RetimedScript {
  readonly script: Script
  /** The file's times of cues that were moved, by index. */
  readonly moved: ReadonlyMap<number, SourceTimes>
}

/** How a job's cues got their times. */
export interface SubtitleTiming extends Omit<RetimedScript, "script"> {
  /** How the subtitle fits its film; absent if the two were not compared. */
  readonly sync?: SyncReport
}

/** A script with its cues at their times in the film, as far as these are known. */
export type SyncedScript = SubtitleTiming & Pick<RetimedScript, "script">

/** A change of times: a time t becomes `t * rate + offset`. */
export interface TimeChange {
  readonly rate: number
  /** Seconds. */
  readonly offset: number
}

/**
 * Moves every cue by the change for its start. A cue that would start before the film starts with it; one that would
 * end before it has no length. A narration has no times and stays as it is.
 */
export const retimed = (
  script: Script,
  changeAt: (start: Millis) => TimeChange,
  before: ReadonlyMap<number, SourceTimes> = new Map()
): RetimedScript => {
  return placedAnew(
    script,
    ({ start, end }) => {
      const { rate, offset } = changeAt(start)
      return { start: millis(start * rate + offset * 1000), end: millis(end * rate + offset * 1000) }
    },
    before
  )
}

/** Sets the starts of cues, given by index in milliseconds. Ends stay, unless a cue would become too short. */
export const startedAt = (
  { script, moved }: RetimedScript,
  starts: ReadonlyMap<number, number>
): RetimedScript =>
  placedAnew(
    script,
    ({ index, start, end }) => {
      const set = starts.get(index)
      if (set === undefined) return { start, end }
      return { start: millis(set), end: millis(Math.max(end, set + Math.min(end - start, 300))) }
    },
    moved
  )

/** Gives cues other times, and remembers where their file has them. */
export const placedAnew = (
  script: Script,
  placed: (cue: Cue) => SourceTimes,
  before: ReadonlyMap<number, SourceTimes>
): RetimedScript => {
  if (script._tag === "Narration") return { script, moved: before }
  const moved = new Map(before)
  const timesOf = (cue: Cue) => {
    const { index, start, end } = cue
    const times = placed(cue)
    if (times.start !== start || times.end !== end) moved.set(index, before.get(index) ?? { start, end })
    return times
  }
  const cues = script.cues.map((cue) => Cue.make({ ...cue, ...timesOf(cue) }))
  const lost = script.lost.map((cue) => LostCue.make({ ...cue, ...timesOf(cue) }))
  return {
    script: Subtitle.make({ ...script, cues: cues.sort((a, b) => a.start - b.start), lost }),
    moved
  }
}

/** A script with the times of its file. */
export const unmoved = (script: Script): RetimedScript => ({ script, moved: new Map() })
