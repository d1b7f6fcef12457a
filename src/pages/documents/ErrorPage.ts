/** What a person sees in place of a page that cannot be shown: why not. */
import { documentOf, type PageParts } from "./PageDocument.ts"
import { type Html, html } from "../parts/Html.ts"

/** The page; `why` may have several lines, `home` is the way to the batch's page where this is another one. */
export const errorPage = (why: string, home: string | undefined, { style }: PageParts): Html =>
  documentOf({
    title: "dubwright: this page cannot be shown",
    parts: { script: "", style },
    policy: "",
    body: html`<header>
        ${home === undefined ? undefined : html`<nav aria-label="Pages"><a href="${home}">← All jobs</a></nav>`}
        <h1>This page cannot be shown</h1>
      </header>
      <main>
        <section class="warnings" aria-label="Why">
          <ul>
            ${why.split("\n").map((line) => html`<li>${line}</li>`)}
          </ul>
        </section>
        <p>Reload it when that is mended.</p>
      </main>`
  })
