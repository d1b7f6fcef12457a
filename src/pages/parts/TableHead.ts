/** The head of a table of a page, with a role on every part, since narrow screens show the rows as blocks. */
import { type Html, html } from "./Html.ts"

/** A head with a column for each name. */
export const tableHead = (names: ReadonlyArray<string>): Html =>
  html`<thead role="rowgroup">
    <tr role="row">
      ${names.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}
    </tr>
  </thead>`

/**
 * A head whose buttons sort the rows by a column; `browser/Order.ts` listens to them. `sorted` is the column of the
 * first order.
 */
export const sortingHead = (names: ReadonlyArray<string>, sorted: string): Html =>
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

/** The choice of an order, for screens that are too narrow for the table's head. */
export const orderChoice = (names: ReadonlyArray<string>, sorted: string): Html =>
  html`<label class="order"
    >Order
    <select id="order">
      ${names.map((name, at) => html`<option value="${at}" ${name === sorted ? html`selected` : undefined}>${name}</option>`)}
    </select></label
  >`
