/** The dialog of keyboard shortcuts, opened by `?`. */
import { type Html, html } from "./Html.ts"
import { keyCap, type KeyHelp } from "./KeyBindings.ts"

/** Renders the dialog that lists a page's shortcuts. */
export const keyHelp = (keys: ReadonlyArray<KeyHelp<string>>): Html =>
  html`<dialog id="help" aria-labelledby="help-title">
    <h2 id="help-title">Keyboard shortcuts</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">Action</th>
        </tr>
      </thead>
      <tbody>
        ${keys.map(
          ({ keys: names, does }) =>
            html`<tr>
              <td>
                ${names.map((name, at) => [at === 0 ? undefined : " or ", html`<kbd>${keyCap(name)}</kbd>`])}
              </td>
              <td>${does}</td>
            </tr> `
        )}
      </tbody>
    </table>
    <label><input type="checkbox" id="keys-on" checked /> Enable these shortcuts</label>
    <form method="dialog"><button>Close</button></form>
  </dialog>`

/** The button that opens the dialog. */
export const helpButton: Html = html`<button type="button" id="help-open" aria-haspopup="dialog">
  Shortcuts <kbd aria-hidden="true">?</kbd>
</button>`
