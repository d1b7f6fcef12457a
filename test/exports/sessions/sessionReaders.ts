/** Readers of projects, by the formats' own rules: MLT through libxml2, REAPER's tree of lines by hand. */
import { XmlDocument, XmlElement } from "libxml2-wasm"
import type { Timeline } from "../../../src/domain/speech/Timeline.ts"
import type { Found } from "../timelines/timelines.ts"

/** Returns where an MLT project plays each clip. Throws if an edit is longer than its media. */
export const readMlt = (text: string, { frameRate, tracks }: Timeline): ReadonlyArray<Found> => {
  const document = XmlDocument.fromString(text)
  try {
    const cues = new Map(
      tracks.flatMap(({ clips }) => clips.map(({ cue, media }) => [media.path, cue] as const))
    )
    const producers = new Map(
      elements(document.root, "//producer").map((node) => [
        node.attr("id")?.value ?? "",
        {
          cue: cues.get(elements(node, "property[@name='resource']")[0]?.content ?? ""),
          length: Number(elements(node, "property[@name='length']")[0]?.content)
        }
      ])
    )
    return elements(document.root, "//playlist[@id!='main_bin']").flatMap((playlist) => {
      let at = 0
      return elements(playlist, "blank | entry").flatMap((node) => {
        if (node.name === "blank") {
          at += Number(node.attr("length")?.value)
          return []
        }
        const { cue, length = 0 } = producers.get(node.attr("producer")?.value ?? "") ?? {}
        const [from, to] = [Number(node.attr("in")?.value), Number(node.attr("out")?.value)]
        if (from !== 0 || to >= length)
          throw new Error(`an edit of ${to} is longer than its media of ${length}`)
        const start = at
        at += to + 1 - from
        const rate = frameRate.rate.value
        return cue === undefined
          ? []
          : [{ cue, start: start / rate, end: at / rate, track: playlist.attr("id")?.value ?? "" }]
      })
    })
  } finally {
    document.dispose()
  }
}

const elements = (node: XmlElement, path: string): ReadonlyArray<XmlElement> =>
  node.find(path).filter((found) => found instanceof XmlElement)

/** An item of a REAPER project, in seconds. */
interface Item {
  readonly cue: number
  readonly position: number
  readonly snap: number
  readonly length: number
  readonly fadeIn: number
  readonly fadeOut: number
}

/** Reads a REAPER project: its speakers' tracks, their items, its regions' ends and its markers. */
export const readReaper = (text: string) => {
  const lines = text.split("\n").map(wordsOf)
  let depth = 0
  for (const [first = ""] of lines) depth += first.startsWith("<") ? 1 : first === ">" ? -1 : 0
  if (depth !== 0) throw new Error("unbalanced elements")
  const tracks: Array<string> = []
  const items: Array<Item> = []
  const markers: Array<{ readonly at: number; readonly name: string; readonly isRegion: boolean }> = []
  let values = new Map<string, ReadonlyArray<string>>()
  let within = ""
  for (const [name = "", ...rest] of lines) {
    if (name === "<TRACK" || name === "<ITEM") {
      within = name
      values = new Map()
    } else if (name === "NAME" && within === "<TRACK") tracks.push(rest[0] ?? "")
    else if (name === "MARKER")
      markers.push({ at: Number(rest[1]), name: rest[2] ?? "", isRegion: rest[3] === "1" })
    else values.set(name, rest)
    if (name === "<SOURCE" && rest[0] === "WAVE") {
      const of = (key: string, at = 0) => Number(values.get(key)?.[at])
      items.push({
        cue: Number.parseInt(values.get("NAME")?.[0] ?? "", 10),
        position: of("POSITION"),
        snap: of("SNAPOFFS"),
        length: of("LENGTH"),
        fadeIn: of("FADEIN", 1),
        fadeOut: of("FADEOUT", 1)
      })
    }
  }
  return { tracks: tracks.filter((name) => name !== "Original"), items, markers }
}

/** Splits a line at spaces; a word in quotes, of any of three kinds, may hold spaces. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|`([^`]*)`|(\S+)/gu)].map(
    ([, double, single, back, plain]) => double ?? single ?? back ?? plain ?? ""
  )
