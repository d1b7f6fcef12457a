/** Globs: file names in either Unicode normalization, and globs as a shell of Windows passes them. */
import { mkdirSync, writeFileSync } from "node:fs"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { filesLike, shellGlob } from "../../../../src/pipeline/load/patterns/PatternFiles.ts"

const word = "caf\u00E9"

it.scoped("matches names in either Unicode normalization", () =>
  Effect.gen(function* () {
    const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
    mkdirSync(`${folder}/${word.normalize("NFD")}`)
    const names = ["NFC", "NFD"].map((form, at) => `${word.normalize(form)}-${at}.srt`)
    for (const name of names)
      for (const below of [".", word.normalize("NFD")]) writeFileSync(`${folder}/${below}/${name}`, "")
    for (const form of ["NFC", "NFD"]) {
      const found = yield* filesLike(`${word}-*.srt`.normalize(form), folder)
      expect(found.map(({ name }) => name)).toEqual(names.toSorted())
      expect(yield* filesLike(`*/${word}-*.srt`.normalize(form), folder)).toHaveLength(2)
      expect(yield* filesLike(`${word}/*.srt`.normalize(form), folder)).toHaveLength(2)
    }
  }).pipe(Effect.provide(NodeContext.layer))
)

it.each([
  ["win32", "subs\\E0*\\*.srt", "subs/E0*/*.srt"],
  ["win32", "C:\\subs\\*.srt", "C:/subs/*.srt"],
  ["win32", "C:\\subs\\a.srt", "C:\\subs\\a.srt"],
  ["linux", "subs/\\[a\\]*.srt", "subs/\\[a\\]*.srt"]
] as const)("on %s, reads %s as %s", (platform, written, glob) => {
  expect(shellGlob(written, platform)).toBe(glob)
})
