/** The interactive part of a job's page: select, play, search and filter cues. */
import type { JobAction, KeyHelp } from "../parts/KeyBindings.ts"
import type { EmbeddedData, PageCue, PageData } from "../data/PageData.ts"
import { judgedCues, pageCue, type JudgedCue } from "../parts/CueTable.ts"
import { Captions } from "./player/Captions.ts"
import { ChartCursor } from "./player/ChartCursor.ts"
import { Film } from "./player/Film.ts"
import { Player } from "./player/Player.ts"
import { Waveform } from "./player/Waveform.ts"
import { CueRows } from "./CueRows.ts"
import { byId, maybeById, shortClock } from "./Dom.ts"
import { bringIntoView, keepHeights, reachRow } from "./StickyParts.ts"
import { listenToKeys } from "./ListenToKeys.ts"
import { Order } from "./RowOrder.ts"
import { placeOf } from "./TableRows.ts"
import { remember, remembered } from "./Choices.ts"

/** How the report and the review page differ. */
export interface JobViewKind {
  readonly keys: ReadonlyArray<KeyHelp<JobAction>>
  /** Opens a cue for editing; only on the review page. */
  readonly edit?: (cue: PageCue, row: HTMLTableRowElement) => void
  /** The review page's additions to rows and filters. */
  readonly approvals?: CueMarks
  /** Undoes or redoes a change; only on the review page. */
  readonly undo?: (step: "undo" | "redo") => void
  /** Opens the dialog for a speaker's voice, at the current cue's speaker; only on the review page. */
  readonly voices?: (speaker: string | undefined) => void
}

/** The actions on the view that the review page uses while a cue is edited. */
export interface JobViewHandle {
  /** Edits another cue: the next or previous one, or the next to check, else the first; false if there is none. */
  readonly editBeside: (which: "next" | "previous" | "flagged") => boolean
  readonly playCurrent: () => void
  readonly playPause: () => void
  /** Shows the marks of all cues again, after they have changed. */
  readonly remark: () => void
  /** Moves the position by some seconds. */
  readonly nudge: (seconds: number) => void
  readonly player: Player
  /** The element that the player plays. */
  readonly media: HTMLMediaElement | undefined
  /** Sets when a cue is heard, in seconds, after it has changed. */
  readonly place: (index: number, from: number, to: number) => void
}

/** Attaches all handlers to the page. */
export const jobView = ({ keys, edit, undo, voices, approvals }: JobViewKind): JobViewHandle => {
  const given: EmbeddedData = JSON.parse(byId("data", HTMLScriptElement).text)
  const judged = judgedCues(given.cues)
  const cues = judged.map(pageCue)
  const data: PageData = { duration: given.duration, peaks: given.peaks, cues }
  const body = byId("cues", HTMLTableSectionElement)
  const film = new Film()
  const media = film.clock
  const live = byId("live", HTMLElement)
  const rows = new CueRows(body, judged, given.language, approvals?.decorate)
  const player = new Player(media, () => {
    live.textContent =
      "Cannot play the audio: its file is missing, or this browser does not support its format."
    live.classList.remove("unseen")
  })

  /** Makes a cue the current one. If the user asked for it, scrolls to it and announces it to screen readers. */
  const choose = (at: number, asked: boolean): void => {
    const isNear = rows.isDrawn(at)
    const row = rows.choose(at)
    const cue = data.cues[at]
    if (row === undefined || cue === undefined) return
    wave?.show(at)
    approvals?.follow(cue.index)
    showNow(row)
    if (!asked) return
    if (isNear) bringIntoView(row)
    else reachRow(row)
    live.textContent = spokenWords(row, cue)
  }
  const hear = (at: number): void => {
    choose(at, true)
    const cue = data.cues[at]
    if (cue?.heard === undefined) player.go(cue?.start ?? 0)
    else loop.play(cue)
  }
  /** Goes to a cue, and plays it if audio is playing already. */
  const visit = (at: number | undefined): void => {
    if (at === undefined) return
    if (player.playing) return hear(at)
    choose(at, true)
    player.go(timesOf(data.cues[at])[0])
  }

  const again = (): void => {
    const at = rows.current ?? rows.beside(1)
    if (at !== undefined) hear(at)
  }
  const loop = new CueLoop(player, again)
  const captions = new Captions(
    data.cues,
    (at, kind) => (kind === "spoken" ? given.cues[at]?.said : given.cues[at]?.text) ?? ""
  )

  const chart = new ChartCursor(data, hear)
  const zoom = byId("zoom", HTMLInputElement)
  let wave: Waveform | undefined
  const zoomTo = (value: number): void => {
    if (wave === undefined) return
    wave.zoom = value
    zoom.value = `${Math.round(wave.zoom * 100)}`
  }
  zoom.addEventListener("input", () => zoomTo(Number(zoom.value) / 100))
  // In a task of its own, so that the list can be used before the waveform is drawn.
  setTimeout(() => {
    wave = new Waveform(byId("wave", HTMLElement), media, data, hear, (from, to) => chart.show(from, to))
    zoom.value = `${Math.round(wave.zoom * 100)}`
    if (rows.current !== undefined) wave.show(rows.current)
  })

  const play = byId("play", HTMLButtonElement)
  const time = byId("time", HTMLOutputElement)
  player.watch((seconds, playing) => {
    time.textContent = `${shortClock(seconds)} / ${shortClock(data.duration)}`
    play.textContent = playing ? "Pause" : "Play"
    chart.move(seconds)
    captions.move(seconds)
    if (!playing || player.playingCue) return
    const heard = heardAt(data.cues, seconds, rows.current)
    if (heard !== undefined && heard !== rows.current) choose(heard, false)
  })
  time.textContent = `${shortClock(0)} / ${shortClock(data.duration)}`
  play.addEventListener("click", () => player.toggle())

  const finding = findingIn(rows, approvals?.passes)
  const order = new Order(body, rows)
  const marked = (at: number) => rows.isMarked(at)
  /** The next line to check. After playback, the current line may be one below all of them. */
  const flagged = () => rows.beside(1, marked) ?? rows.first(marked)
  const change = (at = rows.current ?? rows.beside(1)): void => {
    const row = at === undefined ? undefined : rows.rowOf(at)
    const cue = at === undefined ? undefined : data.cues[at]
    if (at === undefined || row === undefined || cue === undefined) return
    if (player.playing) player.toggle()
    choose(at, true)
    edit?.(cue, row)
  }
  const currentCue = () => (rows.current === undefined ? undefined : data.cues[rows.current]?.index)
  const acts: Readonly<Record<JobAction, () => void>> = {
    next: () => visit(rows.beside(1)),
    previous: () => visit(rows.beside(-1)),
    nextFlagged: () => visit(flagged()),
    previousFlagged: () => visit(rows.beside(-1, marked)),
    playCue: () => hear(rows.current ?? rows.beside(1) ?? 0),
    playPause: () => player.toggle(),
    loop: () => loop.toggle(again),
    sound: () => film.next(),
    caption: () => captions.next(),
    search: finding.search,
    filter: finding.filter,
    order: () => order.toggle(),
    zoomIn: () => zoomTo((wave?.zoom ?? 0) + 0.1),
    zoomOut: () => zoomTo((wave?.zoom ?? 0) - 0.1),
    edit: () => change(),
    undo: () => undo?.("undo"),
    redo: () => undo?.("redo"),
    approve: () => approvals?.toggle(currentCue()),
    approveJob: () => approvals?.toggleJob(),
    voices: () =>
      voices?.(rows.current === undefined ? undefined : (given.cues[rows.current]?.speaker ?? "")),
    help: () => {},
    leave: finding.leave
  }
  listenToKeys(keys, body, (action) => acts[action]())
  for (const [id, act] of Object.entries({
    next: acts.next,
    previous: acts.previous,
    "next-flagged": acts.nextFlagged
  }))
    byId(id, HTMLButtonElement).addEventListener("click", act)
  maybeById("edit-open", HTMLButtonElement)?.addEventListener("click", () => change())
  maybeById("voices-open", HTMLButtonElement)?.addEventListener("click", acts.voices)
  body.addEventListener("click", (event) => {
    const row = event.target instanceof Element ? event.target.closest("tr") : null
    // Do not play when the user is selecting text to copy.
    if (row instanceof HTMLTableRowElement && getSelection()?.isCollapsed !== false) hear(placeOf(row))
  })

  keepHeights()
  const follow = (): void => {
    const linked = data.cues.findIndex(({ index }) => location.hash === `#cue-${index}`)
    if (linked >= 0) visit(linked)
  }
  addEventListener("hashchange", follow)
  follow()
  return {
    editBeside: (which) => {
      const at = which === "flagged" ? flagged() : rows.beside(which === "next" ? 1 : -1)
      if (at === undefined || at === rows.current) return false
      change(at)
      return true
    },
    remark: () => {
      rows.decorateAll()
      finding.narrow()
    },
    playCurrent: again,
    playPause: acts.playPause,
    nudge: (seconds) => player.go(player.position + seconds),
    player,
    media,
    place: (index, from, to) => {
      const at = cues.findIndex((cue) => cue.index === index)
      const cue = cues[at]
      if (cue !== undefined) cues[at] = { ...cue, heard: [from, to] }
    }
  }
}

const timesOf = (cue: PageCue | undefined): readonly [number, number] =>
  cue === undefined ? [0, 0] : (cue.heard ?? [cue.start, cue.end])

/** Returns the cue audible at a time: the previous one while it lasts, else the first of those audible. */
const heardAt = (cues: ReadonlyArray<PageCue>, seconds: number, before: number | undefined) => {
  const sounds = ({ heard }: PageCue) => heard !== undefined && heard[0] <= seconds && seconds < heard[1]
  const last = before === undefined ? undefined : cues[before]
  if (last !== undefined && sounds(last)) return before
  const found = cues.findIndex(sounds)
  return found < 0 ? undefined : found
}

const cellText = (row: HTMLTableRowElement, name: string): string =>
  row.querySelector(`.${name}`)?.textContent?.trim().replaceAll(/\s+/gu, " ") ?? ""

const showNow = (row: HTMLTableRowElement): void => {
  const words = [
    `Cue ${cellText(row, "number")}`,
    cellText(row, "speaker"),
    cellText(row, "speed"),
    cellText(row, "look")
  ]
  byId("now", HTMLElement).hidden = false
  byId("now-about", HTMLElement).textContent = words.filter((word) => word !== "").join(" · ")
  byId("now-source", HTMLElement).textContent = cellText(row, "source")
  byId("now-spoken", HTMLElement).textContent = cellText(row, "spoken")
}

/** The screen reader announcement for a cue. */
const spokenWords = (row: HTMLTableRowElement, cue: PageCue): string => {
  const look = cellText(row, "look")
  return [
    `Cue ${cue.index}`,
    cellText(row, "speaker"),
    shortClock(cue.start),
    ...(look === "" ? [] : [`to check: ${look}`]),
    cellText(row, "source")
  ]
    .filter((word) => word !== "")
    .join(", ")
}

/** The loop button and the time played before and after a cue. */
class CueLoop {
  private readonly button = byId("loop", HTMLButtonElement)
  private readonly roll = byId("roll", HTMLSelectElement)

  /** `again` plays the current cue. */
  constructor(
    private readonly player: Player,
    again: () => void
  ) {
    this.press(remembered("loop") === "true")
    const before = remembered("roll")
    if ([...this.roll.options].some(({ value }) => value === before)) this.roll.value = before ?? "0"
    this.button.addEventListener("click", () => this.toggle(again))
    this.roll.addEventListener("change", () => {
      remember("roll", this.roll.value)
      if (player.playingCue) again()
    })
  }

  /** Turns the loop on or off. Turned on, it plays the current cue; turned off, playback ends with the cue. */
  toggle(again: () => void): void {
    this.press(!this.on)
    if (this.on || this.player.playingCue) again()
    byId("live", HTMLElement).textContent = this.on ? "Loop on" : "Loop off"
  }

  /** Plays a cue. */
  play({ heard, start, end }: PageCue): void {
    const [from, to] = heard ?? [start, end]
    const roll = this.on ? Number(this.roll.value) : 0
    this.player.play(from - roll, to + roll, this.on)
  }

  private get on(): boolean {
    return this.button.getAttribute("aria-pressed") === "true"
  }

  private press(on: boolean): void {
    this.button.setAttribute("aria-pressed", `${on}`)
    remember("loop", `${on}`)
  }
}

/** Marks, filters and actions that a page adds to the rows of cues. Each cue is identified by its number. */
interface CueMarks {
  readonly decorate: (row: HTMLTableRowElement, cue: number) => void
  /** Whether a cue passes a filter; undefined for filters of the page itself. */
  readonly passes: (cue: number, filter: string) => boolean | undefined
  /** Called when another cue becomes the current one. */
  readonly follow: (cue: number | undefined) => void
  readonly toggle: (cue: number | undefined) => void
  readonly toggleJob: () => void
}

/** Sets up search and filters of the cue table; returns the actions for the keyboard shortcuts. */
const findingIn = (rows: CueRows, also: CueMarks["passes"] = () => undefined) => {
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
