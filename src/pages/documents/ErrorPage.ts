/** The page shown when another page cannot be rendered; it lists the reasons. */
import { documentOf, type PageParts } from "./PageDocument.ts"
import { type Html, html } from "../parts/Html.ts"

/** Renders the page. Each line of `why` is one reason. `home` links to the batch's page; undefined on that page. */
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
        <p>Fix the problem, then reload this page.</p>
      </main>`
  })
