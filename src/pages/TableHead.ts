/** The head of a table of a page: its roles are told, since narrow screens show its rows as blocks. */
import { type Html, html } from "./Html.ts"

/** A head with a column for each name. */
export const tableHead = (names: ReadonlyArray<string>): Html =>
  html`<thead role="rowgroup">
    <tr role="row">
      ${names.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}
    </tr>
  </thead>`
