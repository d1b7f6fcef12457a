/** report.html of a job: figures, a player with the cues on the waveform, and a table of all cues. */
import type { JobReport, Metrics } from "../../domain/report/Report.ts"
import { cueColumns, cueTable, harmColumn } from "../parts/CueTable.ts"
import { documentOf, type PageParts } from "./PageDocument.ts"
import { figureList } from "../parts/FigureList.ts"
import { looksOf, marksIn } from "../parts/CueMarks.ts"
import { type MarkName, markNames, marks } from "../parts/MarkWords.ts"
import { type Content, type Html, html, jsonText } from "../parts/Html.ts"
import { helpButton, keyHelp } from "../parts/KeyHelp.ts"
import { jobKeys, type KeyHelp } from "../parts/KeyBindings.ts"
import type { EmbeddedData } from "../data/PageData.ts"
import { filmPane, type PageFilm, playerPane } from "../parts/PlayerPane.ts"
import { orderChoice } from "../parts/TableHead.ts"
import { timeChart } from "../parts/TimeChart.ts"
import { type Choice, searchBox } from "../parts/SearchBox.ts"
import { formatCount, formatDuration, formatInteger } from "../parts/TimeFormat.ts"

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
          ? `${formatCount(failed, "line")} not spoken${marked > failed ? `, ${formatInteger(marked - failed)} more worth a look` : ""}`
          : marked > 0
            ? `${formatCount(marked, "line")} worth a look`
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
  const names = marksIn(report.cues)
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
          { value: "marked", words: "worth a look", count: marked },
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
