/** plan.html: the utterances to send and their cost, the speakers and their voices, and the lines that will not fit. */
import {
  type PlannedJob,
  type PlanReport,
  type TightLine,
  effortToSend
} from "../../domain/report/PlanReport.ts"
import { type Card, cards } from "../parts/Cards.ts"
import { documentOf, type PageParts, shownManifest } from "./PageDocument.ts"
import { type Content, type Html, html } from "../parts/Html.ts"
import { helpButton, keyHelp } from "../parts/KeyHelp.ts"
import { planKeys } from "../parts/KeyBindings.ts"
import { lengthsText } from "./LengthSources.ts"
import { costLines } from "./PlanCosts.ts"
import { searchBox } from "../parts/SearchBox.ts"
import { orderChoice, sortingHead } from "../parts/TableHead.ts"
import {
  formatClock,
  formatCount,
  formatFactor,
  formatInteger,
  formatSignedSeconds
} from "../parts/TimeFormat.ts"

/** Renders the page. */
export const planPage = (plan: PlanReport, parts: PageParts): Html => {
  const { total, jobs, faults, notices, service } = plan
  const manifest = shownManifest(plan.manifest)
  return documentOf({
    title: `${plan.name ?? manifest}: plan`,
    parts,
    policy: "",
    body: html`<a class="skip" href="#lines">Skip to the lines that will not fit</a>
      <header>
        <h1>${plan.name ?? manifest}</h1>
        <p class="about">
          ${plan.name === undefined ? undefined : `${manifest} · `}${formatCount(jobs.length, "job")} for
          ${service === "embedded" ? "the bundled service" : service.baseUrl}; nothing was sent
        </p>
        ${verdict(plan)} ${helpButton}
      </header>
      <main>
        ${cards("Totals", totals(plan))} ${list("Costs", "costs", costLines(plan))}
        ${list("Errors", "faults", faults.map(faultText))}
        ${list(
          "Unreadable lines",
          "lost",
          jobs.flatMap(({ lost }) => lost.map(({ error }) => error))
        )}
        <section class="list" aria-labelledby="lines-title">
          <h2 id="lines-title">Lines that will not fit</h2>
          ${searchBox(
            {
              what: "line",
              rows: total.tightLines,
              filter: "Job",
              choices: [
                { value: "all", words: "all jobs", count: total.tightLines },
                ...jobs
                  .filter(({ tight }) => tight.length > 0)
                  .map(({ id, tight }) => ({ value: id, words: id, count: tight.length }))
              ]
            },
            orderChoice(lineColumns)
          )}
          <table class="rows tight" role="table" aria-label="Lines that will not fit">
            ${sortingHead(lineColumns)}
            <tbody role="rowgroup" id="lines">
              ${jobs.flatMap((job) => job.tight.map((line) => ({ job, line }))).map(({ job, line }, at) => lineRow(job, line, at))}
            </tbody>
          </table>
          <p class="aside">${lengthsText(jobs)}</p>
        </section>
        ${sortedTable("Jobs", "jobs", jobColumns, jobs.map(jobRow))}
        ${sortedTable(
          "Speakers",
          "speakers",
          speakerColumns,
          jobs
            .flatMap((job) => job.speakers.map((speaker) => ({ job, speaker })))
            .map(({ job, speaker }, at) => speakerRow(job, speaker, at))
        )}
        ${list("Repaired or skipped in the scripts", "notices", notices)}
      </main>
      <p id="live" class="unseen" role="status" aria-live="polite"></p>
      ${keyHelp(planKeys)}`
  })
}

const sortedTable = (title: string, id: string, columns: ReadonlyArray<string>, rows: Content): Html =>
  html`<section class="list" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    <div class="tools order">${orderChoice(columns, undefined, `order-${id}`)}</div>
    <table class="rows" role="table" aria-label="${title}">
      ${sortingHead(columns)}
      <tbody role="rowgroup" id="${id}">
        ${rows}
      </tbody>
    </table>
  </section>`

/** The columns of the tables; clicking one sorts by it. */
const lineColumns = ["Cue", "Job", "Time", "Speaker", "Words", "Needs", "Speed", "Late", "Too long by"]
const jobColumns = ["Job", "Cues", "Lines", "Utterances", "Cached", "Characters", "Credits", "Will not fit"]
const speakerColumns = ["Speaker", "Job", "Cues", "Voice"]

const verdict = ({ faults, total }: PlanReport): Html => {
  const [tone, words] =
    faults.length > 0
      ? ["bad", `${formatCount(faults.length, "error")} to fix before it can run`]
      : total.lostLines > 0
        ? ["bad", `${formatCount(total.lostLines, "line")} cannot be read and will not be spoken`]
        : total.tightLines > 0
          ? ["warn", `Ready to run; ${formatCount(total.tightLines, "line")} will not fit`]
          : ["good", "Ready to run; every line fits"]
  return html`<p class="verdict ${tone}">${words}</p>`
}

const totals = ({ total, balance }: PlanReport): ReadonlyArray<Card> => [
  {
    name: "To send",
    value: formatInteger(effortToSend(total)),
    detail: `of ${formatCount(total.utterances, "utterance")}; ${formatInteger(total.reused)} cached${total.underWay === 0 ? "" : `, ${formatInteger(total.underWay)} in flight`}${total.refused === 0 ? "" : `, ${formatInteger(total.refused)} failed permanently`}`,
    poor: total.refused > 0
  },
  { name: "Characters", value: formatInteger(total.characters), detail: "would be sent" },
  {
    name: "Credits",
    value: total.credits === undefined ? "unknown" : formatInteger(Math.ceil(total.credits)),
    detail:
      total.credits === undefined
        ? "a provider's price is missing"
        : balance?.credits === undefined
          ? "at most, at known prices"
          : `of ${formatInteger(Math.floor(balance.credits))}${(balance.short ?? 0) > 0 ? `: ${formatInteger(balance.short ?? 0)} short` : ""}`,
    poor: total.credits === undefined || (balance?.short ?? 0) > 0
  },
  { name: "Lines", value: formatInteger(total.lines), detail: `in ${formatCount(total.cues, "cue")}` },
  ...(total.lostLines === 0
    ? []
    : [
        {
          name: "Unreadable",
          value: formatInteger(total.lostLines),
          detail: "will not be spoken",
          poor: true
        }
      ]),
  {
    name: "Will not fit",
    value: formatInteger(total.tightLines),
    detail: "rushed, or running over",
    poor: total.tightLines > 0
  }
]

/** Renders a cell; `order` is its sort key, by default its text. */
const cell = (name: string, content: Content, order?: number): Html =>
  html`<td
    role="cell"
    data-label="${name}"
    ${order === undefined ? undefined : html`data-order="${order}" `}class="${name === "Words" ? "wide" : ""}"
  >
    ${content}
  </td>`

const countCell = (name: string, count: number): Html => cell(name, formatInteger(count), count)

const lineRow = (job: PlannedJob, line: TightLine, at: number): Html =>
  html`<tr role="row" data-at="${at}" data-job="${job.id}">
    <th role="rowheader" scope="row" data-label="Cue" data-order="${line.cue}">${line.cue}</th>
    ${cell("Job", [job.id, line.line === undefined ? undefined : html` <span class="aside">line ${line.line}</span>`])}
    ${cell("Time", html`<span>${formatClock(line.start)}</span> <span>${formatClock(line.end)}</span>`, line.start)}
    ${cell("Speaker", line.speaker)}${cell("Words", html`<span dir="auto">${line.said}</span>`)}
    ${cell("Needs", `${line.lengthFrom === "measured" ? "" : "about "}${line.needs.toFixed(1)} s of ${(line.end - line.start).toFixed(1)} s`, line.needs)}
    ${cell("Speed", formatFactor(line.speed), line.speed)}${cell("Late", formatSignedSeconds(line.late), line.late)}
    ${cell("Too long by", line.shortenBy === undefined ? "no room between adjacent lines" : formatCount(line.shortenBy, "character"), line.shortenBy ?? 0)}
  </tr> `

const jobRow = (job: PlannedJob, at: number): Html =>
  html`<tr role="row" data-at="${at}">
    <th role="rowheader" scope="row" data-label="Job">${job.id}</th>
    ${countCell("Cues", job.cues)}${countCell("Lines", job.lines)} ${countCell("Utterances", job.utterances)}
    ${countCell("Cached", job.reused)}${countCell("Characters", job.characters)}
    ${job.credits === undefined ? cell("Credits", "unknown", Infinity) : countCell("Credits", Math.ceil(job.credits))}
    ${countCell("Will not fit", job.tightLines)}
  </tr> `

const speakerRow = (
  { id }: PlannedJob,
  { speaker, cues, voices }: PlannedJob["speakers"][number],
  at: number
): Html =>
  html`<tr role="row" data-at="${at}">
    <th role="rowheader" scope="row" data-label="Speaker">
      ${speaker ?? html`<span class="aside">no speaker</span>`}
    </th>
    ${cell("Job", id)}${countCell("Cues", cues)}${cell("Voice", voices.join(", "))}
  </tr> `

const faultText = ({ file, line, message }: PlanReport["faults"][number]): string =>
  `${file}${line === undefined ? "" : `:${line}`}: ${message}`

const list = (title: string, name: string, items: ReadonlyArray<string>): Content =>
  items.length === 0
    ? undefined
    : html`<section class="warnings ${name}" aria-labelledby="${name}-title">
        <h2 id="${name}-title">${title}</h2>
        <ul>
          ${items.map((item) => html`<li>${item}</li>`)}
        </ul>
      </section>`
