/** The keys that the pages listen to: one list for the script that obeys them and the help that explains them. */

/** One key's doing; `keys` as the browser names them. */
export interface KeyHelp<Action extends string> {
  readonly action: Action
  readonly keys: readonly [string, ...ReadonlyArray<string>]
  readonly does: string
}

/** What can be done by key on a job's page. */
export type JobAction =
  | "next"
  | "previous"
  | "nextFlagged"
  | "previousFlagged"
  | "playCue"
  | "playPause"
  | "search"
  | "filter"
  | "order"
  | "zoomIn"
  | "zoomOut"
  | "edit"
  | "help"
  | "leave"

/** The keys of a job's page. */
export const jobKeys: ReadonlyArray<KeyHelp<JobAction>> = [
  { action: "next", keys: ["j", "ArrowDown"], does: "Next cue (arrows: in the list)" },
  { action: "previous", keys: ["k", "ArrowUp"], does: "Previous cue" },
  { action: "nextFlagged", keys: ["n"], does: "Next cue to check" },
  { action: "previousFlagged", keys: ["p"], does: "Previous cue to check" },
  { action: "playCue", keys: ["Enter"], does: "Play the current cue" },
  { action: "playPause", keys: [" "], does: "Play from here, or pause" },
  { action: "search", keys: ["/"], does: "Search" },
  { action: "filter", keys: ["f"], does: "Choose a filter" },
  { action: "order", keys: ["o"], does: "Worst cues first, or all in order of time" },
  { action: "zoomIn", keys: ["+", "="], does: "Zoom the waveform in" },
  { action: "zoomOut", keys: ["-"], does: "Zoom the waveform out" },
  { action: "help", keys: ["?"], does: "Show these keys" },
  { action: "leave", keys: ["Escape"], does: "Clear search and filter, leave a field" }
]

/** The keys of a job's page in review. */
export const reviewKeys: ReadonlyArray<KeyHelp<JobAction>> = [
  { action: "edit", keys: ["e"], does: "Change the current cue" },
  ...jobKeys
]

/** What can be done by key on a batch's page. */
export type BatchAction = "next" | "previous" | "nextPoor" | "open" | "search" | "filter" | "help" | "leave"

/** The keys of a batch's page. */
export const batchKeys: ReadonlyArray<KeyHelp<BatchAction>> = [
  { action: "next", keys: ["j", "ArrowDown"], does: "Next job (arrows: in the list)" },
  { action: "previous", keys: ["k", "ArrowUp"], does: "Previous job" },
  { action: "nextPoor", keys: ["n"], does: "Next job that needs a look" },
  { action: "open", keys: ["Enter"], does: "Open the job's report" },
  { action: "search", keys: ["/"], does: "Search" },
  { action: "filter", keys: ["f"], does: "Choose a filter" },
  { action: "help", keys: ["?"], does: "Show these keys" },
  { action: "leave", keys: ["Escape"], does: "Clear search and filter, leave a field" }
]

/** What can be done by key on a plan's page. */
export type PlanAction = "next" | "previous" | "search" | "filter" | "help" | "leave"

/** The keys of a plan's page. */
export const planKeys: ReadonlyArray<KeyHelp<PlanAction>> = [
  { action: "next", keys: ["j", "ArrowDown"], does: "Next line (arrows: in the list)" },
  { action: "previous", keys: ["k", "ArrowUp"], does: "Previous line" },
  { action: "search", keys: ["/"], does: "Search" },
  { action: "filter", keys: ["f"], does: "Choose a job" },
  { action: "help", keys: ["?"], does: "Show these keys" },
  { action: "leave", keys: ["Escape"], does: "Clear search and filter, leave a field" }
]

/** A key as it is printed on keyboards. */
export const keyCap = (key: string): string => caps[key] ?? key

const caps: Readonly<Record<string, string>> = {
  " ": "Space",
  ArrowDown: "↓",
  ArrowUp: "↑",
  Escape: "Esc"
}
