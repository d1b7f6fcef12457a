/** Times that cannot be meant are mended, lost or reported, never silently turned into hours of silence. */
import { Either } from "effect"
import { expect, test } from "vitest"
import { readScript } from "../../../src/script/ScriptFile.ts"

const read = (times: ReadonlyArray<string>, start?: string) => {
  const text = times.map((time, at) => `${at + 1}\n${time}\nWords of cue ${at + 1}.\n`).join("\n")
  const script = Either.getOrThrow(readScript(new TextEncoder().encode(text), "a.srt", { start }))
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
