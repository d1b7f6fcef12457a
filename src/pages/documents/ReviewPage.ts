/** The review page of a job: its report plus an edit box to change a cue, listen to a new take, and accept it. */
import type { JobReport } from "../../domain/report/Report.ts"
import { type Content, type Html, html } from "../parts/Html.ts"
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
  idle: ReadonlyArray<StaleOverride> = []
): Html =>
  jobDocument(report, extras, {
    keys: [...reviewKeys, ...editKeys],
    policy: "media-src 'self' blob:; connect-src 'self'",
    buttons: html`<button type="button" id="edit-open">Edit cue <kbd aria-hidden="true">e</kbd></button>
      <button type="button" id="undo" disabled>Undo</button>
      <button type="button" id="redo" disabled>Redo</button>`,
    status: html`<p id="delivery" role="status"></p>`,
    lead: idleChanges(idle),
    beside: editBox
  })

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
