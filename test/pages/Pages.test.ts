/** The pages as text: what they hold, and what they keep out. */
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { batchPage } from "../../src/pages/documents/BatchPage.ts"
import type { JobReport } from "../../src/domain/report/Report.ts"
import { jobPage, pageData, peaksIn } from "../../src/pages/documents/JobPage.ts"
import { hostile, sampleMetrics, sampleReport, sampleRun } from "./sample.ts"

const parts = { script: 'const end = "</script><!--"', style: ".a { color: red }" }
const report = sampleReport(9)
const page = jobPage(report, { audio: "a b#.wav", peaks: [0, 0.5, 1], parts }).text

describe("a job's page", () => {
  it("tells its script the cues' times and the waveform", () => {
    const { peaks, cues, duration } = pageData(report, [0, 0.001, 0.5, 1, 2])
    expect([duration, [...Buffer.from(peaks, "base64")]]).toEqual([28, [0, 1, 128, 255, 255]])
    expect(cues.slice(2, 8)).toEqual([
      { index: 3, start: 6.5, end: 8.5, heard: [6.54, 8.3], mark: "none" },
      { index: 4, start: 9.5, end: 11.5, mark: "none" },
      { index: 5, start: 12.5, end: 14.5, heard: [12.58, 14.3], mark: "none" },
      { index: 6, start: 15.5, end: 17.5, mark: "failed" },
      { index: 7, start: 18.5, end: 20.5, heard: [18.62, 20.3], mark: "none" },
      { index: 8, start: 21.5, end: 23.5, heard: [21.5, 24.4], mark: "flagged" }
    ])
  })

  it("lists the cues to look at first", () => {
    expect([...page.matchAll(/id="cue-(\d+)"/gu)].map(([, index]) => Number(index))).toEqual([
      6, 8, 1, 2, 3, 4, 5, 7, 9
    ])
  })

  it("allows its own script and no other", () => {
    const scripts = [...page.matchAll(/<script[^>]*>([^]*?)<\/script>/gu)].map(([, text]) => text ?? "")
    expect(scripts).toHaveLength(2)
    const hash = createHash("sha256")
      .update(scripts[1] ?? "")
      .digest("base64")
    expect(page).toContain(`script-src 'sha256-${hash}'`)
    expect(page).not.toContain("<!--")
  })

  it("holds a cue's words as words", () => {
    expect(page).not.toContain(hostile)
    expect(page).toContain("&lt;/script&gt;&lt;script&gt;window.caught = 1")
  })

  it("names its sound as an address beside it, or says that there is none", () => {
    expect(page).toContain('src="a%20b%23.wav"')
    const silent = jobPage(report, { audio: undefined, peaks: [], parts }).text
    expect(silent).not.toContain("<audio")
    expect(silent).toContain("There is no sound to play")
  })

  it("reaches for nothing beyond its folder", () => {
    expect([...page.matchAll(/(?:src|href)="([^"]*)"/gu)].map(([, address]) => address)).toEqual([
      "data:,",
      "#cues",
      "../index.html",
      "a%20b%23.wav"
    ])
  })
})

describe("the outline in a page", () => {
  it("comes out of the page as it went in, whatever the cues say", () => {
    const packed = pageData(report, [0, 0.25, 1]).peaks
    const tricky = report.cues.map((cue) => ({ ...cue, text: '"peaks":"AAAA"' }))
    const written = jobPage(
      { ...report, cues: tricky },
      { audio: undefined, peaks: [0, 0.25, 1], parts }
    ).text
    expect(peaksIn(written)).toBe(packed)
    expect(pageData(report, packed).peaks).toBe(packed)
    expect(peaksIn(jobPage(report, { audio: undefined, peaks: [], parts }).text)).toBeUndefined()
  })
})

describe("the limits of speed in a job's plot", () => {
  const labels = (fit: JobReport["fit"]) =>
    [
      ...jobPage({ ...report, fit }, { audio: undefined, peaks: [], parts }).text.matchAll(
        /bottom:[\d.]+%">([\d.]+×)/gu
      )
    ].map(([, words]) => words)

  it("are the job's own, and 1.3 in reports that do not record them", () => {
    expect(labels({ maxSpeed: 1.15, hardMaxSpeed: 1.4 })).toEqual(["1.40×", "1.15×", "1.00×"])
    expect(labels({ maxSpeed: 1.5, hardMaxSpeed: 1.5 })).toEqual(["1.50×", "1.00×"])
    expect(labels(undefined)).toEqual(["1.30×", "1.00×"])
  })
})

describe("the axis of a job's picture", () => {
  const axis = (duration: number) =>
    [
      ...jobPage({ ...report, duration }, { audio: undefined, peaks: [], parts })
        .text.replace(/[^]*class="ticks"/u, "")
        .replace(/<\/div>[^]*/u, "")
        .matchAll(/<span>(.*?)<\/span>/gu)
    ].map(([, words]) => words)

  it("names moments where they are", () => {
    expect(axis(6)).toEqual(["0:00.0", "0:01.5", "0:03.0", "0:04.5", "0:06.0"])
    expect(axis(3_606)).toEqual(["0:00", "15:02", "30:03", "45:05", "1:00:06"])
  })
})

describe("a batch's page", () => {
  const jobs = sampleRun.jobs.map((summary) => ({
    summary,
    metrics:
      summary.id === "harbour-ep02"
        ? undefined
        : { ...sampleMetrics, ...(summary.id === "calm" ? calm : {}) },
    looks: 0,
    href: summary.id === "harbour-ep02" ? undefined : `${encodeURIComponent(summary.id)}/report.html`
  }))
  const { text } = batchPage(sampleRun, jobs, parts)

  it("puts what failed first, then what is worth a look", () => {
    expect([...text.matchAll(/data-state="(\w+)"/gu)].map(([, state]) => state)).toEqual([
      "failed",
      "look",
      "fine"
    ])
  })

  it("has a heading for every column", () => {
    const columns = [...text.matchAll(/role="columnheader"/gu)].length
    const cells = [...text.matchAll(/role="(?:cell|rowheader)"/gu)].length
    expect([columns, cells]).toEqual([11, 11 * jobs.length])
  })

  it("finds a job worth a look for a single cue, however good its figures", () => {
    const one = batchPage(
      sampleRun,
      jobs.map((job) => ({ ...job, looks: job.summary.id === "calm" ? 1 : 0 })),
      parts
    ).text
    expect([...one.matchAll(/data-state="(\w+)"/gu)].map(([, state]) => state)).toEqual([
      "failed",
      "look",
      "look"
    ])
  })

  it("bears the name that its manifest gives it", () => {
    expect(text).toContain("<h1>nightly.yaml</h1>")
    const named = batchPage({ ...sampleRun, name: `Nights & "days"` }, jobs, parts).text
    expect(named).toContain("<h1>Nights &amp; &quot;days&quot;</h1>")
    expect(named).toMatch(/nightly\.yaml · started/u)
  })

  it("says why a run was stopped early", () => {
    const stopped = { reason: "deadline", words: "the deadline of 06:00 has come" } as const
    expect(text).not.toContain("Stopped early")
    expect(batchPage({ ...sampleRun, stopped }, jobs, parts).text).toContain(
      "<li>Stopped early: the deadline of 06:00 has come</li>"
    )
  })

  it("says how the run went, what it took and what it warns of", () => {
    for (const words of [
      "2 jobs delivered, 1 failed, 1 worth a look",
      "13 min 32 s",
      "18\u202F234",
      ...sampleRun.warnings
    ])
      expect(text).toContain(words)
    expect(text).not.toContain(hostile)
  })
})

const calm = { coverage: 1, speedOver13: 0, overruns: 0 }
