/** Search and filters of a job's cues. */
import type { JudgedCue } from "../parts/CueTable.ts"
import type { CueRows } from "./CueRows.ts"
import { byId, maybeById } from "./Dom.ts"

/** Marks, filters and actions that a page adds to the rows of cues. Each cue is identified by its number. */
export interface CueMarks {
  readonly decorate: (row: HTMLTableRowElement, cue: number) => void
  /** Whether a cue passes a filter; undefined for filters of the page itself. */
  readonly passes: (cue: number, filter: string) => boolean | undefined
  /** Called when another cue becomes the current one. */
  readonly follow: (cue: number | undefined) => void
  readonly toggle: (cue: number | undefined) => void
  readonly toggleJob: () => void
}

/** Sets up search and filters of the cue table; returns the actions for the keyboard shortcuts. */
export const findingIn = (rows: CueRows, also: CueMarks["passes"] = () => undefined) => {
  const search = byId("search", HTMLInputElement)
  const filter = byId("filter", HTMLSelectElement)
  const speaker = maybeById("speaker", HTMLSelectElement)
  const shown = byId("shown", HTMLElement)
  const narrow = () => {
    const who = speaker?.value ?? ""
    rows.filter(
      (judged) =>
        (also(judged.cue.index, filter.value) ?? passes(judged, filter.value)) &&
        (who === "" || (judged.cue.speaker?.split(", ") ?? []).includes(who)),
      search.value
    )
    const all = rows.count
    shown.textContent = rows.shown === all ? `${all} cues` : `${rows.shown} of ${all} cues`
  }
  search.addEventListener("input", narrow)
  filter.addEventListener("change", narrow)
  speaker?.addEventListener("change", narrow)
  // Browsers may restore the fields' previous values on reload.
  if (search.value !== "" || filter.value !== "all" || (speaker?.value ?? "") !== "") narrow()
  return {
    search: () => {
      search.focus()
      search.select()
    },
    filter: () => filter.focus(),
    narrow,
    leave: () => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      search.value = ""
      filter.value = "all"
      if (speaker !== undefined) speaker.value = ""
      narrow()
    }
  }
}

const passes = ({ cue, names }: JudgedCue, filter: string): boolean => {
  const [kind, name = ""] = filter.split(":")
  switch (kind) {
    case "marked":
      return names.length > 0
    case "status":
      return cue.status === name
    case "mark":
      return names.some((mark) => mark === name)
    default:
      return true
  }
}
