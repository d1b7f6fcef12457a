import { describe, expect, test } from "vitest"
import {
  type ProgressModel,
  emptyProgress,
  secondsLeft,
  settledCount,
  shareDone,
  advanceProgress
} from "../../../src/app/terminal/ProgressDisplay.ts"
import { progressLines, progressRows } from "../../../src/app/terminal/ProgressDisplay.ts"
import { JobId, ProviderId, UtteranceKey } from "../../../src/domain/values/Ids.ts"
import type { ProgressEvent } from "../../../src/pipeline/Progress.ts"

const provider = ProviderId.make("provider_native")
const job = JobId.make("film-en")
const utterance = UtteranceKey.make("0a1b2c3d".repeat(8))
const planned: ProgressEvent = { _tag: "Planned", jobs: 2, utterances: 20, characters: 900, reused: 4 }
const spoken: ProgressEvent = { _tag: "Spoken", provider, utterance, seconds: 2 }

/** The progress after these events, with `apart` milliseconds between two of them. The first happens at 0. */
const after = (
  events: ReadonlyArray<ProgressEvent>,
  apart: number,
  from: ProgressModel = emptyProgress(0)
): ProgressModel => events.reduce((board, event, at) => advanceProgress(board, event, at * apart), from)

const plain = (rows: ReadonlyArray<string>) => rows.map((row) => row.replace(/\u001b\[\d+m/gu, ""))

describe("the progress model", () => {
  test("counts cached, spoken and failed utterances as settled", () => {
    const board = after(
      [
        planned,
        spoken,
        spoken,
        { _tag: "Failed", provider, utterance, label: "ep01 #4", error: "no such voice" }
      ],
      100
    )
    expect(settledCount(board)).toEqual({ done: 7, failed: 1, all: 24 })
  })

  test("counts retakes planned in mid-run separately", () => {
    const first = after([planned, ...Array.from({ length: 20 }, () => spoken)], 100)
    const second = advanceProgress(first, { ...planned, utterances: 2, reused: 24 }, 3000)
    expect([settledCount(second), settledCount(advanceProgress(second, spoken, 3100))]).toEqual([
      { done: 24, failed: 0, all: 26 },
      { done: 25, failed: 0, all: 26 }
    ])
  })

  test("estimates the time left from the past minute's pace, once that is reliable", () => {
    const few = after([planned, ...Array.from({ length: 7 }, () => spoken)], 1000)
    expect(secondsLeft(few, 8000)).toBeUndefined()
    const enough = advanceProgress(few, spoken, 8000)
    // 8 of 20 were spoken in the 8 s since the first; 12 are left.
    expect(settledCount(enough)).toEqual({ done: 12, failed: 0, all: 24 })
    expect(secondsLeft(enough, 9000)).toBeCloseTo(12)
    expect(secondsLeft(enough, 90_000)).toBeUndefined()
  })

  test("has no estimate once all is settled", () => {
    const board = after([planned, ...Array.from({ length: 20 }, () => spoken)], 1000)
    expect(settledCount(board)).toEqual({ done: 24, failed: 0, all: 24 })
    expect(secondsLeft(board, 21_000)).toBeUndefined()
  })
})

describe("the share that is done", () => {
  const two = JobId.make("film-vi")
  const [delivering, delivered] = [
    (of: JobId, fraction: number): ProgressEvent => ({ _tag: "Delivering", job: of, fraction }),
    (of: JobId): ProgressEvent => ({ _tag: "Delivered", job: of, files: [] })
  ]

  test("counts speaking and delivering half each", () => {
    const said = after([planned, ...Array.from({ length: 20 }, () => spoken)], 10)
    expect(shareDone(said)).toBe(0.5)
    expect(shareDone(after([delivered(job)], 0, said))).toBe(0.75)
    expect(shareDone(after([delivered(job), { _tag: "JobFailed", job: two, error: "" }], 0, said))).toBe(1)
  })

  test("starts, after a resume, from what earlier runs spoke and delivered", () => {
    const resumed = after(
      [
        { ...planned, utterances: 6, reused: 18 },
        { _tag: "Unchanged", job }
      ],
      0
    )
    expect(shareDone(resumed)).toBe((18 / 24 + 1 / 2) / 2)
    expect(plain(progressRows(resumed, 1000, 80)).slice(0, 2)).toEqual([
      "dubwright 00:01  1 of 2 jobs delivered",
      "█████████████░░░░░░░ 62 %  18 of 24 spoken  (18 cached)"
    ])
  })

  test("never decreases, and is 1 only when every job has ended", () => {
    const steps: ReadonlyArray<ProgressEvent> = [
      planned,
      ...Array.from({ length: 20 }, () => spoken),
      { _tag: "Placing", job },
      ...[0.5, 1, 0.05, 0.6, 1].map((fraction) => delivering(job, fraction)),
      { _tag: "Muxing", file: "film-en.mp4" },
      delivered(job),
      delivering(two, 1),
      delivered(two)
    ]
    const shares = steps.map((_, at) => shareDone(after(steps.slice(0, at + 1), 100)))
    expect(shares).toEqual([...shares].sort((a, b) => a - b))
    expect(shares.filter((share) => share === 1)).toHaveLength(1)
  })
})

describe("the rows of a terminal", () => {
  test("show the batch, its provider queues and the jobs in progress", () => {
    const board = after(
      [
        planned,
        { _tag: "Submitted", provider, utterance, characters: 40, credits: 80 },
        { _tag: "ProviderPaced", provider, inFlight: 3, limit: 4, waitingSeconds: 7 },
        spoken,
        { _tag: "Delivering", job, fraction: 0.426 },
        { _tag: "JobFailed", job: JobId.make("film-vi"), error: "no voice" }
      ],
      0
    )
    expect(plain(progressRows(board, 65_000, 80))).toEqual([
      "dubwright 01:05  0 of 2 jobs delivered  1 failed",
      "█████████░░░░░░░░░░░ 45 %  5 of 24 spoken  (4 cached)",
      "  40 of 900 characters sent, 80 credits",
      "  provider_native: 2 of 4 in flight, 1 spoken",
      "  film-en: delivering 42 %"
    ])
    expect(plain(progressRows(board, 2_000, 80))[3]).toBe(
      "  provider_native: 2 of 4 in flight, 1 spoken, waiting 5 s (the service accepts no more for now)"
    )
  })

  test("show the video being written until its job is delivered", () => {
    const writing = after(
      [planned, { _tag: "Delivering", job, fraction: 1 }, { _tag: "Muxing", file: "film-en.mp4" }],
      0
    )
    expect(plain(progressRows(writing, 0, 80)).slice(-2)).toEqual([
      "  film-en: delivering 100 %",
      "  writing film-en.mp4"
    ])
    const done = advanceProgress(writing, { _tag: "Delivered", job, files: [] }, 0)
    expect(plain(progressRows(done, 0, 80)).at(-1)).toBe("  0 of 900 characters sent")
  })

  test("show how many clips are transcribed, until all are", () => {
    const listening = (done: number): ProgressEvent => ({ _tag: "Listening", job, done, total: 40 })
    const board = after([planned, listening(0), listening(12)], 0)
    expect(plain(progressRows(board, 0, 80)).at(-1)).toBe("  film-en: transcribed 12 of 40 clips")
    expect(plain(progressRows(after([listening(40)], 0, board), 0, 80)).at(-1)).toBe(
      "  0 of 900 characters sent"
    )
  })

  test("show planning before the plan is known", () => {
    expect(plain(progressRows(emptyProgress(0), 0, 80))).toEqual(["dubwright 00:00  planning"])
  })
})

describe("lines without a terminal", () => {
  const line = (event: ProgressEvent, before: ProgressModel) =>
    progressLines(event, before, advanceProgress(before, event, 1000), 1000)[0]

  test("report speaking every 5 %, everything else as details", () => {
    const large = advanceProgress(emptyProgress(0), { ...planned, utterances: 100, reused: 3 }, 0)
    expect(line(spoken, large)).toEqual({ weight: "detail", text: "provider_native: spoke 0a1b2c3d" })
    expect(
      line(
        spoken,
        [1, 2, 3, 4].reduce((board, at) => advanceProgress(board, spoken, at), large)
      )
    ).toEqual({
      weight: "usual",
      text: "8 of 103 spoken (7 %)"
    })
  })

  test("report a delivery every 15 s, then how many jobs are delivered", () => {
    const events: ReadonlyArray<readonly [at: number, event: ProgressEvent]> = [
      [0, planned],
      [1_000, { _tag: "Placing", job }],
      ...[0.1, 0.2, 0.3, 0.4, 0.5].map(
        (fraction, at) => [1_000 + at * 7_000, { _tag: "Delivering", job, fraction }] as const
      ),
      [30_000, { _tag: "Muxing", file: "film-en.mp4" }],
      [31_000, { _tag: "Delivered", job, files: [] }]
    ]
    let board = emptyProgress(0)
    const told = events.flatMap(([at, event]) => {
      const before = board
      board = advanceProgress(board, event, at)
      const [said] = progressLines(event, before, board, at)
      return said?.weight === "usual" ? [[at, said.text]] : []
    })
    expect(told.slice(1)).toEqual([
      [22_000, "film-en: delivering 40 %"],
      [30_000, "writing film-en.mp4"],
      [31_000, "film-en: delivered (1 of 2 jobs)"]
    ])
  })

  test("report every 15 s how many clips are transcribed", () => {
    let board = advanceProgress(emptyProgress(0), planned, 0)
    const told = Array.from({ length: 11 }, (_, done) => {
      const event: ProgressEvent = { _tag: "Listening", job, done, total: 10 }
      const before = board
      board = advanceProgress(board, event, done * 4_000)
      return progressLines(event, before, board, done * 4_000)[0]?.text
    }).filter((text) => text !== undefined)
    expect(told).toEqual(["film-en: transcribed 4 of 10 clips", "film-en: transcribed 8 of 10 clips"])
  })

  test("report once that a provider queue waits", () => {
    const waiting: ProgressEvent = {
      _tag: "ProviderPaced",
      provider,
      inFlight: 1,
      limit: 4,
      waitingSeconds: 30
    }
    expect(line(waiting, emptyProgress(0))).toEqual({
      weight: "usual",
      text: "provider_native: waiting 30 s (the service accepts no more for now)"
    })
    expect(line(waiting, advanceProgress(emptyProgress(0), waiting, 500))?.weight).toBe("detail")
  })

  test("report repeated retries once, and again only after progress", () => {
    const retrying: ProgressEvent = { _tag: "Retrying", provider, utterance, why: "no route", inSeconds: 2 }
    const events = [...Array.from({ length: 6 }, () => retrying), spoken, retrying, retrying, retrying]
    const told = events.flatMap((event, at) => {
      const found = line(event, after(events.slice(0, at), 100))
      return found?.weight === "usual" && event === retrying ? [[at, found.text]] : []
    })
    expect(told).toEqual([
      [2, "provider_native: no route; retrying"],
      [9, "provider_native: no route; retrying"]
    ])
  })

  test("report the first failures for each reason, and how many are spoken and failed", () => {
    const failed = (label: number, error: string): ProgressEvent => ({
      _tag: "Failed",
      provider,
      utterance,
      label: `ep01 #${label}`,
      error
    })
    const kanji = Array.from({ length: 6 }, (_, at) => failed(at + 1, "the voice cannot read kanji"))
    const events = [planned, spoken, spoken, ...kanji, failed(7, "no such voice"), spoken]
    let board = emptyProgress(0)
    const told = events.flatMap((event) => {
      const before = board
      board = advanceProgress(board, event, 0)
      return progressLines(event, before, board, 0).map(({ weight, text }) => `${weight}: ${text}`)
    })
    expect(told.slice(1)).toEqual([
      "usual: 5 of 24 spoken (20 %)",
      "usual: 6 of 24 spoken (25 %)",
      "warning: ep01 #1 failed: the voice cannot read kanji",
      "usual: 6 of 24 spoken (25 %), 1 failed",
      "warning: ep01 #2 failed: the voice cannot read kanji",
      "usual: 6 of 24 spoken (25 %), 2 failed",
      "warning: ep01 #3 failed: the voice cannot read kanji",
      "usual: 6 of 24 spoken (25 %), 3 failed",
      "warning: ep01 #4 failed for the same reason; from here, only --verbose prints such lines",
      "usual: 6 of 24 spoken (25 %), 4 failed",
      "repetition: ep01 #5 failed: the voice cannot read kanji",
      "usual: 6 of 24 spoken (25 %), 5 failed",
      "repetition: ep01 #6 failed: the voice cannot read kanji",
      "usual: 6 of 24 spoken (25 %), 6 failed",
      "warning: ep01 #7 failed: no such voice",
      "usual: 6 of 24 spoken (25 %), 7 failed",
      "usual: 7 of 24 spoken (29 %), 7 failed"
    ])
    expect(plain(progressRows(board, 0, 80))[1]).toBe(
      "██████░░░░░░░░░░░░░░ 29 %  7 of 24 spoken  (4 cached, 7 failed)"
    )
  })

  test("report failed jobs as warnings", () => {
    expect(line({ _tag: "JobFailed", job, error: "2 cues failed" }, emptyProgress(0))).toEqual({
      weight: "warning",
      text: "film-en: failed: 2 cues failed"
    })
  })
})
