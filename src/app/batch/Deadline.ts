/** A time of day as a deadline: the next moment at which this machine's clock shows it. */
import type { Deadline } from "../../pipeline/speak/SpeakSettings.ts"

/** Hours 0 to 23 and minutes 0 to 59. */
export interface TimeOfDay {
  readonly hours: number
  readonly minutes: number
}

/** When a time of day comes next after `now`, by the machine's own zone. */
export const nextAt = ({ hours, minutes }: TimeOfDay, now: Date): Deadline => {
  const at = new Date(now)
  at.setHours(hours, minutes, 0, 0)
  if (at.getTime() <= now.getTime()) {
    at.setDate(at.getDate() + 1)
    // Summer time may begin or end in between.
    at.setHours(hours, minutes, 0, 0)
  }
  return { at: at.getTime(), words: clockText({ hours, minutes }) }
}

/** As clocks show it, `06:00`. */
export const clockText = ({ hours, minutes }: TimeOfDay): string =>
  [hours, minutes].map((part) => String(part).padStart(2, "0")).join(":")
