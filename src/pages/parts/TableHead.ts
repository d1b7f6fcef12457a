/** Table heads. Every part has an explicit ARIA role, since narrow screens display the rows as blocks. */
import { type Html, html } from "./Html.ts"

/**
 * Renders a head whose buttons sort the rows by column; `browser/RowOrder.ts` handles them. `sorted` is the column of
 * the initial order, if any.
 */
export const sortingHead = (names: ReadonlyArray<string>, sorted?: string): Html =>
  html`<thead role="rowgroup">
    <tr role="row">
      ${names.map(
        (name) =>
          html`<th role="columnheader" scope="col" aria-sort="${name === sorted ? "descending" : "none"}">
            <button type="button" class="sort">${name}</button>
          </th>`
      )}
    </tr>
  </thead>`

/** Renders a select for the sort column, for screens too narrow to show the table's head. */
export const orderChoice = (names: ReadonlyArray<string>, sorted?: string, id = "order"): Html =>
  html`<label class="order"
    >Order
    <select id="${id}">
      ${sorted === undefined ? html`<option value="-1" selected>plan order</option>` : undefined}
      ${names.map((name, at) => html`<option value="${at}" ${name === sorted ? html`selected` : undefined}>${name}</option>`)}
    </select></label
  >`
