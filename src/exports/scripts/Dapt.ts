/** W3C DAPT script of a finished dub, as recorded, with links to its clips (https://www.w3.org/TR/dapt/). */
import type { Timeline, TimelineClip } from "../../domain/speech/Timeline.ts"
import { framesAt } from "../../domain/time/Units.ts"
import { escapedAttribute, escapedXml } from "../text/Markup.ts"
import { oneLine } from "../text/SingleLineText.ts"
import { pictureStart } from "../timelines/TimelineLanes.ts"

/**
 * Encodes a script of type `asRecorded`: a character per speaker, and a script event per clip in order of start. Each
 * event links the part of its audio file that is heard. Times are seconds from the beginning of the film.
 */
export const dapt = (timeline: Timeline): string => {
  const { name, language = "und", tracks } = timeline
  const characters = tracks.map((track, place) => ({ ...track, id: `character_${place + 1}` }))
  const events = characters
    .flatMap(({ id, clips }) => clips.map((clip) => ({ clip, id })))
    .sort((a, b) => a.clip.at - b.clip.at || a.clip.cue - b.clip.cue)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<tt xmlns="http://www.w3.org/ns/ttml"',
    '    xmlns:ttp="http://www.w3.org/ns/ttml#parameter"',
    '    xmlns:ttm="http://www.w3.org/ns/ttml#metadata"',
    '    xmlns:daptm="http://www.w3.org/ns/ttml/profile/dapt#metadata"',
    '    ttp:contentProfiles="http://www.w3.org/ns/ttml/profile/dapt1.0/content"',
    `    xml:lang="${escapedAttribute(language)}"`,
    '    daptm:scriptRepresents="audio.dialogue"',
    '    daptm:scriptType="asRecorded">',
    "  <head>",
    "    <metadata>",
    `      <ttm:title>${escapedXml(oneLine(name))}</ttm:title>`,
    ...characters.flatMap(({ id, name: speaker }) => [
      `      <ttm:agent type="character" xml:id="${id}">`,
      `        <ttm:name type="alias">${escapedXml(oneLine(speaker))}</ttm:name>`,
      "      </ttm:agent>"
    ]),
    "    </metadata>",
    "  </head>",
    '  <body daptm:represents="audio.dialogue">',
    ...events.flatMap(({ clip, id }, place) => eventLines(timeline, clip, id, place + 1)),
    "  </body>",
    "</tt>",
    ""
  ].join("\n")
}

const eventLines = (timeline: Timeline, clip: TimelineClip, character: string, number: number) => {
  const { at, duration, media, text } = clip
  // The file begins with its video frame, the event with the speech.
  const lead = framesAt(at, media.rate) - pictureStart(at, timeline.frameRate, media.rate)
  const from = ((clip.sourceIn + lead) * 1000) / media.rate
  const source = `src="${escapedAttribute(encodeURI(media.path))}" type="audio/wav"`
  const part = `clipBegin="${seconds(from)}" clipEnd="${seconds(from + duration)}"`
  return [
    `    <div xml:id="event_${number}" begin="${seconds(at)}" end="${seconds(at + duration)}" ttm:agent="${character}">`,
    "      <p>",
    `        <span><audio ${source} ${part}/>${escapedXml(oneLine(text))}</span>`,
    "      </p>",
    "    </div>"
  ]
}

const seconds = (time: number): string => `${Number((time / 1000).toFixed(6))}s`
