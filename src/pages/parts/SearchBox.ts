/** The box above a table in which its rows are searched and narrowed; `browser/Rows.ts` listens to it. */
import { type Content, type Html, html } from "./Html.ts"
import { formatCount, formatInteger } from "./TimeFormat.ts"

/** A choice by which rows are narrowed. */
export interface Choice {
  /** What the rows are marked with; `all` for every row. */
  readonly value: string
  readonly words: string
  /** How many rows it shows. */
  readonly count: number
}

/** The box; `more` stands behind the choices, `rows` is how many there are of `what`. */
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
