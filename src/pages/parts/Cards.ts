/** Cards that each show one figure: a name, a value and a detail. */
import { type Html, html } from "./Html.ts"

export interface Card {
  readonly name: string
  readonly value: string
  readonly detail?: string | undefined
  /** Whether to highlight it as a problem. */
  readonly poor?: boolean
}

/** Renders a row of cards; `label` is the section's accessible name. */
export const cards = (label: string, all: ReadonlyArray<Card>): Html =>
  html`<section class="figures" aria-label="${label}">
    <dl>
      ${all.map(
        ({ name, value, detail, poor }) =>
          html`<div class="${poor === true ? "poor" : "fine"}">
            <dt>${name}</dt>
            <dd class="value">${value}</dd>
            ${detail === undefined ? undefined : html`<dd class="detail">${detail}</dd>`}
          </div> `
      )}
    </dl>
  </section>`
