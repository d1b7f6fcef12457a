/** The rows of a page's table: searching, filtering, sorting, and the current row. */
import { folded } from "./Dom.ts"

/** A table's rows, addressed by their position in source order. */
export class TableRows {
  /** In source order. */
  readonly all: ReadonlyArray<HTMLTableRowElement>
  private readonly texts: Array<string | undefined>
  private order: ReadonlyArray<HTMLTableRowElement>
  private row: HTMLTableRowElement | undefined

  constructor(private readonly body: HTMLTableSectionElement) {
    this.order = [...body.rows]
    this.all = [...body.rows].sort((a, b) => placeOf(a) - placeOf(b))
    this.texts = this.all.map(() => undefined)
  }

  get count(): number {
    return this.all.length
  }

  /** The current row's position; undefined if there is none. */
  get current(): number | undefined {
    return this.row === undefined ? undefined : placeOf(this.row)
  }

  /** How many rows are shown. */
  get shown(): number {
    return this.order.filter((row) => !row.hidden).length
  }

  /** Makes a row the current one and returns it; undefined if there is no such row. */
  choose(at: number): HTMLTableRowElement | undefined {
    const row = this.all[at]
    if (row === undefined) return undefined
    const focused = this.body.contains(document.activeElement)
    this.row?.removeAttribute("aria-current")
    this.row = row
    row.setAttribute("aria-current", "true")
    if (focused) this.stopOf(row)?.focus({ preventScroll: true })
    return row
  }

  /** Returns the position of the next or previous visible row that is `wanted`; undefined if there is none. */
  beside(step: 1 | -1, wanted: (row: HTMLTableRowElement) => boolean = () => true): number | undefined {
    const shown = this.order.filter((row) => !row.hidden)
    const here = this.row === undefined ? -1 : shown.indexOf(this.row)
    const ahead = step === 1 ? shown.slice(here + 1) : shown.slice(0, Math.max(0, here)).reverse()
    const found = ahead.find(wanted)
    return found === undefined ? undefined : placeOf(found)
  }

  /** Shows only the rows that are `wanted` and contain `words`. */
  filter(wanted: (row: HTMLTableRowElement) => boolean, words: string): void {
    const sought = folded(words).trim()
    this.all.forEach((row, at) => {
      row.hidden = !(wanted(row) && (sought === "" || this.textOf(at).includes(sought)))
    })
  }

  /** Returns a row's sort key: the cell's `data-order` as a number, else its text. */
  keyOf(at: number, column: number): number | string {
    const cell = this.all[at]?.cells[column]
    const order = cell?.dataset["order"]
    return order === undefined ? (cell?.textContent ?? "").trim() : Number(order)
  }

  /** Puts the rows in an order, given as positions. */
  arrange(order: ReadonlyArray<number>): void {
    this.order = order.flatMap((at) => this.all[at] ?? [])
    const focused = document.activeElement
    // Move only the rows that are out of place: moving thousands takes a browser seconds.
    let here = this.body.firstElementChild
    for (const row of this.order)
      if (row === here) here = here.nextElementSibling
      else this.body.insertBefore(row, here)
    // A moved row loses the focus.
    if (focused instanceof HTMLElement && this.body.contains(focused)) focused.focus({ preventScroll: true })
  }

  private stopOf(row: HTMLTableRowElement): HTMLElement | undefined {
    return row.querySelector<HTMLElement>("a, button") ?? undefined
  }

  private textOf(at: number): string {
    return (this.texts[at] ??= folded(this.all[at]?.textContent ?? ""))
  }
}

/** Returns a row's position in source order. */
export const placeOf = (row: HTMLTableRowElement): number => Number(row.dataset["at"])
