/** A review of a film of two hours, for the page tests: its page, its report, its film and its sound. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { JobReport } from "../../src/domain/report/Report.ts"
import { reviewPage } from "../../src/pages/documents/ReviewPage.ts"
import { bundled } from "../ffmpeg/binaries.ts"
import type { Stand } from "./reviewStand.ts"
import { sampleReport, sampleSound } from "./sample.ts"

/** The film's length in seconds. */
const length = 7_200

/** Makes the review of a film with `count` cues; its media are files of the folder. */
export const longFilm = (folder: string, count: number): Stand => {
  const [film, sound] = [join(folder, "film.mp4"), join(folder, "sound.wav")]
  const make = (...words: ReadonlyArray<string>) => execFileSync(bundled.path, ["-v", "error", ...words])
  const [picture, tone] = ["color=gray:size=64x36:rate=1:d=60", "sine=sample_rate=8000:d=60"]
  const minute = (name: string) => join(folder, `minute-${name}`)
  make("-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", tone, "-pix_fmt", "yuv420p", minute("film.mp4"))
  make("-f", "lavfi", "-i", tone, "-c:a", "pcm_u8", minute("sound.wav"))
  for (const name of ["film.mp4", "sound.wav"])
    make("-stream_loop", `${length / 60 - 1}`, "-i", minute(name), "-c", "copy", join(folder, name))
  const sample = sampleReport(count)
  const report = lasting(sample, length / sample.duration)
  const { review: parts } = JSON.parse(readFileSync("dist/pages.json", "utf8"))
  const extras = {
    audio: "sound.wav",
    film: { name: "film.mp4", href: "film.mp4" },
    // As many as the longest waveform has.
    peaks: Float32Array.from({ length: 120_000 }, (_, at) => 0.5 + 0.4 * Math.sin(at / 9)),
    parts
  }
  return {
    page: reviewPage(report, extras).text,
    report,
    files: { "film.mp4": film, "sound.wav": sound },
    take: sampleSound({ ...report, cues: report.cues.slice(0, 1), duration: 3 }).wav
  }
}

/** The report of a film that lasts `factor` times as long. */
const lasting = (report: JobReport, factor: number): JobReport => ({
  ...report,
  duration: report.duration * factor,
  cues: report.cues.map(({ placed, ...cue }) => ({
    ...cue,
    start: cue.start * factor,
    end: cue.end * factor,
    ...(placed === undefined
      ? {}
      : { placed: { ...placed, start: placed.start * factor, end: placed.end * factor } })
  }))
})
