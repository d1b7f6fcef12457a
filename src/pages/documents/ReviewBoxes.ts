/** The boxes of the review page: the edit box, and the dialog for speakers' voices. */
import { type Html, html } from "../parts/Html.ts"

/** The edit box, beside the cues. */
export const editBox: Html = html`<dialog id="edit" tabindex="-1" aria-labelledby="edit-title">
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
export const voicesDialog: Html = html`<dialog id="voices" aria-labelledby="voices-title">
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
