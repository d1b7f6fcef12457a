/** Keyboard shortcuts of the pages: one list for their handlers and for the help. */

/** One shortcut; `keys` are `KeyboardEvent.key` values. */
export interface KeyHelp<Action extends string> {
  readonly action: Action
  readonly keys: readonly [string, ...ReadonlyArray<string>]
  readonly does: string
}

/** A list of shortcuts, whose type has the names of its actions. */
const shortcuts = <Action extends string>(all: ReadonlyArray<KeyHelp<Action>>) => all

/** The shortcuts of a job's page. */
export const jobKeys = shortcuts([
  { action: "next", keys: ["j", "ArrowDown"], does: "Next cue (arrow keys: in the list)" },
  { action: "previous", keys: ["k", "ArrowUp"], does: "Previous cue" },
  { action: "nextFlagged", keys: ["n"], does: "Next line to check" },
  { action: "previousFlagged", keys: ["p"], does: "Previous line to check" },
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
])

/** The shortcuts of a job's page in review. */
export const reviewKeys = shortcuts([
  { action: "edit", keys: ["e"], does: "Edit the current cue" },
  { action: "undo", keys: ["u", "Control+z"], does: "Undo the last change" },
  { action: "redo", keys: ["U", "Control+y"], does: "Redo the change that was undone" },
  { action: "approve", keys: ["a"], does: "Approve the current cue, or withdraw its approval" },
  { action: "approveJob", keys: ["A"], does: "Approve the job, or withdraw its approval" },
  { action: "voices", keys: ["v"], does: "Give the current cue's speaker another voice" },
  ...jobKeys
])
export type JobAction = (typeof reviewKeys)[number]["action"]

/**
 * The shortcuts of the edit box. They work while the user types, and match those of Subtitle Edit where it has the
 * action. A key is written as its modifiers (`Control`, `Alt`, `Shift`) and its `KeyboardEvent.key`, joined by `+`.
 */
export const editKeys = shortcuts([
  {
    action: "listenOrAccept",
    keys: ["Control+Enter"],
    does: "Edit box: listen to a new take; pressed again, accept it and edit the next line to check"
  },
  { action: "accept", keys: ["Control+s"], does: "Edit box: accept the take" },
  { action: "editNextFlagged", keys: ["F8"], does: "Edit box: edit the next line to check" },
  { action: "nextTake", keys: ["F9"], does: "Edit box: hear the next take, at no cost" },
  { action: "previousTake", keys: ["Shift+F9"], does: "Edit box: hear the previous take, at no cost" },
  { action: "editNext", keys: ["Alt+ArrowDown"], does: "Edit box: edit the next cue" },
  { action: "editPrevious", keys: ["Alt+ArrowUp"], does: "Edit box: edit the previous cue" },
  { action: "split", keys: ["Control+Shift+Enter"], does: "Edit box: split the cue at the cursor" },
  { action: "join", keys: ["Control+Shift+m"], does: "Edit box: join the cue with the next one" },
  { action: "playLine", keys: ["F5"], does: "Edit box: play the cue as it is now" },
  { action: "playOrPause", keys: ["Control+p"], does: "Edit box: play or pause" },
  { action: "back", keys: ["Alt+ArrowLeft"], does: "Edit box: half a second back" },
  { action: "forward", keys: ["Alt+ArrowRight"], does: "Edit box: half a second forward" },
  { action: "close", keys: ["Escape"], does: "Edit box: close it without a change" }
])
export type EditAction = (typeof editKeys)[number]["action"]

/** The shortcuts of a batch's page. */
export const batchKeys = shortcuts([
  { action: "next", keys: ["j", "ArrowDown"], does: "Next job (arrow keys: in the list)" },
  { action: "previous", keys: ["k", "ArrowUp"], does: "Previous job" },
  { action: "nextPoor", keys: ["n"], does: "Next job to check" },
  { action: "open", keys: ["Enter"], does: "Open the job's report" },
  { action: "season", keys: ["g"], does: "Go to the season's grid (arrow keys: from job to job)" },
  { action: "search", keys: ["/"], does: "Search" },
  { action: "filter", keys: ["f"], does: "Choose a filter" },
  { action: "help", keys: ["?"], does: "Show these shortcuts" },
  { action: "leave", keys: ["Escape"], does: "Leave the field; clear search and filter" }
])
export type BatchAction = (typeof batchKeys)[number]["action"]

/** The shortcuts of a plan's page. */
export const planKeys = shortcuts([
  { action: "next", keys: ["j", "ArrowDown"], does: "Next line (arrow keys: in the list)" },
  { action: "previous", keys: ["k", "ArrowUp"], does: "Previous line" },
  { action: "search", keys: ["/"], does: "Search" },
  { action: "filter", keys: ["f"], does: "Choose a job" },
  { action: "help", keys: ["?"], does: "Show these shortcuts" },
  { action: "leave", keys: ["Escape"], does: "Leave the field; clear search and filter" }
])

/** Returns a key's label as printed on keyboards: `Ctrl+Enter`. */
export const keyCap = (key: string): string =>
  key === "+"
    ? key
    : key
        .split("+")
        .map((part, at, all) => caps[part] ?? (all.length > 1 && at > 0 ? part.toUpperCase() : part))
        .join("+")

const caps: Readonly<Record<string, string>> = {
  " ": "Space",
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Control: "Ctrl",
  Enter: "Enter",
  Alt: "Alt",
  Escape: "Esc"
}
