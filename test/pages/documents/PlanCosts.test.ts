import { describe, expect, test } from "vitest"
import type { PlanReport } from "../../../src/domain/report/PlanReport.ts"
import { costLines } from "../../../src/pages/documents/PlanCosts.ts"

const effort = {
  cues: 1,
  lines: 1,
  utterances: 1,
  reused: 0,
  underWay: 0,
  refused: 0,
  tightLines: 0,
  lostLines: 0
}
const report = (more: Partial<PlanReport>): PlanReport => ({
  manifest: "m.yaml",
  service: "embedded",
  out: "/out",
  jobs: [],
  total: { ...effort, characters: 12_300, credits: 12_300 },
  faults: [],
  notices: [],
  ...more
})
const plain = (more: Partial<PlanReport>) =>
  costLines(report(more)).map((line) => line.replaceAll("\u202F", ","))

describe("a plan's cost lines", () => {
  test("compare the cost with the balance, if it is known", () => {
    expect(plain({ balance: { credits: 9_800, unlimited: false, short: 2_500 } })).toEqual([
      "Needs 12,300 credits; the account has 9,800: 2,500 short."
    ])
    expect(plain({ balance: { credits: 20_000, unlimited: false, short: 0 } })).toEqual([
      "Needs 12,300 credits; the account has 20,000."
    ])
    expect(
      plain({ balance: { credits: 9_800, unlimited: false }, total: { ...effort, characters: 9 } })
    ).toEqual(["The account has 9,800 credits."])
    expect(plain({ balance: { unlimited: true, short: 0 } })).toEqual([])
  })

  test("say what SRT adds, or would add", () => {
    const srt = { characters: 30, markup: 20, saved: 1_500 }
    expect(plain({ total: { ...effort, characters: 30, srt } })).toEqual([
      'Subtitles are sent as plain text, 1,500 characters less than as SRT; the audio is split at the cues ("nativeInput: srt" sends SRT).',
      "SRT is billed including cue numbers and times: 20 characters (+200 %) on top of 10."
    ])
  })

  test("mention disk space if the run needs much of it, or more than is free", () => {
    const folders = ["/out", "/state"]
    expect(plain({ disk: [{ folders, needed: 1_000_000, free: 2_000_000 }] })).toEqual([])
    expect(plain({ disk: [{ folders, needed: 1_500_000_000, free: 2e9 }] })).toEqual([
      "Disk: the run needs about 1.5 GB of 2.0 GB free."
    ])
    expect(plain({ disk: [{ folders, needed: 3_200_000_000, free: 2.9e9 }] })).toEqual([
      "Disk: the run needs about 3.2 GB in /out and /state, but only 2.9 GB is free; free 300 MB more."
    ])
  })
})
