/** The HTML frame of every page: one self-contained file, with a Content-Security-Policy that blocks other requests. */
import { createHash } from "node:crypto"
import { type Content, Html, html } from "../parts/Html.ts"

/** A page's script and style. */
export interface PageParts {
  /** The bundled script. */
  readonly script: string
  /** The style sheet. */
  readonly style: string
}

/** Everything that makes up a page. */
export interface Page {
  readonly title: string
  readonly language?: string | undefined
  readonly body: Content
  readonly parts: PageParts
  /** Extra Content-Security-Policy directives for audio and for the script's requests. */
  readonly policy: string
}

/** Renders the whole document. */
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

/** Escapes a script for inlining, so that nothing in it closes its element or opens an HTML comment. */
const inlined = (script: string): string =>
  script.replaceAll(/<\/(script)/giu, String.raw`<\/$1`).replaceAll("<!--", String.raw`<\!--`)

const hashOf = (script: string): string =>
  `sha256-${createHash("sha256").update(script, "utf8").digest("base64")}`

/** A manifest as the pages show it: they may be shared, so an absolute path is cut to the file's name. */
export const shownManifest = (manifest: string): string =>
  /^(?:\/|[a-z]:[\\/])[^\n]*\.(?:ya?ml|json)$/iu.test(manifest) ? manifest.replace(/^.*[\\/]/u, "") : manifest
