/** The review page of a job: its report plus an edit box to change a cue, listen to a new take, and accept it. */
import type { JobReport } from "../../domain/report/Report.ts"
import type { ShownApprovals } from "../data/ReviewProtocol.ts"
import { type Content, type Html, html, jsonText } from "../parts/Html.ts"
import type { Choice } from "../parts/SearchBox.ts"
import { editBox, voicesDialog } from "./ReviewBoxes.ts"
import { jobDocument, type JobPageExtras } from "./JobPage.ts"
import { editKeys, reviewKeys } from "../parts/KeyBindings.ts"

/** An accepted override that no longer has any effect, and why. */
export interface StaleOverride {
  readonly name: string
  readonly why: string
}

/** Renders the page; it works only when served by the review server. */
export const reviewPage = (
  report: JobReport,
  extras: JobPageExtras,
  idle: ReadonlyArray<StaleOverride> = [],
  approvals: ShownApprovals = { cues: {} }
): Html =>
  jobDocument(report, extras, {
    keys: [...reviewKeys, ...editKeys],
    policy: "media-src 'self' blob:; connect-src 'self'",
    buttons: html`<button type="button" id="edit-open">Edit cue <kbd aria-hidden="true">e</kbd></button>
      <button type="button" id="undo" disabled>Undo</button>
      <button type="button" id="redo" disabled>Redo</button>
      <button type="button" id="approve" aria-pressed="false" disabled>
        Approve <kbd aria-hidden="true">a</kbd>
      </button>
      <button type="button" id="voices-open" aria-haspopup="dialog">
        Voices… <kbd aria-hidden="true">v</kbd>
      </button>`,
    status: html`<p id="delivery" role="status"></p>
      <p class="job-approval">
        <button type="button" id="approve-job" aria-pressed="false">Approve job</button>
        <span id="approval" class="aside"></span>
      </p>`,
    choices: approvalChoices(report, approvals),
    lead: idleChanges(idle),
    beside: editBox,
    foot: html`${voicesDialog}
      <script type="application/json" id="approvals">
        ${jsonText(approvals)}
      </script>`
  })

/** Filters by approval. */
const approvalChoices = ({ cues }: JobReport, approvals: ShownApprovals): ReadonlyArray<Choice> => {
  const known = Object.values(approvals.cues)
  const stale = known.filter(({ isStale }) => isStale === true).length
  return [
    { value: "approval:valid", words: "approved", count: known.length - stale },
    { value: "approval:stale", words: "approval out of date", count: stale },
    { value: "approval:none", words: "not approved", count: cues.length - known.length }
  ]
}

const idleChanges = (changes: ReadonlyArray<StaleOverride>): Content =>
  changes.length === 0
    ? undefined
    : html`<section class="warnings" aria-labelledby="idle-title">
        <h2 id="idle-title">Changes with no effect</h2>
        <ul>
          ${changes.map(
            ({ name, why }) =>
              html`<li>
                Cue ${name}: ${why}.
                <button type="button" class="idle" data-cue="${Number.parseInt(name, 10)}">
                  Remove<span class="unseen">: the change to cue ${name}</span>
                </button>
              </li>`
          )}
        </ul>
        <p id="idle-status" role="status"></p>
      </section>`
