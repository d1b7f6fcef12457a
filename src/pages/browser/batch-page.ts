/** Entry script of a batch's page: select, open, search, filter and sort jobs. */
import { type BatchAction, batchKeys } from "../parts/KeyBindings.ts"
import { listenToKeys } from "./ListenToKeys.ts"
import { narrowedRows } from "./NarrowedRows.ts"
import { Order } from "./RowOrder.ts"

const { body, rows, visit, acts } = narrowedRows({
  body: "jobs",
  one: "job",
  many: "jobs",
  belongs: (row, state) => row.dataset["state"] === state,
  told: [".job", ".state"]
})

const season = document.querySelector<HTMLTableElement>(".season table")

const all: Readonly<Record<BatchAction, () => void>> = {
  ...acts,
  nextPoor: () => visit(rows.beside(1, (row) => row.dataset["state"] !== "fine")),
  season: () => season?.querySelector("a")?.focus(),
  open: () => {
    const link = rows.current === undefined ? null : rows.all[rows.current]?.querySelector("a")
    if (link instanceof HTMLAnchorElement) link.click()
  }
}

/** Rows and columns to go by an arrow key. */
const arrows: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1]
}

season?.addEventListener("keydown", (event) => {
  const arrow = event.ctrlKey || event.altKey || event.metaKey ? undefined : arrows[event.key]
  const cell = event.target instanceof Element ? event.target.closest("td") : null
  const lines = [...(season.tBodies[0]?.rows ?? [])]
  if (arrow === undefined || cell === null) return
  event.preventDefault()
  let row = lines.findIndex((line) => line.contains(cell)) + arrow[0]
  let column = cell.cellIndex + arrow[1]
  // Skips cells without a report.
  for (let next = lines[row]?.cells[column]; next !== undefined; next = lines[row]?.cells[column]) {
    const link = next.querySelector("a")
    if (link !== null) return link.focus()
    row += arrow[0]
    column += arrow[1]
  }
})

new Order(body, rows)
listenToKeys(batchKeys, body, (action) => all[action]())
