/** The rows of a page's table: searched, filtered, ordered, and one of them the current one. */
import { folded } from "./Dom.ts"

/** A table's rows, known by their place in the source's order. */
export class TableRows {
  /** In the source's order. */
  readonly all: ReadonlyArray<HTMLTableRowElement>
  private readonly texts: Array<string | undefined>
  private order: ReadonlyArray<HTMLTableRowElement>
  private row: HTMLTableRowElement | undefined

  /**
   * `stop` finds the one element of a row that takes the focus, where the table is a single stop on the way through the
   * page.
   */
  constructor(
    private readonly body: HTMLTableSectionElement,
    private readonly stop?: string
  ) {
    this.order = [...body.rows]
    this.all = [...body.rows].sort((a, b) => placeOf(a) - placeOf(b))
    this.texts = this.all.map(() => undefined)
    this.rest()
  }

  /** The current row's place, where there is one. */
  get current(): number | undefined {
    return this.row === undefined ? undefined : placeOf(this.row)
  }

  /** How many rows are shown. */
  get shown(): number {
    return this.order.filter((row) => !row.hidden).length
  }

  /** Makes a row the current one. */
  choose(at: number): HTMLTableRowElement | undefined {
    const row = this.all[at]
    if (row === undefined) return undefined
    const focused = this.body.contains(document.activeElement)
    this.row?.removeAttribute("aria-current")
    this.row = row
    row.setAttribute("aria-current", "true")
    this.rest()
    if (focused) this.stopOf(row)?.focus({ preventScroll: true })
    return row
  }

  /** The place of the next shown row, or of the one before, that is wanted; undefined where there is none. */
  beside(step: 1 | -1, wanted: (row: HTMLTableRowElement) => boolean = () => true): number | undefined {
    const shown = this.order.filter((row) => !row.hidden)
    const here = this.row === undefined ? -1 : shown.indexOf(this.row)
    const ahead = step === 1 ? shown.slice(here + 1) : shown.slice(0, Math.max(0, here)).reverse()
    const found = ahead.find(wanted)
    return found === undefined ? undefined : placeOf(found)
  }

  /** Shows the rows that are wanted and hold the words. */
  filter(wanted: (row: HTMLTableRowElement) => boolean, words: string): void {
    const sought = folded(words).trim()
    this.all.forEach((row, at) => {
      row.hidden = !(wanted(row) && (sought === "" || this.textOf(at).includes(sought)))
    })
    this.rest()
  }

  /** Sorts the rows; those that compare as equal stay in the source's order. */
  arrange(compare: (a: HTMLTableRowElement, b: HTMLTableRowElement) => number): void {
    this.order = [...this.all].sort(compare)
    const focused = document.activeElement
    // Rows that stand right already stay: moving all of thousands takes a browser seconds.
    let here = this.body.firstElementChild
    for (const row of this.order)
      if (row === here) here = here.nextElementSibling
      else this.body.insertBefore(row, here)
    // A row that is moved loses the focus.
    if (focused instanceof HTMLElement && this.body.contains(focused)) focused.focus({ preventScroll: true })
    this.rest()
  }

  /** The table's one stop: its current row, else its first one shown. */
  private rest(): void {
    if (this.stop === undefined) return
    for (const stop of this.body.querySelectorAll<HTMLElement>(`${this.stop}[tabindex="0"]`))
      stop.tabIndex = -1
    const row =
      this.row !== undefined && !this.row.hidden ? this.row : this.order.find((each) => !each.hidden)
    const stop = row === undefined ? undefined : this.stopOf(row)
    if (stop !== undefined) stop.tabIndex = 0
  }

  private stopOf(row: HTMLTableRowElement): HTMLElement | undefined {
    return row.querySelector<HTMLElement>(this.stop ?? "a, button") ?? undefined
  }

  private textOf(at: number): string {
    return (this.texts[at] ??= folded(this.all[at]?.textContent ?? ""))
  }
}

/** A row's place in the source's order. */
export const placeOf = (row: HTMLTableRowElement): number => Number(row.dataset["at"])
