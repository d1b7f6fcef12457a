/** A dubbed film under review by the real command and its bundled service, and a browser: for the page tests. */
import { copyFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect } from "vitest"
import { runHere } from "../app/cli/inProcess.ts"
import { start } from "../app/process.ts"
import { enterReviewIn } from "../app/review/EnterReview.ts"
import { startTab, type Tab } from "./chromium.ts"

export interface ReviewedFilm {
  /** The address of the batch's review; it ends in `/`. */
  readonly address: string
  /** The page of its browser. */
  readonly tab: Tab
  readonly close: () => Promise<void>
}

export interface FilmSettings {
  /** The folder of the manifest `batch.yaml`. */
  readonly cwd: string
  /** The texts of the subtitle's cues: one every 4 s, for 3 s. */
  readonly cues: ReadonlyArray<string>
  /** More keys of the job, as YAML in braces has them. */
  readonly job?: string
  /** More lines of the manifest. */
  readonly manifest?: ReadonlyArray<string>
  /** Options of `review`. */
  readonly words?: ReadonlyArray<string>
}

/** Dubs a film of the job `film`, and opens its review. */
export const reviewFilm = async ({
  cwd,
  cues,
  job = "",
  manifest = [],
  words = []
}: FilmSettings): Promise<ReviewedFilm> => {
  const time = (seconds: number) => `00:00:${`${seconds}`.padStart(2, "0")},000`
  const srt = cues.map((text, at) => `${at + 1}\n${time(at * 4 + 1)} --> ${time(at * 4 + 4)}\n${text}\n`)
  copyFileSync(resolve("fixtures/last-ferry.mp4"), join(cwd, "film.mp4"))
  writeFileSync(join(cwd, "film.srt"), srt.join("\n"))
  writeFileSync(
    join(cwd, "batch.yaml"),
    [
      "service: embedded",
      "defaults: { provider: provider_native, voice: en-anna, language: en, sync: off, outputs: [wav, srt] }",
      ...manifest,
      `jobs: [{ id: film, input: film.srt, video: film.mp4${job} }]`,
      ""
    ].join("\n")
  )
  const first = await runHere(["run", "batch.yaml", "--json"], { cwd })
  expect(first.code, first.stderr).toBe(0)
  const server = start(["review", "batch.yaml", ...words], { cwd })
  const tab = await startTab()
  const address = await enterReviewIn(await tab.fresh(), await server.firstLine)
  return {
    address,
    tab,
    close: async () => {
      await tab.close()
      server.child.kill("SIGTERM")
      await server.ended
    }
  }
}
