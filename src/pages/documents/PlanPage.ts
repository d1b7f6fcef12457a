/** plan.html: what a run would send and cost, who speaks, and the lines that will not fit. */
import {
  type PlannedJob,
  type PlanReport,
  type TightLine,
  effortToSend
} from "../../domain/report/PlanReport.ts"
import { type Card, cards } from "../parts/Cards.ts"
import { documentOf, type PageParts } from "./PageDocument.ts"
import { type Content, type Html, html } from "../parts/Html.ts"
import { helpButton, keyHelp } from "../parts/KeyHelp.ts"
import { planKeys } from "../parts/KeyBindings.ts"
import { lengthsText } from "./LengthSources.ts"
import { costLines } from "./PlanCosts.ts"
import { searchBox } from "../parts/SearchBox.ts"
import { tableHead } from "../parts/TableHead.ts"
import {
  formatClock,
  formatCount,
  formatFactor,
  formatInteger,
  formatSignedSeconds
} from "../parts/TimeFormat.ts"

/** The page. */
export const planPage = (plan: PlanReport, parts: PageParts): Html => {
  const { total, jobs, faults, notices, service } = plan
  return documentOf({
    title: `${plan.name ?? plan.manifest}: plan`,
    parts,
    policy: "",
    body: html`<a class="skip" href="#lines">Skip to the lines that will not fit</a>
      <header>
        <h1>${plan.name ?? plan.manifest}</h1>
        <p class="about">
          ${plan.name === undefined ? undefined : `${plan.manifest} · `}${formatCount(jobs.length, "job")} for
          ${service === "embedded" ? "the bundled service" : service.baseUrl}; nothing was sent
        </p>
        ${verdict(plan)} ${helpButton}
      </header>
      <main>
        ${cards("What it would take", totals(plan))} ${list("Costs", "costs", costLines(plan))}
        ${list("Faults", "faults", faults.map(faultText))}
        ${list(
          "Lines that cannot be read",
          "lost",
          jobs.flatMap(({ lost }) => lost.map(({ error }) => error))
        )}
        <section class="list" aria-labelledby="lines-title">
          <h2 id="lines-title">Lines that will not fit</h2>
          ${searchBox({
            what: "line",
            rows: total.tightLines,
            filter: "Job",
            choices: [
              { value: "all", words: "all jobs", count: total.tightLines },
              ...jobs
                .filter(({ tight }) => tight.length > 0)
                .map(({ id, tight }) => ({ value: id, words: id, count: tight.length }))
            ]
          })}
          <table class="rows tight" role="table" aria-label="Lines that will not fit">
            ${tableHead(["Cue", "Job", "Time", "Speaker", "Words", "Needs", "Speed", "Late", "Too long by"])}
            <tbody role="rowgroup" id="lines">
              ${jobs.flatMap((job) => job.tight.map((line) => ({ job, line }))).map(({ job, line }, at) => lineRow(job, line, at))}
            </tbody>
          </table>
          <p class="aside">${lengthsText(jobs)}</p>
        </section>
        <section class="list" aria-labelledby="jobs-title">
          <h2 id="jobs-title">Jobs</h2>
          <table class="rows" role="table" aria-label="Jobs">
            ${tableHead(["Job", "Cues", "Lines", "Utterances", "At hand", "Characters", "Credits", "Will not fit"])}
            <tbody role="rowgroup">
              ${jobs.map(jobRow)}
            </tbody>
          </table>
        </section>
        <section class="list" aria-labelledby="speakers-title">
          <h2 id="speakers-title">Speakers</h2>
          <table class="rows" role="table" aria-label="Speakers">
            ${tableHead(["Speaker", "Job", "Cues", "Voice"])}
            <tbody role="rowgroup">
              ${jobs.flatMap(speakerRows)}
            </tbody>
          </table>
        </section>
        ${list("Repaired or skipped in the scripts", "notices", notices)}
      </main>
      <p id="live" class="unseen" role="status" aria-live="polite"></p>
      ${keyHelp(planKeys)}`
  })
}

const verdict = ({ faults, total }: PlanReport): Html => {
  const [tone, words] =
    faults.length > 0
      ? ["bad", `${formatCount(faults.length, "fault")} to mend before it can be run`]
      : total.lostLines > 0
        ? ["bad", `${formatCount(total.lostLines, "line")} cannot be read and will not be heard`]
        : total.tightLines > 0
          ? ["warn", `It can be run; ${formatCount(total.tightLines, "line")} will not fit`]
          : ["good", "It can be run, and every line fits"]
  return html`<p class="verdict ${tone}">${words}</p>`
}

const totals = ({ total, balance }: PlanReport): ReadonlyArray<Card> => [
  {
    name: "To be sent",
    value: formatInteger(effortToSend(total)),
    detail: `of ${formatCount(total.utterances, "utterance")}; ${formatInteger(total.reused)} cached${total.underWay === 0 ? "" : `, ${formatInteger(total.underWay)} in flight`}${total.refused === 0 ? "" : `, ${formatInteger(total.refused)} failed for good`}`,
    poor: total.refused > 0
  },
  { name: "Characters", value: formatInteger(total.characters), detail: "would be sent" },
  {
    name: "Credits",
    value: total.credits === undefined ? "not known" : formatInteger(Math.ceil(total.credits)),
    detail:
      total.credits === undefined
        ? "a provider's price is missing"
        : balance?.credits === undefined
          ? "at most, by known prices"
          : `of ${formatInteger(Math.floor(balance.credits))}${(balance.short ?? 0) > 0 ? `: ${formatInteger(balance.short ?? 0)} short` : ""}`,
    poor: total.credits === undefined || (balance?.short ?? 0) > 0
  },
  { name: "Lines", value: formatInteger(total.lines), detail: `in ${formatCount(total.cues, "cue")}` },
  ...(total.lostLines === 0
    ? []
    : [
        {
          name: "Cannot be read",
          value: formatInteger(total.lostLines),
          detail: "will not be heard",
          poor: true
        }
      ]),
  {
    name: "Will not fit",
    value: formatInteger(total.tightLines),
    detail: "rushed, or running on too long",
    poor: total.tightLines > 0
  }
]

const cell = (name: string, content: Content): Html =>
  html`<td role="cell" data-label="${name}" class="${name === "Words" ? "wide" : ""}">${content}</td>`

const lineRow = (job: PlannedJob, line: TightLine, at: number): Html =>
  html`<tr role="row" data-at="${at}" data-job="${job.id}">
    <th role="rowheader" scope="row" data-label="Cue">${line.cue}</th>
    ${cell("Job", [job.id, line.line === undefined ? undefined : html` <span class="aside">line ${line.line}</span>`])}
    ${cell("Time", html`<span>${formatClock(line.start)}</span> <span>${formatClock(line.end)}</span>`)}
    ${cell("Speaker", line.speaker)}${cell("Words", html`<span dir="auto">${line.said}</span>`)}
    ${cell("Needs", `${line.lengthFrom === "measured" ? "" : "about "}${line.needs.toFixed(1)} s of ${(line.end - line.start).toFixed(1)} s`)}
    ${cell("Speed", formatFactor(line.speed))}${cell("Late", formatSignedSeconds(line.late))}
    ${cell("Too long by", line.shortenBy === undefined ? "nothing: its neighbours crowd it" : formatCount(line.shortenBy, "character"))}
  </tr> `

const jobRow = (job: PlannedJob): Html =>
  html`<tr role="row">
    <th role="rowheader" scope="row" data-label="Job">${job.id}</th>
    ${cell("Cues", formatInteger(job.cues))}${cell("Lines", formatInteger(job.lines))}
    ${cell("Utterances", formatInteger(job.utterances))}${cell("At hand", formatInteger(job.reused))}
    ${cell("Characters", formatInteger(job.characters))}
    ${cell("Credits", job.credits === undefined ? "not known" : formatInteger(Math.ceil(job.credits)))}
    ${cell("Will not fit", formatInteger(job.tightLines))}
  </tr> `

const speakerRows = ({ id, speakers }: PlannedJob): ReadonlyArray<Html> =>
  speakers.map(
    ({ speaker, cues, voices }) =>
      html`<tr role="row">
        <th role="rowheader" scope="row" data-label="Speaker">
          ${speaker ?? html`<span class="aside">nobody named</span>`}
        </th>
        ${cell("Job", id)}${cell("Cues", formatInteger(cues))}${cell("Voice", voices.join(", "))}
      </tr> `
  )

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
