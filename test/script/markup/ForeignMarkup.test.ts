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
  ["[sup]2[/sup] [strike]x[/strike] [*] [img]https://example.org/a.png[/img]Pictures", "2 x  Pictures"],
  ["![The map](https://example.org/x_(y)), [the chart][1].", "The map, the chart."],
  ["www.example.org", ""],
  ["\\U0001F600 %u00E9t%u00E9 =C3=A9 caf%C3%A9%20cr%C3%A8me", "😀 été é café crème"],
  ['C\\\'est \\"oui\\"\\r\\nou non', 'C\'est "oui"\nou non'],
  ['Press "Ctrl+\\".', 'Press "Ctrl+\\".'],
  ["One\\N\\Ntwo", "One\ntwo"],
  ["\\an8 One {\\an8}two (\\an8)three ｛\\an8｝four", "One two three four"],
  ["a<br/ >b&lt;br /&gt;c<br/d br/>e", "a\nb\nc\nd\ne"],
  ["<<Knock first>> said the sign.", "«Knock first» said the sign."],
  [">> Go on. >> Yes.", ">> Go on. >> Yes."],
  ["if a<b and c>d then", "if a<b and c>d then"],
  ["He left <br and she stayed.", "He left\nand she stayed."],
  ["i>Up</i> and <<b>>down<</b>>, ＜i＞on＜/i＞", "Up and down, on"],
  ["Caf\\303\\251 and \\351", "Café and é"],
  ["### A heading\n> quoted", "A heading\nquoted"],
  ["if a\n>b and b> c", "if a\n>b and b> c"],
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
  ["```lrc\n[00:01.00]Hello.\n[00:02.00]\n```", "a.lrc"],
  ["~~~\n0:00:01.000,0:00:02.000\nHello.\n~~~", "a.sbv"],
  ['```json\n{"segments":[{"start":1,"end":2,"text":"Hello."}]}\n```', "a.json"]
])("a code fence around any format is skipped: %s", (text, file) => {
  expect(read(text, file)).toEqual({ texts: ["Hello."], notices: [] })
})

test("text behind a blank line at the end, or the name of a translator, is noted", () => {
  const note = (text: string) => read(`${cue("Hello.")}\n${cue(text, 2)}`).notices
  expect(note("Bye.\n\n(Suite dans le prochain message)")[0]).toContain("cue 2 looks like a chat's remark")
  for (const text of ["Legendas: Ana", "Synced & corrected by Ana", "字幕：安娜", "Sous-titrage : Ana"])
    expect(note(text)[0], text).toContain("cue 2 looks like an advert")
  for (const text of [
    "Synchronise your watches.",
    "Subtitles",
    "The translation is by Ana.",
    "Bye.\nAnd go."
  ])
    expect(note(text), text).toEqual([])
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
  const marked = [
    "v1: Hello there",
    "bg: oh",
    "F: she",
    "v12:they",
    "[v2:inside]",
    "v1:[bg: both]",
    "Last: line"
  ]
  const { texts } = read(marked.map((line, at) => `[00:0${at}.00]${line}`).join("\n"), "a.lrc")
  expect(texts).toEqual(["Hello there", "oh", "she", "they", "inside", "both", "Last: line"])
})

test("letters that an earlier conversion has lost are noted", () => {
  const note = (...texts: ReadonlyArray<string>) =>
    read(texts.map((text, at) => cue(text, at + 1)).join("\n")).notices
  const destroyed = (sign: string, cues = "3 cues contain") => [
    `${cues} letters destroyed by an earlier conversion (${sign})`
  ]
  expect(note("L'été.", "tr?s beau", "cette ann?e", "le ch?teau")).toEqual(destroyed("?"))
  expect(note("O+APk as-tu", "rang+AOk-", "p+AOg-re", "tr+AOg-s")).toEqual(destroyed("+AOk-"))
  expect(note("caf\ufffd")).toEqual(destroyed("\ufffd", "1 cue contains"))
  expect(note("Quoi?Non.", "Où?", "What?No!", "Quoi?")).toEqual([])
})
