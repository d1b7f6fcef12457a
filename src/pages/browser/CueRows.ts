/**
 * The cue table of a job's page: searching, filtering, sorting, and the current cue. Only the rows near the visible
 * part are in the document, so that jobs with thousands of cues respond at once.
 */
import {
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll
} from "@tanstack/virtual-core"
import { columnKeys, cueColumns, cueRow, inHarm, type JudgedCue, searchText } from "../parts/CueTable.ts"
import { folded } from "./Dom.ts"
import { placeOf } from "./TableRows.ts"

/** The height of a row before it is measured, in pixels. */
const usualHeight = 57

/** Rows in the document beyond each edge of the visible part. */
const beyond = 20

/** The table's rows, addressed by their position in source order. */
export class CueRows {
  private readonly rows = new Map<number, HTMLTableRowElement>()
  private readonly texts: Array<string | undefined> = []
  private readonly columns: ReadonlyArray<string>
  private readonly named: boolean
  /** All positions in the table's order, and those that the filters show. */
  private order: ReadonlyArray<number>
  private visible: ReadonlyArray<number>
  private here: number | undefined
  private pass: (at: number) => boolean = () => true
  private virtual: Virtualizer<Window, HTMLTableRowElement> | undefined
  private drawing = false
  private isWhole = false

  constructor(
    private readonly body: HTMLTableSectionElement,
    private readonly cues: ReadonlyArray<JudgedCue>,
    private readonly language: string | undefined,
    /** Adds marks to a row of a cue, given by its number. */
    private readonly decorate: (row: HTMLTableRowElement, cue: number) => void = () => {}
  ) {
    const plain = cues.map(({ cue }) => cue)
    this.columns = cueColumns(plain)
    this.named = this.columns.includes("Speaker")
    this.order = inHarm(cues).map(({ at }) => at)
    this.visible = this.order
    // The first rows come with the page.
    for (const row of body.rows) this.rows.set(placeOf(row), row)
    this.decorateAll()
    body.classList.add("windowed")
    this.show()
    let width = innerWidth
    addEventListener("resize", () => {
      if (innerWidth === width) return
      width = innerWidth
      this.virtual?.measure()
    })
    addEventListener("beforeprint", () => this.showWhole(true))
    addEventListener("afterprint", () => this.showWhole(false))
  }

  get count(): number {
    return this.cues.length
  }

  /** The current cue's position; undefined if there is none. */
  get current(): number | undefined {
    return this.here
  }

  /** How many cues the filters show. */
  get shown(): number {
    return this.visible.length
  }

  /** Returns a cue's row, in the document or not; undefined if there is no such cue. */
  rowOf(at: number): HTMLTableRowElement | undefined {
    const judged = this.cues[at]
    const made = this.rows.get(at)
    if (made !== undefined || judged === undefined) return made
    const template = document.createElement("template")
    template.innerHTML = cueRow(judged, this.language, this.named).text
    const row = template.content.firstElementChild
    if (!(row instanceof HTMLTableRowElement)) return undefined
    this.rows.set(at, row)
    this.decorate(row, judged.cue.index)
    return row
  }

  /** Shows the marks of all rows again. */
  decorateAll(): void {
    for (const [at, row] of this.rows) this.decorate(row, this.cues[at]?.cue.index ?? 0)
  }

  /** Whether a cue's row is in the document, at its own place. */
  isDrawn(at: number): boolean {
    const row = this.rows.get(at)
    return row !== undefined && this.body.contains(row)
  }

  /** Whether a cue is to check and was not changed since the page was opened. */
  isMarked(at: number): boolean {
    const isChanged = this.rows.get(at)?.classList.contains("changed") === true
    return !isChanged && (this.cues[at]?.names ?? []).length > 0
  }

  /** Makes a cue the current one and returns its row; undefined if there is no such cue. */
  choose(at: number): HTMLTableRowElement | undefined {
    const row = this.rowOf(at)
    if (row === undefined) return undefined
    const isFocused = this.body.contains(document.activeElement)
    const before = this.here === undefined ? undefined : this.rows.get(this.here)
    before?.removeAttribute("aria-current")
    this.here = at
    row.setAttribute("aria-current", "true")
    this.show()
    if (isFocused) stopOf(row)?.focus({ preventScroll: true })
    return row
  }

  /** Returns the position of the next or previous shown cue that is `wanted`; undefined if there is none. */
  beside(step: 1 | -1, wanted: (at: number) => boolean = () => true): number | undefined {
    const here = this.here === undefined ? -1 : this.visible.indexOf(this.here)
    const ahead =
      step === 1 ? this.visible.slice(here + 1) : this.visible.slice(0, Math.max(0, here)).reverse()
    return ahead.find(wanted)
  }

  /** Returns the position of the first shown cue that is `wanted`; undefined if there is none. */
  first(wanted: (at: number) => boolean): number | undefined {
    return this.visible.find(wanted)
  }

  /** Shows only the cues that are `wanted` and contain `words`. */
  filter(wanted: (judged: JudgedCue) => boolean, words: string): void {
    const sought = folded(words).trim()
    this.pass = (at) => {
      const judged = this.cues[at]
      return judged !== undefined && wanted(judged) && (sought === "" || this.textOf(at).includes(sought))
    }
    this.narrow()
  }

  /** Returns a cue's sort key in a column. */
  keyOf(at: number, column: number): number | string {
    const judged = this.cues[at]
    const key = columnKeys[this.columns[column] ?? ""]
    return judged === undefined || key === undefined ? "" : key(judged)
  }

  /** Puts the cues in an order, given as positions. */
  arrange(order: ReadonlyArray<number>): void {
    this.order = order
    this.narrow()
  }

  private narrow(): void {
    this.visible = this.order.filter((at) => this.pass(at))
    this.show()
  }

  private textOf(at: number): string {
    const judged = this.cues[at]
    return (this.texts[at] ??= judged === undefined ? "" : folded(searchText(judged)))
  }

  /** Brings the document up to date after a change of the shown cues or of the current one. */
  private show(): void {
    const { visible } = this
    const focused = this.body.contains(document.activeElement) ? document.activeElement?.closest("tr") : null
    const kept = visible.indexOf(this.here ?? (focused ? placeOf(focused) : -1))
    const options: VirtualizerOptions<Window, HTMLTableRowElement> = {
      count: visible.length,
      getScrollElement: () => window,
      estimateSize: () => usualHeight,
      // Sizes stay known when the order changes.
      getItemKey: (index) => visible[index] ?? -1,
      rangeExtractor: ({ startIndex, endIndex }) => {
        const [from, to] = [Math.max(0, startIndex - beyond), Math.min(visible.length - 1, endIndex + beyond)]
        const near = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
        // The row that has, or had, the focus stays.
        if (kept < 0 || (kept >= from && kept <= to)) return near
        return kept < from ? [kept, ...near] : [...near, kept]
      },
      scrollMargin: this.top(),
      indexAttribute: "data-index",
      initialOffset: () => scrollY,
      observeElementRect: observeWindowRect,
      observeElementOffset: observeWindowOffset,
      scrollToFn: windowScroll,
      onChange: () => this.draw()
    }
    if (this.virtual === undefined) {
      this.virtual = new Virtualizer<Window, HTMLTableRowElement>(options)
      this.virtual._didMount()
    } else this.virtual.setOptions(options)
    this.virtual._willUpdate()
    this.draw()
    this.body.parentElement?.setAttribute("aria-rowcount", `${visible.length + 1}`)
    this.rest()
  }

  /** The distance of the first row from the top of the document. */
  private top(): number {
    return Math.round(this.body.getBoundingClientRect().top + scrollY)
  }

  private draw(): void {
    const { virtual, body } = this
    if (virtual === undefined || this.drawing || this.isWhole) return
    this.drawing = true
    // Measuring new rows may move others, or bring more of them into view.
    for (let round = 0; round < 4; round++) {
      const { scrollMargin } = virtual.options
      const items = virtual.getVirtualItems()
      body.style.height = `${virtual.getTotalSize()}px`
      const drawn = items.flatMap(({ index, start }) => {
        const row = this.rowOf(this.visible[index] ?? -1)
        if (row === undefined) return []
        row.dataset["index"] = `${index}`
        row.setAttribute("aria-rowindex", `${index + 2}`)
        row.style.transform = `translateY(${start - scrollMargin}px)`
        return [row]
      })
      const added = drawn.filter((row) => row.parentElement !== body)
      this.put(drawn)
      for (const row of drawn) virtual.measureElement(row)
      if (added.length === 0) break
    }
    this.drawing = false
  }

  /** Makes these rows the table's only ones; keeps those in place, with their focus. */
  private put(wanted: ReadonlyArray<HTMLTableRowElement>): void {
    const kept = new Set(wanted)
    const focused = document.activeElement
    for (const row of [...this.body.rows]) if (!kept.has(row)) row.remove()
    let here = this.body.firstElementChild
    for (const row of wanted)
      if (row === here) here = here.nextElementSibling
      else this.body.insertBefore(row, here)
    // A moved row loses the focus.
    if (focused instanceof HTMLElement && this.body.contains(focused)) focused.focus({ preventScroll: true })
  }

  /** Puts all rows into the document to print them, or only those in view again. */
  private showWhole(whole: boolean): void {
    this.isWhole = whole
    this.body.classList.toggle("windowed", !whole)
    if (!whole) return this.show()
    this.put(this.visible.flatMap((at) => this.rowOf(at) ?? []))
  }

  /** Makes the current row the table's only Tab stop; if it is not shown or unset, the first row. */
  private rest(): void {
    for (const stop of this.body.querySelectorAll<HTMLElement>('button.play[tabindex="0"]'))
      stop.tabIndex = -1
    const at =
      this.here !== undefined && this.visible.includes(this.here) ? this.here : (this.visible[0] ?? -1)
    const row = this.rowOf(at)
    const stop = row === undefined ? undefined : stopOf(row)
    if (stop !== undefined) stop.tabIndex = 0
  }
}

const stopOf = (row: HTMLTableRowElement): HTMLElement | undefined =>
  row.querySelector<HTMLElement>("button.play") ?? undefined
