/** The table of a job's cues: time, speaker, source text, spoken text, speed, shift, and why it is worth a look. */
import type { CueReport, JobReport } from "../../domain/report/Report.ts"
import { marksIn, skipWords } from "./CueMarks.ts"
import { type MarkName, marks } from "./MarkWords.ts"
import { cueHarm, overlapsIn } from "./CueHarm.ts"
import { type Content, type Html, html, HtmlParts } from "./Html.ts"
import { sortingHead } from "./TableHead.ts"
import { formatClock, formatCount, formatFactor, formatSignedSeconds } from "./TimeFormat.ts"

/** Renders the table, most harmful cues first. */
export const cueTable = ({ cues, language }: JobReport): Html => {
  const overlaps = overlapsIn(cues)
  const judged = cues.map((cue, at) => ({ cue, at, harm: cueHarm(cue, overlaps[at]) }))
  const names = marksIn(cues)
  const named = hasSpeakers(cues)
  const worst = [...judged].sort((a, b) => b.harm - a.harm)
  const rows = new HtmlParts(function* () {
    for (const { cue, at, harm } of worst) yield cueRow(cue, at, harm, names[at] ?? [], language, named)
  })
  return html`<table class="cues${named ? "" : " nameless"}" role="table" aria-label="Cues">
    ${sortingHead(cueColumns(cues), harmColumn)}
    <tbody role="rowgroup" id="cues">
      ${rows}
    </tbody>
  </table>`
}

/** The column that a table of cues is sorted by at first. */
export const harmColumn = "Worth a look"

/** The column headings; clicking one sorts by it. Without any speaker, there is no column for them. */
export const cueColumns = (cues: ReadonlyArray<CueReport>): ReadonlyArray<string> => [
  "Cue",
  "Time",
  ...(hasSpeakers(cues) ? ["Speaker"] : []),
  "Source",
  "Spoken",
  "Speed",
  "Shift",
  harmColumn
]

const hasSpeakers = (cues: ReadonlyArray<CueReport>): boolean =>
  cues.some(({ speaker }) => speaker !== undefined)

const cueRow = (
  cue: CueReport,
  at: number,
  harm: number,
  names: ReadonlyArray<MarkName>,
  language: string | undefined,
  named: boolean
): Html => {
  const { placed } = cue
  const state = cue.status === "failed" ? "failed" : names.length > 0 ? "flagged" : cue.status
  return html`<tr
    role="row"
    id="cue-${cue.index}"
    data-at="${at}"
    data-status="${cue.status}"
    data-marks="${names.join(" ")}"
    data-speaker="${cue.speaker ?? ""}"
    class="${state}"
  >
    ${cell("number", cueButton(cue), at)}
    ${cell("time", html`<span>${formatClock(cue.start)}</span> <span>${formatClock(cue.end)}</span>`, cue.start)}
    ${named ? cell("speaker", cue.speaker) : undefined}
    ${cell("source", html`<span ${lang(language)}dir="auto">${cue.text}</span>`)}
    ${cell("spoken", spokenText(cue, language))}
    ${cell("speed", placed === undefined ? undefined : formatFactor(placed.speed), placed?.speed)}
    ${cell("shift", placed === undefined ? undefined : shiftText(cue, placed), shiftOf(cue))}
    ${cell("look", [names.map(markText), shortenText(cue)], harm)}
  </tr> `
}

const cueButton = ({ index, placed }: CueReport): Html =>
  html`<button
    type="button"
    class="play"
    tabindex="-1"
    aria-label="${placed === undefined ? `Cue ${index}, no audio` : `Play cue ${index}`}"
  >
    ${index}
  </button>`

/** Renders a cell; `order` is its sort key, by default its text. */
const cell = (name: string, content: Content, order?: number): Html =>
  html`<td role="cell" class="${name}" ${orderText(order)}>${content}</td>`

const orderText = (order: number | undefined): Content =>
  order === undefined ? undefined : html`data-order="${order}"`

/** How far a cue is off, in seconds: the greater of its start's shift and the lateness of its end. */
const shiftOf = ({ placed, start, end }: CueReport): number | undefined =>
  placed === undefined ? undefined : Math.max(Math.abs(placed.start - start), placed.end - end)

const lang = (language: string | undefined): Content =>
  language === undefined ? undefined : html`lang="${language}" `

const spokenText = (cue: CueReport, language: string | undefined): Content => {
  if (cue.skipped !== undefined) return html`<span class="aside">not spoken: ${skipWords[cue.skipped]}</span>`
  const said = cue.said === undefined ? undefined : html`<span ${lang(language)}dir="auto">${cue.said}</span>`
  return [
    said,
    cue.error === undefined ? undefined : html` <span class="error">${cue.error}</span>`,
    heardText(cue, language)
  ]
}

/** What a recogniser heard, if words are wrong, or that it heard nothing. */
const heardText = ({ words }: CueReport, language: string | undefined): Content => {
  if (words === undefined) return undefined
  if ("unheard" in words) return html` <span class="aside" title="${words.unheard}">not heard</span>`
  if (words.faults.length === 0) return undefined
  return html` <span class="aside">heard:</span>
    <span class="heard" ${lang(language)}dir="auto">${words.heard}</span>`
}

const shiftText = (cue: CueReport, placed: NonNullable<CueReport["placed"]>): Content => {
  const tail = placed.end - cue.end
  return [
    html`<span>${formatSignedSeconds(placed.start - cue.start)}</span>`,
    tail >= 0.005 ? html` <span class="tail">end ${formatSignedSeconds(tail)}</span>` : undefined
  ]
}

const markText = (name: MarkName): Html => {
  const { word, meaning } = marks[name]
  return html`<span class="mark ${name}" title="${meaning}">${word}</span> `
}

const shortenText = ({ shortenBy }: CueReport): Content =>
  shortenBy === undefined
    ? undefined
    : html`<span class="shorten">${formatCount(shortenBy, "character")} too long</span>`
