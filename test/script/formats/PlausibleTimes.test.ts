/** Times that cannot be meant are mended, lost or reported, never silently turned into hours of silence. */
import { Either } from "effect"
import { expect, test } from "vitest"
import { readScript } from "../../../src/script/ScriptFile.ts"

const read = (times: ReadonlyArray<string>, start?: string) =>
  readFile(
    "a.srt",
    times.map((time, at) => `${at + 1}\n${time}\nWords of cue ${at + 1}.\n`).join("\n"),
    start
  )

const readFile = (file: string, text: string, start?: string) => {
  const script = Either.getOrThrow(readScript(new TextEncoder().encode(text), file, { start }))
  if (script._tag !== "Subtitle") throw new Error("not a subtitle")
  return {
    cues: script.cues.map(({ index, start: from, end }) => [index, from, end]),
    lost: script.lost.map(({ index, start: from }) => [index, from]),
    notices: script.notices.map(({ message }) => message).join("\n")
  }
}

test("ends an hour late are cut at the next cue", () => {
  const { cues, notices } = read([
    "00:00:01,000 --> 01:00:03,000",
    "00:00:04,000 --> 01:00:06,000",
    "00:00:07,000 --> 01:00:09,000"
  ])
  expect(cues).toEqual([
    [1, 1000, 4000],
    [2, 4000, 7000],
    [3, 7000, 7000]
  ])
  expect(notices).toContain(
    "3 cues end more than 5 minutes after the start, from cue 1 on; cut at the next cue"
  )
})

test("a single cue hours after the others is reported", () => {
  const { cues, notices } = read([
    "00:00:01,000 --> 00:00:03,000",
    "23:00:04,000 --> 23:00:06,000",
    "00:00:07,000 --> 00:00:09,000"
  ])
  expect(cues.map(([index]) => index)).toEqual([1, 3, 2])
  expect(notices).toContain("cue 2 starts at 23:00:04, after 22:59:55 without a cue")
})

test("a cue at zero after others has lost its time", () => {
  const { cues, lost } = read([
    "00:00:01,000 --> 00:00:03,000",
    "00:00:00,000 --> 00:00:00,000",
    "00:00:07,000 --> 00:00:09,000"
  ])
  expect([cues.map(([index]) => index), lost]).toEqual([[1, 3], [[2, 3000]]])
})

test("cues at zero have lost their time in files of one line, too, and if all are at zero", () => {
  const json = `{"segments":[{"start":1,"end":2,"text":"One"},{"start":0,"end":0,"text":"Two"}]}`
  const ttml =
    '<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="1s" end="2s">One</p><p begin="0s" end="0s">Two</p></div></body></tt>'
  for (const [file, text] of [
    ["a.json", json],
    ["a.ttml", ttml]
  ] as const)
    expect(readFile(file, text), file).toMatchObject({ cues: [[1, 1000, 2000]], lost: [[2, 2000]] })
  const zero = "00:00:00,000 --> 00:00:00,000"
  expect(read([zero, zero, zero])).toMatchObject({
    cues: [[1, 0, 0]],
    lost: [
      [2, 0],
      [3, 0]
    ]
  })
})

test("an ASS event from zero to zero is never shown, and not spoken", () => {
  const event = (start: string, end: string) => `Dialogue: 0,${start},${end},Default,,0,0,0,,Words.`
  const events = [
    "[Events]",
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text",
    event("0:00:01.00", "0:00:02.00"),
    event("0:00:00.00", "0:00:00.00")
  ]
  expect(readFile("a.ass", events.join("\n"))).toEqual({
    cues: [[1, 1000, 2000]],
    lost: [],
    notices: "skipped an event from 0:00:00 to 0:00:00, which is never shown"
  })
})

test("the end of the last cue is cut if only it is far too late", () => {
  const { cues, notices } = read(["00:00:01,000 --> 00:00:03,000", "00:00:04,000 --> 23:59:59,000"])
  expect(cues[1]).toEqual([2, 4000, 4000])
  expect(notices).toContain("1 cue ends more than 5 minutes after the start, from cue 2 on")
  expect(read(["00:00:01,000 --> 00:09:00,000", "00:10:00,000 --> 00:19:00,000"]).notices).toBe("")
})

test("times after midnight count as the next day", () => {
  const times = [
    "23:59:50,000 --> 23:59:52,000",
    "23:59:55,000 --> 23:59:57,000",
    "00:00:03,000 --> 00:00:05,000"
  ]
  expect(read(times, "23:59:40").cues).toEqual([
    [1, 10_000, 12_000],
    [2, 15_000, 17_000],
    [3, 23_000, 25_000]
  ])
  expect(read(times).notices).toContain("set start if the film begins later")
})

test("an end after midnight is one of the next day", () => {
  const srt = read(["23:59:50,000 --> 23:59:52,000", "23:59:59,000 --> 00:00:01,000"])
  const events = "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
  const ass = readFile(
    "a.ass",
    `[Events]\n${events}Dialogue: 0,23:59:59.00,0:00:01.00,Default,,0,0,0,,Words.\n`
  )
  const sub = readFile("a.sub", "{1}{1}25\n{2159975}{25}Words.\n")
  for (const { cues, notices } of [srt, ass, sub]) {
    expect(cues.at(-1)?.slice(1)).toEqual([86_399_000, 86_401_000])
    expect(notices).not.toContain("ends before it starts")
  }
})

test("a cue that starts at zero and ends behind the one before it has lost its start", () => {
  const { cues, notices } = read([
    "00:00:01,000 --> 00:00:03,000",
    "00:00:00,000 --> 00:00:05,000",
    "00:00:07,000 --> 00:00:09,000"
  ])
  expect(cues).toEqual([
    [1, 1000, 3000],
    [2, 3000, 5000],
    [3, 7000, 9000]
  ])
  expect(notices).toBe("cue 2 starts at zero after others; read as the end of the one before")
  const appended = read(["00:00:01,000 --> 00:00:09,000", "00:00:00,000 --> 00:00:05,000"])
  expect(appended).toEqual({
    cues: [
      [2, 0, 5000],
      [1, 1000, 9000]
    ],
    lost: [],
    notices: ""
  })
})

test("cues that overlap, begin at zero or last for minutes stay as they are", () => {
  const { cues, lost, notices } = read([
    "00:00:00,000 --> 00:00:00,000",
    "00:00:00,500 --> 00:04:03,000",
    "00:00:02,000 --> 00:00:05,000",
    "00:20:00,000 --> 00:20:05,000"
  ])
  expect(cues.map(([, , end]) => end)).toEqual([0, 243_000, 5000, 1_205_000])
  expect([lost, notices]).toEqual([[], ""])
})
