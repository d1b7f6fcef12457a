/** Sample reports, a plan and audio for the page tests: invented, but with the difficulties of real ones. */
import { encodeWav16 } from "../../src/audio/formats/Wav.ts"
import type { CueReport, JobReport, Metrics, RunReport } from "../../src/domain/report/Report.ts"
import type { PlanReport } from "../../src/domain/report/PlanReport.ts"
import { SpeakerName } from "../../src/domain/values/Ids.ts"
import { SampleRate } from "../../src/domain/time/Units.ts"

/** Text that would run as a script on a page that does not escape it. */
export const hostile = `</script><script>window.caught = 1</script><!-- <img src=x onerror="window.caught = 2"> & 'quoted' "words"`

const lines = [
  "The tide turns at nine.\nWe should be gone by then.",
  "Is that what you heard?",
  "She said the bridge was closed, and that nobody had told the drivers about it.",
  "Đảo nhỏ ngoài khơi kia là nơi ông tôi sinh ra.",
  "No."
]

/** A report of `count` cues, three seconds apart; some fail, overrun, are too fast, or have nothing to say. */
export const sampleReport = (count: number): JobReport => {
  const cues = Array.from({ length: count }, (_, at) => sampleCue(at))
  return {
    job: "harbour-ep01",
    input: "subs/harbour <ep01>.en.srt",
    language: "en",
    duration: count * 3 + 1,
    cues,
    metrics: {
      ...sampleMetrics,
      cues: count,
      spoken: cues.filter(({ status }) => status === "spoken").length,
      skipped: cues.filter(({ status }) => status === "skipped").length,
      failed: cues.filter(({ status }) => status === "failed").length
    }
  }
}

const sampleCue = (at: number): CueReport => {
  const start = at * 3 + 0.5
  const cue = { index: at + 1, start, end: start + 2, flags: [] }
  const said = lines[at % lines.length] ?? ""
  if (at === 3) return { ...cue, text: "♪ an old song ♪", status: "skipped", skipped: "music" }
  if (at === 5)
    return {
      ...cue,
      text: hostile,
      said: hostile,
      speaker: `MINH on the far bank, hardly to be heard ${"o".repeat(40)}`,
      status: "failed",
      error: "the service refused it"
    }
  const speaker = at % 2 === 0 ? "LAN" : "MINH"
  const spoken = {
    ...cue,
    text: `${speaker}: ${said}`,
    said: said.replaceAll("\n", " "),
    speaker,
    status: "spoken"
  } as const
  if (at % 40 === 7) {
    return { ...spoken, placed: { start, end: start + 2.9, speed: 1.3 }, flags: ["overrun"], shortenBy: 12 }
  }
  if (at % 40 === 13)
    return {
      ...spoken,
      placed: { start: start + 0.4, end: start + 2.2, speed: 1.42 },
      flags: ["fast", "late"]
    }
  return {
    ...spoken,
    placed: { start: start + (at % 7) * 0.02, end: start + 1.8, speed: 1 + (at % 9) * 0.03 }
  }
}

/** A report whose cues 7 to 9 follow each other within half a second; cue 8 is flagged. */
export const crowdedReport = (): JobReport => {
  const report = sampleReport(24)
  const cues = report.cues
    .filter(({ status }) => status === "spoken")
    .map((cue): CueReport => {
      const start = 20 + (cue.index - 7) * 0.2
      return cue.index < 7 || cue.index > 9
        ? { ...cue, flags: [] }
        : { ...cue, start, end: start + 0.2, placed: { start, end: start + 0.2, speed: 1 } }
    })
  return { ...report, cues }
}

/** Metrics of a run. */
export const sampleMetrics: Metrics = {
  cues: 24,
  spoken: 22,
  skipped: 1,
  failed: 1,
  coverage: 0.957,
  onsetShift: { p50: 0.02, p95: 0.12, max: 0.4 },
  tailLateness: { p95: 0.1, max: 0.9 },
  speed: { p50: 1.09, p95: 1.24, max: 1.42 },
  speedOver13: 1,
  speedStep: { p95: 0.12 },
  isochrony: 0.861,
  empty: { seconds: 8.4, cues: 3 },
  overruns: 1,
  overlaps: 0,
  cutWords: 0,
  loudness: { integrated: -16, truePeak: -1.5, clipSpread: 1.8 }
}

/** Metrics of the previous run: some better, some worse, some the same. */
export const lastMetrics: Metrics = {
  ...sampleMetrics,
  coverage: 1,
  onsetShift: { p50: 0.02, p95: 0.31, max: 0.6 },
  loudness: { integrated: -16.4, truePeak: -1.5, clipSpread: 1.8 }
}

/** A run of three jobs: one fine, one to check, one failed. */
export const sampleRun: RunReport = {
  manifest: "nightly.yaml",
  startedAt: "2026-03-02T22:00:03.120Z",
  seconds: 812.4,
  jobs: [
    { id: "calm", status: "delivered" },
    { id: "harbour-ep01", status: "delivered" },
    { id: "harbour-ep02", status: "failed", error: `cues 4, 9 could not be spoken: ${hostile}` }
  ],
  tasks: { created: 410, adopted: 1, resumed: 0, reused: 37, retried: 4, failed: 1 },
  characters: 18_234,
  credits: { before: 100_000, after: 81_766, spent: 18_234 },
  warnings: ["the service does not echo labels: a stopped run cannot find its tasks again"]
}

/** Audio for a report: a tone while a cue plays, silence between. 8 kHz mono keeps it small. */
export const sampleSound = ({
  cues,
  duration
}: JobReport): { readonly wav: Uint8Array; readonly peaks: Float32Array } => {
  const rate = SampleRate.make(8_000)
  const samples = new Float32Array(Math.round(duration * rate))
  const peaks = new Float32Array(Math.ceil(duration * 50))
  for (const { placed } of cues) {
    if (placed === undefined) continue
    for (let at = Math.round(placed.start * rate); at < Math.min(samples.length, placed.end * rate); at++) {
      samples[at] = 0.3 * Math.sin(at / 6) * (0.6 + 0.4 * Math.sin(at / 900))
    }
  }
  samples.forEach((sample, at) => {
    const peak = Math.floor((at * 50) / rate)
    peaks[peak] = Math.max(peaks[peak] ?? 0, Math.abs(sample))
  })
  return { wav: encodeWav16({ rate, samples }), peaks }
}

const effort = {
  cues: 400,
  lines: 412,
  utterances: 380,
  reused: 12,
  underWay: 0,
  refused: 0,
  characters: 18_400,
  tightLines: 2,
  lostLines: 1
}

/** A plan of two jobs with lines that will not fit, an error and a notice. */
export const samplePlan: PlanReport = {
  manifest: "harbour.yaml",
  service: { baseUrl: "https://tts.example" },
  out: "/films/out",
  jobs: ["harbour-ep01", "harbour-ep02"].map((id, at) => ({
    ...effort,
    id,
    input: `subs/${id}.vi.srt`,
    outputs: ["wav", "srt"],
    ...(at === 0 ? { credits: 18_400.5 } : {}),
    speakers: [
      { speaker: SpeakerName.make("LAN"), cues: 240, voices: ["provider_native/vi-mai"] },
      { cues: 160, voices: ["provider_fast/anna", "provider_fast/bo"] }
    ],
    lengths: { measured: 12, learned: 300, estimated: 100 },
    empty: { seconds: 61.5, cues: 40 },
    tight: [
      {
        cue: 7,
        line: 29,
        speaker: SpeakerName.make("LAN"),
        said: hostile,
        start: 3_723.5,
        end: 3_725,
        needs: 4.2,
        lengthFrom: "learned",
        speed: 1.31,
        late: 1.7,
        flags: ["overrun", "fast"],
        shortenBy: 21
      },
      {
        cue: 190,
        said: `${lines[2]} ${"a".repeat(300)}`,
        speaker: SpeakerName.make(`MINH_${"o".repeat(60)}`),
        start: 4_000,
        end: 4_002,
        needs: 1.9,
        lengthFrom: "measured",
        speed: 1.4,
        late: 0,
        flags: ["fast"]
      }
    ],
    lost: [{ cue: 401, line: 1203, error: `subs/${id}.vi.srt:1203: "00:xx:12 --> …": ${hostile}` }]
  })),
  total: { ...effort, tightLines: 4, lostLines: 2 },
  faults: [{ file: "subs/harbour-ep03.vi.srt", line: 12, message: "expected a time, found nothing" }],
  notices: ["subs/harbour-ep01.vi.srt:40: a cue ends before it starts; its length is guessed"]
}
