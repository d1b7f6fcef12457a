/** Paths compared by the rules of each system, on any system. */
import { posix, win32 } from "node:path"
import { describe, expect, test } from "vitest"
import { pathInside, pathKey } from "../../src/system/PathComparison.ts"

describe("what is inside a folder", () => {
  test.each([
    ["/share", "/share/clips/a.wav", "clips/a.wav"],
    ["/share", "/share", ""],
    ["/share", "/share/..a", "..a"],
    ["/share", "/shared/a", undefined],
    ["/share", "/", undefined]
  ])("%s: %s", (folder, path, found) => expect(pathInside(folder, path, posix)).toBe(found))

  test.each([
    ["D:\\share", "d:\\Share\\clips\\a.wav", "clips\\a.wav"],
    ["D:\\share", "C:\\share\\a.wav", undefined],
    ["D:\\share", "\\\\server\\share\\a.wav", undefined]
  ])("on Windows, %s: %s", (folder, path, found) => expect(pathInside(folder, path, win32)).toBe(found))
})

test.each([
  ["linux", false, false],
  ["win32", true, false],
  ["darwin", true, true]
] as const)("%s: case is ignored: %s, Unicode normalization: %s", (platform, cases, form) => {
  const isSame = (one: string, other: string) => pathKey(one, platform) === pathKey(other, platform)
  expect(isSame("/films/A.srt", "/films/a.srt")).toBe(cases)
  expect(isSame("/films/caf\u00E9.srt", "/films/cafe\u0301.srt")).toBe(form)
  expect(isSame("/films/a.srt", "/films/b.srt")).toBe(false)
})
