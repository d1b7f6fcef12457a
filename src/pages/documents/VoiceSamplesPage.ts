/** The page of `voices try`: a player for each voice, all with the same text. */
import { documentOf, type PageParts } from "./PageDocument.ts"
import { type Html, html } from "../parts/Html.ts"

/** A voice and its sample. */
export interface VoiceSample {
  readonly provider: string
  readonly voice: string
  readonly name: string
  readonly languages: ReadonlyArray<string>
  /** The audio file beside the page, or why there is none. */
  readonly result: { readonly file: string } | { readonly error: string }
}

/** Renders the page. `language` is that of the text, if it is known. */
export const voiceSamplesPage = (
  samples: ReadonlyArray<VoiceSample>,
  text: string,
  language: string | undefined,
  { style }: PageParts
): Html =>
  documentOf({
    title: "Voice samples",
    parts: { script: "", style },
    policy: "media-src 'self' file:",
    body: html`<header>
        <h1>Voice samples</h1>
        <p class="about"><q ${language === undefined ? undefined : html`lang="${language}"`}>${text}</q></p>
      </header>
      <main>
        <section class="list" aria-label="Voices">
          <ul>
            ${samples.map(
              ({ provider, voice, name, languages, result }) =>
                html`<li>
                  <p><strong>${voice}</strong> · ${name} · ${languages.join(" ")} · ${provider}</p>
                  ${
                    "file" in result
                      ? html`<audio
                          controls
                          preload="metadata"
                          aria-label="${voice}"
                          src="${encodeURI(result.file)}"
                        ></audio>`
                      : html`<p>not spoken: ${result.error}</p>`
                  }
                </li>`
            )}
          </ul>
        </section>
      </main>`
  })
