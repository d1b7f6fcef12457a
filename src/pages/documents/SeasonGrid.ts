/** The grid of a season on a batch's page: episodes by languages, each cell a job's state, worst episodes first. */
import { type Content, type Html, html } from "../parts/Html.ts"
import { formatInteger } from "../parts/TimeFormat.ts"

/** A job in the grid. */
export interface SeasonJob {
  readonly id: string
  /** The values of the names in its input pattern, and its language. */
  readonly season: { readonly episode: string; readonly language: string }
  readonly state: "failed" | "unfinished" | "look" | "fine"
  /** How many of its lines are to check. */
  readonly looks: number
  readonly href: string | undefined
  readonly isApproved: boolean
}

/** Renders the grid; nothing for a single job. */
export const seasonGrid = (jobs: ReadonlyArray<SeasonJob>): Content => {
  if (jobs.length < 2) return undefined
  const languages = [...new Set(jobs.map(({ season }) => season.language))].sort(byName)
  const episodes = [...new Set(jobs.map(({ season }) => season.episode))]
  const rows = episodes
    .map((episode) => ({ episode, jobs: jobs.filter(({ season }) => season.episode === episode) }))
    .sort((a, b) => harmOf(b.jobs) - harmOf(a.jobs) || byName(a.episode, b.episode))
  return html`<section class="season">
    <h2 id="season-title">Season</h2>
    <div class="season-table" tabindex="0" role="region" aria-labelledby="season-title">
      <table>
        <thead>
          <tr>
            <th scope="col">Episode</th>
            ${languages.map((language) => html`<th scope="col">${language === "" ? "no language" : language}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            ({ episode, jobs: own }) =>
              html`<tr>
                <th scope="row">${episode}</th>
                ${languages.map((language) => cell(own.filter(({ season }) => season.language === language)))}
              </tr> `
          )}
        </tbody>
      </table>
    </div>
  </section>`
}

const cell = (jobs: ReadonlyArray<SeasonJob>): Html =>
  jobs.length === 0
    ? html`<td class="none"><span class="unseen">no job</span></td>`
    : html`<td>${jobs.map(jobLink)}</td>`

const jobLink = ({ id, state, looks, href, isApproved }: SeasonJob): Html => {
  const words = [
    state === "look" && looks > 0 ? `${formatInteger(looks)} to check` : stateWords[state],
    isApproved ? html` <span class="ok">✓<span class="unseen"> approved</span></span>` : undefined
  ]
  return href === undefined
    ? html`<span class="mark ${state}" title="${id}">${words}</span> `
    : html`<a class="mark ${state}" href="${href}" title="${id}">${words}</a> `
}

/** How a job's state is shown. */
export const stateWords = {
  failed: "failed",
  unfinished: "unfinished",
  look: "to check",
  fine: "delivered"
} as const

/** How much an episode needs a person: its worst state first, then how many lines are to check. */
const harmOf = (jobs: ReadonlyArray<SeasonJob>): number => {
  const worst = Math.max(...jobs.map(({ state }) => order.indexOf(state)))
  return worst * 1_000_000 + jobs.reduce((sum, { looks }) => sum + looks, 0)
}

const order: ReadonlyArray<SeasonJob["state"]> = ["fine", "look", "unfinished", "failed"]

const byName = new Intl.Collator(undefined, { numeric: true }).compare
