/** The review page of a job: its report plus an edit box to change a cue, listen to a new take, and accept it. */
import type { JobReport } from "../../domain/report/Report.ts"
import type { ShownApprovals } from "../data/ReviewProtocol.ts"
import { html, jsonText, type Content, type Html } from "../parts/Html.ts"
import type { Choice } from "../parts/SearchBox.ts"
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

/** The edit box, beside the cues. */
const editBox: Html = html`<dialog id="edit" tabindex="-1" aria-labelledby="edit-title">
  <form id="edit-form" novalidate>
    <h2 id="edit-title">Cue</h2>
    <p id="edit-source" class="aside" dir="auto"></p>
    <div id="edit-parts"></div>
    <template id="edit-part">
      <fieldset>
        <legend></legend>
        <label class="wide">Say <textarea name="say" rows="2" dir="auto" required></textarea></label>
        <p class="wide count"></p>
        <label class="half"
          >Voice <input name="voice" list="edit-voices" autocomplete="off" required
        /></label>
        <label class="half"
          >Provider <input name="provider" list="edit-providers" autocomplete="off" required
        /></label>
        <label>Speed <input name="speed" type="number" step="0.05" min="0.1" max="5" /></label>
        <label>Start (s) <input name="start" type="number" step="0.001" min="0" /></label>
        <label>End (s) <input name="end" type="number" step="0.001" min="0" /></label>
      </fieldset>
    </template>
    <datalist id="edit-voices"></datalist>
    <datalist id="edit-providers"></datalist>
    <div id="edit-takes" role="group" aria-labelledby="edit-takes-title" hidden>
      <p id="edit-takes-title">Takes <kbd aria-hidden="true">F9</kbd></p>
      <ol id="edit-takes-list"></ol>
    </div>
    <div class="shapes" role="group" aria-label="Shape of the cue">
      <button type="button" id="edit-split">Split at the cursor</button>
      <button type="button" id="edit-join">Join with the next</button>
      <span class="shift"
        ><label
          >Move by (s)
          <input id="edit-shift-by" type="number" step="0.1" value="0.5" autocomplete="off" /></label
        ><button type="button" id="edit-shift">Move this and all that follow</button></span
      >
    </div>
    <div class="foot">
      <p id="edit-status" role="status"></p>
      <audio id="edit-take" controls hidden></audio>
      <div class="buttons">
        <span id="edit-asking">
          <button type="submit" id="edit-hear">Listen</button>
          <button type="button" id="edit-accept" disabled>Accept</button>
          <button type="button" id="edit-accept-next" disabled>Accept, next</button>
          <button type="button" id="edit-withdraw">Revert</button>
        </span>
        <button type="button" id="edit-cancel">Close</button>
      </div>
    </div>
  </form>
</dialog>`

/** The dialog that gives a speaker another voice. */
const voicesDialog: Html = html`<dialog id="voices" aria-labelledby="voices-title">
  <form id="voices-form" novalidate>
    <h2 id="voices-title">Voice of a speaker</h2>
    <p class="aside">Changes all lines of the speaker, except those with a voice of their own.</p>
    <label
      >Speaker
      <select id="voices-speaker"></select
    ></label>
    <label>Voice <input id="voices-voice" list="voices-known" autocomplete="off" required /></label>
    <label>Provider <input id="voices-provider" list="voices-providers" autocomplete="off" required /></label>
    <datalist id="voices-known"></datalist>
    <datalist id="voices-providers"></datalist>
    <p id="voices-status" role="status"></p>
    <div class="buttons">
      <button type="submit">Show the price</button>
      <button type="button" id="voices-change" disabled>Change</button>
      <button type="button" id="voices-cancel">Close</button>
    </div>
  </form>
</dialog>`
