/** A job's figures as a list of cards. */
import type { Metrics } from "../../domain/report/Report.ts"
import { type Change, figuresOf } from "./Figures.ts"
import { type Html, html } from "./Html.ts"

/** Renders a job's figures next to those of the previous run. */
export const figureList = (metrics: Metrics, last: Metrics | undefined): Html =>
  html`<section class="figures" aria-label="Figures">
    <dl>
      ${figuresOf(metrics, last).map(
        ({ name, value, detail, meaning, change, poor }) =>
          html`<div class="${poor ? "poor" : "fine"}" title="${meaning}">
            <dt>${name}</dt>
            <dd class="value">${value}</dd>
            ${detail === undefined ? undefined : html`<dd class="detail">${detail}</dd>`}${changeText(change)}
          </div> `
      )}
    </dl>
  </section>`

/** Says how a figure changed since the last run; its class sets the colour. */
const changeText = (change: Change | undefined): Html | undefined => {
  if (change === undefined) return undefined
  const { before, trend } = change
  return html`<dd class="change ${trend}">
    ${trend === "same" ? "same as last run" : `last run ${before}${trendWords[trend]}`}
  </dd>`
}

const trendWords = { better: ", now better", worse: ", now worse", other: "" } as const
