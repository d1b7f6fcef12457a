/**
 * Independent timeline readers: XML through libxml2, timecode through smpte-timecode, OTIO by its own rules of time.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { DtdValidator, XmlDocument, XmlDtd, XmlElement, type XmlNode } from "libxml2-wasm"
import Timecode from "smpte-timecode"
import type { Timeline } from "../../../src/domain/speech/Timeline.ts"
import type { Found } from "./timelines.ts"

const dtd = XmlDtd.fromBuffer(readFileSync(join(import.meta.dirname, "fcpxml.dtd")))

/** Parses FCPXML. Throws if the document is not well-formed or violates the DTD. */
export const readFcpxml = (text: string): ReadonlyArray<Found> =>
  parsed(text, (document) => {
    new DtdValidator(dtd).validate(document)
    const start = timeIn(attribute(only(document.find("//sequence")), "tcStart"))
    const media = new Map(
      document
        .find("//resources/asset")
        .map((node) => [
          attribute(node, "id"),
          { from: timeIn(attribute(node, "start")), length: timeIn(attribute(node, "duration")) }
        ])
    )
    const [within] = document.find("//spine/gap | //spine/asset-clip")
    if (within === undefined || document.find("//spine/*").length > 1)
      throw new Error("the spine does not hold exactly one element")
    // The position of a connected clip is in the local time of the element that contains it.
    const zero = timeIn(attribute(within, "start")) - (timeIn(attribute(within, "offset")) - start)
    return document.find("//spine/*/asset-clip").map((node) => {
      const source = media.get(attribute(node, "ref"))
      if (source === undefined) throw new Error("a clip has no media")
      const into = timeIn(attribute(node, "start")) - source.from
      const played = into + timeIn(attribute(node, "duration"))
      if (into < -1e-9 || played > source.length + 1e-9) throw new Error("an edit extends beyond its media")
      const from = timeIn(attribute(node, "offset")) - zero
      return {
        cue: cueOf(attribute(node, "name")),
        start: from,
        end: from + timeIn(attribute(node, "duration")),
        track: attribute(node, "lane")
      }
    })
  })

export const readXmeml = (text: string): ReadonlyArray<Found> =>
  parsed(text, (document) => {
    const timebase = Number(content(document.find("/xmeml/sequence/rate/timebase")))
    const ntsc = content(document.find("/xmeml/sequence/rate/ntsc")) === "TRUE"
    const rate = ntsc ? (timebase * 1000) / 1001 : timebase
    return document.find("//audio/track").flatMap((track, place) =>
      track.find("clipitem[file/@id != 'film']").map((item) => {
        const [start, end, from, until, length] = ["start", "end", "in", "out", "duration"].map((name) =>
          Number(content(item.find(name)))
        )
        if (
          start === undefined ||
          end === undefined ||
          from === undefined ||
          until === undefined ||
          length === undefined
        ) {
          throw new Error("a clip has no times")
        }
        if (until - from !== end - start || until > length)
          throw new Error("a clip is longer than its source")
        return {
          cue: cueOf(content(item.find("name"))),
          start: start / rate,
          end: end / rate,
          track: `${place}`
        }
      })
    )
  })

/** Returns the texts of elements, or the values of attributes, that match an XPath. */
export const textsAt = (text: string, path: string): ReadonlyArray<string> =>
  parsed(text, (document) => document.find(path).map((node) => node.content))

export const readEdl = (text: string, { frameRate, startFrame }: Timeline): ReadonlyArray<Found> => {
  const known =
    [24, 25, 29.97, 30, 50, 59.94, 60].find((rate) => Math.abs(rate - frameRate.rate.value) < 0.01) ?? 23.976
  const pictures = (code: string) => new Timecode(code, known, frameRate.drop).frameCount
  const lines = text.split("\n")
  const event = /^\d{3,} {2}AX {7}(A\d*) +C {8}(\S+) (\S+) (\S+) (\S+)$/u
  return lines.flatMap((line, place) => {
    const [, track = "", from = "", until = "", start = "", end = ""] = event.exec(line) ?? []
    if (track === "") return []
    if (pictures(until) - pictures(from) !== pictures(end) - pictures(start))
      throw new Error(`source and record durations differ: ${line}`)
    const name = /^\* FROM CLIP NAME: (.*)$/u.exec(lines[place + 1] ?? "")?.[1] ?? ""
    const at = (code: string) => (pictures(code) - startFrame) / frameRate.rate.value
    return isFilm(name) ? [] : [{ cue: cueOf(name), start: at(start), end: at(end), track }]
  })
}

export const readLabels = (text: string): ReadonlyArray<Found> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [start, end, label = ""] = line.split("\t")
      const cue = Number(/words of (\d+)$/u.exec(label)?.[1])
      return { cue, start: Number(start), end: Number(end), track: `${cue}` }
    })

const Time = Schema.Struct({
  OTIO_SCHEMA: Schema.Literal("RationalTime.1"),
  rate: Schema.Positive,
  value: Schema.Number
})
const Range = Schema.Struct({ OTIO_SCHEMA: Schema.Literal("TimeRange.1"), start_time: Time, duration: Time })
const item = {
  name: Schema.String,
  effects: Schema.Tuple(),
  markers: Schema.Tuple(),
  enabled: Schema.Literal(true),
  metadata: Schema.Object
}
const Gap = Schema.Struct({ ...item, OTIO_SCHEMA: Schema.Literal("Gap.1"), source_range: Range })
const Clip = Schema.Struct({
  ...item,
  OTIO_SCHEMA: Schema.Literal("Clip.1"),
  source_range: Range,
  media_reference: Schema.Struct({
    OTIO_SCHEMA: Schema.Literal("ExternalReference.1"),
    name: Schema.String,
    target_url: Schema.NonEmptyString,
    available_range: Range,
    metadata: Schema.Object
  })
})
const Track = Schema.Struct({
  ...item,
  enabled: Schema.Boolean,
  OTIO_SCHEMA: Schema.Literal("Track.1"),
  kind: Schema.Literal("Audio", "Video"),
  source_range: Schema.Null,
  children: Schema.Array(Schema.Union(Gap, Clip))
})
const Marker = Schema.Struct({
  OTIO_SCHEMA: Schema.Literal("Marker.2"),
  name: Schema.String,
  color: Schema.Literal("RED"),
  comment: Schema.String,
  marked_range: Range,
  metadata: Schema.Object
})
/** Schema of the OTIO objects that our timelines use. */
const OtioFile = Schema.parseJson(
  Schema.Struct({
    OTIO_SCHEMA: Schema.Literal("Timeline.1"),
    name: Schema.String,
    global_start_time: Time,
    metadata: Schema.Object,
    tracks: Schema.Struct({
      ...item,
      OTIO_SCHEMA: Schema.Literal("Stack.1"),
      source_range: Schema.Null,
      markers: Schema.Array(Marker),
      children: Schema.Array(Track)
    })
  })
)

/** A child of a track begins where the previous one ends: OTIO has no other positions. */
export const readOtio = (text: string): ReadonlyArray<Found> => {
  const file = Schema.decodeSync(OtioFile, { onExcessProperty: "error" })(text)
  return file.tracks.children.flatMap((track, place) => {
    let reached = 0
    return track.children.flatMap((child) => {
      const start = reached
      reached += child.source_range.duration.value / child.source_range.duration.rate
      return child.OTIO_SCHEMA === "Gap.1" || isFilm(child.name)
        ? []
        : [{ cue: cueOf(child.name), start, end: reached, track: `${place}` }]
    })
  })
}

const parsed = <A>(text: string, read: (document: XmlDocument) => A): A => {
  const document = XmlDocument.fromString(text)
  try {
    return read(document)
  } finally {
    document.dispose()
  }
}

const only = (nodes: ReadonlyArray<XmlNode>): XmlNode => {
  const [node] = nodes
  if (node === undefined || nodes.length > 1) throw new Error(`expected one element, found ${nodes.length}`)
  return node
}

const content = (nodes: ReadonlyArray<XmlNode>): string => only(nodes).content

const attribute = (node: XmlNode, name: string): string => {
  const value = node instanceof XmlElement ? node.attr(name)?.value : undefined
  if (value === undefined) throw new Error(`no attribute ${name}`)
  return value
}

const timeIn = (text: string): number => {
  const [, numerator = "", denominator = "1"] = /^(\d+)(?:\/(\d+))?s$/u.exec(text) ?? []
  return Number(numerator) / Number(denominator)
}

/** Names of clips begin with a number, names of films do not. */
const isFilm = (name: string): boolean => !/^\d/u.test(name)

const cueOf = (name: string): number => Number(/^\d+/u.exec(name)?.[0])
