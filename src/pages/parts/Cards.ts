/** Figures as cards: a name, a value, and what it means. */
import { type Html, html } from "./Html.ts"

export interface Card {
  readonly name: string
  readonly value: string
  readonly detail?: string | undefined
  /** Whether somebody should look at it. */
  readonly poor?: boolean
}

/** Cards beside each other, under a name for those who do not see them. */
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
