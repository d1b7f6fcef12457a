/** report.html of a job: figures, a player with the cues on the waveform, and a table of all cues. */
import type { JobReport, Metrics } from "../../domain/report/Report.ts"
import { cueColumns, cueTable, harmColumn } from "../parts/CueTable.ts"
import { documentOf, type PageParts } from "./PageDocument.ts"
import { looksOf, marksOf } from "../parts/CueMarks.ts"
import { markNames, marks, type MarkName } from "../parts/MarkWords.ts"
import { html, jsonText, type Content, type Html } from "../parts/Html.ts"
import { helpButton, keyHelp } from "../parts/KeyHelp.ts"
import { jobKeys, type KeyHelp } from "../parts/KeyBindings.ts"
import type { EmbeddedData } from "../data/PageData.ts"
import { orderChoice } from "../parts/TableHead.ts"
import { timeChart } from "../parts/TimeChart.ts"
import { searchBox, type Choice } from "../parts/SearchBox.ts"
import { formatCount, formatDuration, formatInteger } from "../parts/TimeFormat.ts"
import { figuresOf, type Change } from "../parts/Figures.ts"

/** Waveform levels from 0 to 1, or the same packed as one byte per level in base64. */
export type Peaks = ArrayLike<number> | string

/** The data that a job's page needs in addition to its report. */
export interface JobPageExtras {
  /** Name of the audio file next to the page; undefined if there is none that browsers can play. */
  readonly audio: string | undefined
  /** The job's video; undefined if it has none. */
  readonly film?: PageFilm | undefined
  /** Levels of the audio, evenly spaced over its whole length; or packed levels taken from an earlier page. */
  readonly peaks: Peaks
  /** The job's figures in the previous run, if there was one. */
  readonly lastMetrics?: Metrics | undefined
  readonly parts: PageParts
}

/** Renders the report: one file that opens from disk, next to the audio that it plays. */
export const jobPage = (report: JobReport, extras: JobPageExtras): Html =>
  jobDocument(report, extras, { keys: jobKeys, policy: "media-src 'self' file: blob:" })

/** How the report and the review page differ. */
export interface JobPageKind {
  readonly keys: ReadonlyArray<KeyHelp<string>>
  /** Extra Content-Security-Policy directives for audio and for the script's requests. */
  readonly policy: string
  /** Extra buttons for the player. */
  readonly buttons?: Content
  /** A status line below the verdict. */
  readonly status?: Content
  /** Content before the figures. */
  readonly lead?: Content
  /** Content beside the cues, below the film. */
  readonly beside?: Content
  /** Extra filters of the cues. */
  readonly choices?: ReadonlyArray<Choice>
  /** Content at the end of the page. */
  readonly foot?: Content
}

/** Renders a job's page of the given kind. */
export const jobDocument = (
  given: JobReport,
  { audio, film, peaks, lastMetrics, parts }: JobPageExtras,
  { keys, policy, buttons, status, lead, beside, choices = [], foot }: JobPageKind
): Html => {
  const report = onFilmTime(given)
  return documentOf({
    title: `${report.job}: dub report`,
    parts,
    policy,
    body: [
      html`<a class="skip" href="#cues">Skip to the cues</a>`,
      heading(report, status),
      html`<main>
          ${lead} ${figureList(report.metrics, lastMetrics)} ${playerPane({ audio, film, buttons })}
          ${timeChart(report)} ${side(film, audio !== undefined, beside)} ${cueSection(report, choices)}
        </main>
        <p id="live" class="unseen" role="status" aria-live="polite"></p>
        ${keyHelp(keys)} ${foot}
        <script type="application/json" id="data">
          ${jsonText(pageData(report, peaks))}
        </script>`
    ]
  })
}

/** The part that stays in view beside the cues: the film, if there is one. */
const side = (film: PageFilm | undefined, hasDub: boolean, beside: Content): Content =>
  film === undefined && beside === undefined
    ? undefined
    : html`<div class="side">${film === undefined ? undefined : filmPane(film, hasDub)} ${beside}</div>`

/** Replaces the source's times by those in the film, where they differ, because speech is heard at the film's times. */
const onFilmTime = (report: JobReport): JobReport => ({
  ...report,
  cues: report.cues.map((cue) => (cue.corrected === undefined ? cue : { ...cue, ...cue.corrected }))
})

/** Builds the data embedded in the page for its script. */
export const pageData = ({ duration, language, cues }: JobReport, peaks: Peaks): EmbeddedData => ({
  duration,
  peaks: typeof peaks === "string" ? peaks : packedPeaks(peaks),
  ...(language === undefined ? {} : { language }),
  cues
})

/** Packs levels from 0 to 1 as bytes in base64. Rounds up, so that the faintest sound stays visible. */
const packedPeaks = (peaks: ArrayLike<number>): string =>
  Buffer.from(Uint8Array.from(peaks, (peak) => Math.ceil(Math.min(1, Math.max(0, peak)) * 255))).toString(
    "base64"
  )

/**
 * Returns the packed levels embedded in a job's page, or undefined if it has none. A cue's text cannot match: its
 * quotes are escaped.
 */
export const peaksIn = (page: string): string | undefined => /"peaks":"([A-Za-z0-9+/=]+)"/u.exec(page)?.[1]

const heading = (report: JobReport, status: Content): Html => {
  const marked = looksOf(report.cues)
  const { failed } = report.metrics
  const state = failed > 0 ? "bad" : marked > 0 ? "warn" : "good"
  const about = [
    report.input,
    report.language,
    formatDuration(report.duration),
    formatCount(report.cues.length, "cue")
  ]
  return html`<header>
    <nav aria-label="Pages"><a href="../index.html">← All jobs</a></nav>
    <h1>${report.job}</h1>
    <p class="about">${about.filter((words) => words !== undefined).join(" · ")}</p>
    ${syncLine(report)}
    <p class="verdict ${state}">
      ${
        failed > 0
          ? `${formatCount(failed, "line")} not spoken${marked > failed ? `, ${formatInteger(marked - failed)} more to check` : ""}`
          : marked > 0
            ? `${formatCount(marked, "line")} to check`
            : "Every line is in place"
      }
    </p>
    ${status} ${helpButton}
  </header>`
}

/** How the subtitle fits its film. */
const syncLine = ({ sync }: JobReport): Content =>
  sync === undefined
    ? undefined
    : html`<p class="${sync.verdict === "in-sync" || sync.applied ? "about" : "verdict warn"}">
        Film sync: ${sync.summary}
      </p>`

const cueSection = (report: JobReport, choices: ReadonlyArray<Choice>): Html => {
  const names = report.cues.map(marksOf)
  const count = (mark: MarkName) => names.filter((of) => of.includes(mark)).length
  const marked = looksOf(report.cues)
  const speakers = [...new Set(report.cues.flatMap(({ speaker }) => speaker?.split(", ") ?? []))].sort(
    (a, b) => a.localeCompare(b)
  )
  const skipped = report.cues.filter(({ status }) => status === "skipped").length
  return html`<section class="list" aria-labelledby="cues-title">
    <h2 id="cues-title">Cues</h2>
    ${searchBox(
      {
        what: "cue",
        rows: report.cues.length,
        filter: "Show",
        choices: [
          { value: "all", words: "all cues", count: report.cues.length },
          { value: "marked", words: "to check", count: marked },
          { value: "status:spoken", words: "spoken", count: report.metrics.spoken },
          { value: "status:skipped", words: "skipped", count: skipped },
          ...markNames
            .filter((mark) => count(mark) > 0)
            .map((mark) => ({ value: `mark:${mark}`, words: marks[mark].word, count: count(mark) })),
          ...choices
        ]
      },
      speakers.length < 2
        ? undefined
        : html`<label
            >Speaker
            <select id="speaker">
              <option value="">everyone</option>
              ${speakers.map((name) => html`<option>${name}</option>`)}
            </select></label
          >`,
      orderChoice(cueColumns(report.cues), harmColumn)
    )}
    ${cueTable(report.cues, report.language)}
  </section>`
}

/** The film of a job. */
interface PageFilm {
  /** Its address, relative to the page. */
  readonly href: string
  /** Its file's name. */
  readonly name: string
}

/** The media that a page plays. */
interface PlayerPane {
  /** Name of the audio file next to the page; undefined if there is none that browsers can play. */
  readonly audio: string | undefined
  readonly film: PageFilm | undefined
  /** Extra buttons. */
  readonly buttons: Content
}

/** Renders the player: waveform, buttons and the current cue. */
const playerPane = ({ audio, film, buttons }: PlayerPane): Html => {
  const silent: Content = audio === undefined && film === undefined ? html`disabled` : undefined
  return html`<section class="player" aria-label="Player">
    <div id="wave"></div>
    <div class="controls">
      <button type="button" id="play" ${silent}>Play</button>
      <button type="button" id="previous" aria-label="Previous cue">◂ Cue</button>
      <button type="button" id="next" aria-label="Next cue">Cue ▸</button>
      <button type="button" id="next-flagged">Next to check</button>
      <button type="button" id="loop" aria-pressed="false" ${silent}>Loop</button>
      <label class="roll"
        ><span class="unseen">Seconds before and after a looped cue</span
        ><select id="roll">
          ${rolls.map((seconds) => html`<option value="${seconds}" ${seconds === 0.5 ? html`selected` : undefined}>± ${seconds} s</option>`)}
        </select></label
      >
      ${buttons}
      <output id="time" aria-label="Position">0:00.0</output>
      <label class="zoom"
        ><span class="zoom-name">Zoom</span>
        <input type="range" id="zoom" min="0" max="100" step="1" aria-label="Zoom"
      /></label>
    </div>
    ${
      audio === undefined
        ? html`<p class="aside">
            No audio to play: this job has none yet, or none in a format that browsers play.
          </p>`
        : html`<audio id="audio" preload="metadata" src="${encodeURIComponent(audio)}"></audio>`
    }
    <div class="now" id="now" hidden>
      <p class="now-about" id="now-about"></p>
      <p id="now-source" dir="auto"></p>
      <p id="now-spoken" dir="auto"></p>
    </div>
  </section>`
}

/** Seconds to play before and after a looped cue. */
const rolls = [0, 0.5, 1, 2, 3] as const

/** Renders the film, with the words over its picture and the choice of its sound. */
const filmPane = (film: PageFilm, hasDub: boolean): Html =>
  html`<section class="film" aria-label="Film">
    <div class="screen">
      <video id="film" preload="metadata" playsinline src="${film.href}" aria-label="${film.name}"></video>
      <p id="caption" dir="auto" aria-hidden="true"></p>
    </div>
    <p id="film-fault" class="error" role="status" hidden>
      Cannot show the film: ${film.name} is missing, or this browser does not support its format.
      <a href="${film.href}">Open the file</a>
    </p>
    <p id="film-silent" class="error" role="status" hidden>
      Cannot play the film's own sound: ${film.name} has none, or this browser does not support its format,
      such as AC-3 or DTS.${hasDub ? " The dub still plays." : undefined}
    </p>
    <div class="film-choices">
      ${hasDub ? soundChoice : undefined}
      <label
        ><span class="caption-name">Text</span>
        <select id="caption-words" aria-label="Text over the picture">
          <option value="spoken">as spoken</option>
          <option value="source">as in the source</option>
          <option value="">off</option>
        </select></label
      >
    </div>
  </section>`

const soundChoice: Html = html`<fieldset class="sounds">
  <legend class="unseen">Sound</legend>
  <label><input type="radio" name="sound" value="dub" checked /> Dub</label>
  <label><input type="radio" name="sound" value="original" /> Original</label>
  <label><input type="radio" name="sound" value="both" /> Both</label>
</fieldset>`

/** Renders a job's figures next to those of the previous run. */
const figureList = (metrics: Metrics, last: Metrics | undefined): Html =>
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
