/** The table of a job's cues: time, speaker, source text, spoken text, speed, shift, and why to check it. */
import type { PageCue, ReportedCue, ReportedRewrite, SkipName } from "../data/PageData.ts"
import { marksOf, skipWords } from "./CueMarks.ts"
import { type MarkName, marks } from "./MarkWords.ts"
import { cueHarm } from "./CueHarm.ts"
import { type Content, type Html, html } from "./Html.ts"
import { sortingHead } from "./TableHead.ts"
import { formatClock, formatCount, formatFactor, formatSignedSeconds } from "./TimeFormat.ts"

/** A cue, with its marks. */
export interface JudgedCue {
  readonly cue: ReportedCue
  /** Its position in the source, from 0. */
  readonly at: number
  readonly harm: number
  /** Its marks, worst first; empty if there is nothing to check. */
  readonly names: ReadonlyArray<MarkName>
}

/** Judges a job's cues, in source order. */
export const judgedCues = (cues: ReadonlyArray<ReportedCue>): ReadonlyArray<JudgedCue> =>
  cues.map((cue, at) => ({ cue, at, harm: cueHarm(cue), names: marksOf(cue) }))

/** Returns a cue as the player draws and plays it. */
export const pageCue = ({ cue, names }: JudgedCue): PageCue => ({
  index: cue.index,
  start: cue.start,
  end: cue.end,
  ...(cue.placed === undefined ? {} : { heard: [cue.placed.start, cue.placed.end] as const }),
  ...(cue.wordStarts === undefined ? {} : { wordStarts: cue.wordStarts }),
  mark: cue.status === "failed" ? "failed" : names.length > 0 ? "flagged" : "none"
})

/** Sorts cues, most harmful first. */
export const inHarm = (cues: ReadonlyArray<JudgedCue>): ReadonlyArray<JudgedCue> =>
  [...cues].sort((a, b) => b.harm - a.harm)

/** Rows that come with the page. Its script adds others when they come near the visible part. */
const firstRows = 24

/** Renders the table, most harmful cues first: its first rows. */
export const cueTable = (cues: ReadonlyArray<ReportedCue>, language: string | undefined): Html => {
  const named = hasSpeakers(cues)
  const worst = inHarm(judgedCues(cues)).slice(0, firstRows)
  return html`<table
      class="cues${named ? "" : " nameless"}"
      role="table"
      aria-label="Cues"
      aria-rowcount="${cues.length + 1}"
    >
      ${sortingHead(cueColumns(cues), harmColumn)}
      <tbody role="rowgroup" id="cues">
        ${worst.map((judged) => cueRow(judged, language, named))}
      </tbody>
    </table>
    ${
      cues.length > worst.length
        ? html`<noscript
            ><p class="aside">
              Without JavaScript, this page shows only the first ${formatCount(worst.length, "cue")}.
            </p></noscript
          >`
        : undefined
    }`
}

/** The column of the initial order of cues. */
export const harmColumn = "To check"

/** The column headings; clicking one sorts by it. Without any speaker, there is no column for them. */
export const cueColumns = (cues: ReadonlyArray<ReportedCue>): ReadonlyArray<string> => [
  "Cue",
  "Time",
  ...(hasSpeakers(cues) ? ["Speaker"] : []),
  "Source",
  "Spoken",
  "Speed",
  "Shift",
  harmColumn
]

const hasSpeakers = (cues: ReadonlyArray<ReportedCue>): boolean =>
  cues.some(({ speaker }) => speaker !== undefined)

/** Sort keys by column; a column without one is sorted by its text. */
export const columnKeys: Readonly<Record<string, (judged: JudgedCue) => number | string>> = {
  Cue: ({ at }) => at,
  Time: ({ cue }) => cue.start,
  Speaker: ({ cue }) => cue.speaker ?? "",
  Source: ({ cue }) => cue.text,
  Spoken: ({ cue }) => (cue.skipped === undefined ? (cue.said ?? "") : skipText(cue.skipped)),
  Speed: ({ cue }) => cue.placed?.speed ?? "",
  Shift: ({ cue }) => shiftOf(cue) ?? "",
  [harmColumn]: ({ harm }) => harm
}

/** All words of a cue that a search finds. */
export const searchText = ({ cue, names }: JudgedCue): string =>
  [
    cue.index,
    formatClock(cue.start),
    formatClock(cue.end),
    cue.speaker,
    cue.text,
    cue.skipped === undefined ? cue.said : skipText(cue.skipped),
    cue.error,
    cue.words !== undefined && "heard" in cue.words ? cue.words.heard : undefined,
    ...names.map((name) => marks[name].word)
  ]
    .filter((part) => part !== undefined)
    .join(" ")

/** Renders a cue's row. `named` adds the column of speakers. */
export const cueRow = (
  { cue, at, harm, names }: JudgedCue,
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

const cueButton = ({ index, placed }: ReportedCue): Html =>
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
const shiftOf = ({ placed, start, end }: ReportedCue): number | undefined =>
  placed === undefined ? undefined : Math.max(Math.abs(placed.start - start), placed.end - end)

const lang = (language: string | undefined): Content =>
  language === undefined ? undefined : html`lang="${language}" `

const spokenText = (cue: ReportedCue, language: string | undefined): Content => {
  if (cue.skipped !== undefined) return html`<span class="aside">${skipText(cue.skipped)}</span>`
  const said = cue.said === undefined ? undefined : html`<span ${lang(language)}dir="auto">${cue.said}</span>`
  return [
    said,
    cue.error === undefined ? undefined : html` <span class="error">${cue.error}</span>`,
    heardText(cue, language),
    (cue.rewrites ?? []).map((rewrite) => rewriteText(rewrite, language))
  ]
}

const skipText = (why: SkipName): string => `not spoken: ${skipWords[why]}`

/** A rewriter's proposal for a line, and every prompt and reply. */
const rewriteText = (
  { proposal, accepted, why, attempts }: ReportedRewrite,
  language: string | undefined
): Html =>
  html`<details class="rewrite">
    <summary>
      ${
        accepted !== undefined
          ? "rewritten"
          : proposal === undefined
            ? "no shorter text"
            : html`proposal: <span ${lang(language)}dir="auto">${proposal}</span>`
      }
    </summary>
    ${why === undefined ? undefined : html`<p>${why}</p>`}
    ${attempts.map(
      ({ limit, prompt, reply, refused }) =>
        html`<p>At most ${formatCount(limit, "character")}. Prompt:</p>
          <pre>${prompt}</pre>
          <p>Reply${refused === undefined ? "" : `, refused: ${refused}`}:</p>
          <pre dir="auto">${reply}</pre>`
    )}
  </details>`

/** The words that a recogniser heard, if some are wrong, or a note that it heard none. */
const heardText = ({ words }: ReportedCue, language: string | undefined): Content => {
  if (words === undefined) return undefined
  if ("unheard" in words) return html` <span class="aside" title="${words.unheard}">not heard</span>`
  if (words.faults.length === 0) return undefined
  return html` <span class="aside">heard:</span>
    <span class="heard" ${lang(language)}dir="auto">${words.heard}</span>`
}

const shiftText = (cue: ReportedCue, placed: NonNullable<ReportedCue["placed"]>): Content => {
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

const shortenText = ({ shortenBy }: ReportedCue): Content =>
  shortenBy === undefined
    ? undefined
    : html`<span class="shorten">${formatCount(shortenBy, "character")} too long</span>`
