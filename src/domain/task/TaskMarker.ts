/** The short mark by which a task is known again in the service's history. */
import { Schema } from "effect"
import type { UtteranceKey } from "../values/Ids.ts"

/** `dw-` and twelve hexadecimal digits of the key, with the take from the second on: `dw-3f9a1c2b7e04-2`. */
export const TaskMarker = Schema.String.pipe(
  Schema.pattern(/^dw-[0-9a-f]{12}(-[1-9][0-9]*)?$/u),
  Schema.brand("Mark")
)
export type TaskMarker = typeof TaskMarker.Type

/** The longest label that is sent, in UTF-16 units. */
export const maxLabel = 80

/** The mark of an utterance's take; takes count from 1, and each is paid for. */
export const markerOf = (key: UtteranceKey, take: number): TaskMarker =>
  TaskMarker.make(take === 1 ? `dw-${key.slice(0, 12)}` : `dw-${key.slice(0, 12)}-${take}`)

/**
 * A label behind its mark; it is cut, between characters, where both would be too long. A service that keeps less of it
 * than that cuts off the end: the mark of a lost task would be looked for in vain there, while shorter labels still
 * came back whole.
 */
export const labelWithMarker = (label: string, mark: TaskMarker): string => {
  let readable = ""
  for (const character of label.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim()) {
    if (mark.length + 1 + readable.length + character.length > maxLabel) break
    readable += character
  }
  return `${mark} ${readable}`.trimEnd()
}

/** Every mark in a label: usually one, none where the label is not ours. */
export const markersIn = (label: string): ReadonlyArray<TaskMarker> =>
  Array.from(label.matchAll(/dw-[0-9a-f]{12}(?:-[1-9][0-9]*)?(?![0-9a-z-])/gu), (found) =>
    TaskMarker.make(found[0])
  )
