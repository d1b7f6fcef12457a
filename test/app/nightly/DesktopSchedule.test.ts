import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { XmlDocument } from "libxml2-wasm"
import { launchAgent, windowsTask, windowsWord } from "../../../src/app/nightly/ScheduleCommand.ts"
import { shellCommand } from "../../../src/app/nightly/Schedule.ts"
import { everythingFor } from "../../../src/app/nightly/ScheduleCommand.ts"

const night = {
  name: "dubwright-night",
  node: "/usr/local/bin/node",
  command: "/Users/mia/it's <mine> & yours/dubwright.mjs",
  manifest: "/Users/mia/The Lake/night.yaml",
  at: { hours: 1, minutes: 5 },
  deadline: { hours: 6, minutes: 0 },
  environment: "/Users/mia/.config/dubwright/environment"
}
const log = "/Users/mia/.local/state/night.log"

/** The texts of a document's elements of one name. */
const texts = (xml: string, path: string): ReadonlyArray<string> => {
  const document = XmlDocument.fromString(xml)
  try {
    return document
      .find(path, { t: "http://schemas.microsoft.com/windows/2004/02/mit/task" })
      .map((node) => node.content)
  } finally {
    document.dispose()
  }
}

/** Splits a command line as Windows programs do: backslashes escape only before a quote. */
const windowsWords = (line: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  let word: string | undefined
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    const slashes = /^\\*/u.exec(line.slice(at))?.[0].length ?? 0
    if (slashes > 0 && line[at + slashes] === '"') {
      word = (word ?? "") + "\\".repeat(Math.floor(slashes / 2))
      at += slashes
      if (slashes % 2 === 1) word += '"'
      else isQuoted = !isQuoted
    } else if (line[at] === '"') {
      word ??= ""
      isQuoted = !isQuoted
    } else if (line[at] === " " && !isQuoted) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? "") + (line[at] ?? "")
  }
  return word === undefined ? words : [...words, word]
}

describe("a nightly run", () => {
  it("on macOS is an agent whose shell command is that of cron", () => {
    const agent = launchAgent(night, log)
    expect(texts(agent, "/plist/dict/array/string")).toEqual(["/bin/sh", "-c", shellCommand(night, log)])
    expect(texts(agent, "/plist/dict/dict/integer")).toEqual(["1", "5"])
    expect(texts(agent, "/plist/dict/string")).toEqual([night.name, "/Users/mia/The Lake", "Background"])
  })

  it("on Windows is a task that runs node with the same words", () => {
    const task = windowsTask(night, log)
    expect(task, "saved as UTF-8 or UTF-16").toMatch(/^<\?xml version="1\.0"\?>/u)
    expect(texts(task, "//t:Command")).toEqual([night.node])
    expect(windowsWords(texts(task, "//t:Arguments")[0] ?? "")).toEqual([
      ...[night.command, "run", night.manifest, "--deadline", "06:00", "--quiet", "--log", log]
    ])
    expect(texts(task, "//t:StartBoundary")).toEqual(["2026-01-01T01:05:00"])
    expect(texts(task, "//t:MultipleInstancesPolicy")).toEqual(["IgnoreNew"])
  })

  it.prop(
    "keeps every word of a Windows command line",
    [fc.array(fc.stringMatching(/^[a-c \\"]{1,8}$/u))],
    ([words]) => {
      expect(windowsWords(words.map(windowsWord).join(" "))).toEqual(words)
    }
  )

  it("is printed for the platform, with the commands that install it", () => {
    expect(everythingFor("darwin", night, log)).toContain(
      "launchctl bootstrap gui/$UID ~/Library/LaunchAgents/dubwright-night.plist"
    )
    expect(everythingFor("win32", night, log)).toContain(
      "schtasks /Create /TN dubwright-night /XML dubwright-night.xml"
    )
    expect(everythingFor("linux", night, log)).toContain(
      "systemctl --user enable --now dubwright-night.timer"
    )
  })
})
