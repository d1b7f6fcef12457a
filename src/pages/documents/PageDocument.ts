/** The frame of every page: one file that needs nothing but itself and reaches for nothing else. */
import { createHash } from "node:crypto"
import { type Content, Html, html } from "../parts/Html.ts"

/** What a page is dressed and driven by. */
export interface PageParts {
  /** The script, bundled to run as it stands. */
  readonly script: string
  /** The style sheet. */
  readonly style: string
}

/** A whole page. */
export interface Page {
  readonly title: string
  readonly language?: string | undefined
  readonly body: Content
  readonly parts: PageParts
  /** Where the page's sound comes from, and whom its script may ask, as sources of a Content-Security-Policy. */
  readonly policy: string
}

/** A page from its first byte to its last. */
export const documentOf = ({ title, body, parts, policy }: Page): Html => {
  const script = inlined(parts.script)
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; script-src '${hashOf(script)}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; ${policy}"
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <link rel="icon" href="data:," />
        <title>${title}</title>
        <style>
          ${new Html([parts.style.replaceAll("</", String.raw`<\/`)])}
        </style>
      </head>
      <body>
        ${body} ${new Html([`<script>${script}</script>`])}
      </body>
    </html> `
}

/** A script's text in which nothing ends its element or begins a comment. */
const inlined = (script: string): string =>
  script.replaceAll(/<\/(script)/giu, String.raw`<\/$1`).replaceAll("<!--", String.raw`<\!--`)

const hashOf = (script: string): string =>
  `sha256-${createHash("sha256").update(script, "utf8").digest("base64")}`
