/** Texts on one line, and paths as URLs. */
import { expect, test } from "vitest"
import { describedClip } from "../../../src/exports/text/Ixml.ts"
import { asciiText, relativeUrl } from "../../../src/exports/text/SingleLineText.ts"

test.each([
  ["../films/The Lake #2.mkv", "../films/The%20Lake%20%232.mkv"],
  ["clips/0001_Anna?.wav", "clips/0001_Anna%3F.wav"],
  ["D:/films/The Lake.mkv", "file:///D:/films/The%20Lake.mkv"],
  ["//nas/films/The Lake.mkv", "file://nas/films/The%20Lake.mkv"]
])("%s as a URL is %s", (path, url) => {
  expect(relativeUrl(path)).toBe(url)
  expect(URL.canParse(url, "file:///out/night/night.otio")).toBe(true)
})

test.each([
  ["BEN", "BEN: Is it late?", "12 BEN: Is it late?"],
  ["Ben", "BEN :\nC’est tard ?", "12 BEN : C’est tard ?"],
  ["MRS. LAKE", "Mrs. Lake：Yes.", "12 Mrs. Lake：Yes."],
  ["BEN", "Benny: no", "12 BEN: Benny: no"]
])("a clip of %s with the text %j is described with one label", (speaker, text, description) => {
  expect(describedClip({ cue: 12, speaker, text })).toBe(description)
})

test.each([
  ["Bà Hai: Đi đâu đấy…", "Ba Hai: Di dau day..."],
  ["“Größe” – l’œuvre, ﬁn", '"Grosse" - l\'oeuvre, fin'],
  ["Anna: Да", "Anna: ??"]
])("%s in ASCII is %s", (text, ascii) => {
  expect(asciiText(text)).toBe(ascii)
})
