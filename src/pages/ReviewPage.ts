/** A job's page in review: the report, with a box in which a cue is changed, heard anew and accepted. */
import type { JobReport } from "../domain/Report.ts"
import { type Html, html } from "./Html.ts"
import { jobDocument, type JobPageExtras } from "./JobPage.ts"
import { reviewKeys } from "./Keys.ts"

/** The page's text; it works only with the server that it comes from. */
export const reviewPage = (report: JobReport, extras: JobPageExtras): string =>
  jobDocument(report, extras, {
    keys: reviewKeys,
    policy: "media-src 'self' blob:; connect-src 'self'",
    buttons: html`<button type="button" id="edit-open">Change cue <kbd aria-hidden="true">e</kbd></button>`,
    foot: editBox
  })

const editBox: Html = html`<dialog id="edit" aria-labelledby="edit-title">
  <form id="edit-form" novalidate>
    <h2 id="edit-title">Cue</h2>
    <p id="edit-source" class="aside" dir="auto"></p>
    <div id="edit-parts"></div>
    <template id="edit-part">
      <fieldset>
        <legend></legend>
        <label class="wide">Say <textarea name="say" rows="3" dir="auto" required></textarea></label>
        <label class="half"
          >Voice <input name="voice" list="edit-voices" autocomplete="off" required
        /></label>
        <label class="half"
          >Provider <input name="provider" list="edit-providers" autocomplete="off" required
        /></label>
        <label>Speed <input name="speed" type="number" step="0.05" min="0.1" max="5" /></label>
        <label>From (s) <input name="start" type="number" step="0.001" min="0" /></label>
        <label>To (s) <input name="end" type="number" step="0.001" min="0" /></label>
      </fieldset>
    </template>
    <datalist id="edit-voices"></datalist>
    <datalist id="edit-providers"></datalist>
    <p id="edit-status" role="status"></p>
    <audio id="edit-take" controls hidden></audio>
    <div class="buttons">
      <span id="edit-asking">
        <button type="submit" id="edit-hear">Hear the new take</button>
        <button type="button" id="edit-accept" disabled>Accept</button>
        <button type="button" id="edit-withdraw">Back to the script</button>
      </span>
      <button type="button" id="edit-cancel">Cancel</button>
    </div>
  </form>
</dialog>`
