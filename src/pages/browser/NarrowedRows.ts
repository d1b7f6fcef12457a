/** A table with a search field and a filter above it (batch and plan pages). */
import { byId } from "./Dom.ts"
import { TableRows } from "./TableRows.ts"

/** Describes the rows of a page's table. */
export interface RowKind {
  /** The id of the table's body. */
  readonly body: string
  readonly one: string
  readonly many: string
  /** Whether a row matches a filter value other than `all`. */
  readonly belongs: (row: HTMLTableRowElement, value: string) => boolean
  /** Selectors of the cells to announce to screen readers when a row becomes the current one. */
  readonly told: ReadonlyArray<string>
}

/** Sets up search and filter; returns the rows and the actions for the keyboard shortcuts. */
export const narrowedRows = ({ body: id, one, many, belongs, told }: RowKind) => {
  const body = byId(id, HTMLTableSectionElement)
  const search = byId("search", HTMLInputElement)
  const filter = byId("filter", HTMLSelectElement)
  const shown = byId("shown", HTMLElement)
  const live = byId("live", HTMLElement)
  const rows = new TableRows(body)

  const narrow = (): void => {
    rows.filter((row) => filter.value === "all" || belongs(row, filter.value), search.value)
    const all = rows.all.length
    const noun = all === 1 ? one : many
    shown.textContent = rows.shown === all ? `${all} ${noun}` : `${rows.shown} of ${all} ${noun}`
  }

  const visit = (at: number | undefined): void => {
    const row = at === undefined ? undefined : rows.choose(at)
    if (row === undefined) return
    row.scrollIntoView({ block: "nearest" })
    live.textContent = told
      .map((cell) => row.querySelector(cell)?.textContent?.trim().replaceAll(/\s+/gu, " ") ?? "")
      .join(", ")
  }

  search.addEventListener("input", narrow)
  filter.addEventListener("change", narrow)
  if (search.value !== "" || filter.value !== "all") narrow()
  return {
    body,
    rows,
    visit,
    acts: {
      next: () => visit(rows.beside(1)),
      previous: () => visit(rows.beside(-1)),
      search: () => {
        search.focus()
        search.select()
      },
      filter: () => filter.focus(),
      help: () => {},
      leave: () => {
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
        search.value = ""
        filter.value = "all"
        narrow()
      }
    }
  }
}
