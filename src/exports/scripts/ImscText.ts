/** TTML subtitles in the IMSC 1.1 Text Profile (https://www.w3.org/TR/ttml-imsc1.1/). */
import type { SubtitleEntry } from "../../domain/speech/SubtitleEntry.ts"
import { clockTime, cuesOf } from "../text/Subtitles.ts"
import { element, type Markup, markupDocument } from "../text/Markup.ts"
import { oneLine } from "../text/SingleLineText.ts"

/** Metadata of a document. */
export interface SubtitleNote {
  readonly title: string
  /** The language of the text as a tag. */
  readonly language?: string | undefined
}

/**
 * Encodes the entries in order of start, centred at the bottom of the picture. Speakers are agents. Times count from
 * the film's beginning, in hours that may exceed two digits.
 */
export const imscText = (
  entries: ReadonlyArray<SubtitleEntry>,
  { title, language = "und" }: SubtitleNote
): string => {
  const cues = cuesOf(entries, (line) => line)
  const speakers = [...new Set(cues.flatMap(({ entry: { speaker } }) => speaker ?? []))]
  const agent = (speaker: string | undefined) =>
    speaker === undefined ? undefined : `speaker_${speakers.findIndex((name) => name === speaker) + 1}`
  return markupDocument(
    element(
      "tt",
      {
        xmlns: "http://www.w3.org/ns/ttml",
        "xmlns:ttp": "http://www.w3.org/ns/ttml#parameter",
        "xmlns:tts": "http://www.w3.org/ns/ttml#styling",
        "xmlns:ttm": "http://www.w3.org/ns/ttml#metadata",
        "ttp:contentProfiles": "http://www.w3.org/ns/ttml/profile/imsc1.1/text",
        "ttp:timeBase": "media",
        "ttp:cellResolution": "32 15",
        "xml:lang": language
      },
      [
        element("head", {}, [
          element("metadata", {}, [
            element("ttm:title", {}, [oneLine(title)]),
            ...speakers.map((speaker, place) =>
              element("ttm:agent", { type: "character", "xml:id": `speaker_${place + 1}` }, [
                element("ttm:name", { type: "alias" }, [oneLine(speaker)])
              ])
            )
          ]),
          element("styling", {}, [
            element("style", {
              "xml:id": "text",
              "tts:color": "#ffffff",
              "tts:fontFamily": "proportionalSansSerif",
              "tts:fontSize": "80%",
              "tts:lineHeight": "125%",
              "tts:textAlign": "center",
              "tts:textOutline": "#000000 5%"
            })
          ]),
          element("layout", {}, [
            element("region", {
              "xml:id": "bottom",
              "tts:displayAlign": "after",
              "tts:origin": "10% 10%",
              "tts:extent": "80% 80%",
              "tts:showBackground": "whenActive"
            })
          ])
        ]),
        element("body", { style: "text" }, [
          element(
            "div",
            { region: "bottom" },
            cues.map(({ id, start, end, text, entry }) =>
              element(
                "p",
                {
                  "xml:id": `cue_${id}`,
                  begin: clockTime(start, "."),
                  end: clockTime(end, "."),
                  "ttm:agent": agent(entry.speaker)
                },
                linesOf(text)
              )
            )
          )
        ])
      ]
    )
  )
}

const linesOf = (text: string): ReadonlyArray<Markup> =>
  text.split("\n").flatMap((line, place) => (place === 0 ? [line] : [element("br"), line]))
