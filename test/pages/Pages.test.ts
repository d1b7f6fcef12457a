/** The generated pages as text: their content, their escaping and their Content-Security-Policy. */
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { batchPage } from "../../src/pages/documents/BatchPage.ts"
import type { JobReport } from "../../src/domain/report/Report.ts"
import { jobPage, pageData, peaksIn } from "../../src/pages/documents/JobPage.ts"
import { errorPage } from "../../src/pages/documents/ErrorPage.ts"
import { planPage } from "../../src/pages/documents/PlanPage.ts"
import { reviewPage } from "../../src/pages/documents/ReviewPage.ts"
import { voiceSamplesPage } from "../../src/pages/documents/VoiceSamplesPage.ts"
import { judgedCues, pageCue } from "../../src/pages/parts/CueTable.ts"
import { hostile, sampleMetrics, samplePlan, sampleReport, sampleRun } from "./sample.ts"

const parts = { script: 'const end = "</script><!--"', style: ".a { color: red }" }
const report = sampleReport(9)
const page = jobPage(report, { audio: "a b#.wav", peaks: [0, 0.5, 1], parts }).text

describe("a job's page", () => {
  it("embeds cue times and the waveform for its script", () => {
    const { peaks, cues: embedded, duration } = pageData(report, [0, 0.001, 0.5, 1, 2])
    const cues = judgedCues(embedded).map(pageCue)
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

  it("lists the lines to check first", () => {
    expect([...page.matchAll(/id="cue-(\d+)"/gu)].map(([, index]) => Number(index))).toEqual([
      6, 8, 1, 2, 3, 4, 5, 7, 9
    ])
  })

  it("allows only its own script", () => {
    const scripts = [...page.matchAll(/<script[^>]*>([^]*?)<\/script>/gu)].map(([, text]) => text ?? "")
    expect(scripts).toHaveLength(2)
    const hash = createHash("sha256")
      .update(scripts[1] ?? "")
      .digest("base64")
    expect(page).toContain(`script-src 'sha256-${hash}'`)
    expect(page).not.toContain("<!--")
  })

  it("escapes a cue's text", () => {
    expect(page).not.toContain(hostile)
    expect(page).toContain("&lt;/script&gt;&lt;script&gt;window.caught = 1")
  })

  it("links its audio by a relative address, or says that there is none", () => {
    expect(page).toContain('src="a%20b%23.wav"')
    const silent = jobPage(report, { audio: undefined, peaks: [], parts }).text
    expect(silent).not.toContain("<audio")
    expect(silent).toContain("No audio to play")
  })

  it("references nothing outside its folder except the batch's page", () => {
    expect([...page.matchAll(/(?:src|href)="([^"]*)"/gu)].map(([, address]) => address)).toEqual([
      "data:,",
      "#cues",
      "../index.html",
      "a%20b%23.wav"
    ])
  })
})

describe("every page", () => {
  const text = hostile
  const extras = { audio: `${text}.wav`, peaks: [], parts }
  const all: Readonly<Record<string, string>> = {
    report: jobPage({ ...report, input: text }, extras).text,
    review: reviewPage({ ...report, input: text }, extras, [{ name: text, why: text }]).text,
    index: batchPage(sampleRun, [], parts).text,
    plan: planPage(samplePlan, parts).text,
    voices: voiceSamplesPage(
      [
        { provider: text, voice: text, name: text, languages: [text], result: { file: `${text}.wav` } },
        { provider: text, voice: text, name: text, languages: [], result: { error: text } }
      ],
      text,
      text,
      parts
    ).text,
    error: errorPage(text, text, parts).text
  }

  it.each(Object.entries(all))("contains no markup of others, and a policy that runs none: %s", (_, page) => {
    expect(page).not.toContain(hostile)
    expect(page).not.toMatch(/<img|window\.caught = 1<\/script>|onerror="/u)
    const [, policy = ""] = /http-equiv="Content-Security-Policy"\s+content="([^"]+)"/u.exec(page) ?? []
    const rules = new Map(policy.split(";").map((rule) => [rule.trim().split(" ")[0], rule.trim()]))
    expect(rules.get("default-src")).toBe("default-src 'none'")
    expect(rules.get("script-src")).toMatch(/^script-src 'sha256-[A-Za-z0-9+/=]{44}'$/u)
    expect(rules.get("base-uri")).toBe("base-uri 'none'")
    expect(rules.get("form-action")).toBe("form-action 'none'")
    expect(rules.get("img-src")).toBe("img-src data:")
    // No request leaves the page's own place, so that no markup could send anything away.
    for (const name of ["connect-src", "media-src", "frame-src", "font-src", "object-src"])
      expect(rules.get(name) ?? "").not.toMatch(/\*|https?:/u)
    // The policy comes before everything that it governs.
    expect(page.indexOf("Content-Security-Policy")).toBeLessThan(page.search(/<(?:link|style|title|script)/u))
    expect(page).toContain('<meta name="referrer" content="no-referrer" />')
  })
})

describe("the waveform embedded in a page", () => {
  it("is read back unchanged, whatever the cues say", () => {
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

describe("the speed limits in a job's chart", () => {
  const labels = (fit: JobReport["fit"]) =>
    [
      ...jobPage({ ...report, fit }, { audio: undefined, peaks: [], parts }).text.matchAll(
        /bottom:[\d.]+%">([\d.]+×)/gu
      )
    ].map(([, words]) => words)

  it("are the job's own, or 1.3 in reports that do not record them", () => {
    expect(labels({ maxSpeed: 1.15, hardMaxSpeed: 1.4 })).toEqual(["1.40×", "1.15×", "1.00×"])
    expect(labels({ maxSpeed: 1.5, hardMaxSpeed: 1.5 })).toEqual(["1.50×", "1.00×"])
    expect(labels(undefined)).toEqual(["1.30×", "1.00×"])
  })
})

describe("a job's page without speakers or shifts", () => {
  const calmCues = report.cues.map(({ speaker: _speaker, ...cue }) => ({
    ...cue,
    ...(cue.placed === undefined ? {} : { placed: { ...cue.placed, start: cue.start } })
  }))
  const calmPage = jobPage({ ...report, cues: calmCues }, { audio: undefined, peaks: [], parts }).text

  it("has no column of speakers", () => {
    const heads = (text: string) => [...text.matchAll(/class="sort">([^<]*)</gu)].map(([, name]) => name)
    expect(heads(page)).toContain("Speaker")
    expect(heads(calmPage)).toEqual(["Cue", "Time", "Source", "Spoken", "Speed", "Shift", "To check"])
    expect([...calmPage.matchAll(/<td role="cell"/gu)]).toHaveLength(7 * report.cues.length)
  })

  it("says that every line starts on its cue, instead of an empty plot of shifts", () => {
    expect(page).toContain("Shift over time")
    expect(page).not.toContain("Every line starts on its cue.")
    expect(calmPage).toContain("Every line starts on its cue.")
    expect(calmPage).not.toContain("Shift over time")
  })

  it("breaks the details of the loudness only between figures", () => {
    expect(calmPage).toContain("peak\u00a0−1.5\u00a0dBTP, spread\u00a01.8\u00a0LU<")
  })
})

describe("the time axis of a job's chart", () => {
  const axis = (duration: number) =>
    [
      ...jobPage({ ...report, duration }, { audio: undefined, peaks: [], parts })
        .text.replace(/[^]*class="ticks"/u, "")
        .replace(/<\/div>[^]*/u, "")
        .matchAll(/<span>(.*?)<\/span>/gu)
    ].map(([, words]) => words)

  it("is labelled in tenths of a second up to a minute, then in seconds", () => {
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

  it("lists failed jobs first, then those with lines to check", () => {
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

  it("marks a job as to check for a single cue, however good its figures", () => {
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

  it("shows a season as a grid: episodes by languages, the worst first, each cell its state", () => {
    const job = (episode: string, language: string, looks: number, isApproved = false) => ({
      summary: { id: `${episode}-${language}`, status: "delivered" as const },
      metrics: { ...sampleMetrics, ...calm },
      looks,
      href: `${episode}-${language}/report.html`,
      season: { episode, language },
      isApproved
    })
    const season = [job("E2", "vi", 0, true), job("E2", "de", 0), job("E10", "vi", 3), job("E1", "vi", 0)]
    const grid = /<section class="season">.*?<\/section>/su.exec(
      batchPage(sampleRun, season, parts).text
    )?.[0]
    const cells = [...(grid ?? "").matchAll(/<(?:th|td)[^>]*>(.*?)<\/(?:th|td)>/gsu)].map(
      ([, content = ""]) =>
        content
          .replaceAll(/<[^>]*>/gu, "")
          .replaceAll(/\s+/gu, " ")
          .trim()
    )
    expect(cells).toEqual([
      ...["Episode", "de", "vi"],
      ...["E10", "no job", "3 to check"],
      ...["E1", "no job", "delivered"],
      ...["E2", "delivered", "delivered ✓ approved"]
    ])
    expect(batchPage(sampleRun, jobs, parts).text, "no season").not.toContain('class="season"')
  })

  it("has the name from the manifest as its heading", () => {
    expect(text).toContain("<h1>nightly.yaml</h1>")
    const named = batchPage({ ...sampleRun, name: `Nights & "days"` }, jobs, parts).text
    expect(named).toContain("<h1>Nights &amp; &quot;days&quot;</h1>")
    expect(named).toMatch(/nightly\.yaml · started/u)
  })

  it("says what lines that were spoken again cost", () => {
    const { text } = batchPage(
      { ...sampleRun, credits: { ...sampleRun.credits, repeats: { tasks: 3, credits: 120.5 } } },
      jobs,
      parts
    )
    expect(text).toContain(">121 for 3 lines spoken again, ")
  })

  it("removes the manifest's absolute path, which would show where it was made", () => {
    const absolute = batchPage({ ...sampleRun, manifest: "/home/anna/films/nightly.yaml" }, jobs, parts).text
    expect(absolute).toContain("<h1>nightly.yaml</h1>")
    expect(absolute).not.toContain("anna")
  })

  it("says why a run stopped early", () => {
    const stopped = { reason: "deadline", words: "the deadline of 06:00 has passed" } as const
    expect(text).not.toContain("Stopped early")
    expect(batchPage({ ...sampleRun, stopped }, jobs, parts).text).toContain(
      "<li>Stopped early: the deadline of 06:00 has passed</li>"
    )
  })

  it("shows the run's outcome, totals and warnings", () => {
    for (const words of [
      "2 jobs delivered, 1 failed, 1 to check",
      "13 min 32 s",
      "18\u202F234",
      ...sampleRun.warnings
    ])
      expect(text).toContain(words)
    expect(text).not.toContain(hostile)
  })
})

const calm = { coverage: 1, speedOver13: 0, overruns: 0 }
