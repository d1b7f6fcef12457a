/** index.html of a batch: the run's outcome, and every job with its figures, problem jobs first. */
import type { JobSummary, Metrics, RunReport } from "../../domain/report/Report.ts"
import { cards } from "../parts/Cards.ts"
import { documentOf, shownManifest, type PageParts } from "./PageDocument.ts"
import { figuresOf, type Figure } from "../parts/Figures.ts"
import { html, type Content, type Html } from "../parts/Html.ts"
import { helpButton, keyHelp } from "../parts/KeyHelp.ts"
import { batchKeys } from "../parts/KeyBindings.ts"
import { searchBox } from "../parts/SearchBox.ts"
import { orderChoice, sortingHead } from "../parts/TableHead.ts"
import { formatCount, formatDuration, formatInteger } from "../parts/TimeFormat.ts"

/** A job on the batch's page. */
export interface BatchJob {
  readonly summary: JobSummary
  /** Undefined if the job has no report. */
  readonly metrics: Metrics | undefined
  /** How many of its lines are to check. */
  readonly looks: number
  /** The link to its report, relative to the page; undefined if it has none. */
  readonly href: string | undefined
  /** Its figures in the previous run, if there was one. */
  readonly lastMetrics?: Metrics | undefined
  /** Its place in a season; undefined if its input is not matched by names. */
  readonly season?: { readonly episode: string; readonly language: string } | undefined
  /** The job itself is approved, and has not changed since. */
  readonly isApproved?: boolean
}

/** Renders the page; pass `jobs` in batch order. */
export const batchPage = (run: RunReport, jobs: ReadonlyArray<BatchJob>, parts: PageParts): Html => {
  const rows = jobs.map((job) => ({ ...job, state: stateOf(job) }))
  const inOrder = states.flatMap((state) => rows.filter((row) => row.state === state))
  const manifest = shownManifest(run.manifest)
  return documentOf({
    title: `${run.name ?? manifest}: dub report`,
    parts,
    policy: "",
    body: html`<a class="skip" href="#jobs">Skip to the jobs</a>
      <header>
        <h1>${run.name ?? manifest}</h1>
        <p class="about">
          ${run.name === undefined ? undefined : `${manifest} · `}started
          <time datetime="${run.startedAt}">${moment(run.startedAt)}</time> · took
          ${formatDuration(run.seconds)}
        </p>
        ${verdict(rows.map(({ state }) => state))} ${helpButton}
      </header>
      <main>
        ${effort(run)}
        ${warnings([...(run.stopped === undefined ? [] : [`Stopped early: ${run.stopped.words}`]), ...run.warnings])}
        ${seasonGrid(
          inOrder.flatMap(({ summary: { id }, season, isApproved = false, state, looks, href }) =>
            season === undefined ? [] : [{ id, season, state, looks, href, isApproved }]
          )
        )}
        <section class="list" aria-labelledby="jobs-title">
          <h2 id="jobs-title">Jobs</h2>
          ${searchBox(
            {
              what: "job",
              rows: rows.length,
              filter: "Show",
              choices: [
                { value: "all", words: "all jobs", count: rows.length },
                ...states.map((state) => ({
                  value: state,
                  words: stateWords[state],
                  count: rows.filter((row) => row.state === state).length
                }))
              ]
            },
            orderChoice(allColumns, "State")
          )}
          <table class="rows jobs" role="table" aria-label="Jobs">
            ${sortingHead(allColumns, "State")}
            <tbody role="rowgroup" id="jobs">
              ${inOrder.map(jobRow)}
            </tbody>
          </table>
        </section>
      </main>
      <p id="live" class="unseen" role="status" aria-live="polite"></p>
      ${keyHelp(batchKeys)}`
  })
}

/** A job's state as shown in the table, worst first. */
const states = ["failed", "unfinished", "look", "fine"] as const
type State = (typeof states)[number]

const stateOf = ({ summary, metrics, looks }: BatchJob): State =>
  summary.status !== "delivered"
    ? summary.status
    : looks > 0 || (metrics !== undefined && figuresOf(metrics).some(({ poor }) => poor))
      ? "look"
      : "fine"

/** The figures shown for each job, by their names in `Figures.ts`; the job's own report shows the rest. */
const columns = [
  "Lines spoken",
  "Starts early or late",
  "Ends late",
  "Runs over",
  "Speed",
  "Rushed (over 1.3×)",
  "Isochrony",
  "Loudness"
] as const

const allColumns = ["Job", "State", "To check", ...columns] as const

const jobRow = (
  { summary, metrics, lastMetrics, looks, href, state }: BatchJob & { readonly state: State },
  at: number
): Html => {
  const figures = metrics === undefined ? [] : figuresOf(metrics, lastMetrics)
  return html`<tr role="row" data-at="${at}" data-state="${state}" class="${state}">
    <th role="rowheader" scope="row" class="job">
      ${href === undefined ? summary.id : html`<a href="${href}">${summary.id}</a>`}
    </th>
    <td role="cell" class="state" data-order="${states.length - states.indexOf(state)}">
      <span class="mark ${state}">${stateWords[state]}</span>${
        summary.error === undefined ? undefined : html` <span class="error">${summary.error}</span>`
      }
    </td>
    <td role="cell" data-label="To check" data-order="${looks}" class="${looks > 0 ? "poor" : "fine"}">
      ${metrics === undefined ? undefined : formatInteger(looks)}
    </td>
    ${columns.map((name) =>
      figureCell(
        name,
        figures.find((figure) => figure.name === name)
      )
    )}
  </tr> `
}

const figureCell = (name: string, figure: Figure | undefined): Html =>
  figure === undefined
    ? html`<td role="cell" data-label="${name}"></td>`
    : html`<td
        role="cell"
        data-label="${name}"
        data-order="${figure.measure}"
        class="${figure.poor ? "poor" : "fine"}"
        title="${figure.detail}"
      >
        ${figure.value}${changed(figure)}
      </td>`

const changed = ({ change }: Figure): Content =>
  change === undefined || change.trend === "same"
    ? undefined
    : html` <span class="change ${change.trend}"
        >was
        ${change.before}${change.trend === "other" ? undefined : html`<span class="unseen">, now ${change.trend}</span>`}</span
      >`

const verdict = (all: ReadonlyArray<State>): Html => {
  const count = (state: State) => all.filter((other) => other === state).length
  const undone = count("failed") + count("unfinished")
  const words = [
    `${formatCount(all.length - undone, "job")} delivered`,
    ...(count("failed") > 0 ? [`${formatInteger(count("failed"))} failed`] : []),
    ...(count("unfinished") > 0 ? [`${formatInteger(count("unfinished"))} unfinished`] : []),
    ...(count("look") > 0 ? [`${formatInteger(count("look"))} to check`] : [])
  ]
  const tone = undone > 0 ? "bad" : count("look") > 0 ? "warn" : "good"
  return html`<p class="verdict ${tone}">${words.join(", ")}</p>`
}

const effort = ({ tasks, characters, credits: { spent, batch, repeats, after } }: RunReport): Html => {
  const details = [
    // Earlier runs that were stopped or killed have spent the rest.
    ...(spent === undefined || batch === undefined || batch <= spent
      ? []
      : [`in this run, ${formatInteger(Math.ceil(batch))} by this batch so far`]),
    ...(repeats === undefined
      ? []
      : [
          `${formatInteger(Math.ceil(repeats.credits))} for ${formatCount(repeats.tasks, "line")} spoken again`
        ]),
    ...(after === undefined ? [] : [`${formatInteger(after)} left`])
  ]
  return cards("Run totals", [
    {
      name: "Tasks created",
      value: formatInteger(tasks.created),
      detail:
        [
          ...(tasks.adopted === 0 ? [] : [`${formatInteger(tasks.adopted)} adopted`]),
          ...(tasks.resumed === 0 ? [] : [`${formatInteger(tasks.resumed)} resumed from an earlier run`])
        ].join(", ") || undefined
    },
    { name: "Clips reused", value: formatInteger(tasks.reused), detail: "spoken in earlier runs" },
    { name: "Retries", value: formatInteger(tasks.retried) },
    { name: "Tasks failed", value: formatInteger(tasks.failed), poor: tasks.failed > 0 },
    { name: "Characters", value: formatInteger(characters), detail: "sent in this run" },
    ...(spent === undefined && batch === undefined
      ? []
      : [
          {
            name: "Credits spent",
            value: formatInteger(Math.ceil(spent ?? batch ?? 0)),
            detail: details.join(", ") || undefined
          }
        ])
  ])
}

const warnings = (all: ReadonlyArray<string>): Content =>
  all.length === 0
    ? undefined
    : html`<section class="warnings" aria-labelledby="warnings-title">
        <h2 id="warnings-title">Warnings</h2>
        <ul>
          ${all.map((warning) => html`<li>${warning}</li>`)}
        </ul>
      </section>`

/** Formats an ISO 8601 UTC timestamp as `2026-03-02 22:00:03 UTC`. */
const moment = (iso: string): string => iso.replace("T", " ").replace(/\.\d+Z$|Z$/u, " UTC")

/** A job in the grid. */
interface SeasonJob {
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
const seasonGrid = (jobs: ReadonlyArray<SeasonJob>): Content => {
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
const stateWords = {
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
