/** The script of a batch's page: jobs chosen, opened, searched and filtered. */
import { type BatchAction, batchKeys } from "../Keys.ts"
import { byId } from "./Dom.ts"
import { listenToKeys } from "./ListenToKeys.ts"
import { Rows } from "./Rows.ts"

const body = byId("jobs", HTMLTableSectionElement)
const search = byId("search", HTMLInputElement)
const filter = byId("filter", HTMLSelectElement)
const shown = byId("shown", HTMLElement)
const live = byId("live", HTMLElement)
const rows = new Rows(body)

const narrow = (): void => {
  rows.filter((row) => filter.value === "all" || row.dataset["state"] === filter.value, search.value)
  const all = rows.all.length
  shown.textContent = rows.shown === all ? `${all} jobs` : `${rows.shown} of ${all} jobs`
}

const visit = (at: number | undefined): void => {
  const row = at === undefined ? undefined : rows.choose(at)
  if (row === undefined) return
  row.scrollIntoView({ block: "nearest" })
  live.textContent = [".job", ".state"]
    .map((cell) => row.querySelector(cell)?.textContent?.trim().replaceAll(/\s+/gu, " ") ?? "")
    .join(", ")
}

const acts: Readonly<Record<BatchAction, () => void>> = {
  next: () => visit(rows.beside(1)),
  previous: () => visit(rows.beside(-1)),
  nextPoor: () => visit(rows.beside(1, (row) => row.dataset["state"] !== "fine")),
  open: () => {
    const link = rows.current === undefined ? null : rows.all[rows.current]?.querySelector("a")
    if (link instanceof HTMLAnchorElement) link.click()
  },
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

listenToKeys(batchKeys, body, (action) => acts[action]())
search.addEventListener("input", narrow)
filter.addEventListener("change", narrow)
if (search.value !== "" || filter.value !== "all") narrow()
