/** Sorts a table's rows by a column, chosen in the table's head or in the order select. */
import { byId } from "./Dom.ts"

/** A table whose rows can be sorted; they are addressed by their position in source order. */
export interface SortableRows {
  readonly count: number
  /** A row's sort key in a column. */
  readonly keyOf: (at: number, column: number) => number | string
  /** Puts the rows in an order, given as positions. */
  readonly arrange: (order: ReadonlyArray<number>) => void
}

/** Attaches sorting to the head's buttons and to the order select, which has the id `choice`. */
export class Order {
  private readonly heads: ReadonlyArray<HTMLTableCellElement>
  private readonly choice: HTMLSelectElement
  /** The column of the page's initial order; -1 for source order. */
  private readonly first: number
  private column: number
  private descends = true

  constructor(
    body: HTMLTableSectionElement,
    private readonly rows: SortableRows,
    choice = "order"
  ) {
    this.choice = byId(choice, HTMLSelectElement)
    const head = body.parentElement?.querySelectorAll("th[aria-sort]") ?? []
    this.heads = [...head].filter((cell) => cell instanceof HTMLTableCellElement)
    this.first = this.heads.findIndex((cell) => cell.getAttribute("aria-sort") !== "none")
    this.column = this.first
    this.heads.forEach((cell, column) => {
      cell.querySelector("button")?.addEventListener("click", () => {
        this.by(column, column === this.column ? !this.descends : column === this.first)
      })
    })
    this.choice.addEventListener("change", () => {
      const column = Number(this.choice.value)
      this.by(column, column === this.first)
    })
    // Browsers may restore the fields' previous values on reload.
    if (Number(this.choice.value) !== this.first) this.by(Number(this.choice.value), false)
  }

  /** Switches between the page's initial order and the order of the first column. */
  toggle(): void {
    if (this.column === this.first && this.descends) this.by(0, false)
    else this.by(this.first, true)
  }

  private by(column: number, descends: boolean): void {
    this.column = column
    this.descends = descends
    this.choice.value = `${column}`
    this.heads.forEach((cell, at) =>
      cell.setAttribute("aria-sort", at !== column ? "none" : descends ? "descending" : "ascending")
    )
    const keys = Array.from({ length: this.rows.count }, (_, at) => this.rows.keyOf(at, column))
    // Rows that compare equal stay in source order.
    this.rows.arrange(
      keys.map((_, at) => at).sort((a, b) => compared(keys[a] ?? "", keys[b] ?? "", descends))
    )
  }
}

/** Compares two sort keys. Empty cells come last in either direction. */
const compared = (a: number | string, b: number | string, descends: boolean): number => {
  if (a === "" || b === "") return Number(a === "") - Number(b === "")
  const ascending = typeof a === "number" && typeof b === "number" ? a - b : collator.compare(`${a}`, `${b}`)
  return descends ? -ascending : ascending
}

const collator = new Intl.Collator(undefined, { numeric: true })
