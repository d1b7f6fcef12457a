/** Unsupported formats: each is rejected by name, with a tool that converts it. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { readScript } from "../../../src/script/ScriptFile.ts"

const message = (file: string, content: string | Uint8Array) =>
  Either.getOrThrow(
    Either.flip(readScript(typeof content === "string" ? new TextEncoder().encode(content) : content, file))
  ).message

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))

it("a TTML file with times of day by date is rejected", () => {
  const file = (begin: string) =>
    `<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="${begin}">Hi.</p></div></body></tt>`
  expect(message("a.ttml", file("wallclock(2020-01-01T00:00:01Z)"))).toContain(
    'a.ttml:1: "wallclock(2020-01-01T00:00:01Z)": a time of day, which is not a position in the film'
  )
})

describe("an unsupported format", () => {
  const refusals: ReadonlyArray<readonly [file: string, content: string | Uint8Array, expected: string]> = [
    [
      "a.sub",
      bytes("\x00\x00\x01\xbaD\x00\x04\x00\x00\x00\x00\x00\x01\x89"),
      "VobSub subtitles are images and are not supported; convert the images to SRT with OCR, for example with Subtitle Edit"
    ],
    [
      "a.idx",
      "# VobSub index file, v7\nsize: 720x576\n",
      "VobSub subtitles are images and are not supported; convert the images to SRT with OCR, for example with Subtitle Edit"
    ],
    [
      "a.sup",
      bytes("PG\x00\x00\x00\x01\x00\x00\x00\x00\x16\x00"),
      "PGS subtitles (Blu-ray) are images and are not supported; convert the images to SRT with OCR, for example with Subtitle Edit"
    ],
    ["a.pdf", "%PDF-1.7", "PDF documents are not supported; convert the file to text: pdftotext a.pdf a.txt"],
    [
      "a.html",
      "<html><p>Hi",
      "web pages are not supported; convert the file to Markdown: pandoc a.html -o a.md"
    ],
    [
      "a.mkv",
      bytes("\x1aE\xdf\xa3\x01"),
      "videos are not supported; pass its subtitle file instead; to extract a text subtitle: ffmpeg -i a.mkv a.srt"
    ]
  ]
  for (const [file, content, expected] of refusals)
    it(`${file} is rejected: ${expected.slice(0, 40)}…`, () => {
      expect(message(file, content)).toBe(`${file}:1: ${expected}`)
    })

  it("an IRC log is not taken for lyrics", () => {
    const log = "[10:15] <anna> hello\n[10:16] <bo> hi there\n"
    expect(Either.isRight(readScript(new TextEncoder().encode(log), "a.txt"))).toBe(true)
  })
})
