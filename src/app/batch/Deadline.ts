/** Converts a time of day to a deadline: its next occurrence on this machine's clock. */
import type { Deadline } from "../../pipeline/speak/SpeakSettings.ts"

/** Hours 0 to 23 and minutes 0 to 59. */
export interface TimeOfDay {
  readonly hours: number
  readonly minutes: number
}

/** The next occurrence of a time of day after `now`, in the machine's time zone. */
export const nextAt = ({ hours, minutes }: TimeOfDay, now: Date): Deadline => {
  const at = new Date(now)
  at.setHours(hours, minutes, 0, 0)
  if (at.getTime() <= now.getTime()) {
    at.setDate(at.getDate() + 1)
    // Set the hours again: daylight saving time may begin or end in between.
    at.setHours(hours, minutes, 0, 0)
  }
  return { at: at.getTime(), words: clockText({ hours, minutes }) }
}

/** Formats a time of day, `06:00`. */
export const clockText = ({ hours, minutes }: TimeOfDay): string =>
  [hours, minutes].map((part) => String(part).padStart(2, "0")).join(":")
