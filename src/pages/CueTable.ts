/** The table of a job's cues: when, who, what the source says and what was spoken, how fast, how far off, and why to look. */
import type { CueReport, JobReport } from "../domain/Report.ts"
import { type MarkName, marks, marksOf, skipWords } from "./Flags.ts"
import { type Content, type Html, html, Rows } from "./Html.ts"
import { tableHead } from "./TableHead.ts"
import { clock, counted, factor, signedSeconds } from "./Times.ts"

/** The table, the cues to look at first. */
export const cueTable = ({ cues, language }: JobReport): Html => {
  const rows = (marked: boolean) =>
    new Rows(function* () {
      for (const [at, cue] of cues.entries())
        if (marksOf(cue).length > 0 === marked) yield cueRow(cue, at, language)
    })
  return html`<table class="cues" role="table" aria-label="Cues">
    ${tableHead(columns)}
    <tbody role="rowgroup" id="cues">
      ${rows(true)}${rows(false)}
    </tbody>
  </table>`
}

const columns = ["Cue", "Time", "Speaker", "Source", "Spoken", "Speed", "Shift", "Look at"] as const

const cueRow = (cue: CueReport, at: number, language: string | undefined): Html => {
  const names = marksOf(cue)
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
    ${cell("number", cueButton(cue))}
    ${cell("time", html`<span>${clock(cue.start)}</span> <span>${clock(cue.end)}</span>`)}
    ${cell("speaker", cue.speaker)}
    ${cell("source", html`<span ${lang(language)}dir="auto">${cue.text}</span>`)}
    ${cell("spoken", spokenText(cue, language))}
    ${cell("speed", placed === undefined ? undefined : factor(placed.speed))}
    ${cell("shift", placed === undefined ? undefined : shiftText(cue, placed))}
    ${cell("look", [names.map(markText), shortenText(cue)])}
  </tr> `
}

const cueButton = ({ index, placed }: CueReport): Html =>
  html`<button
    type="button"
    class="play"
    tabindex="-1"
    aria-label="${placed === undefined ? `Cue ${index}, not heard` : `Play cue ${index}`}"
  >
    ${index}
  </button>`

const cell = (name: string, content: Content): Html => html`<td role="cell" class="${name}">${content}</td>`

const lang = (language: string | undefined): Content =>
  language === undefined ? undefined : html`lang="${language}" `

const spokenText = (cue: CueReport, language: string | undefined): Content => {
  if (cue.skipped !== undefined) return html`<span class="aside">not spoken: ${skipWords[cue.skipped]}</span>`
  const said = cue.said === undefined ? undefined : html`<span ${lang(language)}dir="auto">${cue.said}</span>`
  return cue.error === undefined ? said : [said, html` <span class="error">${cue.error}</span>`]
}

const shiftText = (cue: CueReport, placed: NonNullable<CueReport["placed"]>): Content => {
  const tail = placed.end - cue.end
  return [
    html`<span>${signedSeconds(placed.start - cue.start)}</span>`,
    tail >= 0.005 ? html` <span class="tail">end ${signedSeconds(tail)}</span>` : undefined
  ]
}

const markText = (name: MarkName): Html => {
  const { word, meaning } = marks[name]
  return html`<span class="mark ${name}" title="${meaning}">${word}</span> `
}

const shortenText = ({ shortenBy }: CueReport): Content =>
  shortenBy === undefined
    ? undefined
    : html`<span class="shorten">${counted(shortenBy, "character")} too long</span>`
