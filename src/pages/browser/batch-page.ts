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

const all: Readonly<Record<BatchAction, () => void>> = {
  ...acts,
  nextPoor: () => visit(rows.beside(1, (row) => row.dataset["state"] !== "fine")),
  open: () => {
    const link = rows.current === undefined ? null : rows.all[rows.current]?.querySelector("a")
    if (link instanceof HTMLAnchorElement) link.click()
  }
}

new Order(body, rows)
listenToKeys(batchKeys, body, (action) => all[action]())
