/** Markup of forums, programs and chats is not spoken, and no word is lost with it. */
import { Either } from "effect"
import { expect, test } from "vitest"
import { readScript } from "../../../src/script/ScriptFile.ts"

const read = (text: string, file = "a.srt") => {
  const script = Either.getOrThrow(readScript(new TextEncoder().encode(text), file))
  if (script._tag !== "Subtitle") throw new Error("not a subtitle")
  return {
    texts: script.cues.map(({ text: words }) => words),
    notices: script.notices.map(({ message }) => message)
  }
}

const cue = (words: string, number = 1) =>
  `${number}\n00:00:0${number},000 --> 00:00:0${number},900\n${words}\n`

test.each([
  ["[I][b]Up[/b][/I] and [size=12]down[/size]", "Up and down"],
  ["[i]It goes on", "It goes on"],
  ["[door slams] Who is it?", "[door slams] Who is it?"],
  ["See [the chart](https://example.org/x?y=1).", "See the chart."],
  ["https://example.org/only/a/link", ""],
  ["\\u00c7ok g\\xfczel, caf\\xc3\\xa9 na%C3%AFf", "Çok güzel, café naïf"],
  ["\\ud83d\\ude00 100%20 C:\\ux", "😀 100%20 C:\\ux"],
  ["if a<b and c>d then", "if a<b and c>d then"],
  ["He left <br and she stayed.", "He left\nand she stayed."],
  ["One<font color=red>two</font> <v Anna>three", "Onetwo \nthree"]
])("%s is read as %j", (written, words) => {
  expect(read(cue(written)).texts.join("\n").replaceAll(/ +\n/gu, "\n")).toBe(
    words.replaceAll(/ +\n/gu, "\n")
  )
})

test("a code fence and the sentences of a chat around it are skipped with a note", () => {
  const { texts, notices } = read(
    `Here is your subtitle:\n\n\`\`\`srt\n${cue("Hello.")}\n${cue("Bye.", 2)}\`\`\`\n\nLet me know if you need more!\n`
  )
  expect(texts).toEqual(["Hello.", "Bye."])
  expect(notices).toEqual([
    'skipped a sentence outside the code fence: "Here is your subtitle:"',
    'skipped a sentence outside the code fence: "Let me know if you need more!"'
  ])
})

test.each([
  ["an advert", "Downloaded from www.example.org"],
  ["a chat's remark", "Let me know if I should continue."]
])("%s is noted", (what, words) => {
  const { notices } = read(cue(words))
  expect(notices).toHaveLength(1)
  expect(notices[0]).toContain(`cue 1 looks like ${what}`)
})

test("marks of voices in LRC are not spoken", () => {
  const { texts } = read("[00:01.00]v1: Hello there\n[00:02.00]bg: oh\n[00:03.00]Last: line", "a.lrc")
  expect(texts).toEqual(["Hello there", "oh", "Last: line"])
})
