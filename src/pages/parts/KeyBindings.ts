/** Keyboard shortcuts of the pages: one list for their handlers and for the help. */

/** One shortcut; `keys` are `KeyboardEvent.key` values. */
export interface KeyHelp<Action extends string> {
  readonly action: Action
  readonly keys: readonly [string, ...ReadonlyArray<string>]
  readonly does: string
}

/** Shortcut actions on a job's page. */
export type JobAction =
  | "next"
  | "previous"
  | "nextFlagged"
  | "previousFlagged"
  | "playCue"
  | "playPause"
  | "loop"
  | "sound"
  | "caption"
  | "search"
  | "filter"
  | "order"
  | "zoomIn"
  | "zoomOut"
  | "edit"
  | "help"
  | "leave"

/** The shortcuts of a job's page. */
export const jobKeys: ReadonlyArray<KeyHelp<JobAction>> = [
  { action: "next", keys: ["j", "ArrowDown"], does: "Next cue (arrow keys: in the list)" },
  { action: "previous", keys: ["k", "ArrowUp"], does: "Previous cue" },
  { action: "nextFlagged", keys: ["n"], does: "Next line worth a look" },
  { action: "previousFlagged", keys: ["p"], does: "Previous line worth a look" },
  { action: "playCue", keys: ["Enter"], does: "Play the current cue" },
  { action: "playPause", keys: [" "], does: "Play or pause" },
  { action: "loop", keys: ["l"], does: "Loop the current cue" },
  { action: "sound", keys: ["s"], does: "Switch between dub, original and both (jobs with a film)" },
  { action: "caption", keys: ["t"], does: "Switch the text over the picture" },
  { action: "search", keys: ["/"], does: "Search" },
  { action: "filter", keys: ["f"], does: "Choose a filter" },
  { action: "order", keys: ["o"], does: "Switch between worst first and source order" },
  { action: "zoomIn", keys: ["+", "="], does: "Zoom in on the waveform" },
  { action: "zoomOut", keys: ["-"], does: "Zoom out of the waveform" },
  { action: "help", keys: ["?"], does: "Show these shortcuts" },
  { action: "leave", keys: ["Escape"], does: "Leave the field; clear search and filter" }
]

/** The shortcuts of a job's page in review. */
export const reviewKeys: ReadonlyArray<KeyHelp<JobAction>> = [
  { action: "edit", keys: ["e"], does: "Edit the current cue" },
  ...jobKeys
]

/** Shortcut actions on a batch's page. */
export type BatchAction = "next" | "previous" | "nextPoor" | "open" | "search" | "filter" | "help" | "leave"

/** The shortcuts of a batch's page. */
export const batchKeys: ReadonlyArray<KeyHelp<BatchAction>> = [
  { action: "next", keys: ["j", "ArrowDown"], does: "Next job (arrow keys: in the list)" },
  { action: "previous", keys: ["k", "ArrowUp"], does: "Previous job" },
  { action: "nextPoor", keys: ["n"], does: "Next job that needs a look" },
  { action: "open", keys: ["Enter"], does: "Open the job's report" },
  { action: "search", keys: ["/"], does: "Search" },
  { action: "filter", keys: ["f"], does: "Choose a filter" },
  { action: "help", keys: ["?"], does: "Show these shortcuts" },
  { action: "leave", keys: ["Escape"], does: "Leave the field; clear search and filter" }
]

/** Shortcut actions on a plan's page. */
export type PlanAction = "next" | "previous" | "search" | "filter" | "help" | "leave"

/** The shortcuts of a plan's page. */
export const planKeys: ReadonlyArray<KeyHelp<PlanAction>> = [
  { action: "next", keys: ["j", "ArrowDown"], does: "Next line (arrow keys: in the list)" },
  { action: "previous", keys: ["k", "ArrowUp"], does: "Previous line" },
  { action: "search", keys: ["/"], does: "Search" },
  { action: "filter", keys: ["f"], does: "Choose a job" },
  { action: "help", keys: ["?"], does: "Show these shortcuts" },
  { action: "leave", keys: ["Escape"], does: "Leave the field; clear search and filter" }
]

/** Returns a key's label as printed on keyboards. */
export const keyCap = (key: string): string => caps[key] ?? key

const caps: Readonly<Record<string, string>> = {
  " ": "Space",
  ArrowDown: "↓",
  ArrowUp: "↑",
  Escape: "Esc"
}
