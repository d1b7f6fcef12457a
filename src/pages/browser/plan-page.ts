/** Entry script of a plan's page: sort its tables, and search and filter the lines that will not fit. */
import { planKeys } from "../parts/KeyBindings.ts"
import { byId } from "./Dom.ts"
import { listenToKeys } from "./ListenToKeys.ts"
import { narrowedRows } from "./NarrowedRows.ts"
import { Order } from "./RowOrder.ts"
import { TableRows } from "./TableRows.ts"

const { body, rows, acts } = narrowedRows({
  body: "lines",
  one: "line",
  many: "lines",
  belongs: (row, job) => row.dataset["job"] === job,
  told: ["th", '[data-label="Words"]']
})

new Order(body, rows)
for (const id of ["jobs", "speakers"]) {
  const table = byId(id, HTMLTableSectionElement)
  new Order(table, new TableRows(table), `order-${id}`)
}
listenToKeys(planKeys, body, (action) => acts[action]())
