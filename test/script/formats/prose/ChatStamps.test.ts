/** Exported chats: messages with their authors, without stamps and the programs' own lines. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { readScript } from "../../../../src/script/ScriptFile.ts"
import { spokenWords } from "../../../../src/script/spoken/SpokenWords.ts"

/** Each message's text, author and line. */
const said = (text: string): ReadonlyArray<string> => {
  const script = Either.getOrThrow(readScript(new TextEncoder().encode(text), "chat.txt"))
  return spokenWords(script, {}, []).cues.map((cue) =>
    "skipped" in cue
      ? `${cue.line} (${cue.skipped})`
      : `${cue.line} ${cue.parts.map((part) => `${part.speaker ?? "?"}: ${part.said}`).join(" | ")}`
  )
}

const rule = "=".repeat(62)

const chats: Readonly<Record<string, readonly [text: string, said: ReadonlyArray<string>]>> = {
  WhatsApp: [
    "[12/03/2024, 10:15:32] Messages are encrypted.\n[12/03/2024, 10:15:33] Anna: Hi: you\n\u200e[12/03/2024, 10:15:40] Bo: Hello\nagain\n12/03/24, 10:16 AM - Cy: So long\n",
    ["1 ?: Messages are encrypted.", "2 Anna: Hi: you", "3 Bo: Hello again", "5 Cy: So long"]
  ],
  "Telegram, copied": [
    "Anna Smith, [12.03.2024 10:15]\nHi there\n\nA second paragraph\n\nBo, [12.03.2024 10:16]\nHello\nyou\n",
    ["2 Anna Smith: Hi there", "4 Anna Smith: A second paragraph", "7 Bo: Hello you"]
  ],
  "Telegram, with months by name": [
    "Anna, [12 Mar 2024 at 10:15:32]:\nHi\n\nBo, [Mar 12, 2024 at 10:16:00 PM]:\nHello\n",
    ["2 Anna: Hi", "5 Bo: Hello"]
  ],
  "Telegram, in one line": [
    "[12.03.2024 10:15] Anna: Hi\n[12.03.2024 10:16] Bo: Hello\n",
    ["1 Anna: Hi", "2 Bo: Hello"]
  ],
  "Discord, copied": [
    "Anna — Today at 10:15 AM\nHi there\nall\nbo.b — 12/03/2024 10:16\nHello\n[10:17]\nMore\n",
    ["2 Anna: Hi there all", "5 bo.b: Hello", "7 bo.b: More"]
  ],
  "Discord, in German and Vietnamese": [
    "Anna — heute um 10:15 Uhr\nHallo\nBo — Hôm qua lúc 22:10\nChào\n",
    ["2 Anna: Hallo", "4 Bo: Chào"]
  ],
  "Discord, compact": ["[10:15 AM]Anna: Hi\n[10:16 AM]Bo: Hello\n", ["1 Anna: Hi", "2 Bo: Hello"]],
  DiscordChatExporter: [
    `${rule}\nGuild: Mine\nChannel: talk / general\n${rule}\n\n[12/03/2024 10:15 AM] anna#1234\nHi there\n\n{Attachments}\nhttps://cdn.example/x.png\n\n[2024-03-12 10:16] bo\nHello\n\n{Reactions}\n👍 (2)\n\n${rule}\nExported 2 message(s)\n${rule}\n`,
    ["7 anna: Hi there", "13 bo: Hello"]
  ],
  "Zoom, with the words below": [
    '10:15:32 From Anna Smith to Everyone:\n\tHi there\n10:15:40 From Bo to Everyone:\n\tHello\n10:16:00 From Anna Smith to Everyone:\n\tReacted to "Hello" with 👍\n',
    ["2 Anna Smith: Hi there", "4 Bo: Hello"]
  ],
  "Zoom, in one line": [
    "10:15:32\t From Anna Smith : Hi there\n2024-03-12 10:15:40 From Bo to Anna Smith(Direct Message): Hello: yes\n",
    ["1 Anna Smith: Hi there", "2 Bo: Hello: yes"]
  ],
  "Zoom, of a recording": [
    "00:12:33\tAnna Smith:\tHi there\n00:12:40\tBo:\tHello\n",
    ["1 Anna Smith: Hi there", "2 Bo: Hello"]
  ],
  "a Zoom transcript": [
    "[Anna Smith] 10:15:32\nHi\n\n[Bo] 10:15:40\nHello\n",
    ["2 Anna Smith: Hi", "5 Bo: Hello"]
  ],
  "IRC in brackets": [
    "[10:15] <anna> hi\n[10:16:02] <@Bo> hello\n[10:16] * anna waves\n[10:17] *** cy has quit\n[10:18] -!- cy [c@host] has joined #x\n",
    ["1 anna: hi", "2 Bo: hello", "3 ?: anna waves"]
  ],
  irssi: [
    "--- Log opened Tue Mar 12 10:00:00 2024\n10:15 < anna> hi\n10:16 <@bo> hello\n10:16 -!- cy [~c@host] has joined #x\n--- Day changed Wed Mar 13 2024\n",
    ["2 anna: hi", "3 bo: hello"]
  ],
  weechat: [
    "2024-03-12 10:15:32\tanna\thi\n2024-03-12 10:15:40\t@bo\thello\n2024-03-12 10:16:00\t-->\tcy (~c@h) has joined #x\n",
    ["1 anna: hi", "2 bo: hello"]
  ],
  HexChat: [
    "**** BEGIN LOGGING AT Tue Mar 12 10:15:00 2024\n\nMar 12 10:15:32 <anna>\thi\nMar 12 10:15:40 <bo>\thello\nMar 12 10:16:00 *\tcy (~c@h) has joined\n",
    ["3 anna: hi", "4 bo: hello"]
  ],
  "IRC with ISO times": [
    "[2024-03-12T10:15:32+0000] <anna> hi\n2024-03-12T10:15:33Z <bo> ho\n",
    ["1 anna: hi", "2 bo: ho"]
  ]
}

describe("an exported chat", () => {
  for (const [name, [text, expected]] of Object.entries(chats))
    it(`of ${name} is parsed without its stamps, with any line ends`, () => {
      expect(said(text)).toEqual(expected)
      expect(said(text.replace(/\n/gu, "\r\n"))).toEqual(expected)
    })

  it("is not detected in prose, timetables and chapter lists", () => {
    for (const text of [
      "We met — today at 10:15.\n\nIt was 12/03/2024 10:15 when he came.",
      "10:15 Breakfast\n10:30 Lunch\n11:00 Walk",
      "In 3:16 it is written.\n3:17 and also here.",
      "Chapter One — The Storm at 10:15\nHe came.\nChapter Two — The Calm at 10:20\nShe left."
    ]) {
      const script = Either.getOrThrow(readScript(new TextEncoder().encode(text), "a.txt"))
      expect(script.notices, text).toEqual([])
      expect(
        script._tag === "Narration" ? script.blocks.filter(({ speaker }) => speaker !== undefined) : []
      ).toEqual([])
    }
  })
})
