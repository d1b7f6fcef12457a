import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { namedIn, unlisted, unlistedText } from "../../../src/pipeline/load/UnlistedSubtitles.ts"

describe("a manifest names a file", () => {
  test.each([
    ["jobs: [{ input: subs/a.srt }]", true],
    ["jobs:\n  - input: './subs/a.srt'\n", true],
    ["jobs:\n  - input: subs/*.srt   # all\n", true],
    ["# - input: subs/a.srt\n", true],
    ["# subs/a.srt is in the film's own language\n", true],
    ["input: more/subs/a.srt", false],
    ["input: a.srt", false],
    ["input: subs/*.vtt", false],
    ["input: 'subs/{episode}.srt'", true],
    ["input: 'subs/{episode}.{language}.srt'", false]
  ])("%s: %s", (text, named) => {
    expect(namedIn(text)("subs/a.srt")).toBe(named)
  })
})

test("finds subtitles that no manifest in the folder lists, and skips results, state and other files", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dubwright-"))
  for (const name of ["subs", "results [1]/a", "earlier/a", ".dubwright"])
    mkdirSync(join(folder, name), { recursive: true })
  for (const name of [
    "a.srt",
    "subs/b.ass",
    "subs/C.VTT",
    "other.srt",
    "note.md",
    "results [1]/a/a.srt",
    "earlier/a/a.srt",
    "earlier/a/report.json"
  ])
    writeFileSync(join(folder, name), "")
  writeFileSync(join(folder, "m.yaml"), "jobs: [{ input: a.srt }]")
  writeFileSync(join(folder, "n.yaml"), "jobs: [{ input: other.srt }]")
  const left = await Effect.runPromise(
    unlisted({
      manifest: join(folder, "m.yaml"),
      jobs: JSON.parse(JSON.stringify([{ input: join(folder, "a.srt") }])),
      out: join(folder, "results [1]"),
      state: join(folder, ".dubwright")
    })
  )
  expect(left).toEqual(["subs/C.VTT", "subs/b.ass"])
})

test("reports hundreds of files in one line", () => {
  const files = Array.from({ length: 300 }, (_, i) => `s${i}.srt`)
  expect(unlistedText("x/dubwright.yaml", files)).toBe(
    "300 subtitles are in no job: s0.srt, s1.srt, s2.srt and 297 more (dubwright init adds jobs)"
  )
  expect(unlistedText("m.yaml", ["a.srt"])).toBe("1 subtitle is in no job: a.srt (add jobs)")
  expect(unlistedText("m.yaml", [])).toBeUndefined()
})
