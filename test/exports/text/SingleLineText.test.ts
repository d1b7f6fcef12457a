/** Texts on one line, and paths as URLs. */
import { expect, test } from "vitest"
import { relativeUrl } from "../../../src/exports/text/SingleLineText.ts"

test.each([
  ["../films/The Lake #2.mkv", "../films/The%20Lake%20%232.mkv"],
  ["clips/0001_Anna?.wav", "clips/0001_Anna%3F.wav"],
  ["D:/films/The Lake.mkv", "file:///D:/films/The%20Lake.mkv"],
  ["//nas/films/The Lake.mkv", "file://nas/films/The%20Lake.mkv"]
])("%s as a URL is %s", (path, url) => {
  expect(relativeUrl(path)).toBe(url)
  expect(URL.canParse(url, "file:///out/night/night.otio")).toBe(true)
})
