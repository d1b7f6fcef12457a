/** Unsupported formats: each is rejected by name, with a tool that converts it. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { readScript } from "../../../src/script/ScriptFile.ts"

const message = (file: string, content: string | Uint8Array) =>
  Either.getOrThrow(
    Either.flip(readScript(typeof content === "string" ? new TextEncoder().encode(content) : content, file))
  ).message

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0))

describe("an unsupported format", () => {
  const refusals: ReadonlyArray<readonly [file: string, content: string | Uint8Array, expected: string]> = [
    [
      "a b.scc",
      "Scenarist_SCC V1.0\n\n00:00:01;00\t9420\n",
      "SCC captions are not supported; convert the file to SRT: ffmpeg -i 'a b.scc' 'a b.srt'"
    ],
    [
      "a.smi",
      "<SAMI>\n<BODY>",
      "SAMI captions are not supported; convert the file to SRT: ffmpeg -i a.smi a.srt"
    ],
    [
      "a.lrc",
      "[ti:Song]\n[00:01.20]La\n",
      "LRC lyrics are not supported; convert the file to SRT: ffmpeg -i a.lrc a.srt"
    ],
    ["a.lrc", "[00:01]La\n", "LRC lyrics are not supported; convert the file to SRT: ffmpeg -i a.lrc a.srt"],
    [
      "a.txt",
      "[00:01.20]La\n[00:02.20]la\n",
      "LRC lyrics are not supported; convert the file to SRT: ffmpeg -i a.txt a.srt"
    ],
    [
      "a.sub",
      "{25}{75}Hello|there\n",
      "MicroDVD subtitles count frames and are not supported; convert the file to SRT at the film's frame rate, for example with Subtitle Edit or, at 25 fps, ffmpeg -subfps 25 -f microdvd -i a.sub a.srt"
    ],
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
    [
      "a.stl",
      bytes("850STL25.010\x00\x00"),
      "STL subtitles are not supported; convert the file to SRT, for example with Subtitle Edit"
    ],
    [
      "a.docx",
      bytes("PK\x03\x04\x14\x00"),
      "Word documents are not supported; convert the file to Markdown: pandoc a.docx -o a.md"
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
