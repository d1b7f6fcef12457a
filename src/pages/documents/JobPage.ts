/** report.html of a job: its figures, its sound with the cues on it, and every cue with what became of it. */
import type { JobReport, Metrics } from "../../domain/report/Report.ts"
import { cueColumns, cueTable } from "../parts/CueTable.ts"
import { documentOf, type PageParts } from "./PageDocument.ts"
import { figureList } from "../parts/FigureList.ts"
import { looksOf, marksIn } from "../parts/CueMarks.ts"
import { type MarkName, markNames, marks } from "../parts/MarkWords.ts"
import { type Content, type Html, html, jsonText } from "../parts/Html.ts"
import { helpButton, keyHelp } from "../parts/KeyHelp.ts"
import { type JobAction, jobKeys, type KeyHelp } from "../parts/KeyBindings.ts"
import type { PageCue, PageData } from "../data/PageData.ts"
import { orderChoice } from "../parts/TableHead.ts"
import { timeChart } from "../parts/TimeChart.ts"
import { searchBox } from "../parts/SearchBox.ts"
import { formatCount, formatDuration } from "../parts/TimeFormat.ts"

/** Levels 0 to 1, or the same packed: a byte a level, in base64. */
export type Peaks = ArrayLike<number> | string

/** What a job's page is made of besides its report. */
export interface JobPageExtras {
  /** The file with the job's sound, beside the page; undefined where there is none that a browser plays. */
  readonly audio: string | undefined
  /** Levels 0 to 1 of the sound at even distances over its whole length; or such levels as another page holds them. */
  readonly peaks: Peaks
  /** The job's figures in the run before, where there was one. */
  readonly lastMetrics?: Metrics | undefined
  readonly parts: PageParts
}

/** The page: one file that opens from disk, next to the sound it plays. */
export const jobPage = (report: JobReport, extras: JobPageExtras): Html =>
  jobDocument(report, extras, { keys: jobKeys, policy: "media-src 'self' file: blob:" })

/** What sets one kind of a job's page apart from another. */
export interface JobPageKind {
  readonly keys: ReadonlyArray<KeyHelp<JobAction>>
  /** Where sound may come from and whom the script may ask, as sources of a Content-Security-Policy. */
  readonly policy: string
  /** Buttons beside the player's own. */
  readonly buttons?: Content
  /** A line below the verdict that says what is being done. */
  readonly status?: Content
  /** What stands before everything else. */
  readonly lead?: Content
  /** What stands behind everything else. */
  readonly foot?: Content
}

/** A job's page of some kind. */
export const jobDocument = (
  report: JobReport,
  { audio, peaks, lastMetrics, parts }: JobPageExtras,
  { keys, policy, buttons, status, lead, foot }: JobPageKind
): Html =>
  documentOf({
    title: `${report.job}: dub report`,
    parts,
    policy,
    body: [
      html`<a class="skip" href="#cues">Skip to the cues</a>`,
      heading(report, status),
      html`<main>
          ${lead} ${figureList(report.metrics, lastMetrics)} ${player(audio, buttons)} ${timeChart(report)}
          ${cueSection(report)}
        </main>
        <p id="live" class="unseen" role="status" aria-live="polite"></p>
        ${keyHelp(keys)} ${foot}
        <script type="application/json" id="data">
          ${jsonText(pageData(report, peaks))}
        </script>`
    ]
  })

/** What the page's script is told. */
export const pageData = (report: JobReport, peaks: Peaks): PageData => {
  const names = marksIn(report.cues)
  return {
    duration: report.duration,
    peaks: typeof peaks === "string" ? peaks : packedPeaks(peaks),
    cues: report.cues.map((cue, at): PageCue => ({
      index: cue.index,
      start: cue.start,
      end: cue.end,
      ...(cue.placed === undefined ? {} : { heard: [cue.placed.start, cue.placed.end] as const }),
      mark: cue.status === "failed" ? "failed" : (names[at] ?? []).length > 0 ? "flagged" : "none"
    }))
  }
}

/** Levels 0 to 1 as bytes in base64; the smallest sound stays visible. */
const packedPeaks = (peaks: ArrayLike<number>): string =>
  Buffer.from(Uint8Array.from(peaks, (peak) => Math.ceil(Math.min(1, Math.max(0, peak)) * 255))).toString(
    "base64"
  )

/**
 * The packed levels in a job's page; undefined where it holds none. No text of a cue can look like them: its quotes are
 * escaped.
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
    <p class="verdict ${state}">
      ${
        failed > 0
          ? `${formatCount(failed, "cue")} not spoken${marked > failed ? `, ${marked - failed} more to check` : ""}`
          : marked > 0
            ? `${formatCount(marked, "cue")} to check`
            : "Every cue is in place"
      }
    </p>
    ${status} ${helpButton}
  </header>`
}

const player = (audio: string | undefined, buttons: Content): Html => {
  const silent: Content = audio === undefined ? html`disabled` : undefined
  return html`<section class="player" aria-label="Player">
    <div id="wave"></div>
    <div class="controls">
      <button type="button" id="play" ${silent}>Play</button>
      <button type="button" id="previous" aria-label="Previous cue">◂ Cue</button>
      <button type="button" id="next" aria-label="Next cue">Cue ▸</button>
      <button type="button" id="next-flagged">Next to check</button>
      ${buttons}
      <output id="time" aria-label="Position">0:00.0</output>
      <label class="zoom">Zoom <input type="range" id="zoom" min="0" max="100" step="1" /></label>
    </div>
    ${
      audio === undefined
        ? html`<p class="aside">
            There is no sound to play: this job has made none yet, or none that browsers play.
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

const cueSection = (report: JobReport): Html => {
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
          { value: "marked", words: "to check", count: marked },
          { value: "status:spoken", words: "spoken", count: report.metrics.spoken },
          { value: "status:skipped", words: "skipped", count: skipped },
          ...markNames
            .filter((mark) => count(mark) > 0)
            .map((mark) => ({ value: `mark:${mark}`, words: marks[mark].word, count: count(mark) }))
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
      orderChoice(cueColumns, "Check")
    )}
    ${cueTable(report)}
  </section>`
}
