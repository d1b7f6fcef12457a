/** Absurd times: midnight in the middle, cues that lost their time, ends far too late, hours without a cue. */
import { Array } from "effect"
import { Cue, LostCue, Subtitle, noticeAt, type Notice } from "../../../domain/speech/Cue.ts"
import { type Millis, millis } from "../../../domain/time/Units.ts"
import { inOrder } from "../../markup/CueVoices.ts"
import { skipValidation } from "../../../domain/values/SkipValidation.ts"

const hour = 3_600_000
const day = 24 * hour

/** Longest credible cue, and longest credible gap between two cues, in milliseconds. */
const maxCue = hour / 12
const maxGap = hour / 2

/**
 * Returns the milliseconds to add to each start, in file order: a day more from each midnight on. A single cue with a
 * wrong time is no midnight, nor are cues in any order.
 */
export const midnights = (starts: ReadonlyArray<number>): ReadonlyArray<number> => {
  let days = 0
  let since = 0
  return starts.map((start, at) => {
    const before = starts[at - 1] ?? start
    const isLate = starts.slice(Math.max(since, at - 2), at).every((time) => time > day / 2 && time <= before)
    if (
      before - start > day / 2 &&
      start + day - before < maxGap &&
      isLate &&
      (starts[at + 1] ?? start) >= start
    ) {
      days++
      since = at
    }
    return days * day
  })
}

/** Returns an end, or the one of the next day if midnight lies between it and its start. */
export const endBehind = (start: number, end: number): number =>
  end < start && end + day - start < maxCue ? end + day : end

/**
 * Mends times that cannot be meant. Ends that are far too late are cut at the next cue. A cue at 0, from 0 to 0, after
 * others has lost its time; in ASS it is never shown. One that ends behind them has lost its start. Hours without a
 * cue, which would be hours of silence, are reported.
 */
export const plausibleTimes = (script: Subtitle): Subtitle => {
  const inFile = [...script.cues].sort((a, b) => a.line - b.line || a.index - b.index)
  const isAss = script.format === "ass"
  const timed = inFile.findIndex(({ start }) => start > 0)
  const behind = new Set(inFile.slice(timed + 1))
  const isZeroed = (cue: Cue) =>
    cue.end === 0 && cue.text.trim() !== "" && (isAss || (behind.has(cue) && cue !== inFile[0]))
  const [rest, zeroed] = Array.partition(script.cues, isZeroed)
  const notices: globalThis.Array<Notice> = []
  const late: globalThis.Array<Cue> = []
  const startOf = (cue: Cue): Millis => {
    const before = cue.start > 0 || isAss ? undefined : inFile[inFile.indexOf(cue) - 1]
    if (before === undefined || before.start === 0 || cue.end <= before.end) return cue.start
    notices.push(
      noticeAt(cue.line, `cue ${cue.index} starts at zero after others; read as the end of the one before`)
    )
    return before.end
  }
  const kept = inOrder(
    rest.map((cue) => {
      const start = startOf(cue)
      return start === cue.start ? cue : Cue.make({ ...cue, start }, skipValidation)
    })
  )
  const isOnlyLong = (cue: Cue) =>
    kept.length > 1 && kept.every((other) => other === cue || other.end - other.start <= maxCue)
  let reached = 0
  const cues = kept.map((cue, at) => {
    const { index, line, start } = cue
    if (start - reached > maxGap)
      notices.push(
        noticeAt(
          line,
          `cue ${index} starts at ${clockText(start)}, after ${clockText(start - reached)} without a cue, which will be silence; correct its time, or set start if the film begins later`
        )
      )
    const next = kept.slice(at + 1, at + 50).find((other) => other.start > start)?.start
    const isLate =
      cue.end - start > maxCue && (next === undefined ? late.length > 0 || isOnlyLong(cue) : next < cue.end)
    const end = isLate ? millis(next ?? start) : cue.end
    if (isLate) late.push(cue)
    reached = Math.max(reached, start, end)
    return isLate ? Cue.make({ ...cue, end }, skipValidation) : cue
  })
  const [first] = late
  if (first !== undefined)
    notices.push(
      noticeAt(
        first.line,
        `${late.length} ${late.length === 1 ? "cue ends" : "cues end"} more than ${maxCue / 60_000} minutes after the start, from cue ${first.index} on; cut at the next cue`
      )
    )
  if (notices.length === 0 && zeroed.length === 0) return script
  const why = isAss
    ? "an event from 0:00:00 to 0:00:00, which is never shown"
    : "00:00:00 to 00:00:00: expected a time; the cue has lost it"
  return Subtitle.make({
    ...script,
    cues,
    lost: [
      ...script.lost,
      ...(isAss ? [] : zeroed).map((cue) => {
        const before = inFile[inFile.indexOf(cue) - 1]?.end ?? cue.end
        return LostCue.make({ ...cue, start: before, end: before, why }, skipValidation)
      })
    ],
    notices: [...script.notices, ...zeroed.map(({ line }) => noticeAt(line, `skipped ${why}`)), ...notices]
  })
}

/** Formats milliseconds as `10:00:03`. */
export const clockText = (time: number): string => {
  const seconds = Math.round(time / 1000)
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((field) => `${field}`.padStart(2, "0"))
    .join(":")
}
