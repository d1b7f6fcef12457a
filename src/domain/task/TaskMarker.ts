/** The task marker: the start of a task's `voice_name`, by which a lost task is found in the service's history. */
import { Schema } from "effect"
import type { UtteranceKey } from "../values/Ids.ts"

/**
 * `dw-` and the first twelve hexadecimal digits of the key, plus the take number from the second take on:
 * `dw-3f9a1c2b7e04-2`.
 */
export const TaskMarker = Schema.String.pipe(
  Schema.pattern(/^dw-[0-9a-f]{12}(-[1-9][0-9]*)?$/u),
  Schema.brand("Mark")
)
export type TaskMarker = typeof TaskMarker.Type

/** Maximum length of a label, in UTF-16 units. */
export const maxLabel = 80

/** Returns the marker of an utterance's take. Takes count from 1, and each one costs money. */
export const markerOf = (key: UtteranceKey, take: number): TaskMarker =>
  TaskMarker.make(take === 1 ? `dw-${key.slice(0, 12)}` : `dw-${key.slice(0, 12)}-${take}`)

/**
 * Prefixes a label with its marker and truncates the result to `maxLabel`, between characters.
 *
 * The marker comes first because services that store fewer characters cut off the end. A truncated marker could not
 * identify a lost task.
 */
export const labelWithMarker = (label: string, mark: TaskMarker): string => {
  let readable = ""
  for (const character of label.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim()) {
    if (mark.length + 1 + readable.length + character.length > maxLabel) break
    readable += character
  }
  return `${mark} ${readable}`.trimEnd()
}

/** Returns every marker in a label: usually one, or none if the label is not from dubwright. */
export const markersIn = (label: string): ReadonlyArray<TaskMarker> =>
  Array.from(label.matchAll(/dw-[0-9a-f]{12}(?:-[1-9][0-9]*)?(?![0-9a-z-])/gu), (found) =>
    TaskMarker.make(found[0])
  )
