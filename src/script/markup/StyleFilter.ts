/** Selects the ASS events to speak by their styles (`text.styles`). */
import { type Cue, type Subtitle, noticeAt, type Notice } from "../../domain/speech/Cue.ts"
import { nearestName } from "../../domain/values/DidYouMean.ts"
import type { StyleSettings } from "../../domain/manifest/ScriptSettings.ts"

/** Whether a cue's style is spoken. Compares names case-insensitively; a cue without a style is always spoken. */
export const isShown = ({ style }: Cue, { only, skip }: StyleSettings = {}): boolean =>
  style === undefined ||
  ((only === undefined || names(only, style)) && !(skip !== undefined && names(skip, style)))

const names = (list: ReadonlyArray<string>, style: string): boolean =>
  list.some((name) => name.toLowerCase() === style.toLowerCase())

/** Returns a notice for each style that the manifest names but the ASS file does not use. */
export const styleNotices = (
  { cues, format }: Subtitle,
  { only = [], skip = [] }: StyleSettings = {}
): ReadonlyArray<Notice> => {
  if (format !== "ass") return []
  const used = [...new Set(cues.flatMap(({ style }) => style ?? []))]
  return [...only, ...skip]
    .filter((name) => !names(used, name))
    .map((name) => {
      const near = nearestName(name, used)
      return noticeAt(
        1,
        `text.styles: no event has the style "${name}"` +
          `${near === undefined ? "" : `; did you mean "${near}"?`} (the file uses ${used.slice(0, 8).join(", ")})`
      )
    })
}
