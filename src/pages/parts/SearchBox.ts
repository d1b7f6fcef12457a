/** The search field and filter above a table. Handled by `browser/NarrowedRows.ts`, on a job's page by `JobView.ts`. */
import { type Content, type Html, html } from "./Html.ts"
import { formatCount, formatInteger } from "./TimeFormat.ts"

/** An option of the filter. */
export interface Choice {
  /** The value that matching rows carry; `all` matches every row. */
  readonly value: string
  readonly words: string
  /** Number of matching rows. */
  readonly count: number
}

/** Renders the box. `what` names one row ("cue"), `rows` is their number, `more` is appended after the filter. */
export const searchBox = (
  box: {
    readonly what: string
    readonly rows: number
    readonly filter: string
    readonly choices: ReadonlyArray<Choice>
  },
  ...more: ReadonlyArray<Content>
): Html =>
  html`<div class="tools" role="search" aria-label="Find ${box.what}s">
    <label>Search <input type="search" id="search" autocomplete="off" spellcheck="false" /></label>
    <label
      >${box.filter}
      <select id="filter">
        ${box.choices.map(({ value, words, count }) => html`<option value="${value}">${words} (${formatInteger(count)})</option>`)}
      </select></label
    >
    ${more}
    <p id="shown" role="status">${formatCount(box.rows, box.what)}</p>
  </div>`
