/** The script of a plan's page: lines that will not fit, searched and filtered. */
import { planKeys } from "../parts/KeyBindings.ts"
import { listenToKeys } from "./ListenToKeys.ts"
import { narrowedRows } from "./NarrowedRows.ts"

const { body, acts } = narrowedRows({
  body: "lines",
  one: "line",
  many: "lines",
  belongs: (row, job) => row.dataset["job"] === job,
  told: ["th", '[data-label="Words"]']
})

listenToKeys(planKeys, body, (action) => acts[action]())
